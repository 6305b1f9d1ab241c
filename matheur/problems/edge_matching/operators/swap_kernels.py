"""Kernel of the swap-and-rotate descent and of tabu search by the same moves.

Positions are the cells of a board followed by its tray (see `board_tools.Layout`); movable positions are numbered
0, 1, ... in the order of the scan, group by group. `table[i, j]` holds the smallest number of mismatches that the
piece of position number j would have in position number i, over the rotations that fit, with the present neighbours of
i. A swap of two positions that do not touch then takes two look-ups; for two that touch, all rotations are tried. A
move changes at most ten rows and two columns of the table. On a 16 x 16 board, one move of the steepest descent takes
about 0.4 milliseconds.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift, xorshift_below
from matheur.problems.edge_matching.operators.joint_kernels import required

__all__ = ["descend"]

NEVER = 100  # mismatches of a piece in a cell where its frame sides do not fit
LEAST = -20  # below the gain of any exchange


@kernel
def _joint(upper, lower, side, sides):  # type: ignore[no-untyped-def]
    """1 if `lower`, which lies at the given side of `upper`, does not match it."""
    if upper < 0 or lower < 0 or sides[upper, side] != sides[lower, (side + 2) & 3]:
        return np.int64(1)
    return np.int64(0)


@kernel
def _mismatches(tile, position, skip, placements, neighbours, sides):  # type: ignore[no-untyped-def]
    """Number of mismatched joints of a tile in a position, without the joint towards position `skip`."""
    count = np.int64(0)
    for side in range(4):
        beside = neighbours[position, side]
        if beside >= 0 and beside != skip:
            count += _joint(tile, placements[beside], side, sides)
    return count


@kernel
def _best_turn(tile, allowed, first, need, sides):  # type: ignore[no-untyped-def]
    """Fewest mismatches of a tile over the allowed rotations, times 4, plus the rotation; `first` breaks ties."""
    if tile < 0:
        count = np.int64(0)
        for side in range(4):
            if need[side] != -1:
                count += 4
        return count
    best = np.int64(4 * NEVER)
    for turn in range(4):
        r = (first + turn) & 3
        if (allowed >> r) & 1:
            count = np.int64(0)
            for side in range(4):
                if need[side] != -1 and need[side] != sides[(tile & ~3) + r, side]:
                    count += 4
            if count < (best & ~3):
                best = count + r
    return best


@kernel
def _touching_swap(a, b, side, placements, neighbours, kinds, turns, sides):  # type: ignore[no-untyped-def]
    """Best exchange of positions a and b, b at the given side of a: mismatches * 16 + turn at a * 4 + turn at b."""
    tile_a, tile_b = placements[a], placements[b]
    allowed_a = np.int64(1) if tile_b < 0 else np.int64(turns[kinds[a], tile_b >> 2])
    allowed_b = np.int64(1) if tile_a < 0 else np.int64(turns[kinds[b], tile_a >> 2])
    best = np.int64(16 * NEVER)
    for r in range(4):
        if not (allowed_a >> r) & 1:
            continue
        into_a = _turned(tile_b, r)
        count_a = _mismatches(into_a, a, b, placements, neighbours, sides)
        if count_a >= best >> 4:
            continue
        for s in range(4):
            if not (allowed_b >> s) & 1:
                continue
            into_b = _turned(tile_a, s)
            count = count_a + _mismatches(into_b, b, a, placements, neighbours, sides)
            count += _joint(into_a, into_b, side, sides)
            if count < best >> 4:
                best = 16 * count + 4 * r + s
    return best


@kernel
def _turned(tile, rotation):  # type: ignore[no-untyped-def]
    """The tile with another rotation; an empty place stays empty."""
    return np.int64(tile) if tile < 0 else np.int64((tile & ~3) | rotation)


@kernel
def _fill(low, high, first, last, order, placements, neighbours, kinds, turns, sides, table):  # type: ignore[no-untyped-def]
    """Compute the rows low..high-1 of the table for the columns first..last-1."""
    need = np.empty(4, dtype=np.int32)
    for i in range(low, high):
        required(order[i], placements, neighbours, sides, need)
        kind = kinds[order[i]]
        for j in range(first, last):
            tile = placements[order[j]]
            allowed = np.int64(1) if tile < 0 else np.int64(turns[kind, tile >> 2])
            table[i, j] = _best_turn(tile, allowed, 0, need, sides) >> 2


@kernel
def _is_tabu(a, b, gain, placements, banned, values):  # type: ignore[no-untyped-def]
    """Whether the exchange of two positions returns a piece too soon without reaching a new best board."""
    if values[1] - gain < values[2]:
        return False
    return banned[a, placements[b] >> 2] > values[0] or banned[b, placements[a] >> 2] > values[0]


@kernel
def descend(  # type: ignore[no-untyped-def]
    first_improvement, limit, order, starts, placements, neighbours, kinds, turns, sides, state, table,
    tenure, banned, values, best,
):  # fmt: skip
    """Move to better boards until a full scan finds none, or `limit` moves are made.

    With a tenure, it is a tabu search: the best move is made even if it makes the board worse, but no piece returns to
    a position that it left within the last `tenure` to 2 `tenure` moves, unless the board becomes better than all
    before. The search then ends only after `limit` moves.

    Parameters
    ----------
    first_improvement
        Whether to take the first improving move of a scan instead of the best one (steepest descent, random among
        equals).
    order
        int32: positions that may move, in the order of the scan, group by group.
    starts
        int32: start of each group in `order`, and the length of `order`.
    table
        int8, shape (movable positions, movable positions): scratch for the table above.
    tenure
        Tabu tenure; 0 for a descent.
    banned
        int64, shape (positions, pieces + 1): number of the move before which a piece may not move to a position; the
        last column is for no piece. This and the following arrays are used only by tabu search and kept between calls.
    values
        int64: moves so far, change of the mismatches so far, and smallest change so far.
    best
        int32: placements with the smallest change.

    Returns
    -------
    change, moves, proved
        Change of the mismatches; moves made; whether the last scan was complete and without gain.
    """
    size = order.size
    number = np.full(placements.size, -1, dtype=np.int32)
    low = np.zeros(size, dtype=np.int32)
    high = np.zeros(size, dtype=np.int32)
    now = np.zeros(size, dtype=np.int64)
    need = np.empty(4, dtype=np.int32)
    for g in range(starts.size - 1):
        _fill(
            starts[g], starts[g + 1], starts[g], starts[g + 1],
            order, placements, neighbours, kinds, turns, sides, table,
        )  # fmt: skip
        for i in range(starts[g], starts[g + 1]):
            number[order[i]] = i
            low[i] = starts[g]
            high[i] = starts[g + 1]
            now[i] = _mismatches(placements[order[i]], order[i], -1, placements, neighbours, sides)
    change = np.int64(0)
    moves = 0
    resume = 0
    floor = 0 if tenure == 0 else LEAST
    while moves < limit:
        best_gain = floor
        best_i = best_j = best_side = -1
        equal = 0
        for step in range(size):
            i = resume + step if resume + step < size else resume + step - size
            a = order[i]
            mine = now[i]
            for j in range(i, high[i]):
                gain = mine + now[j] - table[i, j] - table[j, i] if j > i else mine - table[i, i]
                if gain <= floor or gain < best_gain or (j == i and gain <= 0):
                    continue
                b = order[j]
                if b != a and (
                    neighbours[a, 0] == b or neighbours[a, 1] == b or neighbours[a, 2] == b or neighbours[a, 3] == b
                ):
                    continue
                if tenure > 0 and b != a and _is_tabu(a, b, gain, placements, banned, values):
                    continue
                equal = equal + 1 if gain == best_gain else 1
                if equal > 1 and xorshift_below(state, equal) > 0:
                    continue
                best_gain, best_i, best_j, best_side = gain, i, j, -1
                if first_improvement:
                    break
            for side in range(1, 3):
                if neighbours[a, side] < 0 or (first_improvement and best_gain > 0):
                    continue
                j = number[neighbours[a, side]]
                if j < low[i] or j >= high[i]:
                    continue
                b = order[j]
                loose = mine + now[j] - _joint(placements[a], placements[b], side, sides)
                if loose <= floor or loose < best_gain:
                    continue
                gain = loose - (_touching_swap(a, b, side, placements, neighbours, kinds, turns, sides) >> 4)
                if gain <= floor or gain < best_gain:
                    continue
                if tenure > 0 and _is_tabu(a, b, gain, placements, banned, values):
                    continue
                equal = equal + 1 if gain == best_gain else 1
                if equal == 1 or xorshift_below(state, equal) == 0:
                    best_gain, best_i, best_j, best_side = gain, i, int(j), side
            if first_improvement and best_gain > 0:
                resume = i
                break
        if best_gain == floor:
            if tenure == 0:
                return change, moves, True
            moves += 1  # every move is tabu: only the move counter advances
            values[0] += 1
            continue
        a, b = order[best_i], order[best_j]
        tile_a, tile_b = placements[a], placements[b]
        if best_side >= 0:
            found = _touching_swap(a, b, best_side, placements, neighbours, kinds, turns, sides)
            turn_a, turn_b = (found >> 2) & 3, found & 3
        else:
            bits = np.int64(xorshift(state) >> np.uint64(60))
            required(a, placements, neighbours, sides, need)
            allowed = np.int64(1) if tile_b < 0 else np.int64(turns[kinds[a], tile_b >> 2])
            turn_a = _best_turn(tile_b, allowed, bits & 3, need, sides) & 3
            required(b, placements, neighbours, sides, need)
            allowed = np.int64(1) if tile_a < 0 else np.int64(turns[kinds[b], tile_a >> 2])
            turn_b = _best_turn(tile_a, allowed, bits >> 2, need, sides) & 3
        placements[b] = _turned(tile_a, turn_b)
        placements[a] = _turned(tile_b, turn_a)
        change -= best_gain
        moves += 1
        if tenure > 0:
            values[0] += 1
            values[1] -= best_gain
            banned[a, tile_a >> 2] = values[0] + tenure + xorshift_below(state, tenure + 1)
            banned[b, tile_b >> 2] = values[0] + tenure + xorshift_below(state, tenure + 1)
            if values[1] < values[2]:
                values[2] = values[1]
                best[:] = placements
        for end in range(2):
            j = best_i if end == 0 else best_j
            _fill(low[j], high[j], j, j + 1, order, placements, neighbours, kinds, turns, sides, table)
            for side in range(5):
                position = order[j] if side == 4 else neighbours[order[j], side]
                i = -1 if position < 0 else number[position]
                if i >= 0:
                    now[i] = _mismatches(placements[position], position, -1, placements, neighbours, sides)
                    _fill(i, i + 1, low[i], high[i], order, placements, neighbours, kinds, turns, sides, table)
    return change, moves, False
