"""Coordinates of a cube as sums over its pieces, and the small tables that convert them to table indices.

Twist, flip and the places of the slice edges are sums of one contribution per place. A move therefore changes them by a
difference that depends only on the eight pieces moved. Two words contain all of them, for the three axes together:

- corners: twist about axes 0, 1, 2 (12 bits each, seven digits in base 3), then three bits per place for its piece;
- edges: flip about axes 0, 1, 2 (11 bits each), then 12 bits each for axes 0 and 1: places with an edge of its slice.

The twist about an axis is the twist of the image of the cube under the rotation that maps the axis to U-D (see
`Symmetries`); likewise for flips and places. The same words of the inverse cube are also sums over the pieces of the
cube.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.search.pieces import symmetries, turns_of

__all__ = ["CORNER_TWISTS", "FLIPS", "PLACINGS", "TWISTS", "Coordinates", "coordinates", "corner_moves", "twist_moves"]

TWISTS, FLIPS, PLACINGS = 3**7, 2**11, 495
"""Numbers of twists of the corners, of flips of the edges, and of sets of places of the four edges of a slice."""

CORNER_TWISTS = 40320 * TWISTS
"""Number of positions of the corners."""

_SLICE = range(8, 12)  # numbers of the edges between U and D


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Contributions, and tables that give indices of the distance tables.

    Attributes
    ----------
    corner, edge
        uint64[8, 24] and uint64[12, 24]: contribution by place and component.
    corner_change, edge_change
        uint64[18, 4, 24, 2]: change of the sums of the cube and of its inverse by move m, indexed by the number (0 to
        3) of the target place in `Turns.moved` and the previous component.
    source
        int64[18, 8]: places from which the components of `Turns.moved` come.
    placing
        int32[3, 4096]: number of a set of places multiplied by `FLIPS`, for each axis; -1 if there are not four places.
    heads, tails
        int32[4096] each: the number of a corner permutation is `heads[first four] + tails[last four]`.
    """

    corner: NDArray[np.uint64]
    edge: NDArray[np.uint64]
    corner_change: NDArray[np.uint64]
    edge_change: NDArray[np.uint64]
    source: NDArray[np.int64]
    placing: NDArray[np.int32]
    heads: NDArray[np.int32]
    tails: NDArray[np.int32]

    def place_of(self, edge: int, axis: int) -> int:
        """Number of the set of places of the slice about an axis, from the sum of the edges."""
        masks = [edge >> 33 & 4095, edge >> 45 & 4095]
        places = masks[axis] if axis < 2 else 4095 & ~(masks[0] | masks[1])
        return int(self.placing[axis, places]) // FLIPS


@lru_cache(maxsize=1)
def coordinates() -> Coordinates:
    """The tables, 100 kB in all."""
    corner, edge = _corner_contributions(), _edge_contributions()
    known = turns_of()
    corner_change, edge_change = (np.zeros((18, 4, 24, 2), dtype=np.uint64) for _ in range(2))
    source = np.take_along_axis(known.source, known.moved, axis=1)
    for move in range(18):
        for number, (target, origin) in enumerate(zip(known.moved[move].tolist(), source[move].tolist(), strict=True)):
            whole, change, first, turned = (corner, corner_change, 0, 3) if target < 8 else (edge, edge_change, 8, 2)
            for value in range(24):
                after = int(known.value[move, target, value])
                there, here, piece = target - first, origin - first, value // turned
                # In the inverse, the component at the piece's home is the current place of the piece, turned back.
                back = turned * there + -(after % turned) % turned
                away = turned * here + -(value % turned) % turned
                change[move, number % 4, value, 0] = _less(whole[there, after], whole[here, value])
                change[move, number % 4, value, 1] = _less(whole[piece, back], whole[piece, away])
    return Coordinates(corner, edge, corner_change, edge_change, source, _placings(), *_halves())


def _less(a: np.uint64, b: np.uint64) -> int:
    """The difference modulo 2^64."""
    return (int(a) - int(b)) % (1 << 64)


def _corner_contributions() -> NDArray[np.uint64]:
    known = symmetries()
    table = np.zeros((8, 24), dtype=np.uint64)
    for place in range(8):
        for value in range(24):
            word = (value // 3) << (36 + 3 * place)
            for axis, symmetry in enumerate(known.axes):
                there, image = int(known.place[symmetry, place]), int(known.value[symmetry, place, value])
                word += (image % 3 * 3**there if there < 7 else 0) << (12 * axis)
            table[place, value] = word
    return table


def _edge_contributions() -> NDArray[np.uint64]:
    known = symmetries()
    table = np.zeros((12, 24), dtype=np.uint64)
    for place in range(12):
        for value in range(24):
            word = 0
            for axis, symmetry in enumerate(known.axes):
                there, image = int(known.place[symmetry, 8 + place]) - 8, int(known.value[symmetry, 8 + place, value])
                word += (image % 2 << there if there < 11 else 0) << (11 * axis)
                if axis < 2:
                    word += (image // 2 in _SLICE) << (33 + 12 * axis + place)
            table[place, value] = word
    return table


def _placings() -> NDArray[np.int32]:
    """Numbers of sets of places, after the places are rotated for each axis."""
    known = symmetries()
    sets = {mask: number for number, mask in enumerate(mask for mask in range(4096) if mask.bit_count() == 4)}
    table = np.full((3, 4096), -1, dtype=np.int32)
    for axis, symmetry in enumerate(known.axes):
        for mask in sets:
            image = sum(1 << int(known.place[symmetry, 8 + i]) - 8 for i in range(12) if mask >> i & 1)
            table[axis, mask] = sets[image] * FLIPS
    return table


def _halves() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ranks of ordered choices of four pieces, and of the order of four pieces among themselves."""
    heads, tails = (np.full(4096, -1, dtype=np.int32) for _ in range(2))
    orders = {order: number for number, order in enumerate(permutations(range(4)))}
    for number, pieces in enumerate(permutations(range(8), 4)):
        packed = sum(piece << 3 * i for i, piece in enumerate(pieces))
        heads[packed] = 24 * number
        tails[packed] = orders[tuple(sorted(pieces).index(piece) for piece in pieces)]
    return heads, tails


@lru_cache(maxsize=1)
def corner_moves() -> NDArray[np.int32]:
    """int32[40320, 18]: corner permutations after moves."""
    known, table = turns_of(), coordinates()
    rest = np.array([(*head, *tail) for head in permutations(range(8), 4) for tail in _tails(head)], dtype=np.int64)
    moves = np.empty((40320, 18), dtype=np.int32)
    weights = np.array([1, 8, 64, 512])
    for move in range(18):
        after = rest[:, known.source[move, :8]]
        moves[:, move] = table.heads[after[:, :4] @ weights] + table.tails[after[:, 4:] @ weights]
    return moves


def _tails(head: tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(permutations([piece for piece in range(8) if piece not in head]))


@lru_cache(maxsize=1)
def twist_moves() -> NDArray[np.int16]:
    """int16[18, 2187]: twists after moves."""
    known = turns_of()
    digits = np.arange(TWISTS)[:, None] // 3 ** np.arange(7) % 3
    full = np.concatenate([digits, -digits.sum(axis=1, keepdims=True) % 3], axis=1)
    table = np.empty((18, TWISTS), dtype=np.int16)
    for move in range(18):
        after = (full[:, known.source[move, :8]] + known.value[move, :8, 0] % 3) % 3
        table[move] = after[:, :7] @ 3 ** np.arange(7)
    return table
