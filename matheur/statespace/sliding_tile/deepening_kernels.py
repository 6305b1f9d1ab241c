"""Iterative deepening on additive pattern databases, compiled: one depth-first search with a threshold.

The board, the cells of the tiles, and the value of every pattern are kept up to date move by move; a slide changes one
pattern, so it costs one rank and one look-up, and a second one for the mirrored board if the first does not prune.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from matheur.statespace.pointers import popcount

__all__ = [
    "DEPTH",
    "DISTANCE",
    "DONE",
    "EXCESS",
    "FOUND",
    "MIRRORED",
    "NEXT",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "THRESHOLD",
    "deepen",
    "value_of",
]

DONE, FOUND, PAUSED = 0, 1, 2

# Places in `numbers`.
DEPTH, THRESHOLD, NEXT, NODES, EXCESS, MIRRORED, DISTANCE, FLOOR = range(8)
NUMBERS = 8


@njit(cache=True, nogil=True)
def value_of(group, cell_of, members, begins, offsets, packed, cells):  # type: ignore[no-untyped-def]
    """Half excess of a pattern: its tiles are `members[begins[group]:begins[group + 1]]`."""
    used, rank = np.uint64(0), np.int64(0)
    one = np.uint64(1)
    radix = cells
    for i in range(begins[group], begins[group + 1]):
        cell = cell_of[members[i]]
        bit = one << np.uint64(cell)
        rank = rank * radix + cell - popcount(used & (bit - one))
        used |= bit
        radix -= 1
    return np.int64((packed[offsets[group] + (rank >> 1)] >> np.uint8(4 * (rank & 1))) & np.uint8(15))


@njit(cache=True, nogil=True)
def deepen(  # type: ignore[no-untyped-def]
    limit, tile_at, cell_of, mirrored, values, mirrored_values, adjacent, distance, mirror_cell, mirror_tile,
    group_of, members, begins, offsets, packed, automaton, stack, numbers,
):  # fmt: skip
    """Search until the goal, the end of the iteration, or `limit` more nodes.

    Parameters
    ----------
    limit
        Nodes generated before it comes back.
    tile_at, cell_of, mirrored
        int64[cells]: the board, the cell of each tile, and of each tile of the mirrored board.
    values, mirrored_values
        int64[groups]: half excesses.
    mirror_cell, mirror_tile
        int64[cells], or empty if there is no mirror.
    automaton
        int32[states, 4]: next state of the move-pruning automaton, -1 for a move that another path makes as well.
    stack
        int64[depth, 7]: blank, next move, state of the automaton, the tile that moved, and the excesses and distance
        before it moved.
    numbers
        int64[NUMBERS]: see the names.

    Returns
    -------
    int64
        `DONE`, `FOUND` or `PAUSED`.
    """
    depth, threshold, nodes = numbers[DEPTH], numbers[THRESHOLD], np.int64(0)
    excess, excess_mirrored, away = numbers[EXCESS], numbers[MIRRORED], numbers[DISTANCE]
    cells = tile_at.size
    mirror = mirror_cell.size > 0
    answer = PAUSED
    while nodes < limit:
        move = stack[depth, 1]
        if move == 4:
            if depth == numbers[FLOOR]:
                answer = DONE
                break
            # Take the move back: the tile slides from the former blank to where the blank is now.
            here = stack[depth, 0]
            depth -= 1
            there, tile = stack[depth, 0], stack[depth + 1, 3]
            group = group_of[tile]
            tile_at[here], tile_at[there] = tile, 0
            cell_of[tile] = here
            values[group] += stack[depth + 1, 4] - excess
            excess = stack[depth + 1, 4]
            away = stack[depth + 1, 6]
            if mirror:
                other = mirror_tile[tile]
                mirrored[other] = mirror_cell[here]
                mirrored_values[group_of[other]] += stack[depth + 1, 5] - excess_mirrored
                excess_mirrored = stack[depth + 1, 5]
            continue
        stack[depth, 1] = move + 1
        blank = stack[depth, 0]
        origin = adjacent[blank, move]
        if origin < 0:
            continue
        state = automaton[stack[depth, 2], move]
        if state < 0:
            continue
        nodes += 1
        tile = tile_at[origin]
        group = group_of[tile]
        cell_of[tile] = blank
        now = away + distance[tile, blank] - distance[tile, origin]
        fresh = value_of(group, cell_of, members, begins, offsets, packed, cells)
        sum_fresh = excess + fresh - values[group]
        total = depth + 1 + now + 2 * sum_fresh
        if total > threshold:
            cell_of[tile] = origin
            if total < numbers[NEXT]:
                numbers[NEXT] = total
            continue
        sum_mirrored = excess_mirrored
        if mirror:
            other = mirror_tile[tile]
            mirrored[other] = mirror_cell[blank]
            group_mirrored = group_of[other]
            fresh_mirrored = value_of(group_mirrored, mirrored, members, begins, offsets, packed, cells)
            sum_mirrored += fresh_mirrored - mirrored_values[group_mirrored]
            total = depth + 1 + now + 2 * sum_mirrored
            if total > threshold:
                cell_of[tile] = origin
                mirrored[other] = mirror_cell[origin]
                if total < numbers[NEXT]:
                    numbers[NEXT] = total
                continue
            mirrored_values[group_mirrored] = fresh_mirrored
        values[group] = fresh
        tile_at[blank], tile_at[origin] = tile, 0
        depth += 1
        stack[depth, 0], stack[depth, 1], stack[depth, 2] = origin, 0, state
        stack[depth, 3], stack[depth, 4], stack[depth, 5], stack[depth, 6] = tile, excess, excess_mirrored, away
        excess, excess_mirrored, away = sum_fresh, sum_mirrored, now
        if now == 0:
            answer = FOUND
            break
    numbers[DEPTH] = depth
    numbers[NODES] += nodes
    numbers[EXCESS], numbers[MIRRORED], numbers[DISTANCE] = excess, excess_mirrored, away
    return answer
