"""Kernels of the assignment neighbourhoods: choose cells, price every piece in every cell, reassign.

Positions are the cells of a board followed by its tray (see `board_tools.Layout`). The cells that are emptied
together are never side by side, so the cost of a piece in a cell does not depend on the other moving pieces, and the
best refill is an assignment problem (Schaus and Deville 2008). Costs are integers: mismatches times 2^20, plus a random
number below 2^`tie_bits` that breaks ties, so that equally good reassignments change the board.

At a temperature T, an exponentially distributed random number with a mean of T mismatches is added to every cost before
the assignment is solved, and the solution is taken even if it is worse. As in simulated annealing, the walk prefers
good boards more strongly at lower T, but it moves all chosen pieces at once.

One iteration with 16 cells takes about 8 microseconds: 1,024 placements priced with four comparisons each, and the
assignment.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.assignment import ROOM_ROWS, assign
from matheur.kernels.random import xorshift, xorshift_below
from matheur.problems.edge_matching.operators.joint_kernels import required

__all__ = ["count_around", "price", "reassign"]

COST_UNIT = 1 << 20
FORBIDDEN = 1 << 40


@kernel
def _mismatches(position, placements, neighbours, sides):  # type: ignore[no-untyped-def]
    """Number of mismatched joints of a position with its present placement."""
    count = 0
    own = placements[position]
    for side in range(4):
        beside = neighbours[position, side]
        if beside >= 0:
            other = placements[beside]
            if own < 0 or other < 0 or sides[own, side] != sides[other, (side + 2) & 3]:
                count += 1
    return count


@kernel
def count_around(chosen, placements, neighbours, sides):  # type: ignore[no-untyped-def]
    """Number of mismatched joints of the chosen positions, no two of which are side by side."""
    count = 0
    for position in chosen:
        count += _mismatches(position, placements, neighbours, sides)
    return count


@kernel
def price(  # type: ignore[no-untyped-def]
    chosen, placements, neighbours, kinds, turns, sides, state, tie_bits, temperature, cost, choice
):
    """Price every piece of the chosen positions in each of them.

    `cost[i, j]` becomes the cost of the piece (or emptiness) of position j in position i, FORBIDDEN if no rotation
    fits; `choice[i, j]` becomes the mismatches without noise times 4, plus a random rotation among the best ones.
    """
    need = np.empty(4, dtype=np.int32)
    mask = (np.uint64(1) << np.uint64(tie_bits)) - np.uint64(1)
    for i in range(chosen.size):
        required(chosen[i], placements, neighbours, sides, need)
        joints = 0
        for side in range(4):
            if need[side] != -1:
                joints += 1
        for j in range(chosen.size):
            tile = placements[chosen[j]]
            bits = xorshift(state)
            best = 5
            best_rotation = np.int64(0)
            if tile < 0:
                best = joints
            else:
                allowed = np.int64(turns[kinds[chosen[i]], tile >> 2])
                first = np.int64(bits >> np.uint64(62))
                base = tile & ~3
                for turn in range(4):
                    r = (first + turn) & 3
                    if (allowed >> r) & 1:
                        count = 0
                        for side in range(4):
                            if need[side] != -1 and need[side] != sides[base + r, side]:
                                count += 1
                        if count < best:
                            best = count
                            best_rotation = r
            choice[i, j] = 4 * best + best_rotation
            if best == 5:
                cost[i, j] = FORBIDDEN
                continue
            cost[i, j] = best * COST_UNIT + np.int64(bits & mask)
            if temperature > 0:
                uniform = (np.float64(xorshift(state) >> np.uint64(11)) + 1) / 9007199254740992.0
                cost[i, j] -= np.int64(temperature * COST_UNIT * np.log(uniform))


@kernel
def _choose(k, weights, free, groups, placements, neighbours, sides, state, stamp, mark, chosen):  # type: ignore[no-untyped-def]
    """Draw up to k positions of one group, no two of them side by side, weighted by their mismatches.

    Rejection sampling; the first accepted position determines the group. Returns the number of positions found; gives
    up after 64 consecutive rejections.
    """
    heaviest = np.int64(0)
    for weight in weights:
        heaviest = max(heaviest, weight)
    found = 0
    group = np.int32(-1)
    rejected = 0
    while found < k and rejected < 64:
        position = free[xorshift_below(state, free.size)]
        if mark[position] == stamp or (found > 0 and groups[position] != group):
            rejected += 1
            continue
        if xorshift_below(state, heaviest) >= weights[_mismatches(position, placements, neighbours, sides)]:
            continue
        rejected = 0
        group = groups[position]
        chosen[found] = position
        found += 1
        mark[position] = stamp
        for side in range(4):
            if neighbours[position, side] >= 0:
                mark[neighbours[position, side]] = stamp
    return found


@kernel
def reassign(  # type: ignore[no-untyped-def]
    iterations, k, weights, sideways, temperature, tie_bits, free, groups, placements, neighbours, kinds, turns, sides,
    state, change, best_change, best,
):  # fmt: skip
    """Run iterations of the assignment neighbourhood on `placements`.

    Parameters
    ----------
    weights
        int64, shape (5,), positive: relative probability of a position with 0..4 mismatched joints.
    sideways
        Whether to take equally good reassignments, too; at a temperature above 0, every reassignment is taken.
    free
        int32: positions that may move.
    change, best_change, best
        Change of the mismatches so far, now and at the best placements seen, which `best` holds.

    Returns
    -------
    change, best_change
        The updated values.
    """
    cost = np.empty((k, k), dtype=np.int64)
    choice = np.empty((k, k), dtype=np.int64)
    room = np.empty((ROOM_ROWS, k + 1), dtype=np.int64)
    match = room[2]
    done = np.empty(k + 1, dtype=np.bool_)
    chosen = np.empty(k, dtype=np.int32)
    tiles = np.empty(k, dtype=np.int32)
    mark = np.zeros(placements.size, dtype=np.int64)
    for iteration in range(1, iterations + 1):
        size = _choose(k, weights, free, groups, placements, neighbours, sides, state, iteration, mark, chosen)
        for i in range(size):
            tiles[i] = placements[chosen[i]]
        before = count_around(chosen[:size], placements, neighbours, sides)
        price(chosen[:size], placements, neighbours, kinds, turns, sides, state, tie_bits, temperature, cost, choice)
        assign(size, cost, room, done)
        after = np.int64(0)
        for j in range(size):
            after += choice[match[j + 1] - 1, j] >> 2
        if temperature <= 0 and (after > before or (after == before and not sideways)):
            continue
        for j in range(size):
            i = match[j + 1] - 1
            placements[chosen[i]] = tiles[j] if tiles[j] < 0 else (tiles[j] & ~3) | (choice[i, j] & 3)
        change += after - before
        if change < best_change or (change == best_change and temperature <= 0):
            best_change = change
            best[:] = placements
    return change, best_change
