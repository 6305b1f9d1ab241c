"""Kernel of the beam over the cells of a region: every partial filling grows by one cell, and the best are kept.

Tiles are the pieces of a region and the unused ones, followed by one tile for each place that may stay empty. The
latter are equivalent: the first one left represents all of them, so that no filling is kept twice. Rotation r of tile t
shows `sides[4 * t + r]`; the colour `none` matches nothing, not even itself. A partial filling is a row of three
arrays: `used` (bits of tiles, uint64), `lying` (rotated tiles, in the order of the cells), `cost`.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_below

__all__ = ["lengthen"]

_ONE = np.uint64(1)


@kernel
def _wanted(row, lying, link, given, sides, want):  # type: ignore[no-untyped-def]
    """Write the colour that each side of the cell should show in a partial filling, -1 for any colour."""
    for side in range(4):
        want[side] = given[side]
        if link[side] >= 0:
            want[side] = sides[lying[row, link[side]], (side + 2) & 3]


@kernel
def _mismatches(placed, want, none, sides):  # type: ignore[no-untyped-def]
    count = np.int64(0)
    for side in range(4):
        shown = sides[placed, side]
        if want[side] >= 0 and (shown != want[side] or shown == none):
            count += 1
    return count


@kernel
def lengthen(  # type: ignore[no-untyped-def]
    depth, rows, width, limit, link, given, turns, pieces, none, sides, used, lying, cost, new_used, new_lying,
    new_cost, state,
):  # fmt: skip
    """Lay a tile on the next cell of every partial filling; keep the `width` best by mismatches, with random ties.

    Parameters
    ----------
    depth, rows
        Number of filled cells, and number of partial fillings.
    limit
        Maximum number of mismatches of a filling.
    link
        For each side, the number of the filled cell that lies there, -1 for none.
    given
        For each side, the colour that a cell outside the region shows there, -1 for none.
    turns
        For each tile, bit r if rotation r may lie on the cell.
    pieces
        Number of tiles that are pieces; places that may stay empty follow.

    Returns
    -------
    Number of partial fillings kept, and number of partial fillings examined.
    """
    counts = np.zeros(limit + 2, dtype=np.int64)
    want = np.empty(4, dtype=np.int64)
    tiles = len(turns)
    looked = np.int64(0)
    for row in range(rows):
        _wanted(row, lying, link, given, sides, want)
        for tile in range(tiles):
            if (used[row, tile >> 6] >> np.uint64(tile & 63)) & _ONE:
                continue
            for turn in range(4):
                if (turns[tile] >> turn) & 1:
                    looked += 1
                    whole = cost[row] + _mismatches(4 * tile + turn, want, none, sides)
                    if whole <= limit:
                        counts[whole] += 1
            if tile >= pieces:
                break
    room, worst = width, 0
    while worst <= limit and counts[worst] < room:
        room -= counts[worst]
        worst += 1
    ties = counts[worst]  # `room` of them are drawn; there are none beyond the limit
    kept = 0
    for row in range(rows):
        _wanted(row, lying, link, given, sides, want)
        for tile in range(tiles):
            if (used[row, tile >> 6] >> np.uint64(tile & 63)) & _ONE:
                continue
            for turn in range(4):
                if not (turns[tile] >> turn) & 1:
                    continue
                whole = cost[row] + _mismatches(4 * tile + turn, want, none, sides)
                if whole > worst or whole > limit:
                    continue
                if whole == worst:
                    ties -= 1
                    if xorshift_below(state, ties + 1) >= room:
                        continue
                    room -= 1
                for word in range(used.shape[1]):
                    new_used[kept, word] = used[row, word]
                new_used[kept, tile >> 6] |= _ONE << np.uint64(tile & 63)
                for place in range(depth):
                    new_lying[kept, place] = lying[row, place]
                new_lying[kept, depth] = 4 * tile + turn
                new_cost[kept] = whole
                kept += 1
            if tile >= pieces:
                break
    return kept, looked
