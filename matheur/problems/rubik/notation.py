"""Whole-cube rotations, slices and wide turns as turns of faces.

A turn of two layers is a turn of the opposite face with the cube turned over, a slice is a turn of the two faces next
to it. So every sequence can be written in turns of faces seen from the centres, which stay where they are; letters
after a rotation then mean other faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from matheur.problems.rubik.stickers import FACES, MOVES

__all__ = ["ABOUT", "OPPOSITE", "Turn", "half_turns", "moves_of", "rotations", "scramble_of"]

Turn = tuple[str, int]
"""What is turned (a face, `Rw` for two layers, a slice `M`, `E`, `S`, the cube `x`, `y`, `z`), and quarters 1 to 3."""

OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))
"""The face on the other side."""

# The face that comes to each place when the cube turns as R, U or F does.
_COMES = {"x": dict(zip("UFDB", "FDBU", strict=True)), "y": dict(zip("LFRB", "FRBL", strict=True)),
          "z": dict(zip("RDLU", "URDL", strict=True))}  # fmt: skip
ABOUT = {"R": ("x", 1), "L": ("x", 3), "U": ("y", 1), "D": ("y", 3), "F": ("z", 1), "B": ("z", 3)}
"""The axis about which a face turns, and quarters about it."""

_WRITTEN: Mapping[str, tuple[tuple[Turn, ...], Turn]] = {
    "M": ((("R", 1), ("L", 3)), ("x", 3)),
    "E": ((("U", 1), ("D", 3)), ("y", 3)),
    "S": ((("F", 3), ("B", 1)), ("z", 1)),
    **{axis: ((), (axis, 1)) for axis in "xyz"},
    **{f"{face}w": (((OPPOSITE[face], 1),), ABOUT[face]) for face in FACES},
}
"""The turns of faces, and the rotation after them, that make other turns."""


def half_turns(turns: Iterable[Turn]) -> bool:
    """Whether a face, some layers or a slice are turned by a half."""
    return any(quarters == 2 for letter, quarters in turns if letter not in ("x", "y", "z"))


def moves_of(turns: Iterable[Turn]) -> list[int]:
    """Numbers of the same turns as turns of faces, as the cube is held at the beginning."""
    return _fixed(turns)[0]


def scramble_of(turns: Iterable[Turn]) -> tuple[list[int], str]:
    """Numbers of turns of faces that make the same cube, as it is held at the end.

    Returns
    -------
    moves, held
        The numbers, and the faces that are then at U, R, F, D, L and B.
    """
    moves, frame = _fixed(turns)
    place = {face: place for place, face in frame.items()}
    return [MOVES.index(place[MOVES[move][0]] + MOVES[move][1:]) for move in moves], "".join(frame.values())


def _fixed(turns: Iterable[Turn]) -> tuple[list[int], dict[str, str]]:
    """Turns of faces as the cube is held at the beginning, and which face is in each place at the end."""
    numbers: list[int] = []
    frame = {face: face for face in FACES}
    for letter, quarters in turns:
        faces, (axis, times) = _WRITTEN.get(letter, (((letter, 1),), ("x", 0)))
        for face, factor in faces:
            numbers.append(MOVES.index(frame[face] + ("", "", "2", "'")[factor * quarters % 4]))
        for _ in range(times * quarters % 4):
            frame = {place: frame[_COMES[axis].get(place, place)] for place in FACES}
    return numbers, frame


@lru_cache(maxsize=1)
def rotations() -> frozenset[str]:
    """The 24 ways to hold a cube: which face is at U, R, F, D, L and B."""
    found, waiting = {FACES}, [FACES]
    while waiting:
        held = dict(zip(FACES, waiting.pop(), strict=True))
        for comes in _COMES.values():
            other = "".join(held[comes.get(place, place)] for place in FACES)
            if other not in found:
                found.add(other)
                waiting.append(other)
    return frozenset(found)
