"""Kernels of the beam search: the candidates of a layer without duplicates.

Layout: flat `keys` holds the candidates in the order of insertion, `slots` (uint32) is a hash table over them as in
`matheur.kernels.state_table`. Cost, estimate, parent (place in the layer that is expanded) and move of a candidate are
in separate arrays.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.state_table import look_ahead, mixed

__all__ = ["COST", "COUNT", "GOAL_MOVE", "GOAL_PARENT", "NUMBERS", "keep", "offer", "rank"]

COUNT, COST, GOAL_PARENT, GOAL_MOVE, NUMBERS = range(5)
"""Places in `numbers`: candidates; cost, parent and move of the cheapest goal state found (cost -1: none)."""

_BLOCK = 32


@kernel
def offer(keys, slots, words, goal, mask, children, parents, moves, costs, first, layer, pool, numbers):  # type: ignore[no-untyped-def]
    """Make candidates of the successors; a candidate that recurs more cheaply gets the lower cost and its parent.

    `parents` count from place `first` of the layer, whose costs so far are `layer`; `pool` is (costs, parents, moves)
    of the candidates. There must be room.
    """
    pool_costs, pool_parents, pool_moves = pool
    slot_mask, low = np.uint64(len(slots) - 1), np.uint32(len(slots) - 1)
    hashes = np.empty(_BLOCK, dtype=np.uint64)
    size = len(moves)
    for start in range(0, size, _BLOCK):
        many = min(_BLOCK, size - start)
        look_ahead(slots, keys, words, words, children, start, many, hashes)
        for i in range(many):
            child = start + i
            parent = first + parents[child]
            cost = layer[parent] + np.int64(costs[child])
            reached = True
            for word in range(words):
                reached &= children[child * words + word] & mask[word] == goal[word]
            if reached and (numbers[COST] < 0 or cost < numbers[COST]):
                numbers[COST], numbers[GOAL_PARENT], numbers[GOAL_MOVE] = cost, parent, moves[child]
            slot = hashes[i] & slot_mask
            tag = np.uint32(hashes[i] >> np.uint64(32)) & ~low
            place = np.int64(-1)
            while slots[slot] != 0 and place < 0:
                entry = slots[slot]
                if entry & ~low == tag:
                    place = np.int64(entry & low) - 1
                    for word in range(words):
                        if keys[place * words + word] != children[child * words + word]:
                            place = np.int64(-1)
                            break
                slot = (slot + np.uint64(1)) & slot_mask
            if place >= 0 and pool_costs[place] <= cost:
                continue
            if place < 0:
                place = numbers[COUNT]
                numbers[COUNT] += 1
                slots[slot] = tag | np.uint32(place + 1)
                for word in range(words):
                    keys[place * words + word] = children[child * words + word]
            pool_costs[place], pool_parents[place], pool_moves[place] = cost, parent, moves[child]


@kernel
def rank(keys, count, words, costs, estimates, by_cost, salt):  # type: ignore[no-untyped-def]
    """Sort keys uint64[count] of the candidates: estimate, with the cost if `by_cost`, then bits drawn by the salt."""
    ranks = np.empty(count, dtype=np.uint64)
    for i in range(count):
        value = np.int64(estimates[i]) + by_cost * costs[i]
        value = min(max(value, np.int64(-(2**31))), np.int64(2**31 - 1)) + np.int64(2**31)
        ties = mixed(keys, i * words, words, salt) >> np.uint64(32)
        ranks[i] = (np.uint64(value) << np.uint64(32)) | ties
    return ranks


@kernel
def keep(keys, words, pool, estimates, kept):  # type: ignore[no-untyped-def]
    """Move the candidates with `kept` to the front; returns their number. The slots have to be rebuilt."""
    costs, parents, moves = pool
    count = np.int64(0)
    for i in range(len(kept)):
        if kept[i]:
            for word in range(words):
                keys[count * words + word] = keys[i * words + word]
            costs[count], parents[count], moves[count] = costs[i], parents[i], moves[i]
            estimates[count] = estimates[i]
            count += 1
    return count
