"""Temporal-difference learning of the cost to the goal, from below and from above, compiled.

For each state that a walk has visited, and for the states of the ball around the goal, an entry holds `keys` (uint64,
`words` each), `low` (int32, never more than the cost to the goal), `high` (int32, cost of a known path to the goal,
`NONE` without one) and `toward` (int32, entry of the next state on that path, -1 at the goal). `slots` is the hash
table: 0 or the number of an entry plus 1. Every visit of a state is one backup of both values from all its successors,

    low(s) <- min over s' of cost + low(s'),     high(s) <- min over s' of cost + high(s'),

where `low` of a state that was never visited is `floor` or the heuristic's estimate. The cost of a visit is one
expansion and a look-up per successor.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform
from matheur.kernels.state_table import enter, find
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = [
    "BACK",
    "COUNT",
    "DEPTH",
    "DONE",
    "EXPANDED",
    "FULL",
    "GENERATED",
    "IMPROVED",
    "NONE",
    "NUMBERS",
    "PAID",
    "PAUSED",
    "WALKS",
    "enter",
    "walk",
]

PAUSED, FULL, IMPROVED, DONE = 0, 1, 2, 3
"""Why a call ended: slice over, no free entry, a better plan from the start, all walks made or no better plan."""

COUNT, DEPTH, PAID, BACK, WALKS, EXPANDED, GENERATED, NUMBERS = 0, 1, 2, 3, 4, 5, 6, 7
"""Places in `numbers`: entries; moves and cost of this walk; whether it is returning; walks made; totals."""

NONE = np.int32(1_000_000)
"""No path to the goal is known (`high`), or none exists (`low`)."""


@kernel
def _look(slots, keys, words, low, high, successors, found, goal, mask, floor, h_address, h_data, lows, entries):  # type: ignore[no-untyped-def]
    """Entry (-1: none, -2: none, but a goal) and lower value of each successor."""
    if h_address != 0:
        call_estimate(h_address, successors, found, h_data, lows)
    for i in range(found):
        entry = np.int64(slots[find(slots, keys, words, successors, i * words)]) - 1
        entries[i] = entry
        if entry >= 0:
            lows[i] = low[entry]
            continue
        value = max(lows[i], floor) if h_address != 0 else floor
        lows[i] = min(value, NONE)
        arrived = True
        for word in range(words):
            if successors[i * words + word] & mask[word] != goal[word]:
                arrived = False
        if arrived:
            entries[i], lows[i] = -2, 0


@kernel
def _entry(slots, keys, words, low, high, toward, successors, i, value, numbers):  # type: ignore[no-untyped-def]
    """The entry of successor i, created if it does not exist."""
    slot = find(slots, keys, words, successors, i * words)
    if slots[slot] == 0:
        entry = numbers[COUNT]
        for word in range(words):
            keys[entry * words + word] = successors[i * words + word]
        low[entry], high[entry], toward[entry] = value, NONE, -1
        numbers[COUNT] += 1
        slots[slot] = np.uint32(numbers[COUNT])
    return np.int64(slots[slot]) - 1


@kernel
def walk(  # type: ignore[no-untyped-def]
    address, data, h_address, h_data, goal, mask, slots, keys, low, high, toward, path, prices, numbers, random,
    successors, moves, costs, lows, entries, floor, curiosity, walks, allowance,
):  # fmt: skip
    """Make up to `allowance` visits; returns why it ended. `path[0]` is the start.

    A walk moves to the successor with the smallest cost + low, ties broken at random, and with probability `curiosity`
    to any successor through which a better plan may lead. It ends if there is no such successor, or if `low` and `high`
    are equal, and then returns along its path, so that the values learnt at its end reach the start.
    """
    words = len(goal)
    room = min(len(low), np.int64(len(slots)) // 2)
    spent = 0
    start = path[0]
    while numbers[WALKS] < walks and low[start] < high[start]:
        if spent == allowance:
            return PAUSED
        if numbers[COUNT] + len(entries) + 1 > room:  # every successor may be another goal
            return FULL
        depth, paid = numbers[DEPTH], numbers[PAID]
        here, best = path[depth], high[start]
        found = call_expand(address, keys[here * words :], data, successors, moves, costs)
        spent += 1
        numbers[EXPANDED] += 1
        numbers[GENERATED] += found
        _look(slots, keys, words, low, high, successors, found, goal, mask, floor, h_address, h_data, lows, entries)
        least, chosen, ties, open_ways, other = np.int64(NONE), -1, 0, 0, -1
        for i in range(found):
            if entries[i] == -2:
                entries[i] = _entry(slots, keys, words, low, high, toward, successors, i, 0, numbers)
                high[entries[i]] = 0
            value = np.int64(costs[i]) + lows[i]
            if value < least:
                least, chosen, ties = value, i, 1
            elif value == least and value < NONE:
                ties += 1
                if splitmix_uniform(random) * ties < 1.0:
                    chosen = i
            if curiosity > 0.0 and paid + value < best:
                open_ways += 1
                if splitmix_uniform(random) * open_ways < 1.0:
                    other = i
            if entries[i] >= 0 and high[entries[i]] + costs[i] < high[here]:
                high[here] = high[entries[i]] + costs[i]
                toward[here] = entries[i]
        # A goal needs no move, so the costs of its successors do not matter.
        low[here] = min(max(low[here], least), high[here])
        ahead = numbers[BACK] == 0
        if ahead and other >= 0 and splitmix_uniform(random) < curiosity:
            chosen = other
        if ahead:
            known = chosen >= 0 and entries[chosen] >= 0 and low[entries[chosen]] >= high[entries[chosen]]
            if chosen < 0 or known or paid + least >= high[start] or low[here] >= high[here] or depth + 1 == len(path):
                numbers[BACK] = 1
                ahead = False
        if ahead:
            path[depth + 1] = _entry(slots, keys, words, low, high, toward, successors, chosen, lows[chosen], numbers)
            prices[depth + 1] = costs[chosen]
            numbers[DEPTH], numbers[PAID] = depth + 1, paid + costs[chosen]
        elif depth > 0:
            numbers[DEPTH], numbers[PAID] = depth - 1, paid - prices[depth]
        else:
            numbers[BACK] = 0
            numbers[WALKS] += 1
        if high[start] < best:
            return IMPROVED
    return DONE
