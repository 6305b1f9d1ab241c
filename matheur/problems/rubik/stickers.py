"""The 54 stickers and the effect of turns, derived from their positions in space.

Stickers are numbered in the order of Kociemba's facelets: faces U R F D L B, each row by row as seen from outside. A
sticker is given by a place (x to the right, y up, z to the front, each -1, 0 or 1) and the direction that it faces. A
turn rotates the stickers of one layer about its axis.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["FACES", "MOVES", "QUARTER_TURNS", "SOLVED", "places", "turn", "turns"]

FACES = "URFDLB"
"""Faces in the order of their stickers; a letter also denotes the colour of the solved face."""

SOLVED = "".join(face * 9 for face in FACES)

MOVES = (
    "U", "U'", "D", "D'", "L", "L'", "R", "R'", "F", "F'", "B", "B'",
    "U2", "D2", "L2", "R2", "F2", "B2",
)  # fmt: skip
"""Names of the moves 0 to 17; the last six are half turns."""

QUARTER_TURNS = 12
"""Number of quarter turns, which are the moves below this number."""

_NORMAL = {"U": (0, 1, 0), "R": (1, 0, 0), "F": (0, 0, 1), "D": (0, -1, 0), "L": (-1, 0, 0), "B": (0, 0, -1)}
_Vector = tuple[int, int, int]


@lru_cache(maxsize=1)
def places() -> tuple[tuple[_Vector, _Vector], ...]:
    """Place and direction of each sticker."""
    found = []
    for face in FACES:
        for row in range(3):
            for column in range(3):
                place = {
                    "U": (column - 1, 1, row - 1),
                    "R": (1, 1 - row, 1 - column),
                    "F": (column - 1, 1 - row, 1),
                    "D": (column - 1, -1, 1 - row),
                    "L": (-1, 1 - row, column - 1),
                    "B": (1 - column, 1 - row, -1),
                }[face]
                found.append((place, _NORMAL[face]))
    return tuple(found)


def _rotated(vector: _Vector, axis: _Vector) -> _Vector:
    """Clockwise quarter turn as seen against the axis: v -> (n . v) n - n x v."""
    (a, b, c), (x, y, z) = axis, vector
    along = a * x + b * y + c * z
    return (a * along - (b * z - c * y), b * along - (c * x - a * z), c * along - (a * y - b * x))


@lru_cache(maxsize=1)
def turns() -> NDArray[np.int64]:
    """int64[18, 54]: after move m, sticker place i shows the colour that was at place `turns()[m, i]`."""
    known = {pair: number for number, pair in enumerate(places())}
    table = np.empty((len(MOVES), 54), dtype=np.int64)
    table[:] = np.arange(54)
    for number, name in enumerate(MOVES):
        axis = _NORMAL[name[0]]
        times = {"": 1, "'": 3, "2": 2}[name[1:]]
        for origin, (place, direction) in enumerate(places()):
            if sum(a * b for a, b in zip(place, axis, strict=True)) != 1:
                continue
            there = (place, direction)
            for _ in range(times):
                there = (_rotated(there[0], axis), _rotated(there[1], axis))
            table[number, known[there]] = origin
    return table


def turn(facelets: str, move: int) -> str:
    """The facelets after a move."""
    return "".join(facelets[origin] for origin in turns()[move])
