"""Sets of vertices of the cube up to its isometries.

A set is a row of vertices in ascending order, or a mask of one or two words in which vertex 0 is the highest bit of the
first word. Hence, of two sets of the same size, the larger mask belongs to the row that comes first in the order of
rows.
"""

from __future__ import annotations

from itertools import permutations
from math import factorial

import numpy as np
from numba import njit
from numpy.typing import NDArray

from matheur.methods.statespace.table import StateTable

__all__ = ["Isometries"]

_BATCH = 1 << 16


@njit(cache=True, nogil=True)
def _canonical(sets, bits, masks, turns, moves, fixing):  # type: ignore[no-untyped-def]
    """Largest mask of the images of each set, one isometry that leads to it, and the number of such isometries.

    An isometry is a translation (exclusive or) and then a turn. The largest mask contains vertex 0, so only the
    translations of a member of the set to vertex 0 are tried.
    """
    count, size = sets.shape
    two = bits.shape[2] == 2
    for row in range(count):
        best, best_low, ways = np.uint64(0), np.uint64(0), 0
        for i in range(size):
            there = sets[row, i]
            for turn in range(len(bits)):
                mask, low = np.uint64(0), np.uint64(0)
                for j in range(size):
                    mask |= bits[turn, sets[row, j] ^ there, 0]
                    if two:
                        low |= bits[turn, sets[row, j] ^ there, 1]
                if mask > best or (mask == best and low > best_low):
                    best, best_low, ways = mask, low, 0
                    turns[row], moves[row] = turn, there
                if mask == best and low == best_low:
                    ways += 1
        masks[row, 0], fixing[row] = best, ways
        if two:
            masks[row, 1] = best_low


class Isometries:
    """The 2**d d! isometries of the d-cube: v becomes turns[i][v ^ vertex].

    Attributes
    ----------
    vertices
        2**d.
    turns
        uint8[d!, 2**d]: the permutations of the coordinates, as permutations of the vertices.
    order
        Number of isometries.
    """

    def __init__(self, d: int) -> None:
        self.d, self.vertices = d, 1 << d
        every = np.arange(self.vertices)
        self.turns = np.array(
            [sum(((every >> i) & 1) << j for i, j in enumerate(order)) for order in permutations(range(d))],
            dtype=np.uint8,
        )
        self.order = factorial(d) << d
        words = -(-self.vertices // 64)
        bit = np.zeros((self.vertices, words), dtype=np.uint64)
        bit[every, every // 64] = np.uint64(1) << (63 - every % 64).astype(np.uint64)
        self._bits = bit[self.turns]
        self._classes: list[NDArray[np.uint8]] = [np.empty((1, 0), dtype=np.uint8)]

    def canonical(
        self, sets: NDArray[np.uint8]
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]:
        """Masks [n, words] of the first images of sets [n, size], size > 0, in the order of rows.

        Also returns the turn and the vertex of such an isometry, and the number of isometries that fix each set.
        """
        count = len(sets)
        masks = np.empty((count, self._bits.shape[2]), dtype=np.uint64)
        turns, fixing = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        vertices = np.empty(count, dtype=np.uint8)
        _canonical(np.ascontiguousarray(sets), self._bits, masks, turns, vertices, fixing)
        return masks, turns, vertices, fixing

    def fixing(self, places: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """All isometries, as permutations uint8[n, 2**d], that map a set onto itself."""
        moved = np.arange(self.vertices, dtype=np.uint8)[None, :] ^ places[:, None]
        # Each maps the first vertex of the set to a vertex of it: turn it at 0, then move 0 there.
        images = self.turns[:, moved[0]][:, None, :] ^ places[None, :, None]
        images = images.reshape(-1, self.vertices)
        kept = (np.sort(images[:, places], axis=1) == np.sort(places)).all(axis=1)
        found: NDArray[np.uint8] = images[kept]
        return found

    def members(self, masks: NDArray[np.uint64], size: int) -> NDArray[np.uint8]:
        """Sets [n, size] of masks [n, words]."""
        every = np.arange(self.vertices)
        present = masks[:, every // 64] >> (63 - every % 64).astype(np.uint64) & np.uint64(1)
        return np.nonzero(present)[1].astype(np.uint8).reshape(-1, size)

    def complements(self, sets: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Sets [n, 2**d - size] of all other vertices."""
        missing = np.ones((len(sets), self.vertices), dtype=np.bool_)
        np.put_along_axis(missing, sets.astype(np.int64), False, axis=1)
        return np.nonzero(missing)[1].astype(np.uint8).reshape(len(sets), -1)

    def classes(self, size: int) -> NDArray[np.uint8]:
        """One set [n, size] of each class, in the order of rows: each comes first among its images.

        Every first set with one more vertex is an image of a smaller first set with some vertex added.
        """
        while len(self._classes) <= size:
            smaller = self._classes[-1]
            table = StateTable(self._bits.shape[2], 1 << 30)
            step = max(1, _BATCH // self.vertices)
            for begin in range(0, len(smaller), step):
                some = smaller[begin : begin + step]
                added = self.complements(some)
                larger = np.empty((*added.shape, some.shape[1] + 1), dtype=np.uint8)
                larger[:, :, :-1], larger[:, :, -1] = some[:, None, :], added
                table.add(self.canonical(larger.reshape(-1, some.shape[1] + 1))[0])
            ordered = table.keys[np.lexsort(table.keys.T[::-1])[::-1]]
            self._classes.append(self.members(ordered, len(self._classes)))
        return self._classes[size]
