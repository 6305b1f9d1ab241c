"""Built-in puzzles of Merleau, O'Malley, Roldán and Mukherjee (2024): series of levels, and the rows of Table 3."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from matheur.problems.builtin_instances import Builtins
from matheur.problems.cubical.instance import Instance

__all__ = ["BUILTINS", "builtin"]

_RINGS = ("green", "purple", "red", "blue", "yellow", "orange")
_FACES = {3: (1, 2), 4: (1, 2, 3), 5: (1, 2, 3, 4)}
_TARGETS = {3: "4 1 5 6", 4: "13 7 5 4 1", 5: "17 30 0 29 4 1"}
# Starts of the levels, the same for every k; `row`s have targets of their own.
_LEVELS = {
    3: ("6 1 4 5", "6 4 5 1", "5 6 4 1", "5 1 4 6"),
    4: ("4 7 13 5 1", "5 4 13 7 1", "4 13 5 7 1", "4 1 13 7 5", "4 1 5 13 7"),
    5: ("30 29 0 17 4 1",),
}
_ROWS = {1: ("11 0 13 3 7", "0 3 13 11 7"), 2: ("1 2 15 9 8", "1 9 8 2 15"), 3: ("4 0 13 8 11", "8 0 13 11 4")}
_DEMO = "d4-k3-level4"


def _all() -> dict[str, tuple[int, int, str, str, str]]:
    found = {}
    for d, starts in _LEVELS.items():
        for k in _FACES[d]:
            for level, start in enumerate(starts):
                found[f"d{d}-k{k}-level{level}"] = (d, k, start, _TARGETS[d], f"level {level} of the paper's series")
            if d == 4:
                for row, (start, target) in _ROWS.items():
                    found[f"d{d}-k{k}-row{row}"] = (d, k, start, target, f"row {row} of the paper's Table 3")
    return found


_PUZZLES = _all()


def _line(name: str) -> str:
    d, k, start, _, origin = _PUZZLES[name]
    rings = len(start.split())
    return f"dimension {d}, faces of dimension {k}, {rings} rings, {2**d - rings} empty vertices; {origin}"


BUILTINS: Mapping[str, str] = MappingProxyType(
    {"demo": f"the same as {_DEMO}: {_line(_DEMO)}", **{name: _line(name) for name in _PUZZLES}}
)
"""Names of the built-in puzzles, with one line about each."""


def _make(name: str) -> Instance:
    d, k, start, target, _ = _PUZZLES[_DEMO if name == "demo" else name]
    places = [tuple(int(vertex) for vertex in text.split()) for text in (start, target)]
    return Instance(d, k, _RINGS[: len(places[0])], places[0], places[1], title=name)


builtin = Builtins("cubical", BUILTINS, _make)
"""A built-in puzzle."""
