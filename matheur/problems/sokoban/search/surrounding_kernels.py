"""Placements of boxes that are similar to those of a plan, compiled."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.problems.sokoban.search.push_kernels import place_of

__all__ = ["surround"]


@kernel
def _turned(cell, bit_of, key):  # type: ignore[no-untyped-def]
    """Toggle the box in a cell; returns whether there was none."""
    bit = bit_of[cell]
    key[bit >> 6] ^= np.uint64(1) << np.uint64(bit & 63)
    return key[bit >> 6] >> np.uint64(bit & 63) & np.uint64(1) != np.uint64(0)


@kernel
def _way(step, box, number, cells, rests, close):  # type: ignore[no-untyped-def]
    """An alternative cell for a box, or -1."""
    if number < rests.shape[2]:
        return rests[step, box, number]
    return close[cells[step, box], number - rests.shape[2]]


@kernel
def _put(key, kept):  # type: ignore[no-untyped-def]
    place, name = place_of(key, kept)
    if kept[place] == name:
        return 0
    kept[place] = name
    return 1


@kernel
def surround(cells, rests, close, ways, bit_of, key, count, kept):  # type: ignore[no-untyped-def]
    """Insert the placements around those of a plan into a set.

    Parameters
    ----------
    cells
        int64[steps, boxes]: cells of the boxes along the plan.
    rests
        int64[steps, boxes, r]: cells to try first for a box, -1 for none.
    close
        int64[n, c]: further cells to try for a box in a cell, -1 for none.
    ways
        int64[3]: number of cells of both kinds tried if one, two, three boxes are elsewhere; not increasing.
    bit_of
        int64[n]: bit of a cell in a key.
    key
        Workspace for a key.
    count, kept
        Initial size of the set, and the set: uint64, see `push_kernels.place_of`.

    Returns
    -------
    int64
        Final size of the set, -1 if it became more than half full.
    """
    boxes = cells.shape[1]
    for step in range(cells.shape[0]):
        key[:] = np.uint64(0)
        for box in range(boxes):
            _turned(cells[step, box], bit_of, key)
        count += _put(key, kept)
        for one in range(boxes):
            _turned(cells[step, one], bit_of, key)
            for first in range(ways[0]):
                there = _way(step, one, first, cells, rests, close)
                if there < 0:
                    continue
                if _turned(there, bit_of, key):
                    count += _put(key, kept)
                    for two in range(one + 1, boxes if first < ways[1] else 0):
                        _turned(cells[step, two], bit_of, key)
                        for second in range(ways[1]):
                            other = _way(step, two, second, cells, rests, close)
                            if other < 0:
                                continue
                            if _turned(other, bit_of, key):
                                count += _put(key, kept)
                                last = max(first, second)
                                for three in range(two + 1, boxes if last < ways[2] else 0):
                                    _turned(cells[step, three], bit_of, key)
                                    for third in range(ways[2]):
                                        another = _way(step, three, third, cells, rests, close)
                                        if another < 0:
                                            continue
                                        if _turned(another, bit_of, key):
                                            count += _put(key, kept)
                                        _turned(another, bit_of, key)
                                    _turned(cells[step, three], bit_of, key)
                                    if 2 * count > kept.size:
                                        return -1
                            _turned(other, bit_of, key)
                        _turned(cells[step, two], bit_of, key)
                        if 2 * count > kept.size:
                            return -1
                _turned(there, bit_of, key)
            _turned(cells[step, one], bit_of, key)
            if 2 * count > kept.size:
                return -1
    return count
