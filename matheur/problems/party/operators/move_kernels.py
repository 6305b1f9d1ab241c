"""Kernels of the moves on parties: replace an item, exchange two slots; annealing and descents.

Cost = price + weighted violations; only the price matters in the end. A step empties a slot and caches by value the
points that its neighbours would give (`note`), so evaluating one item takes little more than one look-up per term: 5 to
10 nanoseconds. Lists are sorted by price, so a scan ends as soon as the price alone exceeds the limit.
"""

from __future__ import annotations

import math

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift, xorshift_below
from matheur.problems.party.operators.matching_kernels import around, forget, given, note
from matheur.problems.party.operators.measuring_kernels import broken, count_violations, outside, violations
from matheur.problems.party.operators.move_state import BEST, LOOKED, POINTS, PRICE

__all__ = ["BEST", "LOOKED", "NONE", "STRICT", "anneal", "descend", "polish", "reset", "swap_descend"]

NONE = 1 << 61  # price of the best party while there is none

ADAPT = 200  # steps between two updates of the weights
RAISE = 1.1  # factor of a weight
STRICT = 1e30  # a weight with which no violation pays off
LEEWAY = 1000.0  # a weight stays within this factor of its initial value


@kernel
def _exponential(state):  # type: ignore[no-untyped-def]
    """Draw a random number from the exponential distribution with mean 1."""
    return -math.log((np.float64(xorshift(state) >> np.uint64(11)) + 0.5) / 9007199254740992.0)


@kernel
def _add(place, sign, state, puzzle):  # type: ignore[no-untyped-def]
    """Add a place to all quantities except the points (sign 1), or remove it (sign -1)."""
    state.used[puzzle.items[place]] = sign > 0
    state.sums[PRICE] += sign * puzzle.prices[place]
    for total in range(state.totals.size):
        state.totals[total] += sign * puzzle.amounts[total, place]
    for label in range(state.distinct.size):
        where = puzzle.labels[label, place]
        if where < 0:
            continue
        before = np.int64(state.counts[where])
        after = before + sign
        state.counts[where] = after
        state.distinct[label] += (1 if after > 0 else 0) - (1 if before > 0 else 0)
        high = puzzle.same_high[label]
        state.excess[label] += max(after - high, np.int64(0)) - max(before - high, np.int64(0))
    for k in range(puzzle.bins.shape[0]):
        where = puzzle.bins[k, place]
        if where >= 0:
            state.bins[where] += sign


