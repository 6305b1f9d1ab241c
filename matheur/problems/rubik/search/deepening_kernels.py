"""Iterative deepening for the cube, compiled: a depth-first search with a threshold.

A node is expanded completely: the sums (see `coordinates`) of all its children are computed, and children are dropped
table by table, each time after prefetching the cache lines of all remaining children. The search thus waits for memory
a few times per node instead of once per look-up.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import prefetch
from matheur.problems.rubik.search.cube_kernels import corner_index, phase1_index, same_state, turn

__all__ = ["DEPTH", "DONE", "FOUND", "NODES", "NUMBERS", "PAUSED", "THRESHOLD", "deepen"]

DONE, FOUND, PAUSED = 0, 1, 2

# Indices in `numbers`.
DEPTH, THRESHOLD, NODES, LARGEST_CORNERS, LARGEST_PHASE1, INVERSE = range(6)
NUMBERS = 6


@kernel
def _expand(  # type: ignore[no-untyped-def]
    left, state, words, last, automaton, moves, corner_change, edge_change, source, placing, heads, tails, class_of,
    twist_image, corners, phase1, largest_corners, largest_phase1, inverse, child_moves, child_words, indices,
):  # fmt: skip
    """Children that may be at most `left` moves from the goal; returns how many were tested and how many are kept."""
    count = 0
    for move in range(moves):
        if automaton[last, move] >= 0:
            corner, edge, corner_back, edge_back = words[0], words[1], words[2], words[3]
            for k in range(4):
                value = state[source[move, k]]
                corner += corner_change[move, k, value, 0]
                corner_back += corner_change[move, k, value, 1]
                value = state[source[move, 4 + k]]
                edge += edge_change[move, k, value, 0]
                edge_back += edge_change[move, k, value, 1]
            child_moves[count] = move
            child_words[count, 0], child_words[count, 1] = corner, edge
            child_words[count, 2], child_words[count, 3] = corner_back, edge_back
            count += 1
    looked = count
    for probe in range(4 + 3 * inverse):
        if count == 0 or left >= (largest_corners if probe == 3 else largest_phase1):
            continue
        table = corners if probe == 3 else phase1
        for i in range(count):
            if probe == 3:
                index = corner_index(child_words[i, 0], heads, tails)
            elif probe < 3:
                index = phase1_index(child_words[i, 0], child_words[i, 1], probe, placing, class_of, twist_image)
            else:
                index = phase1_index(child_words[i, 2], child_words[i, 3], probe - 4, placing, class_of, twist_image)
            indices[i] = index
            prefetch(table, index >> 1)
        kept = 0
        for i in range(count):
            index = indices[i]
            if np.int64((table[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15)) <= left:
                if kept < i:
                    child_moves[kept] = child_moves[i]
                    for j in range(4):
                        child_words[kept, j] = child_words[i, j]
                kept += 1
        count = kept
    return looked, count


@kernel
def deepen(  # type: ignore[no-untyped-def]
    limit, automaton, moves, move_source, move_value, corner_change, edge_change, source, placing, heads, tails,
    class_of, twist_image, corners, phase1, solved, states, words, lasts, child_moves, child_words, counts, indices,
    numbers,
):  # fmt: skip
    """Search until the goal is found, the iteration ends, or about `limit` more nodes have been visited.

    Parameters
    ----------
    limit
        Number of nodes to visit before returning.
    automaton, moves
        Automaton (see `matheur.problems.rubik.search.automaton`), and number of moves of the metric.
    move_source, move_value
        See `Turns`; for the other arguments before `corners`, see `Coordinates` and `Classes`.
    corners, phase1
        The tables of distances.
    states, words, lasts
        uint8[depth, 20], uint64[depth, 4], int64[depth]: states on the path, sums of these and of their inverses, and
        states of the automaton.
    child_moves, child_words, counts
        int64[depth, 18], uint64[depth, 18, 4], int64[depth, 2]: children kept of each state, and the numbers of those
        kept and of those visited; -1 for a state that has not been expanded. The path is `child_moves[i, counts[i, 1] -
        1]`.
    indices
        int64[18]: work array.
    numbers
        int64[NUMBERS]: see the names of the indices.

    Returns
    -------
    int64
        `DONE`, `FOUND` or `PAUSED`.
    """
    depth, threshold, nodes = numbers[DEPTH], numbers[THRESHOLD], np.int64(0)
    answer = PAUSED
    while nodes < limit:
        if counts[depth, 0] < 0:
            looked, kept = _expand(
                threshold - depth - 1, states[depth], words[depth], lasts[depth], automaton, moves, corner_change,
                edge_change, source, placing, heads, tails, class_of, twist_image, corners, phase1,
                numbers[LARGEST_CORNERS], numbers[LARGEST_PHASE1], numbers[INVERSE], child_moves[depth],
                child_words[depth], indices,
            )  # fmt: skip
            nodes += looked
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
        turn(states, depth, move, move_source, move_value)
        if depth + 1 == threshold:
            if same_state(states[depth + 1], solved):
                depth += 1
                answer = FOUND
                break
            continue
        for j in range(4):
            words[depth + 1, j] = child_words[depth, taken, j]
        lasts[depth + 1] = automaton[lasts[depth], move]
        depth += 1
        counts[depth, 0] = -1
    numbers[DEPTH] = depth
    numbers[NODES] += nodes
    return answer
