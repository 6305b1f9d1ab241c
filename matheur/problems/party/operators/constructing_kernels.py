"""Kernel of the construction of parties, slot by slot (Algorithm 1 of the paper on the Party Building Puzzle).

Items and slots are numbers of `tables.Tables`; a total is a sum or count constraint, a label a distinct or max_same
constraint. One step scans the candidates of the slot (at most `scan` of each list): a comparison per total and label,
then the points with the placed neighbours. A party takes about 0.1 milliseconds with 10,000 items.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from matheur.kernels import kernel
from matheur.kernels.random import xorshift_below

__all__ = ["Plan", "Puzzle", "complete"]


class Puzzle(NamedTuple):
    """Input of the kernel; arrays as in `Tables` unless stated otherwise."""

    prices: Any
    logarithms: Any  # float64, log2(1 + price)
    kinds: Any
    starts: Any
    lists: Any  # int32, shape (terms + 1, candidates): `by_value` of each term, then `candidates`
    value_starts: Any
    places: Any
    codes: Any
    groups: Any
    same: Any
    other: Any
    table: Any
    table_starts: Any
    table_sizes: Any
    demand: Any
    edge_points: Any
    neighbour_starts: Any
    neighbours: Any
    amounts: Any
    low: Any
    high: Any
    sums: Any  # bool, shape (totals,): sums, not counts
    largest: Any  # int32, shape (kinds, totals, depth): items of largest amounts, -1 after the last
    smallest: Any  # the same for the smallest amounts
    overall: Any  # int64, shape (totals, 2): largest and smallest amount of all items
    promise: Any  # float64, shape (kinds, n): points that an item may expect from a neighbour of each kind
    labels: Any
    label_starts: Any  # int64, start of the counts of each label, and their end
    distinct_low: Any
    distinct_high: Any
    same_high: Any


class Plan(NamedTuple):
    """Rule for choosing items; see `constructing.Guidance`."""

    match: Any
    promise: Any
    level: Any
    price: Any
    spread: Any
    chance: Any
    connected: Any
    lookahead: Any
    shares: Any
    prune: Any
    scan: Any


@kernel
def _points(i, j, puzzle):  # type: ignore[no-untyped-def]
    """Points of two neighbours."""
    total = np.int64(0)
    for t in range(puzzle.codes.shape[1]):
        one, two = puzzle.codes[i, t], puzzle.codes[j, t]
        if one < 0 or two < 0:
            continue
        if puzzle.table_sizes[t] > 1:
            row, column = puzzle.groups[i, t], puzzle.groups[j, t]
            if row > 0 and column > 0:
                listed = puzzle.table[puzzle.table_starts[t] + row * puzzle.table_sizes[t] + column]
                if listed >= 0:
                    total += listed
                    continue
        total += puzzle.same[t] if one == two else puzzle.other[t]
    return total


@kernel
def _extreme(slot, total, genome, used, best, missing, puzzle):  # type: ignore[no-untyped-def]
    """Sum of the best amounts still available over the empty slots except `slot`; `missing` counts these by kind."""
    found = np.int64(0)
    for kind in range(missing.size):
        wanted = missing[kind] - (1 if puzzle.kinds[slot] == kind else 0)
        for rank in range(best.shape[2]):
            if wanted <= 0:
                break
            item = best[kind, total, rank]
            if item < 0:
                break
            if not used[item]:
                found += puzzle.amounts[item, total]
                wanted -= 1
    return found


@kernel
def _next_slot(genome, connected, state, puzzle):  # type: ignore[no-untyped-def]
    """Return a random empty slot; if connected, one of those with the most placed neighbours."""
    chosen = -1
    most = np.int64(-1)
    equal = 0
    for slot in range(genome.size):
        if genome[slot] >= 0:
            continue
        placed = np.int64(0)
        if connected:
            for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
                placed += 1 if genome[puzzle.neighbours[k]] >= 0 else 0
        if placed < most:
            continue
        equal = equal + 1 if placed == most else 1
        most = placed
        if equal == 1 or xorshift_below(state, equal) == 0:
            chosen = slot
    return chosen


@kernel
def _put(slot, item, genome, used, totals, counts, distinct, missing, puzzle):  # type: ignore[no-untyped-def]
    """Place an item and return its points with the placed neighbours."""
    gained = np.int64(0)
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        other = genome[puzzle.neighbours[k]]
        if other >= 0:
            gained += _points(item, other, puzzle)
    genome[slot] = item
    used[item] = True
    missing[puzzle.kinds[slot]] -= 1
    for total in range(totals.size):
        totals[total] += puzzle.amounts[item, total]
    for label in range(distinct.size):
        value = puzzle.labels[item, label]
        if value >= 0:
            place = puzzle.label_starts[label] + value
            if counts[place] == 0:
                distinct[label] += 1
            counts[place] += 1
    return gained


@kernel
def _labels_allow(item, empty, counts, distinct, puzzle):  # type: ignore[no-untyped-def]
    """Whether the distinct and max_same constraints can still be met with this item and `empty` remaining slots."""
    for label in range(distinct.size):
        value = puzzle.labels[item, label]
        count = np.int64(counts[puzzle.label_starts[label] + value]) if value >= 0 else np.int64(0)
        if value >= 0 and count >= puzzle.same_high[label]:
            return False
        number = distinct[label] + (1 if value >= 0 and count == 0 else 0)
        if number > puzzle.distinct_high[label] or number + empty < puzzle.distinct_low[label]:
            return False
    return True


@kernel
def _segments(slot, genome, guided, scan, state, segments, puzzle):  # type: ignore[no-untyped-def]
    """Write the lists to scan for a slot as rows (list, first, last) and return the number of rows.

    Only the cheapest part and a random part of a long list are scanned. The same holds for the lists of items that
    share a value with a placed neighbour.
    """
    kind = puzzle.kinds[slot]
    terms = puzzle.codes.shape[1]
    first, last = np.int64(puzzle.starts[kind]), np.int64(puzzle.starts[kind + 1])
    if last - first <= scan:
        segments[0, 0], segments[0, 1], segments[0, 2] = terms, first, last
        return 1
    count = 0
    part = max(scan // 4, 1)
    shift = xorshift_below(state, last - first - part + 1)
    segments[0, 0], segments[0, 1], segments[0, 2] = terms, first, first + part
    segments[1, 0], segments[1, 1], segments[1, 2] = terms, first + shift, first + shift + part
    count = 2
    if not guided:
        return count
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        other = genome[puzzle.neighbours[k]]
        if other < 0:
            continue
        for term in range(terms):
            value = puzzle.codes[other, term]
            if value < 0 or count + 2 > segments.shape[0]:
                continue
            first = np.int64(puzzle.value_starts[kind, term, value])
            last = np.int64(puzzle.value_starts[kind, term, value + 1])
            segments[count, 0], segments[count, 1], segments[count, 2] = term, first, min(last, first + part)
            count += 1
            if last - first > part:
                shift = xorshift_below(state, last - first - part + 1)
                segments[count, 0], segments[count, 1], segments[count, 2] = term, first + shift, first + shift + part
                count += 1
    return count


@kernel
def _choose(  # type: ignore[no-untyped-def]
    slot, genome, empty, points, open_edges, used, totals, counts, distinct, missing, least, most, best,
    segments, match, promise, level, price, plan, state, puzzle,
):  # fmt: skip
    """Choose the best item that leaves all demands reachable, with random ties; -1 if there is none.

    `least` and `most` receive the range of amounts that each total allows, `best` the largest and smallest amounts
    of the candidates. With `shares`, the range of a sum with one limit is given by an equal share of each empty slot.
    """
    kind = puzzle.kinds[slot]
    for total in range(totals.size):
        if plan.lookahead:
            above = _extreme(slot, total, genome, used, puzzle.largest, missing, puzzle)
            below = _extreme(slot, total, genome, used, puzzle.smallest, missing, puzzle)
        else:
            above = puzzle.overall[total, 0] * empty
            below = puzzle.overall[total, 1] * empty
        least[total] = puzzle.low[total] - totals[total] - above
        most[total] = puzzle.high[total] - totals[total] - below
        if plan.shares and puzzle.sums[total]:
            low, high, left = puzzle.low[total], puzzle.high[total], np.int64(empty + 1)
            if high >= 1 << 61:
                least[total] = max(least[total], -((totals[total] - low) // left))
            elif low <= -(1 << 61):
                most[total] = min(most[total], (high - totals[total]) // left)
        best[total, 0] = best[total, 1] = 0
        for rank in range(puzzle.largest.shape[2]):
            item = puzzle.largest[kind, total, rank]
            if item >= 0 and not used[item]:
                best[total, 0] = puzzle.amounts[item, total]
                break
        for rank in range(puzzle.smallest.shape[2]):
            item = puzzle.smallest[kind, total, rank]
            if item >= 0 and not used[item]:
                best[total, 1] = puzzle.amounts[item, total]
                break
    placed = 0
    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
        placed += 1 if genome[puzzle.neighbours[k]] >= 0 else 0
    needed = puzzle.demand - points - (open_edges - placed) * puzzle.edge_points
    chosen = -1
    top = -np.inf
    equal = 0
    for number in range(_segments(slot, genome, match > 0.0, plan.scan, state, segments, puzzle)):
        row = segments[number, 0]
        for place in range(segments[number, 1], segments[number, 2]):
            item = puzzle.lists[row, place]
            if used[item]:
                continue
            allowed = True
            for total in range(totals.size):
                amount = puzzle.amounts[item, total]
                if amount < least[total] or amount > most[total]:
                    allowed = False
                    break
            if not allowed or not _labels_allow(item, empty, counts, distinct, puzzle):
                continue
            value = 0.0
            if match > 0.0 or (plan.prune and needed > 0):
                gained = np.int64(0)
                for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
                    other = genome[puzzle.neighbours[k]]
                    if other >= 0:
                        gained += _points(item, other, puzzle)
                if plan.prune and gained < needed:
                    continue
                value = match * gained
                if promise > 0.0:
                    for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
                        if genome[puzzle.neighbours[k]] < 0:
                            value += promise * puzzle.promise[puzzle.kinds[puzzle.neighbours[k]], item]
            value -= price * puzzle.logarithms[item]
            if level > 0.0:
                for total in range(totals.size):
                    amount = puzzle.amounts[item, total]
                    if puzzle.low[total] > -(1 << 61) and best[total, 0] > least[total]:
                        share = (best[total, 0] - least[total]) / (empty + 1)
                        value -= level * max(0.0, (best[total, 0] - amount) / share - 1.0)
                    if puzzle.high[total] < (1 << 61) and best[total, 1] < most[total]:
                        share = (most[total] - best[total, 1]) / (empty + 1)
                        value -= level * max(0.0, (amount - best[total, 1]) / share - 1.0)
            if value < top:
                continue
            equal = equal + 1 if value == top else 1
            top = value
            if equal == 1 or xorshift_below(state, equal) == 0:
                chosen = item
    return chosen


@kernel
def _attempt(  # type: ignore[no-untyped-def]
    genome, used, totals, counts, distinct, missing, least, most, best, segments, plan, state, puzzle
):
    """Place the items of a genome and fill its empty slots; return whether the party is feasible."""
    slots = genome.size
    prefilled = np.empty(slots, dtype=np.int32)
    for slot in range(slots):
        prefilled[slot] = genome[slot]
        genome[slot] = -1
    empty = slots
    open_edges = puzzle.neighbours.size // 2
    points = np.int64(0)
    match, promise, level, price = plan.match, plan.promise, plan.level, plan.price
    if plan.spread > 1.0:
        low = 1.0 / plan.spread
        level *= low * (plan.spread / low) ** (xorshift_below(state, 1 << 30) / float(1 << 30))
        price *= low * (plan.spread / low) ** (xorshift_below(state, 1 << 30) / float(1 << 30))
    if puzzle.edge_points > 0:
        match /= puzzle.edge_points
        promise /= puzzle.edge_points
    while empty > 0:
        slot = -1
        for k in range(slots):
            if prefilled[k] >= 0:
                slot = k
                break
        if slot >= 0:
            item = prefilled[slot]
            prefilled[slot] = -1
            if used[item] or puzzle.places[puzzle.kinds[slot], item] < 0:
                return False
        else:
            slot = _next_slot(genome, plan.connected, state, puzzle)
            guided = 0.0 if xorshift_below(state, 1 << 30) < plan.chance * (1 << 30) else 1.0
            item = _choose(
                slot, genome, empty - 1, points, open_edges, used, totals, counts, distinct, missing, least, most, best,
                segments, guided * match, guided * promise, guided * level, guided * price, plan, state, puzzle,
            )  # fmt: skip
            if item < 0:
                return False
        for k in range(puzzle.neighbour_starts[slot], puzzle.neighbour_starts[slot + 1]):
            open_edges -= 1 if genome[puzzle.neighbours[k]] >= 0 else 0
        points += _put(slot, item, genome, used, totals, counts, distinct, missing, puzzle)
        empty -= 1
    if points < puzzle.demand:
        return False
    for total in range(totals.size):
        if totals[total] < puzzle.low[total] or totals[total] > puzzle.high[total]:
            return False
    for label in range(distinct.size):
        if distinct[label] < puzzle.distinct_low[label] or distinct[label] > puzzle.distinct_high[label]:
            return False
        for place in range(puzzle.label_starts[label], puzzle.label_starts[label + 1]):
            if counts[place] > puzzle.same_high[label]:
                return False
    return True


@kernel
def complete(genomes, barred, attempts, feasible, made, plan, state, puzzle):  # type: ignore[no-untyped-def]
    """Complete each genome (local numbers, -1 for an empty slot) in place, with up to `attempts` attempts each.

    The items in the row of `barred` (-1 for none) are not used. `feasible` receives whether each row is a feasible
    party, `made` the number of attempts.
    """
    slots = genomes.shape[1]
    terms = puzzle.codes.shape[1]
    used = np.zeros(puzzle.prices.size, dtype=np.bool_)
    counts = np.zeros(puzzle.label_starts[-1], dtype=np.int32)
    totals = np.zeros(puzzle.low.size, dtype=np.int64)
    least = np.zeros(puzzle.low.size, dtype=np.int64)
    most = np.zeros(puzzle.low.size, dtype=np.int64)
    best = np.zeros((puzzle.low.size, 2), dtype=np.int64)
    distinct = np.zeros(puzzle.same_high.size, dtype=np.int64)
    missing = np.zeros(puzzle.starts.size - 1, dtype=np.int64)
    segments = np.zeros((2 + 2 * slots * terms, 3), dtype=np.int64)
    genome = np.empty(slots, dtype=np.int32)
    for row in range(genomes.shape[0]):
        made[row] = 0
        feasible[row] = False
        for k in range(barred.shape[1]):
            if barred[row, k] >= 0:
                used[barred[row, k]] = True
        while made[row] < attempts and not feasible[row]:
            totals.fill(0)
            distinct.fill(0)
            missing.fill(0)
            for slot in range(slots):
                missing[puzzle.kinds[slot]] += 1
            for slot in range(slots):
                genome[slot] = genomes[row, slot]
            feasible[row] = _attempt(
                genome, used, totals, counts, distinct, missing, least, most, best, segments, plan, state, puzzle
            )
            made[row] += 1
            for slot in range(slots):
                if genome[slot] >= 0:
                    used[genome[slot]] = False
                    for label in range(distinct.size):
                        value = puzzle.labels[genome[slot], label]
                        if value >= 0:
                            counts[puzzle.label_starts[label] + value] = 0
        for k in range(barred.shape[1]):
            if barred[row, k] >= 0:
                used[barred[row, k]] = False
        if feasible[row] or made[row] == attempts:
            for slot in range(slots):
                genomes[row, slot] = genome[slot]
