"""Linear demands on the chosen items."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

__all__ = ["Constraint", "CountConstraint", "DistinctConstraint", "MaxSameConstraint", "Op", "SumConstraint", "holds"]

Op: TypeAlias = Literal[">=", "<=", "=="]


def holds(left: Fraction | int, op: Op, right: Fraction | int) -> bool:
    """Whether `left op right`."""
    return left >= right if op == ">=" else left <= right if op == "<=" else left == right


@dataclass(frozen=True, slots=True)
class SumConstraint:
    """Sum of a measure over the chosen items `op` value; an item without the number cannot be chosen."""

    column: str
    op: Op
    value: Fraction

    def __str__(self) -> str:
        return f"sum of {self.column} {self.op} {_shown(self.value)}"


@dataclass(frozen=True, slots=True)
class CountConstraint:
    """Number of chosen items whose trait has one of the values `op` value."""

    column: str
    values: tuple[str, ...]
    op: Op
    value: Fraction

    def __str__(self) -> str:
        among = self.values[0] if len(self.values) == 1 else " or ".join(self.values)
        return f"count of {self.column} {among} {self.op} {_shown(self.value)}"


@dataclass(frozen=True, slots=True)
class DistinctConstraint:
    """Number of different non-empty values of a trait among the chosen items `op` value."""

    column: str
    op: Op
    value: Fraction

    def __str__(self) -> str:
        return f"distinct {self.column} {self.op} {_shown(self.value)}"


@dataclass(frozen=True, slots=True)
class MaxSameConstraint:
    """No non-empty value of a trait occurs in more than `value` chosen items."""

    column: str
    value: Fraction

    def __str__(self) -> str:
        return f"at most {_shown(self.value)} of the same {self.column}"


Constraint: TypeAlias = SumConstraint | CountConstraint | DistinctConstraint | MaxSameConstraint


def _shown(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"
