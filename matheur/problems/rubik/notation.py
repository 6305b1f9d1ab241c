"""Turns as people write them: `R U' F2`, also whole-cube rotations, slices and wide turns, as turns of faces.

A turn of two layers is a turn of the opposite face with the cube turned over, a slice is a turn of the two faces next
to it.
So every sequence can be written in turns of faces seen from the centres, which stay where they are; letters after a
rotation then mean other faces. This is what `moves_of` does; how the cube lies in the hand at the end is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from matheur.errors import InputError, shown
from matheur.problems.rubik.stickers import FACES, MOVES

__all__ = ["Turn", "half_turns", "moves_of", "parse_moves", "parse_turns", "resemble_turns", "rotations"]

Turn = tuple[str, int]
"""What is turned (a face, `Rw` for two layers, a slice `M`, `E`, `S`, the cube `x`, `y`, `z`), and quarters 1 to 3."""

_PRIMES = str.maketrans(dict.fromkeys("’‘‛`´′ʹʼˈ＇", "'"))
_TURN = re.compile(r"([URFDLB]w?|[MESxyzXYZ])('2|2'|['123i]|-(?=[\s,;]|$))?[\s,;]*")
_QUARTERS = {None: 1, "1": 1, "2": 2, "'2": 2, "2'": 2, "3": 3, "'": 3, "i": 3, "-": 3}
_LENGTH = re.compile(r"\(\s*[0-9]{1,4}\s*(?:[fqhs]\*?|[FQHS]TM|moves|turns)\*?\s*\)\s*$")

_OPPOSITE = dict(zip("URFDLB", "DLBURF", strict=True))
# The face that comes to each place when the cube turns as R, U or F does.
_COMES = {"x": dict(zip("UFDB", "FDBU", strict=True)), "y": dict(zip("LFRB", "FRBL", strict=True)),
          "z": dict(zip("RDLU", "URDL", strict=True))}  # fmt: skip
_ABOUT = {"R": ("x", 1), "L": ("x", 3), "U": ("y", 1), "D": ("y", 3), "F": ("z", 1), "B": ("z", 3)}
_WRITTEN: Mapping[str, tuple[tuple[Turn, ...], Turn]] = {
    "M": ((("R", 1), ("L", 3)), ("x", 3)),
    "E": ((("U", 1), ("D", 3)), ("y", 3)),
    "S": ((("F", 3), ("B", 1)), ("z", 1)),
    **{axis: ((), (axis, 1)) for axis in "xyz"},
    **{f"{face}w": (((_OPPOSITE[face], 1),), _ABOUT[face]) for face in FACES},
}
"""The turns of faces, and the rotation after them, that make other turns."""


def parse_turns(text: str) -> list[Turn]:
    """Turns written one after the other, with blanks or without.

    Inverses are `R'`, `R3`, `Ri`, or `R-` before a blank; a length in brackets at the end, `(18f)`, is skipped.

    Raises
    ------
    InputError
        With the number and the text of the first one that cannot be read.
    """
    found: list[Turn] = []
    rest = _LENGTH.sub("", text.strip()).translate(_PRIMES)
    at = 0
    while at < len(rest):
        match = _TURN.match(rest, at)
        if match is None:
            raise InputError(
                f"move {len(found) + 1} cannot be read ({shown(rest[at:], 20)}). {_hint(rest[at : at + 2])}"
            )
        letter = match[1].lower() if match[1] in "XYZ" else match[1]
        found.append((letter, _QUARTERS[match[2]]))
        at = match.end()
    return found


def _hint(rest: str) -> str:
    sign = rest[0]
    if sign in "()[]{}:*":
        return "Maybe write out what stands in brackets?"
    if sign in "urfdlb":
        face = sign.upper()
        return f"Maybe {face} for the face, or {face}w for two layers?"
    if re.fullmatch("[2-9][A-Za-z]", rest):
        return "Maybe a cube with more layers than three?"
    return f"Maybe one of: {' '.join(MOVES)}"


def resemble_turns(text: str) -> bool:
    """Whether these are turns of more than the whole cube, also such (in brackets, small) as `parse_turns` refuses."""
    bare = _LENGTH.sub("", text.strip()).translate(_PRIMES)
    bare = re.sub(r"[)\]}]\s*[0-9']*|[(\[{:*]|\b[2-9](?=[A-Za-z])", " ", bare)
    try:
        return bool(moves_of(parse_turns(re.sub("[urfdlb]", lambda face: face[0].upper(), bare))))
    except InputError:
        return False


def half_turns(turns: Iterable[Turn]) -> bool:
    """Whether a face, some layers or a slice are turned by a half."""
    return any(quarters == 2 for letter, quarters in turns if letter not in ("x", "y", "z"))


def moves_of(turns: Iterable[Turn]) -> list[int]:
    """Numbers of the same turns as turns of faces, as seen from the centres."""
    numbers: list[int] = []
    frame = {face: face for face in FACES}
    for letter, quarters in turns:
        faces, (axis, times) = _WRITTEN.get(letter, (((letter, 1),), ("x", 0)))
        for face, factor in faces:
            numbers.append(MOVES.index(frame[face] + ("", "", "2", "'")[factor * quarters % 4]))
        for _ in range(times * quarters % 4):
            frame = {place: frame[_COMES[axis].get(place, place)] for place in FACES}
    return numbers


def parse_moves(text: str) -> list[int]:
    """Numbers of turns of faces from a text; see `parse_turns` and `moves_of`."""
    return moves_of(parse_turns(text))


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
