"""Places and flips of six edges, compiled: their numbering, moves, and breadth-first search.

Entry (row, flips) is at `row * 64 + flips`, where the row is the rank of the six places among all sequences of six
different places, and bit i of the flips belongs to edge i. A move maps a row to one other row and changes the flips by
an exclusive-or. The neighbour of an entry is therefore `neighbours[row, move] ^ flips`, and the 64 entries of a row
form one cache line.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount
from matheur.problems.rubik.search.table_kernels import UNSEEN

__all__ = ["TRACKED", "WIDTH", "backward_edges", "edge_neighbours", "forward_edges", "row_of"]

TRACKED = 6
"""Number of edges that a table tracks."""

WIDTH = 64
"""Number of combinations of flips of these edges."""


@kernel
def row_of(places):  # type: ignore[no-untyped-def]
    """Rank of a sequence of six different places int64[6], in lexicographic order."""
    row, used = np.int64(0), np.uint64(0)
    for i in range(TRACKED):
        bit = np.uint64(1) << np.uint64(places[i])
        row = row * (12 - i) + places[i] - np.int64(popcount(used & (bit - np.uint64(1))))
        used |= bit
    return row


@kernel
def edge_neighbours(target, flip, neighbours):  # type: ignore[no-untyped-def]
    """Fill uint32[rows, moves]: the entry after each move, of the row's edges without flips.

    `target`, `flip` int64[moves, 12]: the place to which the edge in a place moves, and whether it is flipped.
    """
    places, after = np.empty(TRACKED, dtype=np.int64), np.empty(TRACKED, dtype=np.int64)
    for row in range(neighbours.shape[0]):
        rest = np.int64(row)
        for i in range(TRACKED - 1, -1, -1):
            places[i] = rest % (12 - i)
            rest //= 12 - i
        # Convert ranks among the remaining places to places.
        for i in range(TRACKED - 2, -1, -1):
            for j in range(i + 1, TRACKED):
                places[j] += places[j] >= places[i]
        for move in range(neighbours.shape[1]):
            flips = np.int64(0)
            for i in range(TRACKED):
                after[i] = target[move, places[i]]
                flips |= flip[move, places[i]] << i
            neighbours[row, move] = row_of(after) * WIDTH | flips


@kernel
def forward_edges(depth, begin, end, moves, neighbours, table):  # type: ignore[no-untyped-def]
    """Assign the next depth to unseen neighbours of entries of this depth in some rows."""
    waiting = np.empty(WIDTH, dtype=np.uint32)
    fresh = np.uint8(depth + 1)
    for row in range(begin, end):
        count, base = 0, row * WIDTH
        for flips in range(WIDTH):
            waiting[count] = flips
            count += table[base + flips] == depth
        for move in range(moves if count else 0):
            there = neighbours[row, move]
            for i in range(count):
                place = there ^ waiting[i]
                if table[place] == UNSEEN:
                    table[place] = fresh


@kernel
def backward_edges(depth, begin, end, moves, neighbours, table):  # type: ignore[no-untyped-def]
    """Assign the next depth to unseen entries of some rows that are neighbours of entries of this depth."""
    waiting = np.empty(WIDTH, dtype=np.uint32)
    fresh = np.uint8(depth + 1)
    for row in range(begin, end):
        count, base = 0, row * WIDTH
        for flips in range(WIDTH):
            waiting[count] = flips
            count += table[base + flips] == UNSEEN
        for move in range(moves):
            if count == 0:
                break
            there = neighbours[row, move]
            left = 0
            for i in range(count):
                flips = waiting[i]
                if table[there ^ flips] == depth:
                    table[base + flips] = fresh
                else:
                    waiting[left] = flips
                    left += 1
            count = left
