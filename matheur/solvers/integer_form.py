"""A linear model, from Pyomo or arrays, with integer data, for solvers that support only integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyomo.common.errors import InfeasibleConstraintException, PyomoException
from pyomo.core import Var, maximize
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler
from scipy.sparse import csr_array

from matheur.errors import FailedSolveError, SolverError
from matheur.solvers.answers import resting_value
from matheur.solvers.linear_task import LinearTask

__all__ = ["IntegerForm", "IntegerRow"]

LARGEST = 1 << 61
"""Sums of |coefficient| times the largest |value| of its variable stay below this."""

NEARLY_LARGEST = float(LARGEST // 2)  # below this, sums in floating point are surely below the largest

NEAR = 1e-9  # a limit nearer to an integer than this, relatively, counts as that integer
DENOMINATOR = 10**6  # coefficients are fractions up to this denominator, or the decimal numbers that they print as
DIGITS = 1e9  # the least that a rounded coefficient times its factor has to be
NOISE = 1e-12  # relative; a coefficient nearer to such a fraction than this counts as that fraction


Values = NDArray[np.float64]

_TOO_MANY = "the numbers of {} have too many digits to be written as whole numbers"
_INTEGRAL = "Maybe integral=true, if some optimum has whole numbers there?"


@dataclass(frozen=True, slots=True)
class IntegerRow:
    """`lower <= sum of weights[k] * x[columns[k]] <= upper`; None for no limit."""

    columns: list[int]
    weights: list[int]
    lower: int | None
    upper: int | None


@dataclass(frozen=True, slots=True)
class IntegerForm:
    """Bounded integer variables, rows and an objective with integer weights.

    Attributes
    ----------
    variables
        All variables of a Pyomo model: first the columns, then unused and fixed variables. Empty for a model in arrays.
    lower, upper
        Bounds by column.
    resting
        Values of the variables after the columns. For a model in arrays: values of the columns that the solver does not
        get, NaN for all others.
    rows
        The constraints.
    sense
        1 = minimise, -1 = maximise.
    columns, weights, offset, scale
        Objective = sense * (sum of weights * x + offset) / scale; that sum is minimised. The scale is a positive
        integer.
    impossible
        A sentence if a single row or variable proves that there is no solution, else empty.
    slack
        Largest error of the sum, if weights are rounded because an exact multiple of the objective is too large; else
        0.
    """

    variables: list[Any]
    lower: list[int]
    upper: list[int]
    resting: NDArray[np.float64]
    rows: list[IntegerRow]
    sense: int
    columns: list[int]
    weights: list[int]
    offset: Fraction
    scale: int
    impossible: str
    slack: int = 0

    @classmethod
    def of(cls, model: Any, *, integral: bool) -> IntegerForm:
        """Translate a model.

        Parameters
        ----------
        integral
            Take continuous variables as integers, too.

        Raises
        ------
        SolverError
            If the model is not linear, has continuous variables or variables without bounds, or if its numbers are
            too many digits apart.
        """
        try:
            form = LinearStandardFormCompiler().write(model, mixed_form=True)
        except InfeasibleConstraintException:  # a row that its fixed variables break
            raise
        except (PyomoException, ValueError) as error:
            raise SolverError(f"only linear models can be written in whole numbers: {error}") from error
        bounds = [_bounds(variable, integral) for variable in form.columns]
        known = {id(variable) for variable in form.columns}
        others = [v for v in model.component_data_objects(Var, descend_into=True) if id(v) not in known]
        right = np.asarray(form.rhs, dtype=float)
        kinds = np.array([entry.bound_type for entry in form.rows], dtype=int)  # 0 is ==, 1 is <=, -1 is >=
        found = _Found([low for low, _ in bounds], [high for _, high in bounds], [v.name for v in form.columns])
        found.add(
            form.A.tocsr(), np.where(kinds <= 0, right, -np.inf), np.where(kinds >= 0, right, np.inf),
            [entry.constraint.name for entry in form.rows],
        )  # fmt: skip
        row = form.c.tocsr() if form.objectives else csr_array((1, 0))
        offset = float(form.c_offset[0]) if form.objectives else 0.0
        sense = -1 if form.objectives and form.objectives[0].sense == maximize else 1  # Pyomo has turned the signs
        resting = np.array([resting_value(v) for v in others], dtype=np.float64)
        return found.form([*form.columns, *others], resting, sense, (row.indices.tolist(), row.data, offset))

    @classmethod
    def of_task(cls, task: LinearTask, *, integral: bool) -> IntegerForm:
        """Translate a model in arrays, with its restriction.

        Columns without coefficients and cost are not passed to the solver: they take the value nearest to 0.

        Parameters
        ----------
        integral
            Take continuous columns as integers, too.

        Raises
        ------
        SolverError
            As in `of`, with the name of the column or the row; `FailedSolveError` of an added row.
        """
        if np.any(task.restriction.relaxed) and not integral:
            raise SolverError("there is no linear relaxation in whole numbers. Maybe 'highs'?")
        model, added, names = task.model, task.restriction.rows, task.model.column_names
        used = task.cost != 0
        used[model.columns] = True
        if added is not None:
            used[added.matrix.indices] = True
        resting = np.where(used, np.nan, np.minimum(np.maximum(task.lower, 0.0), task.upper))
        lower, upper = np.where(used, task.lower, 0.0), np.where(used, task.upper, 0.0)
        fixed = np.isfinite(lower) & (lower == upper) & (np.rint(lower) == lower)
        for column in np.flatnonzero(used & ~(task.integral | integral | fixed)).tolist():
            raise SolverError(f"the column {names[column]} is continuous. {_INTEGRAL}")
        for column in np.flatnonzero(~(np.isfinite(lower) & np.isfinite(upper))).tolist():
            raise SolverError(f"the column {names[column]} has no bounds")
        for column in np.flatnonzero(np.maximum(np.abs(lower), np.abs(upper)) >= LARGEST).tolist():
            raise SolverError(f"the bounds of the column {names[column]} are too large")
        whole = (np.ceil(lower - NEAR).astype(np.int64).tolist(), np.floor(upper + NEAR).astype(np.int64).tolist())
        found = _Found(*whole, names)
        found.add(model.matrix, model.row_lower, model.row_upper, model.row_names)
        if added is not None:
            try:
                found.add(added.matrix, added.lower, added.upper, [f"added {row}" for row in range(len(added.lower))])
            except SolverError as error:  # the model itself can be solved
                raise FailedSolveError(str(error)) from None
        costs = np.flatnonzero(task.cost)
        return found.form(
            [], resting, task.sense, (costs.tolist(), task.sense * task.cost[costs], task.sense * task.offset)
        )

    def objective(self, values: Sequence[int]) -> float:
        """The objective of values by column, in the model's own terms."""
        total = sum(weight * values[column] for column, weight in zip(self.columns, self.weights, strict=True))
        return float(self.sense * (total + self.offset) / self.scale)

    def values(self, values: Sequence[int]) -> NDArray[np.float64]:
        """Values by column as values of all variables."""
        found = np.asarray(values, dtype=np.float64)
        if not self.variables:
            return np.where(np.isnan(self.resting), found, self.resting)
        return np.concatenate((found, self.resting))

    def bound(self, shown: Any) -> Any:
        """The bound of the objective that a bound of the rounded one proves; None if there is none."""
        return None if shown is None else shown - self.sense * (self.slack / self.scale)

    def better(self, objective: float) -> int:
        """The worst minimised sum whose objective may be strictly better than the given one."""
        return math.ceil(self._total(objective)) - 1 + self.slack

    def as_good(self, objective: float) -> int:
        """The worst minimised sum whose objective may be at least as good as the given one."""
        return math.floor(self._total(objective)) + self.slack

    def _total(self, objective: float) -> Fraction:
        """The sum of weights * x of an objective; nearly integral numbers are rounded."""
        exact = self.sense * Fraction(objective) * self.scale - self.offset
        near = round(exact)
        return Fraction(near) if abs(exact - near) <= 1e-6 else exact


