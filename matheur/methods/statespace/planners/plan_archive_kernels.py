"""An evolutionary planner whose plans share an archive of states, compiled.

Every state that a plan visits has an entry in the archive: `keys` (uint64, `words` each), `paid` (int32, cost of the
cheapest known path from the start, `NONE` without one), `parent` and `price` (int32: the previous state on that path,
and the cost of the move), `togo` (int32, cost of a known path to the goal, exact in the ball around it, `NONE` without
one), `toward` (int32, the next state on that path), `tries` (int32, number of expansions; `NONE` once all its
successors have entries), `seen` (int32, the last generation with whose survivors it was compared). There is thus one
plan per state, the best one, and two plans that meet in a state exchange their halves there. `slots` is the hash table:
0 or the number of an entry plus 1. A move costs one expansion and a look-up per successor.
"""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import splitmix_uniform
from matheur.kernels.state_table import enter, find
from matheur.methods.statespace.pointers import call_estimate, call_expand

__all__ = [
    "COUNT",
    "DONE",
    "EXPANDED",
    "FULL",
    "GENERATED",
    "GENERATION",
    "IMPROVED",
    "NEXT",
    "NONE",
    "NUMBERS",
    "PAUSED",
    "SIZE",
    "enter",
    "evolve",
]

PAUSED, FULL, IMPROVED, DONE = 0, 1, 2, 3
"""Why a call ended: slice over, no free entry, a better plan, all generations made or no plan to mutate."""

COUNT, NEXT, SIZE, GENERATION, EXPANDED, GENERATED, NUMBERS = 0, 1, 2, 3, 4, 5, 6
"""Places in `numbers`: entries; children of this generation; individuals; generations made; totals."""

NONE = np.int32(1_000_000)
"""Cost if no path is known."""


@kernel(inline="always")
def _drawn(cumulative, many, random):  # type: ignore[no-untyped-def]
    """An index below `many`, with a probability proportional to the step of `cumulative` there."""
    draw = splitmix_uniform(random) * cumulative[many - 1]
    index = 0
    while index < many - 1 and cumulative[index] <= draw:
        index += 1
    return index


@kernel
def _pass_back(entry, paid, parent, price, togo, toward):  # type: ignore[no-untyped-def]
    """Let all states on the path from the start to the entry use the entry's path to the goal."""
    while parent[entry] >= 0:
        before = np.int64(parent[entry])
        if togo[entry] + price[entry] >= togo[before]:
            return
        togo[before], toward[before] = togo[entry] + price[entry], entry
        entry = before


@kernel
def _expand(  # type: ignore[no-untyped-def]
    here, address, data, slots, keys, paid, parent, price, togo, toward, tries, seen, numbers, goal, mask, successors,
    moves, costs, entries,
):  # fmt: skip
    """Successors of an entry, with their entries (-1: none yet); relinks entries that it reaches more cheaply."""
    words = len(goal)
    found = call_expand(address, keys[here * words :], data, successors, moves, costs)
    numbers[EXPANDED] += 1
    numbers[GENERATED] += found
    fresh = False
    for i in range(found):
        slot = find(slots, keys, words, successors, i * words)
        entry = np.int64(slots[slot]) - 1
        if entry < 0:
            arrived = True
            for word in range(words):
                if successors[i * words + word] & mask[word] != goal[word]:
                    arrived = False
            if arrived:
                # All goal states are equivalent: the entry is made at once, and its path ends there.
                entry = numbers[COUNT]
                _fill(entry, i, words, keys, paid, parent, price, togo, toward, tries, seen, successors)
                togo[entry] = 0
                numbers[COUNT] += 1
                slots[slot] = np.uint32(numbers[COUNT])
        entries[i] = entry
        if entry < 0:
            fresh = True
            continue
        if paid[here] + costs[i] < paid[entry]:
            paid[entry], parent[entry], price[entry] = paid[here] + costs[i], here, costs[i]
            tries[entry] = 0
        if togo[entry] + costs[i] < togo[here]:
            togo[here], toward[here] = togo[entry] + costs[i], entry
    tries[here] = tries[here] + 1 if fresh else NONE
    _pass_back(here, paid, parent, price, togo, toward)
    return found


@kernel
def _fill(entry, i, words, keys, paid, parent, price, togo, toward, tries, seen, successors):  # type: ignore[no-untyped-def]
    """Create an entry for successor i, without paths."""
    for word in range(words):
        keys[entry * words + word] = successors[i * words + word]
    paid[entry], parent[entry], price[entry] = NONE, -1, 0
    togo[entry], toward[entry], tries[entry], seen[entry] = NONE, -1, 0, 0


@kernel
def _choose(  # type: ignore[no-untyped-def]
    here, found, words, keys, successors, entries, component, places, random
):  # fmt: skip
    """A random successor that changes the component (-1: any), preferably one without an entry; -1 if there is none."""
    fresh, known, first, second = 0, 0, -1, -1
    for i in range(found):
        if component >= 0:
            word = np.int64(places[component, 0])
            if (successors[i * words + word] ^ keys[here * words + word]) & places[component, 1] == 0:
                continue
        if entries[i] < 0:
            fresh += 1
            if splitmix_uniform(random) * fresh < 1.0:
                first = i
        else:
            known += 1
            if splitmix_uniform(random) * known < 1.0:
                second = i
    return first if first >= 0 else second


