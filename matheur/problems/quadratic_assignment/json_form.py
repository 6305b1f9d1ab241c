"""Extended instances in JSON, with the parts of `sections` as keys::

    {"format": "matheur-quadratic-assignment", "version": 1,
     "flows": [[0, 5], [5, 0]], "distances": [[0, 8, 15], [8, 0, 13], [15, 13, 0]],
     "linear": [[0, 2, 2], [1, 0, 3]], "fixed": [[1, 3]]}

`fixed` may also be an object, {"1": 3}; `pairs` is a list of [i, k, j, l, cost], or the whole table c[i][k][j][l].
"""

from __future__ import annotations

import json
import re
from array import array
from typing import Any

import numpy as np

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.decimals import decimal_parts
from matheur.problems.json_keys import without_repetition
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.numbers import Numbers
from matheur.problems.quadratic_assignment.parts import PARTS, TABLES, of_parts

__all__ = ["FORMAT", "claim_json", "read_json"]

FORMAT = "matheur-quadratic-assignment"
_KEYS = ("format", "version", "name", *PARTS)
_WIDTHS = {"fixed": 2, "pairs": 5}  # numbers in a row
_INDEX = re.compile(r"[0-9]{1,9}", re.ASCII)


def claim_json(source: Source) -> Recognition:
    """How surely this is the JSON form, judged by its `format` key; never raises."""
    try:
        start = source.plain[:200_000].lstrip()[:1]
        named = FORMAT.encode() in source.plain
    except InputError:
        return Recognition.NO
    return Recognition.PROVED if start == b"{" and named else Recognition.NO


def read_json(source: Source) -> Instance:
    """The instance in JSON.

    Raises
    ------
    InputError
        If it is malformed; the message names the key.
    """
    source.json  # noqa: B018 - says what is wrong with the text
    try:
        data = json.loads(
            source.text, parse_float=_Decimal, parse_constant=_Decimal, object_pairs_hook=without_repetition
        )
    except InputError as error:
        raise error.located(source.name) from None
    version = data.get("version") if isinstance(data, dict) and data.get("format") == FORMAT else None
    if version != 1 or isinstance(version, bool):
        raise source.error(f'an instance in JSON is an object with "format": "{FORMAT}" and "version": 1')
    for key in data:
        if key not in _KEYS:
            raise source.error(f"no key is called {shown(key)}. {nearest(key, _KEYS)}")
    sizes = {}
    for key in ("facilities", "locations"):
        if key in data:
            if type(data[key]) is not int:
                raise source.error(f"'{key}' is a whole number ({shown(str(data[key]))})")
            sizes[key] = data[key]
    fixed = data.get("fixed")
    if isinstance(fixed, dict):
        data["fixed"] = [[int(one) if _INDEX.fullmatch(one) else one, fixed[one]] for one in fixed]
    parts: dict[str, Numbers] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for key in TABLES:
        if data.get(key) is not None:
            parts[key], shape = _numbers_in(data[key], key, source)
            if key == "pairs" and len(shape) == 4:
                declared = (sizes.get("facilities", shape[0]), sizes.get("locations", shape[1]))
                if shape != declared + declared:
                    raise source.error(f"'pairs' as a table is c[i][k][j][l], not {' x '.join(map(str, shape))}")
                sizes = {"facilities": shape[0], "locations": shape[1], **sizes}
                parts[key] = _listed(parts[key], shape)
            elif shape != (0,) and (len(shape) != 2 or shape[1] != _WIDTHS.get(key, shape[1])):
                width = f" of {_WIDTHS[key]} numbers" if key in _WIDTHS else ""
                raise source.error(f"'{key}' must be a list of rows{width}")
            shapes[key] = shape
    for key in ("flows", "distances"):
        if len(shapes.get(key, ())) == 2 and shapes[key][0] != shapes[key][1]:
            raise source.error(f"'{key}' must be square ({shapes[key][0]} x {shapes[key][1]})")
    m = shapes["flows"][0] if "flows" in shapes else sizes.get("facilities", 0)
    n = shapes["distances"][0] if "distances" in shapes else sizes.get("locations", 0)
    if "linear" in parts and len(parts["linear"]) == m * n and shapes["linear"] != (m, n):
        what = "'linear' has a row for each facility and a column for each location"
        raise source.error(f"{what}: it must be {m} x {n} ({' x '.join(map(str, shapes['linear']))})")
    name = data.get("name", source.stem)
    return of_parts(source, parts, sizes, name if isinstance(name, str) else source.stem)


class _Decimal(str):
    """A number of JSON as written."""

    __slots__ = ()


def _numbers_in(data: Any, key: str, source: Source) -> tuple[Numbers, tuple[int, ...]]:
    """All numbers of nested lists, and the shape of the lists."""
    shape: list[int] = []
    level = [data]
    while level and isinstance(level[0], list):
        width = len(level[0])
        if any(not isinstance(one, list) or len(one) != width for one in level):
            raise source.error(f"the rows of '{key}' are not equally long")
        shape.append(width)
        level = [inner for one in level for inner in one]
    found = Numbers()
    for value in level:
        parts = decimal_parts(value) if isinstance(value, _Decimal) else (value, 0)
        if parts is None or type(parts[0]) is not int or abs(parts[0]) >= 1 << 63:
            raise source.error(f"'{key}' holds no number, or one with too many digits ({shown(str(value))})")
        found.wholes.append(parts[0])
        found.decimals.append(parts[1])
    found.starts, found.lines = [0], [0]
    return found, tuple(shape)


def _listed(numbers: Numbers, shape: tuple[int, ...]) -> Numbers:
    """A whole table of the general form as lines `i k j l cost`."""
    costs = np.array(numbers.wholes, dtype=np.int64)
    (there,) = np.nonzero(costs)
    wholes = np.column_stack([*(one + 1 for one in np.unravel_index(there, shape)), costs[there]])
    decimals = np.zeros(wholes.shape, dtype=np.uint8)
    decimals[:, 4] = np.frombuffer(numbers.decimals, dtype=np.uint8)[there]
    return Numbers(array("q", wholes.tobytes()), bytearray(decimals.tobytes()), [0], [0])
