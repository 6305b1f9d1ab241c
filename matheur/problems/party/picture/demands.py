"""Demands with their values, limits and slacks, exact."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    MinSameConstraint,
    Op,
    SquadRatingConstraint,
    SumConstraint,
    holds,
    measures_of,
    slots_of,
)
from matheur.problems.party.instance import Instance
from matheur.problems.party.picture.words import amount, counted
from matheur.problems.party.rules import chemistry_of, most_of_the_same, squad_rating
from matheur.problems.pictures import readable

__all__ = ["Demand", "demands_of"]

_POINTS_MAX = 100_000  # a synergy with more points than this is shown as a number only


@dataclass(frozen=True, slots=True)
class Demand:
    """A demand as `value op limit`.

    Attributes
    ----------
    name
        Demand in words, with the limit.
    what
        Value in words.
    value
        Value of the party; None without a party.
    slack
        Amount by which the value may change before the demand fails; negative if it fails.
    remark
        Remark about the value, possibly empty.
    """

    name: str
    what: str
    op: Op
    limit: Fraction
    value: Fraction | None = None
    remark: str = ""

    @property
    def slack(self) -> Fraction | None:
        if self.value is None:
            return None
        more = self.value - self.limit
        return more if self.op == ">=" else -more if self.op == "<=" else -abs(more)

    @property
    def ok(self) -> bool | None:
        """Whether the demand holds; None without a party."""
        return None if self.value is None else holds(self.value, self.op, self.limit)


def demands_of(one: Instance, items: list[int] | None, synergy: Fraction | None) -> tuple[Demand, ...]:
    """Return the demand on the synergy, if any, then the constraints; without values if there are no items."""
    demands = []
    if one.synergy is not None and one.synergy.minimum is not None:
        least, points, said = one.synergy.minimum, one.points, ""
        if points is not None and points.unit <= _POINTS_MAX:
            said = f"at least {points.demand:,} of {points.unit:,} points"
            if synergy is not None:
                said = f"{int(synergy * points.unit):,} of {points.unit:,} points, {points.demand:,} needed"
        demands.append(Demand(f"synergy >= {amount(least)}", "synergy", ">=", least, synergy, said))
    return (*demands, *(_demand(one, constraint, items) for constraint in one.constraints))


def _demand(one: Instance, constraint: Constraint, items: list[int] | None) -> Demand:
    op: Op
    if isinstance(constraint, MaxSameConstraint):
        op, what = "<=", f"most of the same {constraint.column}"
    elif isinstance(constraint, MinSameConstraint):
        op, what = ">=", f"most of the same {constraint.column}"
    else:
        op, what = constraint.op, str(constraint).rsplit(f" {constraint.op} ", 1)[0]
    value, remark = (None, "") if items is None else _value(one, constraint, items)
    return Demand(readable(str(constraint), 200), readable(what, 160), op, constraint.value, value, remark)


def _value(one: Instance, constraint: Constraint, items: list[int]) -> tuple[Fraction, str]:
    """Return the value that is compared with the limit, and a remark; `items` contains the items of all slots."""
    catalogue = one.catalogue
    if isinstance(constraint, ChemistryConstraint):
        points = chemistry_of(one, constraint, items)
        poor = sum(own < constraint.each for own in points)
        return Fraction(sum(points)), f"{counted(poor, 'item')} with fewer than {constraint.each}" if poor else ""
    items = [items[slot] for slot in slots_of(constraint, len(items))]
    for column in measures_of(constraint):
        measure = catalogue.measures[column]
        lacking = sum(bool(measure.missing[item]) for item in items)
        total = sum((measure.number(item) for item in items), Fraction(0))
        said = f"{counted(lacking, 'item')} without" if lacking else f"{amount(total / len(items), 2)} on average"
        if isinstance(constraint, SumConstraint):
            return total, said
        assert isinstance(constraint, SquadRatingConstraint)
        return Fraction(squad_rating([int(measure.amounts[item]) for item in items], measure.scale, constraint)), said
    if isinstance(constraint, MaxSameConstraint | MinSameConstraint):
        name, count = most_of_the_same(catalogue, constraint.column, items)
        return Fraction(count), f"of '{readable(name, 40)}'" if count > 1 else ""
    trait = catalogue.traits[constraint.column]
    cells = Counter(cell for item in items if (cell := trait.value(item)) is not None)
    if isinstance(constraint, CountConstraint):
        return Fraction(sum(cells[value] for value in set(constraint.values))), ""
    assert isinstance(constraint, DistinctConstraint)
    return Fraction(len(cells)), ""
