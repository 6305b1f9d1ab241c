"""Kernels that measure the violation of the demands on a party."""

from __future__ import annotations

import numpy as np

from matheur.kernels import kernel
from matheur.problems.party.operators.move_state import POINTS
from matheur.problems.party.operators.rule_tables import RATING, SAME

__all__ = ["broken", "count_violations", "outside", "violations"]


@kernel
def outside(number, low, high):  # type: ignore[no-untyped-def]
    """Distance of a number from a range."""
    return max(low - number, np.int64(0)) + max(number - high, np.int64(0))


@kernel
def broken(rule, slot, place, state, puzzle):  # type: ignore[no-untyped-def]
    """Violation of a rule with a place in the emptied slot; slot -1 means the party as it is."""
    party, bins, counts, slots = state.party, puzzle.bins, state.bins, puzzle.rule_slots
    first, last = puzzle.rule_first[rule], puzzle.rule_first[rule + 1]
    low, high = puzzle.rule_low[rule], puzzle.rule_high[rule]
    if puzzle.rule_kinds[rule] == RATING:
        amounts = puzzle.rule_amounts
        count, total = np.int64(0), np.int64(0)
        for s in range(party.size):
            if slots[rule, s]:
                count += 1
                total += amounts[rule, place if s == slot else party[s]]
        rating = count * total
        for s in range(party.size):
            if slots[rule, s]:
                rating += max(count * amounts[rule, place if s == slot else party[s]] - total, np.int64(0))
        return outside(rating, low, high)
    found, short = np.int64(0), np.int64(0)
    for s in range(party.size):
        if not slots[rule, s]:
            continue
        here = place if s == slot else party[s]
        points = np.int64(0)
        if puzzle.rule_full[rule, here]:
            points = puzzle.rule_most[rule]
        else:
            for k in range(first, last):
                where = bins[k, here]
                if where < 0:
                    continue
                # The place in the emptied slot is not counted yet.
                count = np.int64(counts[where]) + (1 if slot >= 0 and where == bins[k, place] else 0)
                points += count if puzzle.rule_kinds[rule] == SAME else puzzle.levels[k, count]
        if puzzle.rule_kinds[rule] == SAME:
            found = max(found, points)
        else:
            points = min(points, puzzle.rule_most[rule])
            found += points
            short += max(puzzle.rule_each[rule] - points, np.int64(0))
    return outside(found, low, high) + short


@kernel
def violations(state, puzzle):  # type: ignore[no-untyped-def]
    """Weighted violations of the party."""
    totals, labels = state.totals.size, state.distinct.size
    cost = state.weights[0] * max(puzzle.demand - state.sums[POINTS], np.int64(0))
    for total in range(totals):
        cost += state.weights[1 + total] * outside(state.totals[total], puzzle.low[total], puzzle.high[total])
    for label in range(labels):
        beyond = outside(state.distinct[label], puzzle.distinct_low[label], puzzle.distinct_high[label])
        cost += state.weights[1 + totals + label] * beyond
        cost += state.weights[1 + totals + labels + label] * state.excess[label]
    for rule in range(puzzle.rule_kinds.size):
        cost += state.weights[1 + totals + 2 * labels + rule] * broken(rule, -1, np.int64(0), state, puzzle)
    return cost


@kernel
def count_violations(state, puzzle):  # type: ignore[no-untyped-def]
    """Count each violated demand in `violated` and return whether the party is feasible."""
    totals, labels = state.totals.size, state.distinct.size
    feasible = state.sums[POINTS] >= puzzle.demand
    state.violated[0] += 0 if feasible else 1
    for total in range(totals):
        if outside(state.totals[total], puzzle.low[total], puzzle.high[total]) > 0:
            state.violated[1 + total] += 1
            feasible = False
    for label in range(labels):
        if outside(state.distinct[label], puzzle.distinct_low[label], puzzle.distinct_high[label]) > 0:
            state.violated[1 + totals + label] += 1
            feasible = False
        if state.excess[label] > 0:
            state.violated[1 + totals + labels + label] += 1
            feasible = False
    for rule in range(puzzle.rule_kinds.size):
        if broken(rule, -1, np.int64(0), state, puzzle) > 0:
            state.violated[1 + totals + 2 * labels + rule] += 1
            feasible = False
    return feasible