@kernel
def _segments(slot, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Write the parts of lists to scan for a slot as rows (term or -1, first, last) and return the number of rows.

    Only the cheapest part and a random part of a list longer than `scan` are scanned. The same holds for the lists of
    items that share a value with a neighbour.
    """
    segments = state.segments
    kind = puzzle.kinds[slot]
    first, last = np.int64(puzzle.starts[kind]), np.int64(puzzle.starts[kind + 1])
    if last - first <= scan:
        segments[0, 0], segments[0, 1], segments[0, 2] = -1, first, last
        return 1
    part = max(scan // 4, 1)
    shift = xorshift_below(state.random, last - first - part + 1)
    segments[0, 0], segments[0, 1], segments[0, 2] = -1, first, first + part
    segments[1, 0], segments[1, 1], segments[1, 2] = -1, first + shift, first + shift + part
    count = 2
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        h = state.party[puzzle.neighbours[k]]
        for term in range(state.equal.shape[0]):
            value = puzzle.codes[term, h] - 1
            if value < 0:
                continue
            first = np.int64(puzzle.value_starts[kind, term, value])
            last = np.int64(puzzle.value_starts[kind, term, value + 1])
            segments[count, 0], segments[count, 1], segments[count, 2] = term, first, min(last, first + part)
            count += 1
            if last - first > part:
                shift = xorshift_below(state.random, last - first - part + 1)
                segments[count, 0], segments[count, 1], segments[count, 2] = term, first + shift, first + shift + part
                count += 1
    return count


@kernel
def _select(slot, points, limit, cheapest, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Choose a place for the emptied slot whose cost is at most the limit: a random one, or the cheapest; -1 if none.

    The cost is the price of the place plus the weighted violations that the party would have with it. Everything is in
    one function with local names: a call per item would take longer than the item itself.
    """
    prices, items, codes, groups, equal, listed = (
        puzzle.prices, puzzle.items, puzzle.codes, puzzle.groups, state.equal, state.listed,
    )  # fmt: skip
    amounts, totals, low, high = puzzle.amounts, state.totals, puzzle.low, puzzle.high
    labels, counts, distinct, excess = puzzle.labels, state.counts, state.distinct, state.excess
    distinct_low, distinct_high, same_high = puzzle.distinct_low, puzzle.distinct_high, puzzle.same_high
    weights, used, by_value, segments = state.weights, state.used, puzzle.by_value, state.segments
    plain, random = puzzle.plain, state.random
    rules, before_rules = puzzle.rule_kinds.size, 1 + totals.size + 2 * distinct.size
    weight = weights[0]
    needed = puzzle.demand - points
    degree = puzzle.neighbour_starts[slot + 1] - puzzle.neighbour_starts[slot]
    least = weight * max(needed - degree * puzzle.edge_points, np.int64(0))
    chosen = np.int64(-1)
    ties = 0
    looked = 0
    for number in range(_segments(slot, scan, state, puzzle)):
        part = segments[number, 0]
        for k in range(segments[number, 1], segments[number, 2]):
            place = np.int64(by_value[part, k]) if part >= 0 else np.int64(k)
            looked += 1
            cost = np.float64(prices[place])
            if cost + least > limit:
                break
            short = needed
            for term in range(codes.shape[0]):
                short -= equal[term, codes[term, place]]
            if not plain:
                for term in range(codes.shape[0]):
                    short -= listed[term, groups[term, place]]
            if short > 0:
                cost += weight * short
            if cost > limit:
                continue
            for total in range(totals.size):
                amount = totals[total] + amounts[total, place]
                if amount < low[total]:
                    cost += weights[1 + total] * (low[total] - amount)
                if amount > high[total]:  # both, if the demands contradict each other
                    cost += weights[1 + total] * (amount - high[total])
            for label in range(distinct.size):
                where = labels[label, place]
                different, beyond = distinct[label], excess[label]
                if where >= 0:
                    different += 1 if counts[where] == 0 else 0
                    beyond += 1 if counts[where] >= same_high[label] else 0
                off = outside(different, distinct_low[label], distinct_high[label])
                cost += weights[1 + totals.size + label] * off
                cost += weights[1 + totals.size + distinct.size + label] * beyond
            if cost > limit or used[items[place]]:
                continue
            if rules > 0:
                for rule in range(rules):
                    cost += weights[before_rules + rule] * broken(rule, slot, place, state, puzzle)
                if cost > limit:
                    continue
            if cheapest and cost < limit:
                limit = cost
                ties = 0
            ties += 1
            if ties == 1 or xorshift_below(random, ties) == 0:
                chosen = place
    state.sums[LOOKED] += looked
    return chosen


@kernel
def _replace(slot, limit, cheapest, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Replace the item of a slot if another one costs at most `limit` (see `_select`); return whether it did."""
    old = state.party[slot]
    note(slot, state, puzzle)
    points = state.sums[POINTS] - given(old, state, puzzle)
    _add(old, -1, state, puzzle)
    state.used[puzzle.items[old]] = True
    new = _select(slot, points, limit, cheapest, scan, state, puzzle)
    state.used[puzzle.items[old]] = False
    place = new if new >= 0 else old
    _add(place, 1, state, puzzle)
    state.sums[POINTS] = points + given(place, state, puzzle)
    state.party[slot] = place
    forget(slot, state, puzzle)
    return new >= 0


@kernel
def _place(a, into_a, b, into_b, state, puzzle):  # type: ignore[no-untyped-def]
    """Put two places with the same items as before into two slots; the caller updates the points."""
    party = state.party
    _add(party[a], -1, state, puzzle)
    _add(party[b], -1, state, puzzle)
    party[a], party[b] = into_a, into_b
    _add(into_a, 1, state, puzzle)
    _add(into_b, 1, state, puzzle)


@kernel
def _exchange(a, b, heat, state, puzzle):  # type: ignore[no-untyped-def]
    """Exchange the items of two slots if this increases the cost by at most `heat`; return whether it did."""
    party = state.party
    g, h = party[a], party[b]
    into_a = np.int64(puzzle.places[puzzle.kinds[a], puzzle.items[h]])
    into_b = np.int64(puzzle.places[puzzle.kinds[b], puzzle.items[g]])
    if into_a < 0 or into_b < 0:
        return False
    change = around(a, into_a, b, party, puzzle) - around(a, g, b, party, puzzle)
    change += around(b, into_b, a, party, puzzle) - around(b, h, a, party, puzzle)
    if puzzle.varied:
        standing = violations(state, puzzle)
        _place(a, into_a, b, into_b, state, puzzle)
        state.sums[POINTS] += change
        if violations(state, puzzle) - standing > heat:
            _place(a, g, b, h, state, puzzle)
            state.sums[POINTS] -= change
            return False
        return True
    before = max(puzzle.demand - state.sums[POINTS], np.int64(0))
    after = max(puzzle.demand - state.sums[POINTS] - change, np.int64(0))
    if state.weights[0] * (after - before) > heat:
        return False
    state.sums[POINTS] += change
    party[a], party[b] = into_a, into_b
    return True


@kernel
def _copy(source, target):  # type: ignore[no-untyped-def]
    """Copy an array; compiles faster than an assignment of slices."""
    for k in range(target.size):
        target[k] = source[k]


@kernel
def _keep(state, puzzle):  # type: ignore[no-untyped-def]
    """Record the party as the best if it is feasible and cheaper; return whether it is feasible."""
    feasible = count_violations(state, puzzle)
    if feasible and state.sums[PRICE] < state.sums[BEST]:
        state.sums[BEST] = state.sums[PRICE]
        _copy(state.party, state.best)
    return feasible


@kernel
def reset(state, puzzle):  # type: ignore[no-untyped-def]
    """Compute the state from the party and return whether the party is feasible. An earlier best party is discarded.

    The result is False if the party contains an item twice; the state is then invalid.
    """
    state.used.fill(False)
    state.sums.fill(0)
    state.totals.fill(0)
    state.counts.fill(0)
    state.distinct.fill(0)
    state.excess.fill(0)
    state.bins.fill(0)
    state.equal.fill(0)
    state.listed.fill(0)
    _copy(state.middle, state.weights)
    different = True
    for slot in range(state.party.size):
        different = different and not state.used[puzzle.items[state.party[slot]]]
        _add(state.party[slot], 1, state, puzzle)
        state.sums[POINTS] += around(slot, state.party[slot], -1, state.party, puzzle)
    state.sums[POINTS] //= 2
    state.sums[BEST] = NONE
    feasible = different and _keep(state, puzzle)
    state.violated.fill(0)
    return feasible


@kernel
def anneal(heat, cooling, steps, done, swaps, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Make `steps` steps of an annealing run after the first `done` steps.

    A step draws an exponential number E and fills a random slot with a random item among those that cost at most
    temperature * E more: the items that the Metropolis rule would accept, without rejections. `swaps` of 256 steps
    exchange two slots by the same rule. The temperature is `heat` before the step and is multiplied by `cooling`. Every
    `ADAPT` steps, the weight of a demand rises if the demand was mostly violated and falls if it was mostly met, so the
    search stays near the boundary of the feasible parties.
    """
    for step in range(done, done + steps):
        margin = heat * _exponential(state.random)
        heat *= cooling
        if puzzle.pairs.shape[0] > 0 and xorshift_below(state.random, 256) < swaps:
            pair = xorshift_below(state.random, puzzle.pairs.shape[0])
            _exchange(puzzle.pairs[pair, 0], puzzle.pairs[pair, 1], margin, state, puzzle)
        elif puzzle.free.size > 0:
            slot = puzzle.free[xorshift_below(state.random, puzzle.free.size)]
            limit = puzzle.prices[state.party[slot]] + violations(state, puzzle) + margin
            _replace(slot, limit, False, scan, state, puzzle)
        _keep(state, puzzle)
        if (step + 1) % ADAPT == 0:
            for demand in range(state.weights.size):
                weight, middle = state.weights[demand], state.middle[demand]
                if 10 * state.violated[demand] > 6 * ADAPT:
                    state.weights[demand] = min(weight * RAISE, middle * LEEWAY)
                elif 10 * state.violated[demand] < 3 * ADAPT:
                    state.weights[demand] = max(weight / RAISE, middle / LEEWAY)
                state.violated[demand] = 0
    return heat


@kernel
def descend(order, first, idle, limit, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Put the cheapest item into one slot after another as long as this lowers the cost.

    Stop after `limit` slots, or when all slots in `order` were examined since the last gain.

    Returns
    -------
    next, idle, looked
        Position in `order` at which to continue; slots examined since the last gain; slots examined in this call.
    """
    looked = 0
    while looked < limit and idle < order.size:
        slot = order[first]
        bound = puzzle.prices[state.party[slot]] + violations(state, puzzle) - 0.5
        idle = 0 if _replace(slot, bound, True, scan, state, puzzle) else idle + 1
        first = first + 1 if first + 1 < order.size else 0
        looked += 1
    _keep(state, puzzle)
    return first, idle, looked


@kernel
def polish(parties, prices, feasible, rounds, factor, scan, state, puzzle):  # type: ignore[no-untyped-def]
    """Descend from each party in place; repeat infeasible ones up to `rounds` times with `factor` times the weights."""
    order = puzzle.free.copy()
    for row in range(parties.shape[0]):
        for slot in range(state.party.size):
            state.party[slot] = parties[row, slot]
        good = reset(state, puzzle)
        for _ in range(rounds):
            for k in range(order.size - 1, 0, -1):
                other = xorshift_below(state.random, k + 1)
                order[k], order[other] = order[other], order[k]
            if good:
                state.weights.fill(STRICT)
            descend(order, 0, 0, 1 << 60, scan, state, puzzle)
            if good:
                break
            good = _keep(state, puzzle)
            for demand in range(state.weights.size):
                state.weights[demand] *= factor
        feasible[row] = good
        prices[row] = state.sums[PRICE]
        for slot in range(state.party.size):
            parties[row, slot] = state.party[slot]


@kernel
def _shift(a, b, state, puzzle):  # type: ignore[no-untyped-def]
    """Move the item of slot a to slot b, drop b's item, and fill a with the cheapest item that makes a gain."""
    party = state.party
    g, h = party[a], party[b]
    into_b = np.int64(puzzle.places[puzzle.kinds[b], puzzle.items[g]])
    if into_b < 0:
        return False
    before = state.sums[POINTS]
    points = before - around(a, g, -1, party, puzzle) - around(b, h, a, party, puzzle)
    points += around(b, into_b, a, party, puzzle)
    _add(h, -1, state, puzzle)
    if puzzle.varied:  # the item of a contributes differently in b
        _add(g, -1, state, puzzle)
        _add(into_b, 1, state, puzzle)
    party[b] = into_b
    note(a, state, puzzle)
    new = _select(a, points, puzzle.prices[h] - 0.5, True, 1 << 60, state, puzzle)
    if new >= 0:
        _add(new, 1, state, puzzle)
        party[a] = new
        state.sums[POINTS] = points + given(new, state, puzzle)
    forget(a, state, puzzle)
    if new < 0:
        party[b] = h
        if puzzle.varied:
            _add(into_b, -1, state, puzzle)
            _add(g, 1, state, puzzle)
        _add(h, 1, state, puzzle)
        state.sums[POINTS] = before
    return new >= 0


@kernel
def _exchange_and_replace(a, b, state, puzzle):  # type: ignore[no-untyped-def]
    """Exchange the items of two slots and replace that of a third slot if this makes a gain; return whether it did."""
    g, h, before = state.party[a], state.party[b], state.sums[POINTS]
    if not _exchange(a, b, np.inf, state, puzzle):
        return False
    for k in range(puzzle.free.size):
        slot = puzzle.free[k]
        if slot != a and slot != b:
            bound = puzzle.prices[state.party[slot]] - 0.5
            if _replace(slot, bound, True, 1 << 60, state, puzzle):
                return True
    if puzzle.varied:
        _place(a, g, b, h, state, puzzle)
    state.party[a], state.party[b] = g, h
    state.sums[POINTS] = before
    return False


@kernel
def swap_descend(order, first, idle, limit, judged, state, puzzle):  # type: ignore[no-untyped-def]
    """Try the moves in `order` cyclically as long as one lowers the price.

    Move 3 p exchanges the slots of pair p and replaces a third item. Moves 3 p + 1 and 3 p + 2 move the item of one
    slot of the pair to the other one, drop the item there, and fill the first slot with a new item. The party must be
    feasible and the weights `STRICT`. Stop after `limit` moves, soon after `judged` items were evaluated, or when all
    moves were tried since the last gain.

    Returns
    -------
    next, idle, tried
        Position in `order` at which to continue; moves tried since the last gain; moves tried in this call.
    """
    tried = 0
    judged += state.sums[LOOKED]
    while tried < limit and idle < order.size and state.sums[LOOKED] < judged:
        pair, way = order[first] // 3, order[first] % 3
        a, b = puzzle.pairs[pair, 0], puzzle.pairs[pair, 1]
        if way == 0:
            gained = _exchange_and_replace(a, b, state, puzzle)
        else:
            gained = _shift(a, b, state, puzzle) if way == 1 else _shift(b, a, state, puzzle)
        idle = 0 if gained else idle + 1
        first = first + 1 if first + 1 < order.size else 0
        tried += 1
    _keep(state, puzzle)
    return first, idle, tried
