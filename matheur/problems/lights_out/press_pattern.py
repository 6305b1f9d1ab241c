"""Effect of a press: named patterns, and custom patterns around the pressed cell.

A pattern is `plus`, `king`, or rows separated by slashes such as `.1./111/.1.`: an odd number of rows and of columns
with the pressed cell in the middle. Each number is the amount that a press adds there; `x` stands for 1, `.` for 0.
"""

from __future__ import annotations

import re
from functools import lru_cache

from matheur.errors import InputError, nearest, shown
from matheur.problems.lights_out.cell_rows import read_rows, written_rows

__all__ = ["NAMED", "PATTERNS", "canonical", "offsets_of"]

NAMED = {"plus": "010/111/010", "king": "111/111/111"}
"""Named patterns: `plus` is the cell and its up to four neighbours; `king` adds the diagonal neighbours."""

PATTERNS: tuple[str, ...] = tuple(NAMED)

_ROWS = re.compile(r"[0-9xX*@#oO■●█.\-_□○·/|;,\s\[\]()]+")

SIDE_MAX = 129
"""Largest number of rows, and of columns, of a pattern."""

Offset = tuple[int, int, int]
"""Rows down, columns to the right, and the amount that a press adds there."""


def canonical(pattern: str, states: int = 2) -> str:
    """Canonical form of a pattern: its name if it has one, else rows of digits (of numbers if digits do not suffice).

    Raises
    ------
    InputError
        If the text is neither a name nor a pattern, or a press would change nothing.
    """
    if pattern in NAMED:
        return pattern
    if pattern.strip().lower() in NAMED:
        return pattern.strip().lower()
    if not _ROWS.fullmatch(pattern):
        raise InputError(f"unknown pattern {shown(pattern)}. {nearest(pattern.lower()[:40], PATTERNS)}")
    if len(pattern.strip()) == 1 and not pattern.strip().isdigit():  # a shape, such as x, rather than a row of one cell
        raise InputError(f"unknown pattern {shown(pattern)}. Maybe rows such as 'x.x/.x./x.x'?")
    rows = read_rows(pattern, states, what="the pattern")
    height, width = len(rows), len(rows[0])
    if not (height % 2 and width % 2) or max(height, width) > SIDE_MAX:
        raise InputError(
            f"a pattern has an odd number of rows and columns, up to {SIDE_MAX}, around the pressed cell "
            f"({height} x {width})"
        )
    if not any(any(row) for row in rows):
        raise InputError(f"a press of the pattern {shown(pattern)} changes nothing")
    while height > 1 and not any(rows[0]) and not any(rows[-1]):
        rows, height = rows[1:-1], height - 2
    while width > 1 and not any(row[0] or row[-1] for row in rows):
        rows, width = [row[1:-1] for row in rows], width - 2
    named = next((name for name, known in NAMED.items() if read_rows(known, 2) == rows), None)
    return named or "/".join(written_rows(rows, states))


@lru_cache(maxsize=64)
def offsets_of(pattern: str, states: int = 2) -> tuple[Offset, ...]:
    """The cells around the pressed one that a canonical pattern changes, row by row."""
    rows = read_rows(NAMED[pattern], 2) if pattern in NAMED else read_rows(pattern, states)
    middle, centre = len(rows) // 2, len(rows[0]) // 2
    return tuple(
        (down - middle, right - centre, amount)
        for down, row in enumerate(rows)
        for right, amount in enumerate(row)
        if amount
    )
