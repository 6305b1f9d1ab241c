"""Two-phase search (Kociemba), compiled: all short paths into the group <U, D, R2, L2, F2, B2>, then to the goal.

Phase 1 is a depth-first search to a fixed depth, pruned by the phase-1 table. At each of its leaves, iterative
deepening looks for a plan shorter than the best one, unless the phase-2 tables rule this out.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch
from matheur.problems.rubik.search.cube_kernels import WIDTH, turn

__all__ = ["DEPTH", "DONE", "FOUND", "LENGTH", "MOST", "NODES", "NUMBERS", "PAUSED", "SECOND", "STEP", "fill", "search"]

DONE, FOUND, PAUSED = 0, 1, 2

# Indices in `numbers`: depth, length of phase 1, longest plan wanted, states visited, moves of phase 2 in `tail`.
DEPTH, LENGTH, MOST, NODES, SECOND, STEP = range(6)
NUMBERS = 6

_ORDERS = 24
_MOVES = 10


@kernel
def fill(begin, end, depth, moves, costs, first, second, table):  # type: ignore[no-untyped-def]
    """Lower the neighbours of entries (a, b) of this distance, for a from begin to end - 1; returns their number.

    `first` and `second` are the results of the moves, of shapes [a's, moves] and [b's, moves]; `table` is uint8[a's *
    b's].
    """
    many, width = np.int64(0), np.int64(len(second))
    for a in range(begin, end):
        for b in range(width):
            if table[a * width + b] == depth:
                many += 1
                for move in range(moves):
                    place = np.int64(first[a, move]) * width + np.int64(second[b, move])
                    after = depth + costs[move]
                    if table[place] > after:
                        table[place] = after
    return many


@kernel
def _home(  # type: ignore[no-untyped-def]
    corner, edge, order, most, step, costs, follows, corner_moves, edge_moves, order_moves, corner_table, edge_table,
    stack, tail,
):  # fmt: skip
    """The path to the goal within the group; returns the number of moves in `tail` (-1 for no path) and states visited.

    `stack` is int64[64, 6]: corners, edges, order of the slice edges, next move, last move, cost.
    """
    nodes = np.int64(1)
    bound = np.int64(max(corner_table[corner * _ORDERS + order], edge_table[edge * _ORDERS + order]))
    while bound <= most:
        depth = 0
        stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4], stack[0, 5] = corner, edge, order, 0, _MOVES, 0
        if bound == 0:
            return 0, nodes
        while depth >= 0:
            move = stack[depth, 3]
            if move == _MOVES:
                depth -= 1
                continue
            stack[depth, 3] = move + 1
            if not follows[stack[depth, 4], move]:
                continue
            cost = stack[depth, 5] + costs[move]
            if cost > bound:
                continue
            nodes += 1
            b = np.int64(order_moves[stack[depth, 2], move])
            a = np.int64(corner_moves[stack[depth, 0], move])
            left = np.int64(corner_table[a * _ORDERS + b])
            if cost + left > bound:
                continue
            c = np.int64(edge_moves[stack[depth, 1], move])
            away = np.int64(edge_table[c * _ORDERS + b])
            if cost + away > bound:
                continue
            tail[depth] = move
            if left == 0 and away == 0:
                return depth + 1, nodes
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = a, c, b
            stack[depth, 3], stack[depth, 4], stack[depth, 5] = 0, move, cost
        bound += step
    return -1, nodes


@kernel
def _end(  # type: ignore[no-untyped-def]
    state, corner_word, heads, tails, most, step, costs, follows, corner_moves, edge_moves, order_moves, corner_table,
    edge_table, stack, tail,
):  # fmt: skip
    """Call `_home` from a state of the group."""
    pieces = np.int64(corner_word >> np.uint64(36))
    first, second, third = np.int64(0), np.int64(0), np.int64(0)
    for i in range(4):
        first |= np.int64(state[8 + i] >> 1) << (3 * i)
        second |= np.int64(state[12 + i] >> 1) << (3 * i)
        third |= (np.int64(state[16 + i] >> 1) - 8) << (3 * i)
    return _home(
        np.int64(heads[pieces & 4095] + tails[pieces >> 12]), np.int64(heads[first] + tails[second]),
        np.int64(tails[third]), most, step, costs, follows, corner_moves, edge_moves, order_moves, corner_table,
        edge_table, stack, tail,
    )  # fmt: skip


@kernel
def search(  # type: ignore[no-untyped-def]
    limit, automaton, moves, leaves, move_source, move_value, corner_change, edge_change, source, placing, heads,
    tails, class_of, twist_image, phase1, flips, twists, costs, follows, corner_moves, edge_moves, order_moves,
    corner_table, edge_table, corner_least, states, words, lasts, child_moves, child_words, counts, stack, tail,
    numbers,
):  # fmt: skip
    """Continue until a plan of at most `MOST` moves is found, this length of phase 1 is done, or `limit` nodes later.

    The arrays up to `counts` are those of `deepening_kernels.deepen`, with sums and changes of the cube only. `leaves`
    marks the moves that may end phase 1 (those outside the group); `corner_least` is a lower bound on the distance of
    each permutation of the corners. If `phase1` is empty, the small tables `flips` and `twists` are used instead (see
    `small`). The plan is the path of phase 1, then `SECOND` moves in `tail`.
    """
    depth, length, nodes = numbers[DEPTH], numbers[LENGTH], np.int64(0)
    indices = np.empty(18, dtype=np.int64)
    answer = PAUSED
    if length == 0:
        many, looked = _end(
            states[0], words[0, 0], heads, tails, numbers[MOST], numbers[STEP], costs, follows, corner_moves,
            edge_moves, order_moves, corner_table, edge_table, stack, tail,
        )  # fmt: skip
        numbers[NODES] += looked
        numbers[SECOND] = many
        return FOUND if many >= 0 else DONE
    while nodes < limit:
        left = length - depth - 1
        if counts[depth, 0] < 0:
            count = 0
            state, last = states[depth], lasts[depth]
            for move in range(moves):
                if automaton[last, move] < 0 or (left == 0 and not leaves[move]):
                    continue
                corner, edge = words[depth, 0], words[depth, 1]
                for k in range(4):
                    corner += corner_change[move, k, state[source[move, k]]]
                    edge += edge_change[move, k, state[source[move, 4 + k]]]
                places = (edge >> np.uint64(33)) & np.uint64(4095)
                place = np.int64(placing[0, np.int64(places)])
                flip, twist = np.int64(edge & np.uint64(2047)), np.int64(corner & np.uint64(4095))
                if phase1.size == 0:
                    indices[count] = max(flips[place + flip], twists[(place >> 11) * WIDTH + twist])
                else:
                    one = np.int64(class_of[place + flip])
                    index = (one >> 4) * WIDTH + twist_image[one & 15, twist]
                    indices[count] = index
                    prefetch(phase1, index >> 1)
                child_moves[depth, count] = move
                child_words[depth, count, 0], child_words[depth, count, 1] = corner, edge
                count += 1
            nodes += count
            kept = 0
            for i in range(count):
                index = indices[i]
                if left == 0:  # the corners alone may already be too far from the goal
                    pieces = np.int64(child_words[depth, i, 0] >> np.uint64(36))
                    if corner_least[np.int64(heads[pieces & 4095] + tails[pieces >> 12])] > numbers[MOST] - length:
                        continue
                if phase1.size > 0:
                    index = np.int64((phase1[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15))
                if index <= left:
                    child_moves[depth, kept] = child_moves[depth, i]
                    child_words[depth, kept, 0] = child_words[depth, i, 0]
                    child_words[depth, kept, 1] = child_words[depth, i, 1]
                    kept += 1
            counts[depth, 0], counts[depth, 1] = kept, 0
        if counts[depth, 1] == counts[depth, 0]:
            if depth == 0:
                answer = DONE
                break
            depth -= 1
            continue
        taken = counts[depth, 1]
        counts[depth, 1] = taken + 1
        move = child_moves[depth, taken]
        if left == 0 and length > numbers[MOST]:
            continue
        turn(states, depth, move, move_source, move_value)
        if left == 0:
            many, looked = _end(
                states[depth + 1], child_words[depth, taken, 0], heads, tails, numbers[MOST] - length, numbers[STEP],
                costs, follows, corner_moves, edge_moves, order_moves, corner_table, edge_table, stack, tail,
            )  # fmt: skip
            nodes += looked
            if many >= 0:
                numbers[SECOND] = many
                answer = FOUND
                break
            continue
        words[depth + 1, 0], words[depth + 1, 1] = child_words[depth, taken, 0], child_words[depth, taken, 1]
        lasts[depth + 1] = automaton[lasts[depth], move]
        depth += 1
        counts[depth, 0] = -1
    numbers[DEPTH] = depth
    numbers[NODES] += nodes
    return answer
