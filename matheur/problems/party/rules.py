"""Demands that are not sums over the items: their exact measurement, and their limits in whole numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from matheur.problems.party.catalogue import Catalogue
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    MinSameConstraint,
    SquadRatingConstraint,
)

if TYPE_CHECKING:
    from matheur.problems.party.instance import Instance

__all__ = ["Rule", "chemistry_of", "is_rule", "most_of_the_same", "rating_range", "rating_total", "squad_rating"]

Rule = MinSameConstraint | SquadRatingConstraint | ChemistryConstraint


def is_rule(constraint: Constraint) -> bool:
    """Whether the constraint belongs to this module: it is not a sum and does not count items or values."""
    return isinstance(constraint, Rule)


def most_of_the_same(catalogue: Catalogue, column: str, items: Sequence[int]) -> tuple[str, int]:
    """Return the most frequent value of a trait and its number of items; an empty text and 0 if all cells are empty."""
    trait = catalogue.traits[column]
    cells = Counter(value for item in items if (value := trait.value(item)) is not None)
    return max(cells.items(), key=lambda pair: pair[1], default=("", 0))


def rating_total(amounts: Sequence[int]) -> int:
    """Return n (S + E) of n numbers: n times their sum plus n times the sum of their excesses over the mean.

    It is a whole number and increases with each of the numbers.
    """
    count, total = len(amounts), sum(amounts)
    return count * total + sum(max(0, count * amount - total) for amount in amounts)


def squad_rating(amounts: Sequence[int], scale: int, constraint: SquadRatingConstraint) -> int:
    """Return the rating of a squad, see `SquadRatingConstraint`; the numbers are amounts / scale."""
    count = len(amounts)
    total = Fraction(rating_total(amounts), count * scale)
    if constraint.rounding == "nearest":
        total = Fraction(math.floor(total + Fraction(1, 2)))
    return math.floor(total / count)


def rating_range(constraint: SquadRatingConstraint, count: int, scale: int) -> tuple[int | None, int | None]:
    """Return the smallest and largest `rating_total` of `count` amounts with which the demand holds; None for no limit.

    If no whole number satisfies an equation, the smallest total is above the largest.
    """
    low = None if constraint.op == "<=" else _least_total(math.ceil(constraint.value), constraint, count, scale)
    high = None if constraint.op == ">=" else _least_total(math.floor(constraint.value) + 1, constraint, count, scale)
    return low, None if high is None else high - 1


def _least_total(rating: int, constraint: SquadRatingConstraint, count: int, scale: int) -> int:
    """Return the smallest total of a squad with this rating: S + E must reach n times it, or half a point less."""
    half = Fraction(1, 2) if constraint.rounding == "nearest" else Fraction(0)
    return math.ceil((rating * count - half) * count * scale)


def chemistry_of(instance: Instance, constraint: ChemistryConstraint, items: Sequence[int]) -> list[int]:
    """Return the points of each item in the slots of the constraint; `items` contains the items of all slots."""
    catalogue = instance.catalogue
    slots = range(len(instance.slots)) if constraint.scope is None else constraint.scope.slots
    placed = [slot for slot in slots if instance.in_position[slot, items[slot]]]
    points = dict.fromkeys(slots, 0)
    for group in constraint.groups:
        trait = catalogue.traits[group.column]
        counts = Counter(int(trait.codes[items[slot]]) for slot in placed)
        for slot in placed:
            code = int(trait.codes[items[slot]])
            points[slot] += 0 if code < 0 else sum(counts[code] >= step for step in group.steps)
    if constraint.full is not None:
        column, values = constraint.full
        for slot in placed:
            if catalogue.traits[column].value(items[slot]) in values:
                points[slot] = constraint.most
    return [min(points[slot], constraint.most) for slot in slots]
