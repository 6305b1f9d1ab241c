"""Demands on the chosen items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

__all__ = [
    "ChemistryConstraint",
    "Constraint",
    "CountConstraint",
    "DistinctConstraint",
    "Group",
    "MaxSameConstraint",
    "MinSameConstraint",
    "Op",
    "Rounding",
    "Scope",
    "SquadRatingConstraint",
    "SumConstraint",
    "holds",
    "measures_of",
    "slots_of",
    "traits_of",
]

Op: TypeAlias = Literal[">=", "<=", "=="]
Rounding: TypeAlias = Literal["down", "nearest"]


def holds(left: Fraction | int, op: Op, right: Fraction | int) -> bool:
    """Whether `left op right`."""
    return left >= right if op == ">=" else left <= right if op == "<=" else left == right


@dataclass(frozen=True, slots=True)
class Scope:
    """Slots that a demand applies to, such as those of one of several squads.

    Attributes
    ----------
    name
        Display name; empty if the set of slots has no name.
    slots
        Slot numbers, ascending, at least one.
    """

    name: str = field(compare=False, repr=False)
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SumConstraint:
    """Sum of a measure over the chosen items `op` value; an item without the number cannot be chosen.

    Attributes
    ----------
    scope
        Slots that the constraint applies to; None for all slots. All other constraints have the same attribute.
    """

    column: str
    op: Op
    value: Fraction
    scope: Scope | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return _scoped(self.scope, f"sum of {self.column} {self.op} {_shown(self.value)}")


@dataclass(frozen=True, slots=True)
class CountConstraint:
    """Number of chosen items whose trait has one of the values `op` value.

    Attributes
    ----------
    span
        Range of numbers (None for no limit) that selected the values from those of the table; None if they were listed.
    """

    column: str
    values: tuple[str, ...]
    op: Op
    value: Fraction
    scope: Scope | None = field(default=None, repr=False)
    span: tuple[Fraction | None, Fraction | None] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        among = " or ".join(self.values) if self.span is None else _spanned(*self.span)
        return _scoped(self.scope, f"count of {self.column} {among} {self.op} {_shown(self.value)}")


@dataclass(frozen=True, slots=True)
class DistinctConstraint:
    """Number of distinct non-empty values of a trait among the chosen items `op` value."""

    column: str
    op: Op
    value: Fraction
    scope: Scope | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return _scoped(self.scope, f"distinct {self.column} {self.op} {_shown(self.value)}")


@dataclass(frozen=True, slots=True)
class MaxSameConstraint:
    """No non-empty value of a trait occurs in more than `value` chosen items."""

    column: str
    value: Fraction
    scope: Scope | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return _scoped(self.scope, f"at most {_shown(self.value)} of the same {self.column}")


@dataclass(frozen=True, slots=True)
class MinSameConstraint:
    """Some non-empty value of a trait, no matter which, occurs in at least `value` chosen items."""

    column: str
    value: Fraction
    scope: Scope | None = field(default=None, repr=False)

    def __str__(self) -> str:
        return _scoped(self.scope, f"at least {_shown(self.value)} of the same {self.column}")


@dataclass(frozen=True, slots=True)
class SquadRatingConstraint:
    """Rating of the whole squad, in whole numbers, `op` value; an item without the number cannot be chosen.

    Let S be the sum of the n numbers, and E the sum of the amounts by which single numbers exceed the mean S / n. The
    rating is (S + E) / n, rounded down. With the rounding `nearest`, S + E is first rounded to a whole number (halves
    up).
    """

    column: str
    op: Op
    value: Fraction
    rounding: Rounding = "down"
    scope: Scope | None = None

    def __str__(self) -> str:
        return _scoped(self.scope, f"squad rating of {self.column} {self.op} {_shown(self.value)}")


@dataclass(frozen=True, slots=True)
class Group:
    """A trait whose equal values give chemistry.

    Attributes
    ----------
    column
        Column of the trait.
    steps
        Thresholds, ascending: each threshold that the number of items with a value reaches gives each of these items
        one more point.
    """

    column: str
    steps: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChemistryConstraint:
    """Chemistry by thresholds: total points of all items `op` value.

    Items with the same value of a group's trait are counted if they are in position. An item in position receives the
    sum of the points of its groups, at most `most`; an item out of position receives none.

    Attributes
    ----------
    groups
        Groups, at least one.
    most
        Maximum number of points of an item.
    each
        Minimum number of points of every item.
    full
        Trait and values: items with one of the values have `most` points whenever they are in position, and count like
        all others. None for no such items.
    """

    groups: tuple[Group, ...]
    op: Op
    value: Fraction
    most: int = 3
    each: int = 0
    full: tuple[str, tuple[str, ...]] | None = None
    scope: Scope | None = None

    @property
    def column(self) -> str:
        """Name of the demand, in place of its several columns."""
        return "chemistry"

    def __str__(self) -> str:
        every = f", {self.each} for each item" if self.each else ""
        return _scoped(self.scope, f"chemistry {self.op} {_shown(self.value)}{every}")


Constraint: TypeAlias = (
    SumConstraint
    | CountConstraint
    | DistinctConstraint
    | MaxSameConstraint
    | MinSameConstraint
    | SquadRatingConstraint
    | ChemistryConstraint
)


def measures_of(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of numbers that the constraint requires of every item."""
    return (constraint.column,) if isinstance(constraint, SumConstraint | SquadRatingConstraint) else ()


def traits_of(constraint: Constraint) -> tuple[str, ...]:
    """Return the columns of text that the constraint reads."""
    if isinstance(constraint, ChemistryConstraint):
        full = () if constraint.full is None else (constraint.full[0],)
        return tuple(dict.fromkeys([*(group.column for group in constraint.groups), *full]))
    return () if measures_of(constraint) else (constraint.column,)


def slots_of(constraint: Constraint, slots: int) -> Sequence[int]:
    """Return the numbers of the slots that the constraint applies to; `slots` is the number of all slots."""
    return range(slots) if constraint.scope is None else constraint.scope.slots


def _scoped(scope: Scope | None, text: str) -> str:
    return f"{scope.name}: {text}" if scope is not None and scope.name else text


def _spanned(least: Fraction | None, most: Fraction | None) -> str:
    if least is None or most is None:
        return f"{_shown(least)} or more" if least is not None else f"{_shown(most or Fraction(0))} or less"
    return _shown(least) if least == most else f"{_shown(least)} to {_shown(most)}"


def _shown(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"
