"""Evaluation of column values in exact arithmetic: objective, violated rows, and the level at which they hold.

A float64 stands for the decimal that Python prints for it (`matheur.linear.decimals`), both in the model and in a
solution, so that the check applies to the numbers in the file. Rows that certainly hold are recognised in float64 with
an error bound; only the others are summed in rationals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.linear.decimals import exact, nearest_float, plain
from matheur.linear.model import LinearModel

__all__ = ["Assessment", "Level", "Violation", "activities", "assess", "judged_activities", "rounded", "settled"]

_ERROR = 8 * np.finfo(np.float64).eps
"""Bound on the relative error of a product of two decimals in float64, and of adding it."""
_OFF = 1e-9
"""Relative to a side: what a row may be off before a column of its own is set again."""
_SETTLED = 100
"""Rows for which this is done, each in rationals."""


class Level(Enum):
    """How well a solution holds.

    A row, a bound or an integer column with violation `d` holds within a tolerance `t` if `d <= t * max(1, |side|)`.
    """

    EXACT = "exact"  # in rationals
    NINE = "1e-9"
    SIX = "1e-6"
    BROKEN = "broken"

    @property
    def tolerance(self) -> Fraction:
        """Largest violation allowed, relative to the side."""
        return {"exact": Fraction(0), "1e-9": Fraction(1, 10**9), "1e-6": Fraction(1, 10**6)}[self.value]


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated row, bound or integrality requirement.

    Attributes
    ----------
    kind
        `row`, `bound` or `integrality`.
    name
        Name of the row or the column.
    value
        Activity of the row, or value of the column.
    side
        The violated limit; the nearest integer for an integer column.
    """

    kind: str
    name: str
    value: Fraction
    side: Fraction

    @property
    def amount(self) -> Fraction:
        """Absolute violation."""
        return abs(self.value - self.side)

    @property
    def relative(self) -> Fraction:
        """Violation relative to the side if the side is larger than 1."""
        return self.amount if self.kind == "integrality" else self.amount / max(Fraction(1), abs(self.side))

    def __str__(self) -> str:
        value, side, amount = _shown(self.value), _shown(self.side), f"{nearest_float(self.amount):.3g}"
        if self.kind == "integrality":
            return f"column {self.name} is {value}, not a whole number (off by {amount})"
        sense = "<=" if self.value > self.side else ">="
        return (
            f"{'row' if self.kind == 'row' else 'column'} {self.name} is {value}, not {sense} {side} (off by {amount})"
        )


def _shown(number: Fraction) -> str:
    try:
        text = plain(number)
    except ValueError:
        return repr(nearest_float(number))
    return text if len(text) <= 24 and "e" not in text else repr(nearest_float(number))


@dataclass(frozen=True)
class Assessment:
    """Values of the columns, checked.

    Attributes
    ----------
    objective
        Exact objective in the sense of the model.
    violations
        All violations, worst first.
    """

    objective: Fraction
    violations: tuple[Violation, ...]

    @cached_property
    def level(self) -> Level:
        """How well the values hold."""
        worst = max((violation.relative for violation in self.violations), default=Fraction(0))
        return next((level for level in (Level.EXACT, Level.NINE, Level.SIX) if worst <= level.tolerance), Level.BROKEN)


