"""Building of additive pattern databases of sliding tiles, compiled.

A pattern is a set of tiles. Its states are the cells of these tiles (a rank) and that of the blank; a move costs 1 if
it slides a tile of the pattern and nothing if it slides another one. For every rank the blanks seen so far and those
to be looked at are kept as bit sets over the cells. One level of the search looks at every rank with waiting blanks,
lets them run through the cells that the pattern leaves free (which costs nothing), and slides tiles of the pattern
into them.

A slide takes a tile from a dark cell to a light one or back, so the number of tiles on dark cells changes its parity:
ranks of a level have one parity, what they generate has the other one, and a single array of waiting blanks serves
this level and the next.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from matheur.statespace.pointers import popcount, trailing_zeros

__all__ = ["UNSEEN", "compress", "level", "rank_of"]

UNSEEN = 255


@njit(cache=True, nogil=True)
def rank_of(places, cells):  # type: ignore[no-untyped-def]
    """Number of an arrangement: tile i lies on `places[i]`; a mixed-radix number, the first tile highest."""
    used, rank = np.uint64(0), np.int64(0)
    one = np.uint64(1)
    for i in range(places.size):
        bit = one << np.uint64(places[i])
        rank = rank * (cells - i) + places[i] - popcount(used & (bit - one))
        used |= bit
    return rank


@njit(cache=True, nogil=True)
def _place(rank, places, cells):  # type: ignore[no-untyped-def]
    """The inverse of `rank_of`: writes `places`, returns the occupied cells as bits."""
    many = places.size
    for i in range(many - 1, -1, -1):
        places[i] = rank % (cells - i)
        rank //= cells - i
    used, one = np.uint64(0), np.uint64(1)
    for i in range(many):
        # The places[i]-th cell that is not used.
        free = ~used
        for _ in range(places[i]):
            free &= free - one
        places[i] = trailing_zeros(free)
        used |= one << np.uint64(places[i])
    return used


@njit(cache=True, nogil=True)
def level(depth, parity, begin, end, cells, columns, beside, edges, tiles, seen, waiting, table):  # type: ignore[no-untyped-def]
    """One level of the search over the ranks `begin` to `end - 1`.

    Parameters
    ----------
    depth
        Slides of pattern tiles so far.
    parity
        Of the number of tiles on dark cells in the ranks of this level.
    beside
        uint64[cells]: neighbours as bits.
    edges
        uint64[3]: the cells that are not in the first column, not in the last, and the dark cells.
    tiles
        Number of tiles of the pattern.
    seen, waiting
        Blanks of each rank, unsigned integers of at least `cells` bits.
    table
        uint8[ranks]: least number of slides, `UNSEEN` if not reached.

    Returns
    -------
    int64
        Number of ranks with waiting blanks.
    """
    places = np.empty(tiles, dtype=np.int64)
    looked = np.int64(0)
    one, width = np.uint64(1), np.uint64(columns)
    for rank in range(begin, end):
        if waiting[rank] == 0:
            continue
        used = _place(rank, places, cells)
        if popcount(used & edges[2]) & 1 != parity:
            continue  # it waits for the next level
        fresh = np.uint64(waiting[rank]) & ~np.uint64(seen[rank])
        waiting[rank] = 0
        if fresh == 0:
            continue
        looked += 1
        room = ~used & ((((one << np.uint64(cells - 1)) - one) << one) | one)
        # Let the blank run.
        reached = np.uint64(0)
        grown = fresh & room
        while grown != reached:
            reached = grown
            grown = (
                reached | (reached << width) | (reached >> width)
                | ((reached & edges[1]) << one) | ((reached & edges[0]) >> one)
            ) & room  # fmt: skip
        fresh = reached & ~np.uint64(seen[rank])
        seen[rank] |= fresh
        if table[rank] == UNSEEN:
            table[rank] = depth
        for i in range(tiles):
            here = places[i]
            into = beside[here] & fresh
            while into != 0:
                there = trailing_zeros(into)
                into &= into - one
                places[i] = there
                other = rank_of(places, cells)
                waiting[other] |= one << np.uint64(here)
            places[i] = here
    return looked


@njit(cache=True, nogil=True)
def compress(table, distance, cells, packed):  # type: ignore[no-untyped-def]
    """Half of the excess over the taxicab distance, two ranks a byte; returns the largest half.

    Parameters
    ----------
    distance
        int64[tiles, cells]: of the tiles of the pattern.
    packed
        uint8[(ranks + 1) // 2], zero; rank r lies in the low half of byte r // 2 if r is even.
    """
    places = np.empty(distance.shape[0], dtype=np.int64)
    largest = np.int64(0)
    for rank in range(table.size):
        _place(rank, places, cells)
        short = np.int64(0)
        for i in range(places.size):
            short += distance[i, places[i]]
        half = (np.int64(table[rank]) - short) >> 1
        largest = max(largest, half)
        kept = half if half < 15 else np.int64(15)
        packed[rank >> 1] |= np.uint8(kept << (4 * (rank & 1)))
    return largest
