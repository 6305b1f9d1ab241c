"""Walks weighted by what earlier walks learned (Merleau et al. 2024, section 3.2, Algorithm 4), compiled.

Entries: `keys` (uint64, `words` each, concatenated) with `weights` (float64), in the order of their first use; only
states that a walk has visited and those of the ball around the goal are entered, any other state has the weight
`unknown`. `slots` (uint32, a power of two of them, linear probing) holds 0 or the number of an entry plus 1. The
current walk is `path` (entries) and `steps` (moves), its length and cost are in `numbers`: a call may end after any
step and the next call continues. Cost of a step: one expansion, a look-up per successor, one random number.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform
from matheur.kernels.state_table import enter, find
from matheur.methods.statespace.pointers import call_expand

__all__ = [
    "BEST",
    "COUNT",
    "DEPTH",
    "DONE",
    "EXPANDED",
    "FULL",
    "GENERATED",
    "IMPROVED",
    "LONG",
    "NUMBERS",
    "PAID",
    "PAUSED",
    "PLAN",
    "WALKS",
    "enter",
    "is_goal",
    "learn_from",
    "walk",
]

PAUSED, FULL, LONG, IMPROVED, DONE = 0, 1, 2, 3, 4
"""Why a call ended: slice over, no free entry, the walk outgrew its arrays, a better plan, all walks made."""

COUNT, DEPTH, PAID, BEST, PLAN, WALKS, EXPANDED, GENERATED, NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Places in `numbers`: entries; moves and cost of this walk; cost and moves of the best plan; walks made; totals."""

_SMALLEST = 1e-290  # a smaller power is treated as 0, since denormal numbers are slow
_LARGEST = 1e250  # sums of weights stay finite


@kernel
def learn_from(path, depth, weights, won, printed, rate, discount, least, growth):  # type: ignore[no-untyped-def]
    """Change the weights along a walk of `depth` moves that has ended.

    As published in the repository: number 0 is the last state; won: w (1 - rate) + rate discount^number, lost:
    w (1 - rate) discount^number, but no less than `least`. As printed in Algorithm 4: number 0 is the start, the last
    state is left out; won: w (1 - rate)^number + rate discount^number, lost: as in the repository. According to the
    text (section 3.2, step 3; `growth` is not negative): number 0 is the start; won: w + rate (1 + growth)^number.
    """
    if won and growth >= 0.0:
        raised = rate
        for number in range(depth + 1):
            weights[path[number]] = min(weights[path[number]] + raised, _LARGEST)
            raised = min(raised * (1.0 + growth), _LARGEST)
        return
    power, kept = 1.0, 1.0 - rate
    decay = 1.0
    for number in range(depth if printed else depth + 1):
        entry = path[number] if printed else path[depth - number]
        if won:
            weights[entry] = (decay if printed else kept) * weights[entry] + rate * power
        else:
            weights[entry] = max(kept * weights[entry] * power, least)
        power = power * discount if power > _SMALLEST else 0.0
        decay = decay * kept if decay > _SMALLEST else 0.0


@kernel(inline="always")
def is_goal(key, at, words, goal, mask):  # type: ignore[no-untyped-def]
    """Whether the key at place `at` belongs to a goal state."""
    missed = False
    for word in range(words):
        missed |= key[at + word] & mask[word] != goal[word]
    return not missed


@kernel(inline="always")
def _keep_plan(plan, steps, depth, last, cost, numbers):  # type: ignore[no-untyped-def]
    """Store the walk so far and a last move as the best plan."""
    for i in range(depth):
        plan[i] = steps[i]
    plan[depth] = last
    numbers[PLAN] = depth + 1
    numbers[BEST] = cost


@kernel
def walk(  # type: ignore[no-untyped-def]
    address, data, goal, mask, slots, keys, weights, path, steps, plan, numbers, random,
    successors, moves, costs, chances, unknown, least, rate, discount, printed, growth, walks, allowance,
):  # fmt: skip
    """Make up to `allowance` steps of walks; returns why it ended.

    A walk chooses each successor with a probability proportional to its weight. It is won at a goal, and lost when it
    can no longer be better than the best plan (`printed`: no longer equal it) or when there is no choice. Unless
    `printed`, a goal counts as found when it is generated, even if it is not chosen.
    """
    words = len(goal)
    room = min(len(weights), np.int64(len(slots)) // 2)
    spent = 0
    while numbers[WALKS] < walks:
        depth, paid = numbers[DEPTH], numbers[PAID]
        if spent == allowance:
            return PAUSED
        if numbers[COUNT] >= room:
            return FULL
        if depth + 2 > len(path):
            return LONG
        here = path[depth]
        found = call_expand(address, keys[here * words :], data, successors, moves, costs)
        spent += 1
        numbers[EXPANDED] += 1
        numbers[GENERATED] += found
        before, total, winner = numbers[BEST], 0.0, -1
        for i in range(found):
            entry = np.int64(slots[find(slots, keys, words, successors, i * words)]) - 1
            arrived = is_goal(successors, i * words, words, goal, mask)
            if entry >= 0:
                total += weights[entry]
            else:
                total += 1.0 if arrived else unknown
            chances[i] = total
            if arrived and not printed and paid + costs[i] < numbers[BEST]:
                _keep_plan(plan, steps, depth, moves[i], paid + costs[i], numbers)
                winner = i
        lost, won = True, False
        if total > 0.0:
            draw = splitmix_uniform(random) * total
            chosen = 0
            while chosen < found - 1 and chances[chosen] <= draw:
                chosen += 1
            slot = find(slots, keys, words, successors, chosen * words)
            arrived = is_goal(successors, chosen * words, words, goal, mask)
            if slots[slot] == 0:
                entry = numbers[COUNT]
                for word in range(words):
                    keys[entry * words + word] = successors[chosen * words + word]
                weights[entry] = 1.0 if arrived else unknown
                numbers[COUNT] += 1
                slots[slot] = np.uint32(numbers[COUNT])
            path[depth + 1] = np.int64(slots[slot]) - 1
            steps[depth] = moves[chosen]
            depth, paid = depth + 1, paid + costs[chosen]
            if printed:
                won = arrived and paid <= before
                lost = not won and paid >= before
                if won and paid < before:
                    _keep_plan(plan, steps, depth - 1, moves[chosen], paid, numbers)
            else:
                won = chosen == winner
                # Successors generated after the goal must already improve on it.
                limit = numbers[BEST] if winner >= 0 and chosen > winner else before
                lost = not won and paid >= limit
        if won or lost:
            learn_from(path, depth, weights, won, printed, rate, discount, least, growth)
            depth, paid = 0, 0
            numbers[WALKS] += 1
        numbers[DEPTH], numbers[PAID] = depth, paid
        if numbers[BEST] < before:
            return IMPROVED
    return DONE
