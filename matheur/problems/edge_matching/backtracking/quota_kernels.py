"""Kernels that sample the partial boards that a quota allows, and estimate the promise of boards.

A board consists of the entries laid so far, by depth. The tables are those of `slip_tables`, as lists: the entries of
an address are those from `start[address]` up to `start[address + 1]`.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_below

__all__ = ["expected", "grow"]


@kernel
def grow(  # type: ignore[no-untyped-def]
    boards, turn, limit, begin, end, base, above, left, start, rights, downs, pieces, spent, quota, right, down, used,
    rows, random, grown,
):  # fmt: skip
    """Extend boards of `begin` cells to `end` cells in all ways without mismatches, and keep a random sample.

    Parameters
    ----------
    boards
        uint16, shape (any, cells).
    turn
        Numbers of the boards in the order in which they are extended.
    limit
        Placements after which no further board is taken.
    base, above, left
        First address of a cell by depth, and the slots above and on the left.
    rights, downs, pieces, spent
        For each entry: the colours shown, the piece, and its number of sides with colours that are spent first.
    quota
        Number of such sides that must have been laid once a cell is filled, by depth.
    right, down
        Colours by slot; those of fixed cells and of no cell are given, the others are scratch.
    used
        bool by piece, False for pieces that may be laid; restored at the end.
    rows
        Scratch, int64, shape (3, cells + 1).
    grown
        uint16, shape (most, end): written.

    Returns
    -------
    tuple of int
        Number of boards extended, number of ways to extend them, and number of placements made. `grown` holds all ways
        or, if they do not fit, a random sample of them.
    """
    most = len(grown)
    entry, stop, laid = rows[0], rows[1], rows[2]
    taken = ways = made = 0
    while taken < len(turn) and made < limit:
        number = turn[taken]
        taken += 1
        total = 0
        for depth in range(begin):
            e = np.int64(boards[number, depth])
            entry[depth] = e
            used[pieces[e]] = True
            right[depth], down[depth] = rights[e], downs[e]
            total += spent[e]
        depth = begin
        laid[depth] = total
        address = base[depth] + down[above[depth]] + right[left[depth]]
        entry[depth], stop[depth] = start[address] - 1, start[address + 1]
        while depth >= begin:
            e = entry[depth] + 1
            entry[depth] = e
            if e >= stop[depth]:
                depth -= 1
                if depth >= begin:
                    used[pieces[entry[depth]]] = False
                continue
            after = laid[depth] + spent[e]
            if used[pieces[e]] or after < quota[depth]:
                continue
            made += 1
            if depth + 1 == end:
                place = ways if ways < most else splitmix_below(random, ways + 1)
                ways += 1
                if place < most:
                    for i in range(end):
                        grown[place, i] = entry[i]
                continue
            used[pieces[e]] = True
            right[depth], down[depth] = rights[e], downs[e]
            depth += 1
            laid[depth] = after
            address = base[depth] + down[above[depth]] + right[left[depth]]
            entry[depth], stop[depth] = start[address] - 1, start[address + 1]
        for depth in range(begin):
            used[pieces[boards[number, depth]]] = False
    return taken, ways, made


@kernel
def expected(boards, filled, free, wanted, sides, rights, downs, shown, logarithms, promises):  # type: ignore[no-untyped-def]
    """Write the logarithm of the number of ways to join the remaining sides for each board.

    A colour with n free sides, f of which must match the edge of the filled part, has n! / (2^m m!) ways, where
    m = (n - f) / 2.

    Parameters
    ----------
    boards
        uint16, shape (any, any), all with the same number of cells filled.
    free, wanted
        For each colour: sides of the pieces that are not fixed, and sides that fixed cells show to unfilled cells.
    sides
        For each entry: number of sides of each colour of the piece, shape (entries, colours).
    rights, downs
        Colours shown by each entry.
    shown
        bool, shape (2, cells), by depth: whether the cell on the right, and the cell below, is unfilled.
    logarithms
        Logarithms of the factorials.
    promises
        float64, shape (any,): written; minus infinity where a colour cannot be joined.
    """
    colours = len(free)
    left, wants = np.zeros(colours, dtype=np.int64), np.zeros(colours, dtype=np.int64)
    for number in range(len(boards)):
        left[:] = free
        wants[:] = wanted
        for depth in range(filled):
            e = np.int64(boards[number, depth])
            for colour in range(colours):
                left[colour] -= sides[e, colour]
            wants[rights[e]] += shown[0, depth]
            wants[downs[e]] += shown[1, depth]
        total = 0.0
        for colour in range(1, colours):
            inside = left[colour] - wants[colour]
            if inside < 0 or inside % 2:
                total = -np.inf
                break
            pairs = inside // 2
            total += logarithms[left[colour]] - logarithms[pairs] - pairs * np.log(2.0)
        promises[number] = total
