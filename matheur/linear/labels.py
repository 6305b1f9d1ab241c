"""Labels of the columns of a model: a stem and an index, read from their names.

`x(3,7)`, `x[3,7]`, `x#3#7`, `x_3_7`, `x3_7` and Pyomo's `x(3_7)` all have the stem `x` and the index (3, 7), and
`b[2].x[3]` has the stem `b.x` and the index (2, 3). This recovers the index sets from files of most modelling
languages.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import compress
from operator import not_

__all__ = ["Label", "labels_of_names"]

Label = tuple[str, tuple[str, ...]]
"""A stem and an index; the index of a single column is empty."""

_PARTS = re.compile(r"'([^']*)'|\"([^\"]*)\"|([\[({])|([\])}])|,|([^\[\](){},'\"]+)")
_SIMPLE = re.compile(r"([^\[\](){},'\"]*)[\[({]([^\[\](){}'\"]*)[\])}]")
_WEAK = re.compile(r"[#_.~|:;@!/$&% ]+")
_EDGES = "_ .#"
_SERIAL = re.compile(r"(.+)#[0-9]+")
_RUNS = re.compile(r"[0-9]+|[^0-9]+")
_NUMBERED = re.compile(r"([^0-9]+)([0-9]+)")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")


def labels_of_names(names: Sequence[str]) -> list[Label]:
    """The label of each name, in their order.

    Names without brackets are split at `_`, `#`, `.` and similar characters, or between letters and digits.
    The stem is determined from all names together: it consists of the words that are equal in all names of a kind.
    """
    names = _without_serials(names)
    bracketed: dict[str, list[tuple[int, list[str]]]] = defaultdict(list)
    plain: dict[tuple[str, int], list[tuple[int, list[str]]]] = defaultdict(list)
    for number, name in enumerate(names):
        if "(" in name or "[" in name or "{" in name:
            stem, index = _in_brackets(name)
            bracketed[stem].append((number, index))
        else:
            parts = _parts(name)
            plain[parts[0], len(parts)].append((number, parts))
    found: list[Label] = [("", ())] * len(names)
    for stem, members in bracketed.items():
        for (number, _), index in zip(members, _split([index for _, index in members]), strict=True):
            found[number] = stem, tuple(index)
    for members in plain.values():
        fixed = [_is_word(values) for values in map(set, zip(*(parts for _, parts in members), strict=True))]
        fixed[0] = True
        for number, parts in members:
            stem = "_".join(compress(parts, fixed))
            found[number] = stem, tuple(compress(parts, map(not_, fixed)))
    return found


def _without_serials(names: Sequence[str]) -> Sequence[str]:
    """Names without the column number that linopy appends, `x(coal,3)#17`."""
    matches = [_SERIAL.fullmatch(name) for name in names]
    found = [match[1] for match in matches if match is not None]
    return found if len(set(found)) == len(names) else names


def _in_brackets(name: str) -> tuple[str, list[str]]:
    """The text outside brackets, and the parts inside them."""
    simple = _SIMPLE.fullmatch(name)
    if simple is not None:
        return simple[1].strip(_EDGES) or "it", [part.strip(_EDGES) or part for part in simple[2].split(",") if part]
    depth, outside, inside = 0, "", []
    for match in _PARTS.finditer(name):
        single, double, opens, closes, text = match.groups()
        if opens:
            depth += 1
        elif closes:
            depth = max(0, depth - 1)
        elif single is not None or double is not None:
            inside.append(single if double is None else double)
        elif text is not None and depth:
            inside.append(text.strip(_EDGES) or text)
        elif text is not None:
            outside += text
    return outside.strip(_EDGES) or "it", inside


def _split(indices: list[list[str]]) -> list[list[str]]:
    """Split indices of one part (Pyomo writes `x(3_7)`), if all of them then have the same number of parts."""
    if any(len(index) != 1 for index in indices):
        return indices
    parts = [[part for part in _WEAK.split(index[0]) if part] for index in indices]
    return parts if len(set(map(len, parts))) == 1 and parts[0] else indices


def _parts(name: str) -> list[str]:
    """The parts of a name without brackets; the first part is not a number, if possible."""
    parts = [part for part in _WEAK.split(name) if part]
    if not parts:
        return [name]
    if len(parts) == 1:
        return _RUNS.findall(parts[0]) or [name]
    numbered = _NUMBERED.fullmatch(parts[0])
    return [*numbered.groups(), *parts[1:]] if numbered is not None else parts


def _is_word(values: set[str]) -> bool:
    return len(values) == 1 and _NUMBER.fullmatch(next(iter(values))) is None
