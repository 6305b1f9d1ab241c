"""Whole-cube rotations, slice turns and wide turns as face turns.

A turn of two layers equals a turn of the opposite face and a rotation of the cube; a slice turn equals turns of the two
adjacent faces and a rotation. Every sequence can therefore be written in face turns relative to the centres, which stay
fixed; letters after a rotation then refer to other faces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from matheur.problems.rubik.stickers import FACES, MOVES

__all__ = ["ABOUT", "OPPOSITE", "Turn", "half_turns", "moves_of", "rotations", "scramble_of"]

Turn = tuple[str, int]
"""The turned part (a face, two layers `Rw`, a slice `M`, `E`, `S`, or the cube `x`, `y`, `z`) and 1 to 3 quarters."""

OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))
"""The face opposite each face."""

# The face that moves to each place when the cube rotates in the direction of R, U or F.
_COMES = {"x": dict(zip("UFDB", "FDBU", strict=True)), "y": dict(zip("LFRB", "FRBL", strict=True)),
          "z": dict(zip("RDLU", "URDL", strict=True))}  # fmt: skip
ABOUT = {"R": ("x", 1), "L": ("x", 3), "U": ("y", 1), "D": ("y", 3), "F": ("z", 1), "B": ("z", 3)}
"""The axis about which a face turns, and the number of quarter turns about it."""

_WRITTEN: Mapping[str, tuple[tuple[Turn, ...], Turn]] = {
    "M": ((("R", 1), ("L", 3)), ("x", 3)),
    "E": ((("U", 1), ("D", 3)), ("y", 3)),
    "S": ((("F", 3), ("B", 1)), ("z", 1)),
    **{axis: ((), (axis, 1)) for axis in "xyz"},
    **{f"{face}w": (((OPPOSITE[face], 1),), ABOUT[face]) for face in FACES},
}
"""Other turns written as face turns and a rotation after them."""


def half_turns(turns: Iterable[Turn]) -> bool:
    """Whether any face, layers or slice makes a half turn."""
    return any(quarters == 2 for letter, quarters in turns if letter not in ("x", "y", "z"))


def moves_of(turns: Iterable[Turn]) -> list[int]:
    """Numbers of the equivalent face turns, with the cube held as at the beginning."""
    return _fixed(turns)[0]


def scramble_of(turns: Iterable[Turn]) -> tuple[list[int], str]:
    """Numbers of face turns that give the same cube, as it is held at the end.

    Returns
    -------
    moves, held
        The numbers, and the faces that are at U, R, F, D, L and B at the end.
    """
    moves, frame = _fixed(turns)
    place = {face: place for place, face in frame.items()}
    return [MOVES.index(place[MOVES[move][0]] + MOVES[move][1:]) for move in moves], "".join(frame.values())


def _fixed(turns: Iterable[Turn]) -> tuple[list[int], dict[str, str]]:
    """Face turns with the cube held as at the beginning, and the face in each place at the end."""
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
    """The 24 orientations of a cube: the faces at U, R, F, D, L and B."""
    found, waiting = {FACES}, [FACES]
    while waiting:
        held = dict(zip(FACES, waiting.pop(), strict=True))
        for comes in _COMES.values():
            other = "".join(held[comes.get(place, place)] for place in FACES)
            if other not in found:
                found.add(other)
                waiting.append(other)
    return frozenset(found)
