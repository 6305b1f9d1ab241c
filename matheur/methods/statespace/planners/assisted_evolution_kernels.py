"""An evolution of plans that draws moves by learnt weights, compiled.

Table of states: as in `q_learning_kernels` (`keys`, `weights`, `slots`). Two rows of individuals alternate, the current
and the next generation: `paths` int64[2, size, longest + 1] are the entries along a plan, beginning with the start,
`steps` int32[2, size, longest] are its moves; `lengths`, `paid`, `values` int32[2, size] are its number of moves, its
cost, and the estimated distance of its last state from the goal (0 = fittest). A mutation costs a copy of the plan,
and, for each move, an expansion and a look-up per successor.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform
from matheur.kernels.state_table import enter, find
from matheur.methods.statespace.planners.evolution_kernels import drawn, selection_forces, value_of
from matheur.methods.statespace.planners.q_learning_kernels import is_goal, learn_from
from matheur.methods.statespace.pointers import call_expand

__all__ = [
    "BEST",
    "COUNT",
    "DONE",
    "EXPANDED",
    "FULL",
    "GENERATED",
    "GENERATION",
    "IMPROVED",
    "NEXT",
    "NUMBERS",
    "PAUSED",
    "PLAN",
    "ROW",
    "enter",
    "evolve",
]

PAUSED, FULL, IMPROVED, DONE = 0, 1, 2, 3
"""Why a call ended: slice over, no free entry, a better plan, all generations made."""

COUNT, NEXT, ROW, GENERATION, BEST, PLAN, EXPANDED, GENERATED, NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Places in `numbers`: entries; individuals of the next generation; which row is the present one; generations made;
cost and moves of the best plan; totals."""


@kernel
def _choose(found, words, slots, keys, weights, goal, mask, successors, costs, chances, unknown, random):  # type: ignore[no-untyped-def]
    """The cheapest successor that is a goal, with True; else a random one, in proportion to the weights; -1: none."""
    total, winner = 0.0, np.int64(-1)
    for i in range(found):
        entry = np.int64(slots[find(slots, keys, words, successors, i * words)]) - 1
        total += weights[entry] if entry >= 0 else unknown
        chances[i] = total
        if is_goal(successors, i * words, words, goal, mask) and (winner < 0 or costs[i] < costs[winner]):
            winner = np.int64(i)
    if winner >= 0 or total <= 0.0:
        return winner, winner >= 0
    draw = splitmix_uniform(random) * total
    chosen = np.int64(0)
    while chosen < found - 1 and chances[chosen] <= draw:
        chosen += 1
    return chosen, False


@kernel
def evolve(  # type: ignore[no-untyped-def]
    address, data, h_address, h_data, goal, mask, places, counted, slots, keys, weights, paths, steps, lengths, paid,
    values, order, forces, cumulative, force, elite, generations, numbers, random, plan, successors, moves, costs,
    chances, unknown, least, rate, discount, allowance, left,
):  # fmt: skip
    """Make mutations for about `allowance` moves, and never more than `left`; returns why it ended.

    A plan that reaches the goal more cheaply than the best one is won. A plan that can no longer do so, has the maximum
    length, or has no successor, is lost. In both cases the weights of its states change, and the individual restarts.
    """
    words, size, longest = len(goal), len(order), steps.shape[2]
    room = min(len(weights), np.int64(len(slots)) // 2)
    estimates = np.empty(1, dtype=np.int32)
    spent = 0
    while numbers[GENERATION] < generations:
        row = numbers[ROW]
        other = 1 - row
        if numbers[NEXT] == 0:
            selection_forces(values[row], lengths[row], force, forces)
            order[:] = np.argsort(values[row], kind="mergesort")
        while numbers[NEXT] < size - elite:
            if spent >= min(allowance, left):
                return PAUSED
            if numbers[COUNT] + len(cumulative) > room:
                return FULL
            parent, child, best = drawn(forces, size, random), numbers[NEXT], numbers[BEST]
            length, cost = np.int64(lengths[row, parent]), np.int64(paid[row, parent])
            path = paths[other, child]
            path[: length + 1] = paths[row, parent, : length + 1]
            steps[other, child, :length] = steps[row, parent, :length]
            for _ in range(min(drawn(cumulative, len(cumulative), random) + 1, left - spent)):
                won, lost = False, cost >= numbers[BEST] or length == longest
                if not lost:
                    found = call_expand(address, keys[path[length] * words :], data, successors, moves, costs)
                    spent += 1
                    numbers[EXPANDED] += 1
                    numbers[GENERATED] += found
                    chosen, arrived = _choose(
                        found, words, slots, keys, weights, goal, mask, successors, costs, chances, unknown, random
                    )
                    lost = chosen < 0
                    if chosen >= 0:
                        slot = find(slots, keys, words, successors, chosen * words)
                        if slots[slot] == 0:
                            entry = numbers[COUNT]
                            for word in range(words):
                                keys[entry * words + word] = successors[chosen * words + word]
                            weights[entry] = 1.0 if arrived else unknown
                            numbers[COUNT] += 1
                            slots[slot] = np.uint32(numbers[COUNT])
                        steps[other, child, length] = moves[chosen]
                        length, cost = length + 1, cost + costs[chosen]
                        path[length] = np.int64(slots[slot]) - 1
                        won = arrived and cost < numbers[BEST]
                        lost = not won and (arrived or cost >= numbers[BEST])
                if won:
                    plan[:length] = steps[other, child, :length]
                    numbers[PLAN], numbers[BEST] = length, cost
                if won or lost:
                    learn_from(path, length, weights, won, False, rate, discount, least, -1.0)
                    length, cost = np.int64(0), np.int64(0)
            lengths[other, child], paid[other, child] = length, cost
            values[other, child] = value_of(
                keys, path[length] * words, words, goal, places, counted, h_address, h_data, estimates
            )
            numbers[NEXT] += 1
            if numbers[BEST] < best:
                return IMPROVED
        for i in range(elite):
            child, old = size - elite + i, order[i]
            length = np.int64(lengths[row, old])
            paths[other, child, : length + 1] = paths[row, old, : length + 1]
            steps[other, child, :length] = steps[row, old, :length]
            lengths[other, child], paid[other, child] = length, paid[row, old]
            values[other, child] = values[row, old]
        numbers[NEXT], numbers[ROW] = 0, other
        numbers[GENERATION] += 1
    return DONE
