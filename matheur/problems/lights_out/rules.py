"""Rules of a board as written in files and options: edges, number of states, target, and patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from matheur.errors import InputError, nearest, shown
from matheur.problems.lights_out.cell_rows import read_rows
from matheur.problems.lights_out.instance import EDGES, STATES_MAX, Edges

__all__ = ["KEYS", "edges_of", "pattern_and_edges", "rows_as_text", "states_of", "target_of"]

KEYS = {
    "pattern": "pattern",
    "states": "states",
    "edges": "edges",
    "target": "target",
    "colours": "states",
    "colors": "states",
    "modulo": "states",
    "wrap": "edges",
    "torus": "edges",
    "goal": "target",
}
"""Keys in headers and in JSON, each mapped to the name of its rule."""

_TORUS = re.compile(
    r"tor(us|oid|oidal)|wrap(s|ped|ping)?([\s-]*around)?|cyclic|periodic|yes|true|on|both", re.IGNORECASE
)
_CYLINDER = re.compile(r"cylind(er|rical)|columns", re.IGNORECASE)
_PLAIN = re.compile(r"plain|plane|none|no|false|off|open|closed|flat", re.IGNORECASE)
_IN_PATTERN = re.compile(
    r"\b(tor(?:us|oidal|oid)|wrap(?:s|ped|ping)?(?:[\s-]*around)?|cyclic|periodic|cylind(?:er|rical))\b", re.IGNORECASE
)
_WORDS = {"off": 0, "dark": 0, "out": 0, "all off": 0, "on": 1, "lit": 1, "all on": 1}


def edges_of(value: Any) -> Edges:
    """The rule at the edges: a name of `EDGES`, or another word for it (`wrap`, `yes`, `no`).

    Raises
    ------
    InputError
        If `value` is not such a word.
    """
    text = str(value).strip()
    for name, words in (("torus", _TORUS), ("cylinder", _CYLINDER), ("plain", _PLAIN)):
        if words.fullmatch(text):
            return cast(Edges, name)
    raise InputError(f"unknown edges {shown(text)}. {nearest(text.lower()[:40], EDGES)}")


def pattern_and_edges(text: str) -> tuple[str | None, Edges | None]:
    """A pattern and an edge rule from one text such as `torus` or `king torus`; None for a missing part."""
    found = _IN_PATTERN.search(text)
    if found is None:
        return text.strip(), None
    rest = re.sub(r"\b(on|a|the|with)\b", "", text[: found.start()] + text[found.end() :], flags=re.IGNORECASE)
    return rest.strip(" ,;+()") or None, edges_of(found[1])


def states_of(value: Any) -> int:
    """The number of states of a light.

    Raises
    ------
    InputError
        If `value` is not an integer in the valid range.
    """
    text = str(value).strip()
    if not re.fullmatch("[0-9]{1,3}", text) or not 2 <= int(text) <= STATES_MAX:
        raise InputError(f"a light has 2 to {STATES_MAX} states ({shown(text)})")
    return int(text)


def rows_as_text(rows: Sequence[Any], what: str) -> str:
    """Join rows, each a text or a list of states, by slashes; a plain list of states is one row.

    Raises
    ------
    InputError
        If an entry of a row is neither a sign nor an integer.
    """
    parts = rows if all(isinstance(row, list | tuple | str) for row in rows) else [rows]
    return "/".join(row if isinstance(row, str) else _row_as_text(row, what) for row in parts)


def _row_as_text(row: Sequence[Any], what: str) -> str:
    for light in row:
        if not isinstance(light, int | str) or (not isinstance(light, str) and light < 0):
            raise InputError(f"{what} is made of whole numbers ({shown(str(light))})")
    return ",".join(str(_whole(light)) for light in row) + "," * (len(row) == 1)


def target_of(value: Any, rows: int, columns: int, states: int) -> tuple[int, ...]:
    """Target state of each light, row by row.

    Parameters
    ----------
    value
        `off`, `on` (with two states), the state of all lights, rows separated by slashes, or such rows in lists.
        Numbers with a leading 0, and everything in a list, are read as cells.

    Raises
    ------
    InputError
        If `value` has none of these forms, or its size does not match.
    """
    listed = isinstance(value, list | tuple)
    if listed:
        value = rows_as_text(value, "the target")
    elif not isinstance(value, str) and (not isinstance(value, int) or value < 0):
        raise InputError(f"unknown target {shown(str(value))}. {nearest('', ['off', 'on'])}")
    text = re.sub(r"\s+", " ", str(_whole(value)).strip().lower().removeprefix("all lights "))
    state = not listed and re.fullmatch("[0-9]|[1-9][0-9]{1,2}", text)
    uniform = _WORDS.get(text, int(text) if state else None)
    if text in _WORDS and uniform and states > 2:
        raise InputError(
            f"a target {shown(text)} of lights with {states} states. Maybe a number from 1 to {states - 1}?"
        )
    if uniform is not None and uniform < states:
        return (uniform,) * (rows * columns)
    if re.fullmatch("[a-z ]+", text) and len(text) > 1 and set(text) != {"x"}:
        raise InputError(f"unknown target {shown(text)}. {nearest(text[:40], ['off', 'on'])}")
    found = [light for row in read_rows(text, states, "the target") for light in row]
    if len(found) != rows * columns:
        raise InputError(f"{rows} x {columns} cells, but a target of {len(found)} lights")
    return tuple(found)


def _whole(value: Any) -> Any:
    """Convert True and False to 1 and 0."""
    return int(value) if isinstance(value, bool) else value
