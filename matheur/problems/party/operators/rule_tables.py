"""Demands that are not sums over the items, as integer arrays: part of `Tables`."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.constraints import ChemistryConstraint, MinSameConstraint, SquadRatingConstraint, slots_of
from matheur.problems.party.instance import Instance
from matheur.problems.party.rules import is_rule, rating_range

__all__ = ["CHEMISTRY", "RATING", "SAME", "RuleTables", "rule_tables"]

SAME, RATING, CHEMISTRY = 0, 1, 2
"""Kinds of rules."""


@dataclass(frozen=True, eq=False)
class RuleTables:
    """All rules of an instance: `min_same`, `squad_rating` and `chemistry`.

    A rule counts the values of its *bins*: one for `min_same`, one for each group of a chemistry, none for a rating.

    Attributes
    ----------
    kinds
        Kind of each rule: `SAME`, `RATING` or `CHEMISTRY`. Shape (rules,), int64.
    slots
        Whether a rule applies to a slot. Shape (rules, slots), bool.
    low, high
        Range of the largest number of equal values, the `rating_total` or the points. Shape (rules,), int64.
    most, each
        Maximum and minimum number of points of an item. Shape (rules,), int64.
    amounts
        Contribution of each item to a rating, 0 for other rules. Shape (n, rules), int64.
    full
        Whether an item has `most` points in position. Shape (n, rules), bool.
    first
        First bin of each rule: the bins of rule r are `first[r]` to `first[r + 1]` - 1. Shape (rules + 1,), int64.
    codes
        Value number of each item by bin, -1 for an empty cell. Shape (n, bins), int32.
    sizes
        Number of values of each bin. Shape (bins,), int32.
    levels
        Points of an item by the number of items with its value. Shape (bins, slots + 1), int64.
    """

    kinds: NDArray[np.int64]
    slots: NDArray[np.bool_]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    most: NDArray[np.int64]
    each: NDArray[np.int64]
    amounts: NDArray[np.int64]
    full: NDArray[np.bool_]
    first: NDArray[np.int64]
    codes: NDArray[np.int32]
    sizes: NDArray[np.int32]
    levels: NDArray[np.int64]


def rule_tables(instance: Instance, items: NDArray[np.int32], unbounded: int) -> RuleTables:
    """Return the rules of an instance on these items of its catalogue.

    Raises
    ------
    OverflowError
        If a rating needs too many bits.
    """
    rules = [one for one in instance.constraints if is_rule(one)]
    catalogue, slots = instance.catalogue, len(instance.slots)
    kinds, ranges, most, each = [], [], [], []
    amounts = np.zeros((len(items), len(rules)), dtype=np.int64)
    full = np.zeros((len(items), len(rules)), dtype=np.bool_)
    bins: list[tuple[str, list[int]]] = []
    first = [0]
    for number, one in enumerate(rules):
        limits: tuple[int | None, int | None]
        own, points = 0, 0
        if isinstance(one, SquadRatingConstraint):
            measure, count = catalogue.measures[one.column], len(slots_of(one, slots))
            amounts[:, number] = measure.amounts[items]
            limits = rating_range(one, count, measure.scale)
            if 2 * count * count * int(np.abs(amounts[:, number]).max(initial=0)) >= unbounded:
                raise OverflowError("prices or amounts have too many digits")
        elif isinstance(one, ChemistryConstraint):
            low, high = math.ceil(one.value), math.floor(one.value)
            limits = (None if one.op == "<=" else low), (None if one.op == ">=" else high)
            bins += [
                (group.column, [sum(step <= count for step in group.steps) for count in range(slots + 1)])
                for group in one.groups
            ]
            own, points = one.most, one.each
            if one.full is not None:
                column, values = one.full
                full[:, number] = catalogue.traits[column].among(values)[items]
        else:
            assert isinstance(one, MinSameConstraint)
            limits = math.ceil(one.value), None
            bins.append((one.column, [0] * (slots + 1)))
        kinds.append(_KINDS[type(one)])
        ranges.append([-unbounded if limits[0] is None else limits[0], unbounded if limits[1] is None else limits[1]])
        most.append(own)
        each.append(points)
        first.append(len(bins))
    codes = np.array([catalogue.traits[column].codes[items] for column, _ in bins], dtype=np.int32)
    within = np.clip(np.array(ranges, dtype=object).reshape(-1, 2), -unbounded, unbounded).astype(np.int64)
    return RuleTables(
        kinds=np.array(kinds, dtype=np.int64),
        slots=np.array([[s in slots_of(one, slots) for s in range(slots)] for one in rules], dtype=np.bool_).reshape(
            -1, slots
        ),
        low=np.ascontiguousarray(within[:, 0]),
        high=np.ascontiguousarray(within[:, 1]),
        most=np.array(most, dtype=np.int64),
        each=np.array(each, dtype=np.int64),
        amounts=amounts,
        full=full,
        first=np.array(first, dtype=np.int64),
        codes=np.ascontiguousarray(codes.reshape(len(bins), len(items)).T),
        sizes=np.array([len(catalogue.traits[column].values) for column, _ in bins], dtype=np.int32),
        levels=np.array([levels for _, levels in bins], dtype=np.int64).reshape(-1, slots + 1),
    )


_KINDS: dict[type, int] = {MinSameConstraint: SAME, SquadRatingConstraint: RATING, ChemistryConstraint: CHEMISTRY}
