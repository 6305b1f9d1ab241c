"""The depth-first kernel of IDA*.

Layout: row 0 of `keys`, `moves` and `costs` is the start. The node at depth i lies in row `node[i]`, its untried
children in the rows `node[i] + 1` to `end[i] - 1`; the last of them is tried first, so that its own children may follow
it. The stack therefore holds one path and the untried children next to it. `gone[i]` is the cost up to depth i. The
start is at depth 1, as the only child of an artificial root: node[0] = -1. Trying the children in the order of their
estimates was measured as well: it costs more than the last iteration gains.

`seen` is a direct-mapped table of states that were entered in this iteration: row `hash % entries` holds the key and a
word of iteration (24 bits) and cost (40 bits). A state that recurs at no lower cost need not be entered. Nothing is
lost by that, nor by leaving its children out of the next threshold: if a plan costs less than every estimate that was
cut off, let s be the last state on it that was entered at a cost no higher than the plan's; the next state on the plan
was not cut off, was not the goal and was not entered as cheaply before, so it was entered: a contradiction. Hence an
iteration that cuts nothing off proves that there is no plan, and otherwise the smallest estimate cut off is a bound.
(States with an infinite estimate, from which no goal can be reached, are left out.)
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.state_table import mix
from matheur.methods.statespace.heuristics.base import INFINITE
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = [
    "COST",
    "DEPTH",
    "DONE",
    "EXPANDED",
    "FOUND",
    "FULL",
    "GENERATED",
    "HOPELESS",
    "ITERATION",
    "NEXT",
    "NOTHING",
    "NUMBERS",
    "PAUSED",
    "THRESHOLD",
    "deepen",
]

DEPTH, THRESHOLD, NEXT, ITERATION, EXPANDED, GENERATED, COST, HOPELESS, NUMBERS = range(9)
"""Places in `numbers`: depth of the stack, threshold, smallest estimate above it, number of the iteration (1 to
2**24 - 1), states expanded and successors generated so far, cost of the plan found, successors with an infinite
estimate."""

PAUSED, DONE, FOUND, FULL = range(4)
"""Answers: the limit of expansions is reached; the iteration is complete; a goal is found; the stack must grow."""

NOTHING = np.int64(2**62)
"""The next threshold while nothing has been cut off."""

_COST_BITS = np.uint64(40)
_COST_MASK = np.uint64(2**40 - 1)


@kernel(inline="always")
def _place(keys, row, entries):  # type: ignore[no-untyped-def]
    """Row of `seen` that belongs to a key."""
    value = np.uint64(0)
    for word in range(keys.shape[1]):
        value = mix(value ^ keys[row, word])
    return np.int64(value & np.uint64(entries - 1))


@kernel(inline="always")
def _same(keys, row, other):  # type: ignore[no-untyped-def]
    """Whether two rows hold the same state."""
    equal = True
    for word in range(keys.shape[1]):
        equal &= keys[row, word] == keys[other, word]
    return equal


@kernel(inline="always")
def _entered(seen, place, keys, row, iteration, cost):  # type: ignore[no-untyped-def]
    """Whether the table shows that the state was entered in this iteration at no more than `cost`."""
    words = keys.shape[1]
    note = seen[place, words]
    if note >> _COST_BITS != np.uint64(iteration) or np.int64(note & _COST_MASK) > cost:
        return False
    equal = True
    for word in range(words):
        equal &= seen[place, word] == keys[row, word]
    return equal


@kernel(inline="always")
def _on_free_path(keys, row, node, gone, depth):  # type: ignore[no-untyped-def]
    """Whether a child at cost 0 closes a cycle of cost 0."""
    level = depth
    while level > 0 and gone[level] == gone[depth]:
        if _same(keys, row, node[level]):
            return True
        level -= 1
    return False


@kernel(inline="always")
def _is_goal(keys, row, goal, mask):  # type: ignore[no-untyped-def]
    equal = True
    for word in range(keys.shape[1]):
        equal &= keys[row, word] & mask[word] == goal[word]
    return equal


@kernel
def _keep(keys, moves, costs, estimates, node, gone, depth, found, goal, mask, seen, numbers):  # type: ignore[no-untyped-def]
    """Move the children within the threshold to the front of their rows.

    Returns the first row behind them, and the row of a goal state or -1.
    """
    threshold, iteration = numbers[THRESHOLD], numbers[ITERATION]
    entries, words = len(seen), keys.shape[1]
    first = node[depth] + 1
    kept = first
    for row in range(first, first + found):
        if depth > 1 and _same(keys, row, node[depth - 1]):
            continue
        if estimates[row] >= INFINITE:
            numbers[HOPELESS] += 1
            continue
        cost = gone[depth] + np.int64(costs[row])
        value = cost + np.int64(estimates[row])
        if value > threshold:
            known = (
                value < numbers[NEXT]
                and entries > 0
                and _entered(seen, _place(keys, row, entries), keys, row, iteration, cost)
            )
            if value < numbers[NEXT] and not known:
                numbers[NEXT] = value
            continue
        if costs[row] == 0 and _on_free_path(keys, row, node, gone, depth):
            continue
        for word in range(words):
            keys[kept, word] = keys[row, word]
        moves[kept], costs[kept] = moves[row], costs[row]
        kept += 1
        if _is_goal(keys, kept - 1, goal, mask):
            numbers[COST] = cost
            return kept, kept - 1
    return kept, np.int64(-1)


@kernel
def deepen(  # type: ignore[no-untyped-def]
    expander, data, estimator, numbers_of_estimator, goal, mask, branching, limit,
    keys, moves, costs, estimates, node, end, gone, seen, numbers,
):  # fmt: skip
    """Continue an iteration for at most `limit` expansions; the arrays hold all state, so it can be continued later.

    When a goal is found, it is the node at depth `numbers[DEPTH]`.
    """
    entries, words = len(seen), keys.shape[1]
    depth, iteration = numbers[DEPTH], numbers[ITERATION]
    spent = 0
    answer = PAUSED
    while True:
        row = end[depth] - 1
        if row == node[depth]:
            if depth == 0:
                answer = DONE
                break
            depth -= 1
            end[depth] -= 1
            continue
        if spent == limit:
            break
        cost = gone[depth] + np.int64(costs[row])
        if row + 1 + branching > len(keys) or depth + 3 > len(node):
            answer = FULL
            break
        if entries > 0:
            place = _place(keys, row, entries)
            if _entered(seen, place, keys, row, iteration, cost):
                end[depth] -= 1
                continue
            if cost < np.int64(_COST_MASK):
                for word in range(words):
                    seen[place, word] = keys[row, word]
                seen[place, words] = (np.uint64(iteration) << _COST_BITS) | np.uint64(cost)
        depth += 1
        node[depth], gone[depth] = row, cost
        found = call_expand(expander, keys[row], data, keys[row + 1 :], moves[row + 1 :], costs[row + 1 :])
        call_estimate(estimator, keys[row + 1 :], found, numbers_of_estimator, estimates[row + 1 :])
        spent += 1
        numbers[GENERATED] += found
        end[depth], reached = _keep(
            keys, moves, costs, estimates, node, gone, depth, found, goal, mask, seen, numbers
        )  # fmt: skip
        if reached >= 0:
            depth += 1
            node[depth] = reached
            answer = FOUND
            break
    numbers[DEPTH] = depth
    numbers[EXPANDED] += spent
    return answer
