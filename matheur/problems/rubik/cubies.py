"""Corners and edges of a cube, and whether it can be solved.

Corners are numbered URF UFL ULB UBR DFR DLF DBL DRB, edges UR UF UL UB DR DF DL DB FR FL BL BR. The twist of a corner
is the number of clockwise turns from the orientation with its U or D colour on top or at the bottom. An edge is flipped
if an odd number of quarter turns of F or B is needed to correct it (Kociemba's conventions).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from matheur.errors import InputError
from matheur.problems.rubik.stickers import FACES, SOLVED

__all__ = ["CORNERS", "CORNER_STICKERS", "EDGES", "EDGE_STICKERS", "Cubies", "cubies_of", "facelets_of", "unsolvable"]

CORNERS = ("URF", "UFL", "ULB", "UBR", "DFR", "DLF", "DBL", "DRB")
EDGES = ("UR", "UF", "UL", "UB", "DR", "DF", "DL", "DB", "FR", "FL", "BL", "BR")

CORNER_STICKERS = (
    (8, 9, 20), (6, 18, 38), (0, 36, 47), (2, 45, 11), (29, 26, 15), (27, 44, 24), (33, 53, 42), (35, 17, 51),
)  # fmt: skip
"""Stickers of each corner place, clockwise from the sticker on U or D."""

EDGE_STICKERS = (
    (5, 10), (7, 19), (3, 37), (1, 46), (32, 16), (28, 25), (30, 43), (34, 52), (23, 12), (21, 41), (50, 39), (48, 14),
)  # fmt: skip
"""Stickers of each edge place, the reference sticker first."""


@dataclass(frozen=True)
class Cubies:
    """The corner or edge in each place, and its orientation.

    Attributes
    ----------
    corners, twists
        Number of the corner in each place, and its twist, 0 to 2.
    edges, flips
        Number of the edge in each place, and its flip, 0 or 1.
    """

    corners: tuple[int, ...]
    twists: tuple[int, ...]
    edges: tuple[int, ...]
    flips: tuple[int, ...]


def cubies_of(facelets: str) -> Cubies:
    """Determine corners and edges from the stickers.

    Raises
    ------
    InputError
        If these are not the stickers of a cube: a wrong number of stickers of a colour, a misplaced centre, or a corner
        or edge that does not exist or occurs twice.
    """
    if len(facelets) != len(SOLVED):
        raise InputError(f"a cube has {len(SOLVED)} stickers ({len(facelets)})")
    for letter in facelets:
        if letter not in FACES:
            raise InputError(f"a sticker is one of {', '.join(FACES)} ({letter!r})")
    for number, face in enumerate(FACES):
        if facelets[9 * number + 4] != face:
            raise InputError(f"the centre of face {face} shows {facelets[9 * number + 4]}")
    for face, many in sorted(Counter(facelets).items()):
        if many != 9:
            raise InputError(f"{many} stickers of colour {face}, a cube has 9 of each")
    corners, twists = _pieces(facelets, CORNERS, CORNER_STICKERS, "corner")
    edges, flips = _pieces(facelets, EDGES, EDGE_STICKERS, "edge")
    return Cubies(corners, twists, edges, flips)


def _pieces(
    facelets: str, names: tuple[str, ...], stickers: tuple[tuple[int, ...], ...], kind: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Number and orientation of the piece in each place."""
    many = len(stickers[0])
    known = {names[piece][shift:] + names[piece][:shift]: piece for piece in range(len(names)) for shift in range(many)}
    pieces: list[int] = []
    turned: list[int] = []
    for place, name in zip(stickers, names, strict=True):
        shown = "".join(facelets[sticker] for sticker in place)
        if shown not in known:
            raise InputError(f"the {kind} at {name} shows {shown}: no {kind} of a cube does")
        piece = known[shown]
        if piece in pieces:
            raise InputError(f"the {kind} {names[piece]} is there twice, at {names[pieces.index(piece)]} and at {name}")
        pieces.append(piece)
        turned.append(shown.index(names[piece][0]))
    return tuple(pieces), tuple(turned)


def facelets_of(cubies: Cubies) -> str:
    """The stickers of corners and edges."""
    stickers = list(SOLVED)
    groups = (
        (cubies.corners, cubies.twists, CORNERS, CORNER_STICKERS),
        (cubies.edges, cubies.flips, EDGES, EDGE_STICKERS),
    )
    for pieces, turned, names, places in groups:
        for piece, shift, place in zip(pieces, turned, places, strict=True):
            for i, letter in enumerate(names[piece]):
                stickers[place[(i + shift) % len(place)]] = letter
    return "".join(stickers)


def unsolvable(cubies: Cubies) -> str | None:
    """A sentence if turns cannot solve the cube: a twisted corner, a flipped edge, or two pieces exchanged."""
    twist, flips = sum(cubies.twists) % 3, sum(cubies.flips) % 2
    reasons = []
    if twist:
        way = "clockwise" if twist == 1 else "anticlockwise"
        reasons.append(f"a corner is twisted {way} (the twists add up to {twist} modulo 3)")
    if flips:
        reasons.append("an edge is flipped (the number of flips is odd)")
    if _odd(cubies.corners) != _odd(cubies.edges):
        reasons.append("two pieces are exchanged (corners and edges are permuted with different parities)")
    return "; ".join(reasons) or None


def _odd(permutation: tuple[int, ...]) -> bool:
    return sum(a > b for i, a in enumerate(permutation) for b in permutation[i + 1 :]) % 2 == 1
