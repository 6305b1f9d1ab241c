"""Sets of occupied cells, the regions of free cells, and the slides between them, compiled.

Sets of the same size are numbered in the order of their bits as a number (colexicographic order); the number of a set
is the sum over its cells c, in ascending order, of the binomial coefficients of c over 1, 2, 3, ...
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, trailing_zeros

__all__ = ["arrangements", "bounds_of_rows", "rotations", "slides"]


@kernel
def _region(cell, room, beside):  # type: ignore[no-untyped-def]
    """The cells that can be reached from a cell through `room`, as bits."""
    one = np.uint64(1)
    reached = one << np.uint64(cell)
    edge = reached
    while edge != 0:
        grown = np.uint64(0)
        while edge != 0:
            grown |= beside[trailing_zeros(edge)]
            edge &= edge - one
        edge = grown & room & ~reached
        reached |= edge
    return reached


@kernel
def _following(word):  # type: ignore[no-untyped-def]
    """The next larger number with the same number of bits set."""
    lowest = word & (~word + np.uint64(1))
    carried = word + lowest
    # Two shifts, since a single shift by 64 bits is undefined.
    return carried | ((word ^ carried) >> np.uint64(trailing_zeros(lowest)) >> np.uint64(2))


@kernel
def _first(tiles):  # type: ignore[no-untyped-def]
    return (np.uint64(1) << np.uint64(tiles)) - np.uint64(1)


@kernel
def bounds_of_rows(cells, tiles, beside, bounds):  # type: ignore[no-untyped-def]
    """First row of each set, which has one row for each of its regions.

    Parameters
    ----------
    bounds
        int32[sets + 1], written.
    """
    everything = ((np.uint64(1) << np.uint64(cells - 1)) - np.uint64(1)) * np.uint64(2) + np.uint64(1)
    occupied, rows = _first(tiles), 0
    for number in range(bounds.size - 1):
        bounds[number] = rows
        free = everything & ~occupied
        while free != 0:
            free &= ~_region(trailing_zeros(free), free, beside)
            rows += 1
        occupied = _following(occupied)
    bounds[bounds.size - 1] = rows


@kernel
def slides(cells, tiles, beside, binomials, bounds, sets, regions, begins, sources, rotated):  # type: ignore[no-untyped-def]
    """The sets, their regions, and the slides into each row from its neighbours.

    Parameters
    ----------
    binomials
        int64[cells, tiles + 1].
    bounds
        As written by `bounds_of_rows`.
    sets, regions
        uint64[sets], uint64[rows]: cells as bits, written.
    begins, sources, rotated
        int32[rows + 1], int32[slides], int16[slides]: row r is reached from the rows `sources[begins[r]:begins[r + 1]]`
        by a tile that was the a-th of the occupied cells and becomes the b-th: `rotated` is `a * tiles + b`. Written;
        with empty `sources` only `begins` is.

    Returns
    -------
    int64
        Number of slides.
    """
    one = np.uint64(1)
    everything = ((one << np.uint64(cells - 1)) - one) * np.uint64(2) + one
    if regions[0] == 0:
        occupied = _first(tiles)
        for number in range(sets.size):
            sets[number] = occupied
            free, row = everything & ~occupied, bounds[number]
            while free != 0:
                regions[row] = _region(trailing_zeros(free), free, beside)
                free &= ~regions[row]
                row += 1
            occupied = _following(occupied)
    many = np.int64(0)
    for number in range(sets.size):
        occupied = sets[number]
        for row in range(bounds[number], bounds[number + 1]):
            begins[row] = many
            around, position = occupied, 0
            while around != 0:
                cell = trailing_zeros(around)
                around &= around - one
                # The tile came from its former cell, in the region; the blank was in the tile's current cell.
                origins = beside[cell] & regions[row]
                while origins != 0:
                    origin = trailing_zeros(origins)
                    origins &= origins - one
                    if sources.size > 0:
                        before = occupied ^ (one << np.uint64(cell)) ^ (one << np.uint64(origin))
                        source, index, left = np.int64(0), 0, before
                        former = 0
                        while left != 0:
                            other = trailing_zeros(left)
                            left &= left - one
                            if other == origin:
                                former = index
                            index += 1
                            source += binomials[other, index]
                        place = bounds[source]
                        while regions[place] >> np.uint64(cell) & one == 0:
                            place += 1
                        sources[many] = place
                        rotated[many] = former * tiles + position
                    many += 1
                position += 1
    begins[begins.size - 1] = many
    return many


@kernel
def arrangements(orders):  # type: ignore[no-untyped-def]
    """All orders of the tiles in lexicographic order: uint8[n!, n], written."""
    tiles = orders.shape[1]
    order = np.arange(tiles)
    for number in range(orders.shape[0]):
        for i in range(tiles):
            orders[number, i] = order[i]
        pivot = tiles - 2
        while pivot >= 0 and order[pivot] > order[pivot + 1]:
            pivot -= 1
        if pivot < 0:
            break
        other = tiles - 1
        while order[other] < order[pivot]:
            other -= 1
        order[pivot], order[other] = order[other], order[pivot]
        order[pivot + 1 :] = order[pivot + 1 :][::-1].copy()


@kernel
def rotations(orders, origin, place, numbers):  # type: ignore[no-untyped-def]
    """The number of each order after its `origin`-th tile has become the `place`-th one: uint32[n!], written."""
    tiles = orders.shape[1]
    order = np.empty(tiles, dtype=np.int64)
    step = 1 if place > origin else -1
    for number in range(orders.shape[0]):
        for i in range(tiles):
            order[i] = orders[number, i]
        for i in range(origin, place, step):
            order[i] = orders[number, i + step]
        order[place] = orders[number, origin]
        used, rank = np.uint64(0), np.int64(0)
        for i in range(tiles):
            bit = np.uint64(1) << np.uint64(order[i])
            rank = rank * (tiles - i) + order[i] - popcount(used & (bit - np.uint64(1)))
            used |= bit
        numbers[number] = rank
