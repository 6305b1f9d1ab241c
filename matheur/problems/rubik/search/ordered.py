"""The first phase with the order of the slice edges: coordinates of a stronger table for exact search.

A cube belongs to the coset of all cubes with the same twists, flips and places of each of the four edges between U and
D. Up to the 16 symmetries that preserve the axis, a row stands for flips, places and order; the 2187 entries of a row
are the twists. Two words per cube are sums over its pieces, for all three axes together (as in `coordinates`):

- first: twists about axes 0, 1, 2 (12 bits each), then the places about axis 2 (15 bits);
- second: flips about axes 0, 1, 2 (11 bits each), then the places about axes 0 and 1 (15 bits each).

Places of the four edges are digits in base 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.search.classes import KEPT, Classes, classes, placing_masks
from matheur.problems.rubik.search.coordinates import FLIPS, TWISTS, coordinates, twist_moves
from matheur.problems.rubik.search.pieces import SOLVED_STATE, inverse, symmetries, turns_of

__all__ = [
    "ENTRIES", "ORDERS", "Ordered", "cosets_of", "home", "ordered", "row_moves", "row_symmetries", "twist_maps",
    "words_of",
]  # fmt: skip

ORDERS = 24
"""Number of orders of the four edges in their places."""

ENTRIES = 64430 * ORDERS * TWISTS
"""Number of entries of the table."""

_FIRST = 8  # number of the first edge of the slice
_SPACING = 32  # a set of places and an order are 32 * set + order


@dataclass(frozen=True, eq=False)
class Ordered:
    """Contributions, and the small tables that index the large one.

    Attributes
    ----------
    corner, edge
        uint64[8, 24] and uint64[12, 24, 2]: contribution by place and component.
    corner_change, edge_change
        uint64[18, 4, 24, 2] and uint64[18, 4, 24, 4]: change of the words by a move, indexed by the number (0 to 3) of
        the place in `Turns.moved` and the previous component; words of the cube, then of its inverse.
    places
        uint16[12^4]: 32 * (number of the set of places) + (order of the edges in them).
    order_image
        uint8[16, 495 * 32]: orders under the symmetries.
    """

    corner: NDArray[np.uint64]
    edge: NDArray[np.uint64]
    corner_change: NDArray[np.uint64]
    edge_change: NDArray[np.uint64]
    places: NDArray[np.uint16]
    order_image: NDArray[np.uint8]


@lru_cache(maxsize=1)
def ordered() -> Ordered:
    """The tables, half a megabyte in all."""
    corner, edge = _contributions()
    known, source = turns_of(), coordinates().source
    corner_change = np.zeros((18, 4, 24, 2), dtype=np.uint64)
    edge_change = np.zeros((18, 4, 24, 4), dtype=np.uint64)
    with np.errstate(over="ignore"):  # sums are modulo 2^64
        for move in range(18):
            pairs = zip(known.moved[move].tolist(), source[move].tolist(), strict=True)
            for number, (target, origin) in enumerate(pairs):
                of_corner = target < 8
                whole, first, turned = (corner, 0, 3) if of_corner else (edge, 8, 2)
                for value in range(24):
                    after, there, here = int(known.value[move, target, value]), target - first, origin - first
                    back = turned * there + -(after % turned) % turned
                    away = turned * here + -(value % turned) % turned
                    piece = value // turned
                    front_change = whole[there, after] - whole[here, value]
                    back_change = whole[piece, back] - whole[piece, away]
                    if of_corner:
                        corner_change[move, number, value] = front_change, back_change
                    else:
                        edge_change[move, number - 4, value] = *front_change, *back_change
    places, order_image = _places()
    return Ordered(corner, edge, corner_change, edge_change, places, order_image)


def words_of(state: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Both words of a state, then those of its inverse: uint64[4]."""
    one, words = ordered(), []
    for cube in (state, inverse(state)):
        both = one.edge[np.arange(12), cube[8:]].sum(axis=0)
        words += [both[0] + one.corner[np.arange(8), cube[:8]].sum(), both[1]]
    return np.array(words, dtype=np.uint64)


