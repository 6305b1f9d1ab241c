"""Flips and slice places of the edges, up to the 16 symmetries that preserve the axis through U and D.

The first phase of a two-phase search has to correct the flips of the edges, the set of places of the edges of the slice
between U and D, and the twists of the corners (Kociemba). The 1,013,760 pairs of the first two form 64,430 classes of
symmetric pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.kernels import kernel
from matheur.problems.rubik.search.coordinates import FLIPS, PLACINGS, TWISTS, coordinates, twist_moves
from matheur.problems.rubik.search.pieces import symmetries, turns_of

__all__ = ["KEPT", "Classes", "classes", "placing_masks"]

KEPT = 16
"""Number of symmetries that preserve the axis."""


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of pairs (places of the slice, flip).

    Attributes
    ----------
    class_of
        uint32[495 * 2048]: 16 * class + number of a symmetry that maps the pair to the representative of its class.
    representative
        int32[classes]: number of the representative pair.
    stabiliser
        uint16[classes]: symmetries that map the representative to itself, as bits.
    twist_image
        int16[16, 2187]: twists under the symmetries.
    neighbours
        int32[classes, 18]: `class_of` of the representative after each move.
    """

    class_of: NDArray[np.uint32]
    representative: NDArray[np.int32]
    stabiliser: NDArray[np.uint16]
    twist_image: NDArray[np.int16]
    neighbours: NDArray[np.int32]


def placing_masks() -> NDArray[np.int64]:
    """Sets of four places as bit masks, by number."""
    return np.array([mask for mask in range(4096) if mask.bit_count() == 4], dtype=np.int64)


@lru_cache(maxsize=1)
def classes() -> Classes:
    """The classes, which are computed in a second."""
    known, moves = symmetries(), turns_of()
    masks, number = placing_masks(), coordinates().placing[0].astype(np.int64)
    # Image of an edge (of the slice or not, flipped or not): its flip bit, and 12 bits higher its place.
    image = np.zeros((KEPT, 12, 2, 2), dtype=np.int64)
    for k in range(KEPT):
        for place in range(12):
            there = int(known.place[k, 8 + place]) - 8
            for in_slice, piece in ((0, 0), (1, 8)):
                for flip in range(2):
                    turned = int(known.value[k, 8 + place, 2 * piece + flip]) % 2
                    image[k, place, in_slice, flip] = (turned << there) + (in_slice << 12 + there)
    inverse = [
        next(j for j in range(KEPT) if (known.move[j][known.move[k]] == np.arange(18)).all()) for k in range(KEPT)
    ]
    class_of = np.full(PLACINGS * FLIPS, np.iinfo(np.uint32).max, dtype=np.uint32)
    representative, stabiliser = np.zeros(1 << 17, dtype=np.int32), np.zeros(1 << 17, dtype=np.uint16)
    many = _classify(masks, number, image, np.array(inverse, dtype=np.int64), class_of, representative, stabiliser)
    flips = (moves.value[:, 8:, 0] % 2).astype(np.int64)
    source = np.ascontiguousarray(moves.source[:, 8:] - 8)
    neighbours = np.empty((many, 18), dtype=np.int32)
    _neighbours(representative[:many], masks, number, source, flips, class_of, neighbours)
    return Classes(class_of, representative[:many].copy(), stabiliser[:many].copy(), _twist_images(), neighbours)


def _twist_images() -> NDArray[np.int16]:
    known = symmetries()
    digits = np.arange(TWISTS)[:, None] // 3 ** np.arange(7) % 3
    full = np.concatenate([digits, -digits.sum(axis=1, keepdims=True) % 3], axis=1)
    table = np.empty((KEPT, TWISTS), dtype=np.int16)
    for k in range(KEPT):
        weight = 3 ** known.place[k, :8] * (known.place[k, :8] < 7)
        turned = known.value[k, np.arange(8)[:, None], np.arange(3)[None]] % 3  # for piece 0; the same for all pieces
        table[k] = (turned[np.arange(8), full] * weight).sum(axis=1)
    assert len(twist_moves()[0]) == TWISTS
    return table


@kernel
def _classify(masks, number, image, inverse, class_of, representative, stabiliser):  # type: ignore[no-untyped-def]
    """Number the classes in the order of their smallest members."""
    unknown = np.uint32(0xFFFFFFFF)
    many = 0
    for pair in range(class_of.size):
        if class_of[pair] != unknown:
            continue
        mask, flips = masks[pair // 2048], np.int64(pair % 2048)
        odd = np.int64(0)
        for place in range(11):
            odd ^= (flips >> place) & 1
        flips |= odd << 11
        representative[many] = pair
        for k in range(image.shape[0]):
            word = np.int64(0)
            for place in range(12):
                word += image[k, place, (mask >> place) & 1, (flips >> place) & 1]
            other = number[word >> 12] + (word & 2047)
            if other == pair:
                stabiliser[many] |= np.uint16(1 << k)
            if class_of[other] == unknown:
                class_of[other] = 16 * many + inverse[k]
        many += 1
    return many


@kernel
def _neighbours(representative, masks, number, source, flip, class_of, neighbours):  # type: ignore[no-untyped-def]
    """Compute the classes after each move."""
    for one in range(representative.size):
        pair = np.int64(representative[one])
        mask, flips = masks[pair // 2048], pair % 2048
        odd = np.int64(0)
        for place in range(11):
            odd ^= (flips >> place) & 1
        flips |= odd << 11
        for move in range(source.shape[0]):
            mask_after, flips_after = np.int64(0), np.int64(0)
            for place in range(12):
                origin = source[move, place]
                mask_after |= ((mask >> origin) & 1) << place
                flips_after |= (((flips >> origin) & 1) ^ flip[move, place]) << place
            neighbours[one, move] = class_of[number[mask_after] + (flips_after & 2047)]
