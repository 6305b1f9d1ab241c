"""Rows of states as text: one digit per cell, or numbers separated by blanks or commas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from matheur.errors import InputError, shown

__all__ = ["DIGITS", "OFF", "ON", "read_row", "read_rows", "written_rows"]

_BETWEEN = re.compile(r"[\s,]+")
_ROW_ENDS = re.compile(r"[/|;\n]+")
DIGITS = 10
"""Largest number of states for which a cell is written as a single digit."""

OFF, ON = ".-_□○·", "xX*@#oO■●█"
"""Signs for 0 and 1, the most common ones first."""

_HINT = "Maybe 1 for a light that is on, and 0 for one that is off?"


def read_row(text: str, states: int) -> list[int]:
    """The states of a row.

    With up to ten states, each digit is a cell and blanks are ignored; `.`, `-` and `_` mean 0; `x`, `*`, `@` and `#`
    mean 1. With more states, numbers are separated by blanks or commas, if there are any.

    Raises
    ------
    InputError
        If a word is not a state; the message names the first one.
    """
    text = text.strip("[]() \t")
    words = [word for word in _BETWEEN.split(text) if word]
    words = words if states > DIGITS and _BETWEEN.search(text) else list("".join(words))
    return [_state(word, states) for word in words]


def _state(word: str, states: int) -> int:
    if len(word) == 1 and word in OFF + ON:
        return int(word in ON)
    if re.fullmatch("[0-9]{1,3}", word) and int(word) < states:
        return int(word)
    if states == 2:
        hint = ". Maybe '# states: N' for more than two?" if word in "23456789" else f". {_HINT}"
        raise InputError(f"a row has only 0 and 1 ({shown(word)}){hint}")
    raise InputError(f"a row has only numbers from 0 to {states - 1} ({shown(word)})")


def read_rows(text: str, states: int, what: str = "the rows") -> list[list[int]]:
    """Rows separated by slashes, bars, semicolons or line ends, all of the same length.

    Raises
    ------
    InputError
        If a word is not a state, or the rows differ in length.
    """
    rows = [read_row(row, states) for row in _ROW_ENDS.split(text) if row.strip("[](), \t")]
    if not rows:
        raise InputError(f"{what} has no rows ({shown(text)})")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InputError(f"row {number} of {what} has {len(row)} cells, the first one has {len(rows[0])}")
    return rows


def written_rows(rows: Sequence[Sequence[int]], states: int) -> list[str]:
    """The rows as text that `read_row` accepts."""
    if states <= DIGITS:
        return ["".join(map(str, row)) for row in rows]
    width = len(str(max(max(row) for row in rows)))
    return [" ".join(f"{state:{width}}" for state in row).strip() + "," * (len(row) == 1) for row in rows]