class _Found:
    """A form while it is made: bounds by column, and rows."""

    def __init__(self, lower: list[int], upper: list[int], names: Sequence[str]) -> None:
        self.lower, self.upper = lower, upper
        self.largest = [max(abs(low), abs(high)) for low, high in zip(lower, upper, strict=True)]
        self.rows: list[IntegerRow] = []
        self.impossible = ""
        for name, low, high in zip(names, lower, upper, strict=True):
            if low > high:
                self.impossible = f"no whole number is within the bounds of {name}"

    def add(self, matrix: Any, lower: Values, upper: Values, names: Sequence[str]) -> None:
        """Add rows."""
        starts, places, data = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data.astype(np.float64)
        reaches = _reaches(matrix, np.array(self.largest, dtype=np.float64))
        whole = _whole_rows(matrix)
        limits = (np.asarray(side, dtype=np.float64).tolist() for side in (lower, upper))
        for row, (low, high) in enumerate(zip(*limits, strict=True)):
            here = slice(starts[row], starts[row + 1])
            name, columns = names[row], places[here]
            if whole[row]:
                weights, scale = [int(weight) for weight in data[here].tolist()], 1
            else:
                weights, scale = _whole(data[here], f"the row {name}")
                if scale >= LARGEST:
                    raise SolverError(_TOO_MANY.format(f"the row {name}"))
            least, most = _limits(low, high, scale)
            nothing = not columns and ((least or 0) > 0 or (0 if most is None else most) < 0)
            if nothing or (least is not None and most is not None and least > most):
                self.impossible = f"the row {name} can never hold"
            elif columns:
                if not (scale < LARGEST and reaches[row] * scale < NEARLY_LARGEST and _small(least) and _small(most)):
                    _check_size(weights, columns, self.largest, f"the row {name}", least, most)
                self.rows.append(IntegerRow(columns, weights, least, most))

    def form(
        self, variables: list[Any], resting: Values, sense: int, minimised: tuple[list[int], Values, float]
    ) -> IntegerForm:
        """The form, with the columns, weights and constant of the objective."""
        columns, data, offset = minimised
        weights, scale = _whole(data, "the objective")
        reach = sum(abs(weight) * self.largest[column] for weight, column in zip(weights, columns, strict=True))
        slack = 0
        if max(reach, scale) >= LARGEST:
            weights, scale = _rounded(data, reach // scale + 1, "the objective")
            slack = sum(self.largest[column] for column in columns) // 2 + 1
        return IntegerForm(
            variables=variables, lower=self.lower, upper=self.upper, resting=resting, rows=self.rows, sense=sense,
            columns=columns, weights=weights, offset=_fraction(offset) * scale, scale=scale,
            impossible=self.impossible, slack=slack,
        )  # fmt: skip


def _reaches(matrix: Any, largest: Values) -> list[float]:
    """Sums of |coefficient| times the largest |value| of its variable, by row, in floating point."""
    sums: list[float] = (abs(matrix) @ largest).tolist()
    return sums


def _whole_rows(matrix: Any) -> list[bool]:
    """Rows whose coefficients are already integral."""
    broken = np.zeros(matrix.shape[0], dtype=bool)
    owner = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    broken[owner[~(matrix.data % 1 == 0)]] = True
    shown: list[bool] = (~broken).tolist()
    return shown


def _small(limit: int | None) -> bool:
    return limit is None or abs(limit) < LARGEST


def _bounds(variable: Any, integral: bool) -> tuple[int, int]:
    if not integral and not variable.is_integer():
        raise SolverError(f"the variable {variable.name} is continuous. {_INTEGRAL}")
    low, high = variable.bounds
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        raise SolverError(f"the variable {variable.name} has no bounds")
    first, last = math.ceil(low - NEAR), math.floor(high + NEAR)
    if max(abs(first), abs(last)) >= LARGEST:
        raise SolverError(f"the bounds of {variable.name} are too large")
    return first, last


def _whole(data: NDArray[np.float64], where: str) -> tuple[list[int], int]:
    """The smallest multiple of some coefficients that is integral, and the factor."""
    if not np.isfinite(data).all():
        raise SolverError(f"{where} has a coefficient that is not a number")
    if not (data % 1).any():
        return [int(weight) for weight in data.tolist()], 1
    fractions = [_fraction(weight) for weight in data.tolist()]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * scale) for fraction in fractions], scale


