"""Breadth-first search over tables that consist of rows, compiled.

Entry (row, twist) is at `row * 2187 + twist`. A move maps a row to one other row and its twists by a permutation. A row
is thus expanded into 12 or 18 other rows of 2 kB each, one after the other, within the innermost cache.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel

__all__ = ["UNSEEN", "backward", "close", "forward", "nibbles"]

UNSEEN = np.uint8(255)
_WIDTH = 2187


@kernel
def close(depth, begin, end, stabiliser, images, table):  # type: ignore[no-untyped-def]
    """Assign this depth to the images of its entries, in rows that a symmetry maps to themselves."""
    for row in range(begin, end):
        if stabiliser[row] > 1:
            base = row * _WIDTH
            for twist in range(_WIDTH):
                if table[base + twist] == depth:
                    for k in range(1, 16):
                        if (stabiliser[row] >> k) & 1:
                            table[base + images[k, twist]] = depth


@kernel
def forward(depth, begin, end, moves, neighbours, maps, table):  # type: ignore[no-untyped-def]
    """Assign the next depth to unseen neighbours of entries of this depth; returns the number of these entries."""
    waiting = np.empty(_WIDTH, dtype=np.int64)
    fresh = np.uint8(depth + 1)
    many = np.int64(0)
    for row in range(begin, end):
        count, base = 0, row * _WIDTH
        for twist in range(_WIDTH):
            waiting[count] = twist
            count += table[base + twist] == depth
        many += count
        if count == 0:
            continue
        for move in range(moves):
            neighbour = neighbours[row, move]
            there, map_ = np.int64(neighbour >> 4) * _WIDTH, maps[move, neighbour & 15]
            for i in range(count):
                place = there + map_[waiting[i]]
                if table[place] == UNSEEN:
                    table[place] = fresh
    return many


@kernel
def backward(depth, begin, end, moves, neighbours, maps, table):  # type: ignore[no-untyped-def]
    """Assign the next depth to unseen entries that are neighbours of entries of this depth; returns their number."""
    waiting = np.empty(_WIDTH, dtype=np.int64)
    fresh = np.uint8(depth + 1)
    many = np.int64(0)
    for row in range(begin, end):
        count, base = 0, row * _WIDTH
        for twist in range(_WIDTH):
            waiting[count] = twist
            count += table[base + twist] == UNSEEN
        for move in range(moves):
            if count == 0:
                break
            neighbour = neighbours[row, move]
            there, map_ = np.int64(neighbour >> 4) * _WIDTH, maps[move, neighbour & 15]
            left = 0
            for i in range(count):
                twist = waiting[i]
                if table[there + map_[twist]] == depth:
                    table[base + twist] = fresh
                    many += 1
                else:
                    waiting[left] = twist
                    left += 1
            count = left
    return many


@kernel
def nibbles(begin, end, table, packed):  # type: ignore[no-untyped-def]
    """Pack two entries per byte, the first in the lower half, into bytes begin to end - 1 of `packed`."""
    for place in range(begin, end):
        packed[place] = table[2 * place] & 15
        if 2 * place + 1 < table.size:
            packed[place] |= (table[2 * place + 1] & 15) << 4