def cosets_of(words: NDArray[np.uint64]) -> list[int]:
    """Indices of a cube in the table: along three axes, then the same for its inverse."""
    one, known = ordered(), classes()
    found = []
    for first, second in words.reshape(2, 2).tolist():
        for axis in range(3):
            code = first >> 36 & 32767 if axis == 2 else second >> 33 + 15 * axis & 32767
            place, flip, twist = int(one.places[code]), second >> 11 * axis & 2047, first >> 12 * axis & 4095
            row, symmetry = divmod(int(known.class_of[place // _SPACING * FLIPS + flip]), KEPT)
            row = row * ORDERS + int(one.order_image[symmetry, place])
            found.append(row * TWISTS + int(known.twist_image[symmetry, twist]))
    return found


@lru_cache(maxsize=1)
def home() -> int:
    """Index of the solved cube in the table."""
    return cosets_of(words_of(SOLVED_STATE))[0]


def row_moves(moves: int) -> NDArray[np.int32]:
    """int32[rows, moves]: 16 * row after a move + number of the symmetry to apply to the twists."""
    one, known, turns = ordered(), classes(), turns_of()
    edges, numbers = _arrangements()
    rows = np.empty((len(known.representative), ORDERS, moves), dtype=np.int32)
    sets = known.representative // FLIPS
    for move in range(moves):
        after = edges[:, turns.source[move, 8:] - 8]
        place = _number(after, one.places).astype(np.int64)
        table = np.zeros(_SPACING * len(placing_masks()), dtype=np.int64)
        table[numbers] = place
        symmetry = known.neighbours[:, move].astype(np.int64) % KEPT
        moved = table[(sets.astype(np.int64) * _SPACING)[:, None] + np.arange(ORDERS)]
        order = one.order_image[symmetry[:, None], moved].astype(np.int64)
        row = known.neighbours[:, move].astype(np.int64)[:, None] // KEPT * ORDERS + order
        rows[:, :, move] = KEPT * row + symmetry[:, None]
    return rows.reshape(-1, moves)


def row_symmetries(known: Classes) -> NDArray[np.uint8]:
    """uint8[classes, 16, 24]: orders of each class's representative under the symmetries that preserve it."""
    sets = known.representative.astype(np.int64) // FLIPS * _SPACING
    return ordered().order_image[:, sets[:, None] + np.arange(ORDERS)].transpose(1, 0, 2)


def twist_maps(known: Classes) -> NDArray[np.int16]:
    """int16[18, 16, 2187]: twists after a move followed by a symmetry."""
    return np.ascontiguousarray(known.twist_image[:, twist_moves()].transpose(1, 0, 2))


def _contributions() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    known = symmetries()
    corner, edge = np.zeros((8, 24), dtype=np.uint64), np.zeros((12, 24, 2), dtype=np.uint64)
    for axis, symmetry in enumerate(known.axes):
        for value in range(24):
            for place in range(8):
                there, image = int(known.place[symmetry, place]), int(known.value[symmetry, place, value])
                if there < 7:
                    corner[place, value] += np.uint64(image % 3 * 3**there << 12 * axis)
            for place in range(12):
                there, image = int(known.place[symmetry, 8 + place]) - 8, int(known.value[symmetry, 8 + place, value])
                if there < 11:
                    edge[place, value, 1] += np.uint64((image % 2 << there) << 11 * axis)
                if image // 2 >= _FIRST:
                    code = there * 12 ** (image // 2 - _FIRST)
                    edge[place, value, int(axis < 2)] += np.uint64(code << (36 if axis == 2 else 33 + 15 * axis))
    return corner, edge


def _arrangements() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All arrangements of the slice edges, int64[11880, 12] with -1 for other edges, and their numbers."""
    rows, numbers = [], []
    for number, mask in enumerate(placing_masks().tolist()):
        there = [place for place in range(12) if mask >> place & 1]
        for order, edges in enumerate(permutations(range(4))):
            row = [-1] * 12
            for place, one in zip(there, edges, strict=True):
                row[place] = one
            rows.append(row)
            numbers.append(_SPACING * number + order)
    return np.array(rows, dtype=np.int64), np.array(numbers, dtype=np.int64)


def _number(edges: NDArray[np.int64], places: NDArray[np.uint16]) -> NDArray[np.uint16]:
    """Numbers of arrangements."""
    return places[sum(12**one * np.argmax(edges == one, axis=1) for one in range(4))]


def _places() -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    known = symmetries()
    edges, numbers = _arrangements()
    places = np.zeros(12**4, dtype=np.uint16)
    places[sum(12**one * np.argmax(edges == one, axis=1) for one in range(4))] = numbers
    image = np.zeros((KEPT, _SPACING * len(placing_masks())), dtype=np.uint8)
    for k in range(KEPT):
        there = known.place[k, 8:] - 8
        pieces = known.value[k, 8, 2 * np.arange(_FIRST, 12)].astype(np.int64) // 2 - _FIRST
        turned = np.full_like(edges, -1)
        turned[:, there] = np.where(edges < 0, -1, pieces[edges])
        image[k, numbers] = _number(turned, places) % _SPACING
    return places, image