def assess(model: LinearModel, values: NDArray[np.float64]) -> Assessment:
    """Check values of the columns in exact arithmetic.

    Raises
    ------
    ValueError
        If there is not one finite value for each column.
    """
    values = np.asarray(values, dtype=np.float64)
    if values.shape != (model.width,):
        raise ValueError(f"a solution has {model.width} values, not {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"the value of {model.column_names[int(np.argmin(np.isfinite(values)))]} is not a number")
    numbers = _Numbers(values)
    found = [*_columns(model, values, numbers), *_rows(model, values, numbers)]
    found.sort(key=lambda violation: -violation.relative)
    used = np.flatnonzero((model.cost != 0) & (values != 0)).tolist()
    objective = sum((model.number("cost", column) * numbers[column] for column in used), model.number("offset"))
    return Assessment(objective, tuple(found))


class _Numbers(dict[int, Fraction]):
    """Values of columns as decimals, computed on demand."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        super().__init__()
        self._values = values

    def __missing__(self, column: int) -> Fraction:
        number = self[column] = exact(float(self._values[column]))
        return number


def _columns(model: LinearModel, values: NDArray[np.float64], numbers: _Numbers) -> Iterator[Violation]:
    near = np.abs(values) * _ERROR
    for array, passed in (("lower", values < model.lower + near), ("upper", values > model.upper - near)):
        finite = np.isfinite(getattr(model, array))
        for column in np.flatnonzero(passed & finite).tolist():
            side = model.number(array, column)
            if numbers[column] < side if array == "lower" else numbers[column] > side:
                yield Violation("bound", model.column_names[column], numbers[column], side)
    for column in np.flatnonzero(model.integral & (values != np.rint(values))).tolist():
        yield Violation("integrality", model.column_names[column], numbers[column], Fraction(round(numbers[column])))


def _rows(model: LinearModel, values: NDArray[np.float64], numbers: _Numbers) -> Iterator[Violation]:
    activity, error, sizes = activities(model, values)
    error[_exact_in_floats(model, values, sizes)] = 0
    with np.errstate(over="ignore", invalid="ignore"):
        sure = (activity - error >= model.row_lower) & (activity + error <= model.row_upper)
    for row in np.flatnonzero(~sure).tolist():
        total = activity_of(model, row, numbers)
        for array in ("row_lower", "row_upper"):
            if np.isfinite(getattr(model, array)[row]):
                side = model.number(array, row)
                if total < side if array == "row_lower" else total > side:
                    yield Violation("row", model.row_names[row], total, side)


def activities(
    model: LinearModel, values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Activities of the rows in float64, bounds of their errors and of those of the sides, sums of absolute terms."""
    terms = model.terms(values)
    activity, sizes = model.row_sums(terms), model.row_sums(np.abs(terms))
    with np.errstate(over="ignore", invalid="ignore"):
        sides = [np.where(np.isfinite(side), np.abs(side), 0) for side in (model.row_lower, model.row_upper)]
        error = (np.diff(model.starts) + 2) * _ERROR * np.maximum(sizes, np.maximum(*sides))
    return activity, error + np.finfo(np.float64).tiny, sizes


def judged_activities(model: LinearModel, values: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
    """Activities of the rows in float64; those that may be on either side of a tolerance are computed exactly.

    Parameters
    ----------
    tolerance
        Relative to the side, if that is larger than 1; above 0.
    """
    activity, error, sizes = activities(model, values)
    with np.errstate(over="ignore", invalid="ignore"):
        room = [
            tolerance * np.maximum(1, np.where(np.isfinite(s), np.abs(s), 0))
            for s in (model.row_lower, model.row_upper)
        ]
        below, above = model.row_lower - room[0] - activity, activity - model.row_upper - room[1]
        close = ((np.abs(below) <= error) | (np.abs(above) <= error)) & np.isfinite(activity)
    if close.any():
        close &= ~_exact_in_floats(model, values, sizes)
    numbers = _Numbers(values)
    for row in np.flatnonzero(close).tolist():
        activity[row] = float(activity_of(model, row, numbers))
    return activity


def _exact_in_floats(model: LinearModel, values: NDArray[np.float64], sizes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Rows with integral terms that float64 sums, and compares with the sides, without error.

    A fractional side as float64 is on the same side of every integer as its decimal.
    """
    factors = values[model.columns]
    odd = (factors != 0) & ((model.data % 1 != 0) | (factors % 1 != 0))
    owner = model.rows
    plain = sizes < 2.0**52
    plain[owner[odd]] = False
    for array, index in model.digits:
        if array == "data":
            plain[owner[index]] = False
        elif array in ("row_lower", "row_upper"):
            plain[index] = False
    return plain


def activity_of(model: LinearModel, row: int, numbers: Any) -> Fraction:
    """Activity of a row, in rationals."""
    total = Fraction(0)
    for place in range(int(model.starts[row]), int(model.starts[row + 1])):
        number = numbers[int(model.columns[place])]
        if number:
            total += model.number("data", place) * number
    return total


def rounded(model: LinearModel, values: NDArray[np.float64], tolerance: float = 1e-6) -> NDArray[np.float64]:
    """Values with nearly integral values of integer columns rounded."""
    values = np.array(values, dtype=np.float64)
    whole = np.rint(values)
    near = model.integral & (np.abs(values - whole) <= tolerance)
    values[near] = whole[near]
    return values + 0.0


def settled(model: LinearModel, values: NDArray[np.float64], *, whole: bool = True) -> NDArray[np.float64]:
    """`rounded` values, with rows corrected as far as possible by a continuous column that occurs in no other row.

    Such a column has a single coefficient, such as a cost or a makespan defined by a row. Solvers satisfy rows with
    large numbers only to some digits: a cost that is a sum of millions may be off by more than the 1e-6 of a check.

    Parameters
    ----------
    whole
        Whether integer columns are rounded, too.
    """
    values = rounded(model, values, 1e-6 if whole else 0.0)
    if not np.isfinite(values).all():
        return values
    activity = model.row_sums(model.terms(values))
    limits = (model.row_lower, model.row_upper)
    low, high = (np.where(np.isfinite(side), _OFF * np.maximum(1, np.abs(side)), 0) for side in limits)
    broken = np.flatnonzero((activity < model.row_lower - low) | (activity > model.row_upper + high))
    owned, numbers = model.own_columns, _Numbers(values)  # the columns that are set occur in no other row
    for row in [row for row in broken.tolist() if row in owned][:_SETTLED]:
        place = owned[row]
        column = int(model.columns[place])
        total = activity_of(model, row, numbers)
        array = "row_lower" if activity[row] < model.row_lower[row] else "row_upper"
        missing = model.number(array, row) - total
        wanted = numbers[column] + missing / model.number("data", place)
        values[column] = min(max(float(wanted), model.lower[column]), model.upper[column])
    return values
