"""The evolutionary planner of Merleau et al. 2024 (section 3.3, Algorithms 2 and 3), compiled.

An individual is a plan, represented by its final state. Two rows of individuals alternate, the current and the next
generation: `keys` uint64[2, size * words], `values` int32[2, size] (0 = fittest), `lengths` int32[2, size] (in moves),
`nodes` int32[2, size]. A node of the history is a move (`made`) and its predecessor (`before`, -1 for the first): plans
with a common beginning share its nodes. A mutation costs an expansion per move.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = [
    "DONE",
    "EXPANDED",
    "FULL",
    "GENERATED",
    "GENERATION",
    "NEXT",
    "NODES",
    "NUMBERS",
    "PAUSED",
    "ROW",
    "SOLVED",
    "compact",
    "drawn",
    "evolve",
    "selection_forces",
    "value_of",
    "zipf",
]

PAUSED, FULL, SOLVED, DONE = 0, 1, 2, 3
"""Why a call ended: slice over, no room for more history, a plan reaches the goal, all generations made."""

NEXT, ROW, GENERATION, NODES, EXPANDED, GENERATED, SOLVER, NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in `numbers`: individuals of the next generation; which row is the present one; generations made; nodes of the
history; totals; the first individual that reaches the goal."""


@kernel(inline="always")
def drawn(cumulative, many, random):  # type: ignore[no-untyped-def]
    """An index below `many`, with a probability proportional to the step of `cumulative` there."""
    draw = splitmix_uniform(random) * cumulative[many - 1]
    low, high = 0, many - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > draw:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def zipf(cumulative, random, draws):  # type: ignore[no-untyped-def]
    """Numbers of moves int64[draws] of mutations (1 .. len(cumulative))."""
    out = np.empty(draws, dtype=np.int64)
    for i in range(draws):
        out[i] = drawn(cumulative, len(cumulative), random) + 1
    return out


@kernel
def selection_forces(values, lengths, force, out):  # type: ignore[no-untyped-def]
    """Cumulative selection forces of individuals (equation 5): force * fitness + (1 - force) / (1 + moves).

    A correction of the paper: an empty plan counts as one move, as in the published code.
    """
    total = 0.0
    for i in range(len(values)):
        total += force / (1.0 + values[i]) + (1.0 - force) / (1.0 + max(lengths[i], 1))
        out[i] = total


@kernel
def _move(keys, at, words, successors, moves, found, component, places, choices, random):  # type: ignore[no-untyped-def]
    """Replace the key at `at` by a random successor that changes the component (-1: any); returns its move, or -1."""
    many = 0
    for i in range(found):
        if component >= 0:
            changed = np.int64(places[component, 0])
            if (successors[i * words + changed] ^ keys[at + changed]) & places[component, 1] == 0:
                continue
        choices[many] = i
        many += 1
    if many == 0:
        return np.int64(-1)
    chosen = np.int64(choices[np.int64(splitmix_uniform(random) * many)])
    for word in range(words):
        keys[at + word] = successors[chosen * words + word]
    return np.int64(moves[chosen])


@kernel
def value_of(keys, at, words, goal, places, counted, h_address, h_data, out):  # type: ignore[no-untyped-def]
    """Value for selection and elitism: number of components that differ from the goal, or the estimate."""
    if h_address != 0:
        call_estimate(h_address, keys[at:], 1, h_data, out)
        return np.int64(out[0])
    wrong = 0
    for component in range(len(places)):
        word = np.int64(places[component, 0])
        if counted[component] and (keys[at + word] ^ goal[word]) & places[component, 1] != 0:
            wrong += 1
    return wrong


@kernel
def evolve(  # type: ignore[no-untyped-def]
    address, data, h_address, h_data, goal, mask, places, counted, by_component, keys, values, lengths, nodes, before,
    made, order, forces, cumulative, force, elite, generations, numbers, random, successors, moves, costs, choices,
    allowance, left,
):  # fmt: skip
    """Make mutations for about `allowance` moves, and never more than `left`; returns why it ended.

    `places` uint64[size of a state, 2]: word and mask of each component. `cumulative` are the probabilities of 1, 2,
    ... moves. A call ends only between mutations, unless `left` cuts one off.
    """
    words, size = len(goal), len(order)
    estimates = np.empty(1, dtype=np.int32)
    spent = 0
    while numbers[GENERATION] < generations:
        row = numbers[ROW]
        other = 1 - row
        if numbers[NEXT] == 0:
            selection_forces(values[row], lengths[row], force, forces)
            # A stable sort, so that among equally fit plans the mutated ones precede the elite.
            order[:] = np.argsort(values[row], kind="mergesort")
        while numbers[NEXT] < size - elite:
            if spent >= min(allowance, left):
                return PAUSED
            if numbers[NODES] + len(cumulative) > len(before):
                return FULL
            parent, child = drawn(forces, size, random), numbers[NEXT]
            at = child * words
            for word in range(words):
                keys[other, at + word] = keys[row, parent * words + word]
            node, length = nodes[row, parent], lengths[row, parent]
            tries = min(drawn(cumulative, len(cumulative), random) + 1, left - spent)
            for _ in range(tries):
                found = call_expand(address, keys[other, at:], data, successors, moves, costs)
                spent += 1
                numbers[EXPANDED] += 1
                numbers[GENERATED] += found
                component = np.int64(splitmix_uniform(random) * len(places)) if by_component else np.int64(-1)
                move = _move(keys[other], at, words, successors, moves, found, component, places, choices, random)
                if move >= 0:
                    before[numbers[NODES]], made[numbers[NODES]] = node, move
                    node = numbers[NODES]
                    numbers[NODES] += 1
                    length += 1
            nodes[other, child], lengths[other, child] = node, length
            values[other, child] = value_of(keys[other], at, words, goal, places, counted, h_address, h_data, estimates)
            numbers[NEXT] += 1
        for i in range(elite):
            child, old = size - elite + i, order[i]
            for word in range(words):
                keys[other, child * words + word] = keys[row, old * words + word]
            nodes[other, child], lengths[other, child] = nodes[row, old], lengths[row, old]
            values[other, child] = values[row, old]
        numbers[NEXT], numbers[ROW] = 0, other
        numbers[GENERATION] += 1
        for i in range(size):
            arrived = True
            for word in range(words):
                if keys[other, i * words + word] & mask[word] != goal[word]:
                    arrived = False
            if arrived:
                numbers[SOLVER] = i
                return SOLVED
    return DONE


@kernel
def compact(nodes, row, begun, before, made, used):  # type: ignore[no-untyped-def]
    """Drop history that neither the current row nor the first `begun` of the other row need; returns its new size."""
    place = np.full(used, -1, dtype=np.int32)
    for which in range(2):
        for i in range(nodes.shape[1] if which == row else begun):
            node = nodes[which, i]
            while node >= 0 and place[node] < 0:
                place[node] = 0
                node = before[node]
    count = 0
    for node in range(used):  # a predecessor always has a smaller number
        if place[node] == 0:
            place[node] = count
            before[count] = place[before[node]] if before[node] >= 0 else -1
            made[count] = made[node]
            count += 1
    for which in range(2):
        for i in range(nodes.shape[1] if which == row else begun):
            if nodes[which, i] >= 0:
                nodes[which, i] = place[nodes[which, i]]
    return count