def _rounded(data: NDArray[np.float64], reach: int, where: str) -> tuple[list[int], int]:
    """Coefficients rounded to at least nine digits, if an exact multiple is too large; `reach` belongs to the data."""
    scale = 1 << max(0, (LARGEST // 4 // reach).bit_length() - 1)
    if np.abs(data).min() * scale < DIGITS:
        raise SolverError(_TOO_MANY.format(where))
    return [round(Fraction(weight) * scale) for weight in data.tolist()], scale


def _fraction(number: float) -> Fraction:
    simple = Fraction(number).limit_denominator(DENOMINATOR)
    return simple if abs(simple - Fraction(number)) <= NOISE * abs(number) else Fraction(repr(number))


def _limits(low: float, high: float, scale: int) -> tuple[int | None, int | None]:
    """Integral lower and upper limit of a row times its scale; (1, 0) if it cannot hold."""
    if low == math.inf or high == -math.inf:
        return 1, 0
    least = None if low == -math.inf else math.ceil(_nearly(low, scale))
    most = None if high == math.inf else math.floor(_nearly(high, scale))
    return least, most


def _nearly(limit: float, scale: int) -> Fraction | int:
    """A limit times a scale; nearly integral numbers are rounded."""
    if limit.is_integer():
        return int(limit) * scale
    exact = _fraction(limit) * scale
    near = round(exact)
    return near if abs(exact - near) <= NEAR * max(1, abs(near)) else exact


def _check_size(weights: list[int], columns: list[int], largest: list[int], where: str, *limits: int | None) -> None:
    reach = sum(abs(weight) * largest[column] for weight, column in zip(weights, columns, strict=True))
    if max(reach, *(abs(limit) for limit in limits if limit is not None), 0) >= LARGEST:
        raise SolverError(_TOO_MANY.format(where))
