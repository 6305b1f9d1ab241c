"""Construction of additive pattern databases of sliding tiles, compiled: a level-by-level search over rows of bits.

A slide moves a tile from a dark cell to a light one or back, so the number of tiles on dark cells changes its parity:
sets of cells of one parity form the even levels, those of the other parity the odd levels, and one array of waiting
states serves both. A level has two steps. `settle` selects the waiting states of one parity that have not been seen,
and writes the values of new placements. `spread` collects, in every row of the other parity, the states that slide into
it. Each row has a single writer, so several threads may share a step.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, trailing_zeros

__all__ = ["UNSEEN", "pack", "rank_of", "settle", "spread"]

UNSEEN = 15
"""Kept for a placement that cannot be reached, and the most that is kept for another one."""


@kernel
def rank_of(places, cells):  # type: ignore[no-untyped-def]
    """Rank of an arrangement with tile i on `places[i]`: a mixed-radix number, the first tile most significant."""
    used, rank = np.uint64(0), np.int64(0)
    one = np.uint64(1)
    for i in range(places.size):
        bit = one << np.uint64(places[i])
        rank = rank * (cells - i) + places[i] - popcount(used & (bit - one))
        used |= bit
    return rank


@kernel
def settle(  # type: ignore[no-untyped-def]
    begin, end, depth, dark, parity, sets, bounds, orders, weights, shifts, distance, waiting, seen, active, table,
    fresh,
):  # fmt: skip
    """Find the new states of a level in the sets `begin` to `end - 1`.

    Parameters
    ----------
    depth
        Slides so far.
    dark, parity
        The dark cells as bits, and the parity of the number of tiles on dark cells in this level.
    sets, bounds, orders
        As in `Placements`.
    weights, shifts
        int64[tiles], int64[orders]: the rank of a placement is the sum over the tiles of weight times cell, minus the
        shift of its order.
    distance
        int64[tiles, cells]: taxicab distances.
    waiting, seen
        uint64[rows, words]: waiting states, replaced by the new ones, and states seen before.
    active
        uint8[rows]: whether a row has new states.
    table
        uint8[ranks]: half the excess of each value over the taxicab distance, at most `UNSEEN`.
    fresh
        uint64[words], a workspace.

    Returns
    -------
    placed, largest : int64
        Number of placements that received their value (-1 if there are neither such placements nor new states), and the
        largest half excess.
    """
    tiles, words = orders.shape[1], waiting.shape[1]
    one = np.uint64(1)
    # For each occupied cell and tile: weight times cell, and the distance in the low byte.
    parts = np.empty((tiles, tiles), dtype=np.int64)
    placed, largest, alive = np.int64(0), np.int64(0), False
    for number in range(begin, end):
        if popcount(sets[number] & dark) & 1 != parity:
            continue
        some = False
        for row in range(bounds[number], bounds[number + 1]):
            if active[row] == 0:
                continue
            active[row] = 0
            for word in range(words):
                bits = waiting[row, word] & ~seen[row, word]
                waiting[row, word] = bits
                if bits != 0:
                    active[row] = 1
            if active[row]:
                some = True
        if not some:
            continue
        alive = True
        fresh[:] = 0
        for row in range(bounds[number], bounds[number + 1]):
            if active[row]:
                for word in range(words):
                    fresh[word] |= waiting[row, word]
        for row in range(bounds[number], bounds[number + 1]):
            for word in range(words):
                fresh[word] &= ~seen[row, word]
        for row in range(bounds[number], bounds[number + 1]):
            if active[row]:
                for word in range(words):
                    seen[row, word] |= waiting[row, word]
        left = sets[number]
        for i in range(tiles):
            cell = trailing_zeros(left)
            left &= left - one
            for tile in range(tiles):
                parts[i, tile] = (weights[tile] * cell << 8) + distance[tile, cell]
        for word in range(words):
            bits = fresh[word]
            while bits != 0:
                order = 64 * word + trailing_zeros(bits)
                bits &= bits - one
                total = np.int64(0)
                for i in range(tiles):
                    total += parts[i, orders[order, i]]
                half = (depth - (total & 255)) >> 1
                largest = max(largest, half)
                table[(total >> 8) - shifts[order]] = min(half, np.int64(UNSEEN))
                placed += 1
    return placed if alive else np.int64(-1), largest


@kernel
def spread(  # type: ignore[no-untyped-def]
    begin, end, dark, parity, sets, bounds, begins, sources, rotated, map_of, maps, waiting, active
):
    """Find the states that slide into the sets `begin` to `end - 1` of a parity from new states of the other one.

    Parameters
    ----------
    sets, bounds, begins, sources, rotated, map_of, maps
        As in `Placements`.
    waiting, active
        As in `settle`; the rows of these sets are overwritten.
    """
    one, words = np.uint64(1), waiting.shape[1]
    for number in range(begin, end):
        if popcount(sets[number] & dark) & 1 != parity:
            continue
        for row in range(bounds[number], bounds[number + 1]):
            some = False
            for slide in range(begins[row], begins[row + 1]):
                source = sources[slide]
                if active[source] == 0:
                    continue
                if not some:
                    some = True
                    waiting[row, :] = 0
                which = map_of[rotated[slide]]
                if which < 0:
                    for word in range(words):
                        waiting[row, word] |= waiting[source, word]
                    continue
                for word in range(words):
                    bits = waiting[source, word]
                    while bits != 0:
                        order = maps[which, 64 * word + trailing_zeros(bits)]
                        bits &= bits - one
                        waiting[row, order >> 6] |= one << np.uint64(order & 63)
            active[row] = some


@kernel
def pack(begin, end, table, packed):  # type: ignore[no-untyped-def]
    """Pack two ranks per byte, bytes `begin` to `end - 1`; rank r is in the low half of byte r // 2 if r is even."""
    for place in range(begin, end):
        low = table[2 * place]
        high = table[2 * place + 1] if 2 * place + 1 < table.size else np.uint8(0)
        packed[place] = low | high << np.uint8(4)
