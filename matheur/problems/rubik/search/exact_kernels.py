"""Exact search on tables of cosets, compiled: a depth-first search with a threshold, from both ends of the plan.

A node has lower bounds from six cosets, along three axes of the cube and of its inverse. The search uses the following
facts:

- The large table gives in two bits whether the distance is at most `base`, one or two more, or larger. The phase-1
  table is read only if the distance is at most `base` and this does not settle the node.
- A turn about an axis does not change the coset of the inverse along that axis, so that bound remains valid without a
  look-up. If it is too large, none of these turns needs to be tried.
- The last turn of a plan is about some axis, and the coset of that axis is solved before it. If no bound of the three
  axes is smaller than the number of turns left, that number does not suffice.
- The inverse of a plan solves the inverse cube. A node continues with whichever of the two has fewer turns to try, so
  a plan grows from both its front and its back.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.intrinsics import popcount, prefetch
from matheur.problems.rubik.search.cube_kernels import WIDTH, same_state, turn

__all__ = ["BASE", "DEPTH", "DONE", "FOUND", "LARGEST", "NODES", "NUMBERS", "PAUSED", "PREFIX", "THRESHOLD", "deepen"]

DONE, FOUND, PAUSED = 0, 1, 2

# Indices in `numbers`: depth, threshold, nodes visited, first moves given, base of the large table (-1 without one),
# largest bound of all tables.
DEPTH, THRESHOLD, NODES, PREFIX, BASE, LARGEST = range(6)
NUMBERS = 6

_ORDERS = 24


@kernel
def _row(first, second, axis, places, order_image, class_of):  # type: ignore[no-untyped-def]
    """Class, order and symmetry of a cube viewed along an axis, as 16 * (24 * class + order) + symmetry."""
    if axis == 0:
        code = (second >> np.uint64(33)) & np.uint64(32767)
    elif axis == 1:
        code = second >> np.uint64(48)
    else:
        code = (first >> np.uint64(36)) & np.uint64(32767)
    there = np.int64(places[np.int64(code)])
    flip = np.int64((second >> np.uint64(11 * axis)) & np.uint64(2047))
    one = np.int64(class_of[(there >> 5) * 2048 + flip])
    return ((one >> 4) * _ORDERS + order_image[one & 15, there]) * 16 + (one & 15)


@kernel
def _keep(kept, i, child_moves, child_words, child_heights):  # type: ignore[no-untyped-def]
    """Move child `i` to position `kept`."""
    if kept < i:
        child_moves[kept] = child_moves[i]
        for j in range(4):
            child_words[kept, j] = child_words[i, j]
        for j in range(6):
            child_heights[kept, j] = child_heights[i, j]


@kernel
def _view(  # type: ignore[no-untyped-def]
    view, count, left, base, known, axes, places, order_image, class_of, twist_image, large, phase1, child_moves,
    child_words, child_heights, indices,
):  # fmt: skip
    """Bounds of the children along one axis (`view` % 3) of the cube or its inverse; returns the number of those kept.

    `known` is the parent's bound, 0 if it has none. Bounds that cannot help are 0.
    """
    side, axis = view // 3, view % 3
    for i in range(count):
        if side == 1 and known > 0 and axes[child_moves[i]] == axis:
            indices[i, 0] = -1
            continue
        first = child_words[i, 2 * side]
        row = _row(first, child_words[i, 2 * side + 1], axis, places, order_image, class_of)
        twist = twist_image[row & 15, np.int64((first >> np.uint64(12 * axis)) & np.uint64(4095))]
        indices[i, 0] = (row >> 4) * WIDTH + twist
        indices[i, 1] = (row >> 4) // _ORDERS * WIDTH + twist
        if base >= 0:
            prefetch(large, indices[i, 0] >> 2)
        else:
            prefetch(phase1, indices[i, 1] >> 1)
    if base >= 0:
        kept = 0
        for i in range(count):
            index = indices[i, 0]
            if index < 0:
                height = known
            else:
                height = np.int64((large[index >> 2] >> np.uint8(2 * (index & 3))) & np.uint8(3))
                if height > 0:
                    height += base
                    index = -1
                elif left <= base:
                    prefetch(phase1, indices[i, 1] >> 1)
                else:
                    index = -1
            if height > left:
                continue
            _keep(kept, i, child_moves, child_words, child_heights)
            child_heights[kept, view] = height
            indices[kept, 0], indices[kept, 1] = index, indices[i, 1]
            kept += 1
        count = kept
        if left > base:
            return count
    kept = 0
    for i in range(count):
        if indices[i, 0] >= 0:
            index = indices[i, 1]
            height = np.int64((phase1[index >> 1] >> np.uint8(4 * (index & 1))) & np.uint8(15))
        elif base >= 0:
            height = child_heights[i, view]
        else:
            height = known
        if height > left:
            continue
        _keep(kept, i, child_moves, child_words, child_heights)
        child_heights[kept, view] = height
        kept += 1
    return kept


@kernel
def _half(  # type: ignore[no-untyped-def]
    side, count, left, base, largest, state, words, heights, axes, corner_change, edge_change, source, places,
    order_image, class_of, twist_image, large, phase1, child_moves, child_words, child_heights, indices,
):  # fmt: skip
    """Words and bounds of the children along three axes, for side 0 (the cube) or 1 (its inverse).

    Returns the number of children kept.
    """
    for i in range(count):
        move = child_moves[i]
        first, second = words[2 * side], words[2 * side + 1]
        for k in range(4):
            first += corner_change[move, k, state[source[move, k]], side]
            value = state[source[move, 4 + k]]
            first += edge_change[move, k, value, 2 * side]
            second += edge_change[move, k, value, 2 * side + 1]
        child_words[i, 2 * side], child_words[i, 2 * side + 1] = first, second
    if left > largest:
        for i in range(count):
            for axis in range(3):
                child_heights[i, 3 * side + axis] = 0
        return count
    done = 0  # axes that are done, as bits
    for _ in range(3):
        axis, most = 0, np.int64(-1)
        for one in range(3):  # the most promising axis first: the one with the parent's largest bound
            if (done >> one) & 1 == 0 and heights[3 * side + one] > most:
                axis, most = one, heights[3 * side + one]
        done |= 1 << axis
        count = _view(
            3 * side + axis, count, left, base, most, axes, places, order_image, class_of, twist_image, large, phase1,
            child_moves, child_words, child_heights, indices,
        )  # fmt: skip
        if count == 0:
            return 0
    kept = 0
    for i in range(count):
        least = child_heights[i, 3 * side]
        for axis in range(1, 3):
            least = min(least, child_heights[i, 3 * side + axis])
        if least >= left and left > 0:
            continue
        _keep(kept, i, child_moves, child_words, child_heights)
        kept += 1
    return kept


@kernel
def _turn_over(state, words, heights, spare):  # type: ignore[no-untyped-def]
    """Replace a node by the node of the inverse cube."""
    for i in range(8):
        value = np.int64(state[i])
        spare[value // 3] = 3 * i + (3 - value % 3) % 3
    for i in range(12):
        value = np.int64(state[8 + i])
        spare[8 + value // 2] = 2 * i + value % 2
    for i in range(20):
        state[i] = spare[i]
    for i in range(2):
        words[i], words[2 + i] = words[2 + i], words[i]
    for i in range(3):
        heights[i], heights[3 + i] = heights[3 + i], heights[i]


@kernel
def deepen(  # type: ignore[no-untyped-def]
    limit, automata, allowed, axes, about, move_source, move_value, corner_change, edge_change, source, places,
    order_image, class_of, twist_image, large, phase1, solved, prefix, states, words, heights, lasts, turned,
    child_moves, child_words, child_heights, counts, numbers,
):  # fmt: skip
    """Search until the goal is found, the iteration ends, or about `limit` more nodes have been visited.

    Parameters
    ----------
    limit
        Number of nodes to visit before returning.
    automata, allowed
        int8[2, s, 18] and int64[2, s]: automata of the plan read from its front and, inverted, from its back; moves
        that each state allows, as bits.
    axes, about
        int64[18] and int64[3]: axis of each move; moves about each axis, as bits.
    move_source, move_value
        See `Turns`; for the other arguments before `large`, see `Ordered`, `Coordinates` and `Classes`.
    large, phase1
        Tables with two and with four bits per entry.
    prefix
        int64[n]: first moves of the plan, of which `PREFIX` are used.
    states, words, heights
        uint8[depth, 20], uint64[depth, 4], int64[depth, 6]: nodes on the path, inverted or not.
    lasts, turned
        int64[depth, 2], int64[depth]: states of both automata; 1 for inverted nodes.
    child_moves, child_words, child_heights, counts
        int64[depth, 18], uint64[depth, 18, 4], int64[depth, 18, 6], int64[depth, 2]: children kept of each node, and
        the numbers of those kept and of those visited; -1 for a node that has not been expanded.
    numbers
        int64[NUMBERS]: see the names of the indices.

    Returns
    -------
    int64
        `DONE`, `FOUND` or `PAUSED`.
    """
    depth, threshold, nodes = numbers[DEPTH], numbers[THRESHOLD], np.int64(0)
    base, largest = numbers[BASE], numbers[LARGEST]
    indices, spare = np.empty((18, 2), dtype=np.int64), np.empty(20, dtype=np.uint8)
    answer = PAUSED
    while nodes < limit:
        if counts[depth, 0] < 0:
            left = threshold - depth - 1
            front = allowed[turned[depth], lasts[depth, turned[depth]]]
            back = allowed[1 - turned[depth], lasts[depth, 1 - turned[depth]]]
            for axis in range(3):
                if heights[depth, 3 + axis] > left:
                    front &= ~about[axis]
                if heights[depth, axis] > left:
                    back &= ~about[axis]
            if depth < numbers[PREFIX]:
                front &= np.int64(1) << prefix[depth]
            elif popcount(np.uint64(back)) < popcount(np.uint64(front)):
                _turn_over(states[depth], words[depth], heights[depth], spare)
                turned[depth] = 1 - turned[depth]
                front = back
            count, move = 0, 0
            while front != 0:
                if front & 1:
                    child_moves[depth, count] = move
                    count += 1
                front >>= 1
                move += 1
            nodes += count + 1
            first = 0
            if heights[depth, 3] + heights[depth, 4] + heights[depth, 5] > (
                heights[depth, 0] + heights[depth, 1] + heights[depth, 2]
            ):
                first = 1
            for part in range(2):
                if count > 0:
                    count = _half(
                        first ^ part, count, left, base, largest, states[depth], words[depth], heights[depth], axes,
                        corner_change, edge_change, source, places, order_image, class_of, twist_image, large, phase1,
                        child_moves[depth], child_words[depth], child_heights[depth], indices,
                    )  # fmt: skip
            counts[depth, 0], counts[depth, 1] = count, 0
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
        for j in range(6):
            heights[depth + 1, j] = child_heights[depth, taken, j]
        side = turned[depth]
        lasts[depth + 1, side] = automata[side, lasts[depth, side], move]
        lasts[depth + 1, 1 - side] = lasts[depth, 1 - side]
        turned[depth + 1] = side
        depth += 1
        counts[depth, 0] = -1
    numbers[DEPTH] = depth
    numbers[NODES] += nodes
    return answer