@kernel(inline="always")
def _estimate(entry, words, keys, h_address, h_data, out):  # type: ignore[no-untyped-def]
    """The heuristic's value for an entry, 0 without a heuristic."""
    if h_address == 0:
        return np.int64(0)
    call_estimate(h_address, keys[entry * words :], 1, h_data, out)
    return np.int64(out[0])


@kernel(inline="always")
def _promising(entry, rest, paid, tries, best, known):  # type: ignore[no-untyped-def]
    """Whether a mutation of the plan to this entry may give a better plan than `best`."""
    return entry >= known and tries[entry] < NONE and paid[entry] + rest < best


@kernel
def _survivors(  # type: ignore[no-untyped-def]
    candidates, many, size, members, scores, best, known, floor, caution, words, keys, paid, tries, seen, generation,
    goal, places, counted, h_address, h_data, out, random,
):  # fmt: skip
    """The `size` fittest of many candidates (-1: all entries of the archive), one for each state; returns their number.

    Fitness: cost so far, estimated remaining cost (estimate, or number of components that differ from the goal),
    `caution` for each mutation of the plan so far, and a random fraction.
    """
    kept = 0
    for position in range(many):
        entry = np.int64(candidates[position]) if len(candidates) > 0 else position
        if seen[entry] == generation or paid[entry] >= NONE:
            continue
        seen[entry] = generation
        guess = _estimate(entry, words, keys, h_address, h_data, out)
        if not _promising(entry, max(guess, floor), paid, tries, best, known):
            continue
        if h_address == 0:
            for component in range(len(places)):
                word = np.int64(places[component, 0])
                if counted[component] and (keys[entry * words + word] ^ goal[word]) & places[component, 1] != 0:
                    guess += 1
        if kept == len(scores):
            break
        members[kept] = entry
        scores[kept] = paid[entry] + guess + caution * tries[entry] + splitmix_uniform(random)
        kept += 1
    order = np.argsort(scores[:kept], kind="mergesort")
    members[: min(kept, size)] = members[:kept][order[:size]]
    return min(kept, size)


@kernel
def evolve(  # type: ignore[no-untyped-def]
    address, data, h_address, h_data, goal, mask, places, counted, by_component, start, known, floor, target, slots,
    keys, paid, parent, price, togo, toward, tries, seen, members, scores, size, cumulative, redo, caution, generations,
    numbers, random, successors, moves, costs, entries, allowance, left,
):  # fmt: skip
    """Make mutations for about `allowance` moves, and never more than `left`; returns why it ended.

    Entries below `known` are exact, all others cost `floor` or more. A mutation takes the better of two random
    individuals, removes some moves with probability `redo`, and appends some new moves, to new states if possible.
    """
    words = len(goal)
    room = min(len(paid), np.int64(len(slots)) // 2)
    reserve = len(cumulative) * (len(entries) + 1)
    out = np.empty(1, dtype=np.int32)
    everything = np.empty(0, dtype=np.int32)
    spent = 0
    while numbers[GENERATION] < generations and togo[start] > target:
        if numbers[SIZE] == 0:
            numbers[SIZE] = _survivors(
                everything, numbers[COUNT], size, members, scores, togo[start], known, floor, caution, words, keys,
                paid, tries, seen, numbers[GENERATION] + 1, goal, places, counted, h_address, h_data, out, random,
            )  # fmt: skip
            if numbers[SIZE] == 0:
                return DONE
        while numbers[NEXT] < size:
            if spent >= min(allowance, left):
                return PAUSED
            if numbers[COUNT] + reserve > room:
                return FULL
            best = togo[start]
            rank = min(splitmix_uniform(random), splitmix_uniform(random))
            entry = np.int64(members[np.int64(rank * numbers[SIZE])])
            if splitmix_uniform(random) < redo:
                for _ in range(_drawn(cumulative, len(cumulative), random) + 1):
                    entry = np.int64(parent[entry]) if parent[entry] >= 0 else entry
            for _ in range(min(_drawn(cumulative, len(cumulative), random) + 1, left - spent)):
                rest = max(_estimate(entry, words, keys, h_address, h_data, out), floor)
                if entry < known or paid[entry] + rest >= togo[start]:
                    break
                found = _expand(
                    entry, address, data, slots, keys, paid, parent, price, togo, toward, tries, seen, numbers, goal,
                    mask, successors, moves, costs, entries,
                )  # fmt: skip
                spent += 1
                component = np.int64(splitmix_uniform(random) * len(places)) if by_component else np.int64(-1)
                chosen = _choose(entry, found, words, keys, successors, entries, component, places, random)
                if chosen < 0:
                    continue
                slot = find(slots, keys, words, successors, chosen * words)
                if slots[slot] == 0:
                    new = numbers[COUNT]
                    _fill(new, chosen, words, keys, paid, parent, price, togo, toward, tries, seen, successors)
                    paid[new], parent[new], price[new] = paid[entry] + costs[chosen], entry, costs[chosen]
                    numbers[COUNT] += 1
                    slots[slot] = np.uint32(numbers[COUNT])
                entry = np.int64(slots[slot]) - 1
            members[numbers[SIZE] + numbers[NEXT]] = entry
            numbers[NEXT] += 1
            if togo[start] < best:
                return IMPROVED
        numbers[GENERATION] += 1
        numbers[SIZE] = _survivors(
            members[: numbers[SIZE] + size].copy(), numbers[SIZE] + size, size, members, scores, togo[start], known,
            floor, caution, words, keys, paid, tries, seen, numbers[GENERATION], goal, places, counted, h_address,
            h_data, out, random,
        )  # fmt: skip
        numbers[NEXT] = 0
    return DONE
