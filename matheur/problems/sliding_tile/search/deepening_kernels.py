"""Iterative deepening on additive pattern databases, compiled: one depth-first search with a threshold.

A slide changes the rank of one pattern, by a few known weights: its digits count lower cells, so the only digits that
change are those of the moving tile and of the tiles that it passes in cell order; a horizontal slide passes none. The
same holds for the mirrored board with rows and columns exchanged. The ranks of all children of a node, in both views,
therefore cost a few additions, and their entries are prefetched while the first ones are processed.

A child cuts off its parent if its estimate exceeds the threshold by so much that the parent's estimate must, too
(Felner, Zahavi, Holte, Schaeffer, Sturtevant and Zhang 2011, doi:10.1016/j.artint.2011.02.001).
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch

__all__ = [
    "CEILING",
    "COLUMNS",
    "CUT",
    "DEPTH",
    "DISTANCE",
    "DONE",
    "EXCESS",
    "FLOOR",
    "FOUND",
    "MIRRORED",
    "NEXT",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "THRESHOLD",
    "deepen",
]

DONE, FOUND, PAUSED, CUT = 0, 1, 2, 3

# Places in `numbers`.
DEPTH, THRESHOLD, NEXT, NODES, EXCESS, MIRRORED, DISTANCE, FLOOR, CEILING = range(9)
NUMBERS = 9

# Columns of `stack`: of a node, its blank, the next move, the state of the automaton, the tile that moved; before it
# moved, the excesses, the distance, the values and the ranks of its pattern; of its children, the ranks in both views.
_BLANK, _MOVE, _STATE, _TILE, _EXCESS, _MIRRORED, _DISTANCE, _VALUE, _RANK, _CHILD = 0, 1, 2, 3, 4, 5, 6, 7, 9, 11
COLUMNS = 19


@kernel
def deepen(  # type: ignore[no-untyped-def]
    limit, tile_at, ranks, values, adjacent, distance, passed, groups, weights, changes, offsets, packed, automaton,
    stack, numbers,
):  # fmt: skip
    """Search until the goal, the end of the iteration, `limit` more nodes, or a node at the depth `CEILING`.

    Only nodes below the node at the depth `FLOOR` are searched; nodes below the ceiling are left out.

    Parameters
    ----------
    limit
        Number of nodes to generate before it returns.
    tile_at
        int64[cells]: the board.
    ranks, values
        int64[views, patterns]: positions of the entries of the patterns, in half bytes from the beginning of their
        table, and the entries; for the board, and for the mirrored one if there are two views.
    adjacent, distance
        As in `Geometry`.
    passed
        int64[cells, 4, n]: the cells between the two cells of a slide into a blank, by number or, for horizontal moves,
        by number on the mirrored board.
    groups
        int64[views, cells]: pattern of each tile.
    weights
        int64[2, cells]: weight of each tile's digit; in the second view, the weight of its mirror image.
    changes
        int64[2, cells, cells]: change of the rank when a tile passes another one upwards, in addition to its own move.
    offsets
        int64[patterns]: first byte of each table in `packed`.
    automaton
        int32[states, 4]: next state of the move-pruning automaton, -1 for a move that another path replaces.
    stack
        int64[depth, COLUMNS].
    numbers
        int64[NUMBERS]: see the names.

    Returns
    -------
    int64
        `DONE`, `FOUND`, `PAUSED`, or `CUT` at the ceiling.
    """
    depth, threshold, nodes = numbers[DEPTH], numbers[THRESHOLD], np.int64(0)
    excess, excess_mirrored, away = numbers[EXCESS], numbers[MIRRORED], numbers[DISTANCE]
    ceiling, between, mirror = numbers[CEILING], passed.shape[2], len(groups) > 1
    answer = PAUSED
    while nodes < limit:
        move = stack[depth, _MOVE]
        if move == 4:
            if depth == numbers[FLOOR]:
                answer = DONE
                break
            # Undo the move: the tile slides from the former blank to the current cell of the blank.
            here, tile = stack[depth, _BLANK], stack[depth, _TILE]
            excess, away = stack[depth, _EXCESS], stack[depth, _DISTANCE]
            group = groups[0, tile]
            values[0, group], ranks[0, group] = stack[depth, _VALUE], stack[depth, _RANK]
            if mirror:
                excess_mirrored = stack[depth, _MIRRORED]
                group = groups[1, tile]
                values[1, group], ranks[1, group] = stack[depth, _VALUE + 1], stack[depth, _RANK + 1]
            depth -= 1
            tile_at[here], tile_at[stack[depth, _BLANK]] = tile, 0
            continue
        blank, state = stack[depth, _BLANK], stack[depth, _STATE]
        if move == 0:
            for slide in range(4):
                origin = adjacent[blank, slide]
                if origin < 0 or automaton[state, slide] < 0:
                    continue
                tile, long = tile_at[origin], slide >> 1
                way = (between + 1) * weights[long, tile]
                for i in range(between):
                    way += changes[long, tile, tile_at[passed[blank, slide, i]]]
                if slide & 1 == 0:
                    way = -way
                side = weights[1 - long, tile] if slide & 1 else -weights[1 - long, tile]
                group = groups[0, tile]
                rank = ranks[0, group] + (side if long else way)
                stack[depth, _CHILD + 2 * slide] = rank
                prefetch(packed, offsets[group] + (rank >> 1))
                if mirror:
                    group = groups[1, tile]
                    rank = ranks[1, group] + (way if long else side)
                    stack[depth, _CHILD + 1 + 2 * slide] = rank
                    prefetch(packed, offsets[group] + (rank >> 1))
        stack[depth, _MOVE] = move + 1
        origin = adjacent[blank, move]
        if origin < 0:
            continue
        state = automaton[state, move]
        if state < 0:
            continue
        nodes += 1
        tile = tile_at[origin]
        group = groups[0, tile]
        now = away + distance[tile, blank] - distance[tile, origin]
        rank = stack[depth, _CHILD + 2 * move]
        value = np.int64((packed[offsets[group] + (rank >> 1)] >> np.uint8(4 * (rank & 1))) & np.uint8(15))
        sum_now = excess + value - values[0, group]
        total = depth + 1 + now + 2 * sum_now
        sum_mirrored = excess_mirrored
        if mirror and total <= threshold:
            group_mirrored = groups[1, tile]
            rank_mirrored = stack[depth, _CHILD + 1 + 2 * move]
            byte = packed[offsets[group_mirrored] + (rank_mirrored >> 1)]
            value_mirrored = np.int64((byte >> np.uint8(4 * (rank_mirrored & 1))) & np.uint8(15))
            sum_mirrored += value_mirrored - values[1, group_mirrored]
            total = max(total, depth + 1 + now + 2 * sum_mirrored)
        if total > threshold:
            if total > threshold + 2:
                # The parent's estimate is at least this one less two, so the parent exceeds the threshold, too.
                total -= 2
                stack[depth, _MOVE] = 4
            numbers[NEXT] = min(total, numbers[NEXT])
            continue
        depth += 1
        stack[depth, _BLANK], stack[depth, _MOVE], stack[depth, _STATE] = origin, 0, state
        stack[depth, _TILE], stack[depth, _EXCESS], stack[depth, _DISTANCE] = tile, excess, away
        stack[depth, _VALUE], stack[depth, _RANK] = values[0, group], ranks[0, group]
        values[0, group], ranks[0, group] = value, rank
        if mirror:
            stack[depth, _MIRRORED] = excess_mirrored
            stack[depth, _VALUE + 1], stack[depth, _RANK + 1] = values[1, group_mirrored], ranks[1, group_mirrored]
            values[1, group_mirrored], ranks[1, group_mirrored] = value_mirrored, rank_mirrored
        tile_at[blank], tile_at[origin] = tile, 0
        excess, excess_mirrored, away = sum_now, sum_mirrored, now
        if now == 0:
            answer = FOUND
            break
        if depth == ceiling:
            stack[depth, _MOVE] = 4
            answer = CUT
            break
    numbers[DEPTH] = depth
    numbers[NODES] += nodes
    numbers[EXCESS], numbers[MIRRORED], numbers[DISTANCE] = excess, excess_mirrored, away
    return answer
