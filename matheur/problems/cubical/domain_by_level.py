"""Breadth-first levels of the cubical sliding puzzle by operations on whole words (see `domain_by_level_kernels`)."""

from __future__ import annotations

import sys
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.cubical import domain_by_level_kernels as kernels

__all__ = ["CubicalLevels", "levels_of"]

_BLOCKS = 1 << 14
"""Blocks per chunk; a chunk takes some milliseconds."""

_BITS_MAX = 40
"""Longest keys, in bits, for which memory can hold the bit arrays."""


class CubicalLevels:
    """A `LevelStep` for 3 <= d <= 6 and at least two rings, on bit arrays indexed by the key.

    Parameters
    ----------
    d, k
        Dimensions of the cube and of the faces.
    rings
        Number of rings.
    """

    def __init__(self, d: int, k: int, rings: int) -> None:
        self.d: int = d
        self.rings: int = rings
        self._word = np.dtype(f"uint{1 << d}")
        vertices = np.arange(1 << d)
        spans = [sum(1 << i for i in free) for free in combinations(range(d), k)]
        corners = [
            vertices[(vertices & ~span) == fixed] for span in spans for fixed in range(1 << d) if not fixed & span
        ]
        masks = [sum(1 << int(vertex) for vertex in face) for face in corners]
        everything = (1 << (1 << d)) - 1
        has = np.array([[bool(mask >> q & 1) for q in range(1 << d)] for mask in masks])
        face = np.array(masks, dtype=np.uint64)[:, None]
        rest = np.array([everything ^ mask for mask in masks], dtype=np.uint64)[:, None]
        nothing = np.uint64(0)
        self._faces = np.array(masks, dtype=np.uint64)
        self._corners = np.array(corners, dtype=np.int32)
        self._inside = np.where(has, rest, nothing).astype(self._word)
        self._outside = np.where(has, nothing, rest).astype(self._word)
        self._outside_face = np.where(has, nothing, face).astype(self._word)
        self._blocks = 1 << (d * (rings - 2))
        self._parts = -(-self._blocks // _BLOCKS)

    @property
    def chunks(self) -> int:
        """Number of parts of a level, the same for rings 0 and 1 together as for each other ring."""
        return self._parts * (self.rings - 1)

    def run(self, chunk: int, frontier: NDArray[np.uint64], following: NDArray[np.uint64]) -> None:
        """Put successors of the states in `frontier` into `following`."""
        ring, part = chunk // self._parts + 1, chunk % self._parts
        source = frontier.view(self._word).reshape(-1, 1 << self.d)
        target = following.view(self._word).reshape(-1, 1 << self.d)
        # A line consists of the 2**d blocks that differ only in the ring that moves.
        many = self._blocks if ring == 1 else self._blocks >> self.d
        begin, end = many * part // self._parts, many * (part + 1) // self._parts
        if ring == 1:
            kernels.move_near_rings(
                source, target, begin, end, self.d, self.rings, self._faces, self._inside, self._outside_face
            )
        else:
            kernels.move_far_ring(
                source, target, begin, end, ring, self.d, self.rings, self._faces, self._corners, self._outside
            )


@lru_cache(maxsize=16)
def levels_of(d: int, k: int, rings: int) -> CubicalLevels | None:
    """The level step of a puzzle, or None if the puzzle does not suit this memory layout."""
    if not 3 <= d <= 6 or not 12 <= d * rings <= _BITS_MAX or rings < 2 or sys.byteorder != "little":
        return None
    return CubicalLevels(d, k, rings)
