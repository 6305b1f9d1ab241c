"""Data structures of the kernels of the moves on parties.

A *place* is an index of `Tables.candidates`, so it identifies a kind of slots and an item that fits there; the items of
a kind are contiguous, by ascending price. A party is one place per slot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["BEST", "LOOKED", "POINTS", "PRICE", "Puzzle", "State"]

PRICE, POINTS, BEST, LOOKED = 0, 1, 2, 3
"""Indices of `State.sums`."""


class Puzzle(NamedTuple):
    """Input of the kernels; arrays as in `Tables` unless stated otherwise."""

    prices: Any  # by place
    kinds: Any
    starts: Any
    items: Any  # by place
    places: Any
    codes: Any  # int32, shape (terms, places): value number + 1, 0 for an empty cell
    groups: Any  # int32, shape (terms, places): row of the term's table + 1, 0 for an empty cell
    plain: Any  # whether different values never give points
    same: Any
    other: Any
    table: Any
    table_starts: Any
    table_sizes: Any
    demand: Any
    edge_points: Any
    neighbour_starts: Any
    neighbours: Any
    amounts: Any  # int64, shape (totals, places)
    low: Any
    high: Any
    labels: Any  # int32, shape (labels, places): index of the value in `State.counts`, -1 for an empty cell
    distinct_low: Any
    distinct_high: Any
    same_high: Any
    by_value: Any
    value_starts: Any
    rule_kinds: Any
    rule_slots: Any
    rule_low: Any
    rule_high: Any
    rule_most: Any
    rule_each: Any
    rule_amounts: Any  # int64, shape (rules, places)
    rule_full: Any  # bool, shape (rules, places): in position, and full there
    rule_first: Any
    bins: Any  # int32, shape (bins, places): index of the value in `State.bins`, -1 for none, or out of position
    levels: Any
    varied: Any  # whether the contribution of an item depends on the kind, so that exchanges change more than points
    free: Any  # int64: slots with a choice
    pairs: Any  # int64, shape (pairs, 2): slots that have candidates in common


class State(NamedTuple):
    """A party and derived quantities; `reset` computes the rest from `party`, `weights` and `random`."""

    party: Any  # int64, shape (slots,): places
    best: Any  # int64, shape (slots,): the cheapest feasible party found
    used: Any  # bool, shape (n,)
    sums: Any  # int64: price, points, price of the best party, items evaluated
    totals: Any  # int64
    counts: Any  # int32: number of occurrences of each value of each label
    distinct: Any  # int64: values that occur, by label
    excess: Any  # int64: by label, items beyond `same_high`
    bins: Any  # int32: number of occurrences of each value of each bin
    equal: Any  # int64, shape (terms, values + 1): points with the neighbours of the emptied slot, by code
    listed: Any  # int64, shape (terms, rows + 1): the same by group
    weights: Any  # float64: of a point, of the totals, of `distinct`, of `excess`, of the rules
    middle: Any  # float64: initial weights
    violated: Any  # int64: steps since the last update in which the demand was violated
    segments: Any  # int64, shape (any, 3): buffer for `_segments`
    random: Any  # uint64
