"""A linear Pyomo model in whole numbers, for solvers that know nothing else."""

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

from matheur.errors import SolverError
from matheur.solvers.answers import resting_value

__all__ = ["IntegerForm", "IntegerRow"]

LARGEST = 1 << 61
"""Sums of |coefficient| times the largest |value| of its variable stay below this."""

DENOMINATOR = 10**6  # coefficients are fractions up to this denominator, or the decimal numbers that they print as
NOISE = 1e-12  # relative; a coefficient nearer to such a fraction than this is meant to be that fraction


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
        All variables of the model: first the columns, then those that no row mentions or that are fixed.
    lower, upper
        Bounds by column.
    resting
        Values of the variables after the columns.
    rows
        The constraints.
    sense
        1 = minimise, -1 = maximise.
    columns, weights, offset, scale
        Objective = sense * (sum of weights * x + offset) / scale; that sum is minimised. The scale is a positive
        integer.
    impossible
        A sentence if some row or variable alone shows that there is no solution, else empty.
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
        lower, upper = [low for low, _ in bounds], [high for _, high in bounds]
        largest = [max(abs(low), abs(high)) for low, high in bounds]
        matrix = form.A.tocsr()
        starts, indices, data = matrix.indptr.tolist(), matrix.indices.tolist(), matrix.data
        rows, impossible = [], ""
        for variable, low, high in zip(form.columns, lower, upper, strict=True):
            if low > high:
                impossible = f"no whole number is within the bounds of {variable.name}"
        for number, (entry, right) in enumerate(zip(form.rows, np.asarray(form.rhs, dtype=float), strict=True)):
            here = slice(starts[number], starts[number + 1])
            name, columns = entry.constraint.name, indices[here]
            weights, scale = _whole(data[here], name)
            least, most = _limits(float(right), scale, entry.bound_type)
            nothing = not columns and ((least or 0) > 0 or (0 if most is None else most) < 0)
            if nothing or (least is not None and most is not None and least > most):
                impossible = f"the row {name} can never hold"
            elif columns:
                _check_size(weights, columns, largest, name, least, most)
                rows.append(IntegerRow(columns, weights, least, most))
        sense = -1 if form.objectives and form.objectives[0].sense == maximize else 1
        columns, weights, offset, scale = _objective(form)
        _check_size(weights, columns, largest, "the objective")
        return cls(
            variables=[*form.columns, *others],
            lower=lower,
            upper=upper,
            resting=np.array([resting_value(v) for v in others], dtype=np.float64),
            rows=rows,
            sense=sense,
            columns=columns,
            weights=weights,
            offset=offset,
            scale=scale,
            impossible=impossible,
        )

    def objective(self, values: Sequence[int]) -> float:
        """The objective of values by column, in the model's own terms."""
        total = sum(weight * values[column] for column, weight in zip(self.columns, self.weights, strict=True))
        return float(self.sense * (total + self.offset) / self.scale)

    def values(self, values: Sequence[int]) -> NDArray[np.float64]:
        """Values by column as values of all variables."""
        return np.concatenate((np.asarray(values, dtype=np.float64), self.resting))

    def better(self, objective: float) -> int:
        """The worst minimised sum whose objective is strictly better than the given one."""
        return math.ceil(self._total(objective)) - 1

    def as_good(self, objective: float) -> int:
        """The worst minimised sum whose objective is at least as good as the given one."""
        return math.floor(self._total(objective))

    def _total(self, objective: float) -> Fraction:
        """The sum of weights * x of an objective; almost whole numbers are meant to be whole."""
        exact = self.sense * Fraction(objective) * self.scale - self.offset
        near = round(exact)
        return Fraction(near) if abs(exact - near) <= 1e-6 else exact


def _bounds(variable: Any, integral: bool) -> tuple[int, int]:
    if not integral and not variable.is_integer():
        raise SolverError(
            f"the variable {variable.name} is continuous. Maybe integral=true, if some optimum has whole numbers there?"
        )
    low, high = variable.bounds
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        raise SolverError(f"the variable {variable.name} has no bounds")
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if max(abs(first), abs(last)) >= LARGEST:
        raise SolverError(f"the bounds of {variable.name} are too large")
    return first, last


def _objective(form: Any) -> tuple[list[int], list[int], Fraction, int]:
    """Pyomo has turned the signs of a maximum."""
    if not form.objectives:
        return [], [], Fraction(0), 1
    row = form.c.tocsr()
    weights, scale = _whole(row.data, "the objective")
    return row.indices.tolist(), weights, _fraction(float(form.c_offset[0])) * scale, scale


def _whole(data: NDArray[np.float64], where: str) -> tuple[list[int], int]:
    """The smallest multiple of some coefficients that is integral, and the factor."""
    if not np.isfinite(data).all():
        raise SolverError(f"{where} has a coefficient that is not a number")
    if not (data % 1).any():
        return [int(weight) for weight in data.tolist()], 1
    fractions = [_fraction(weight) for weight in data.tolist()]
    scale = math.lcm(*(fraction.denominator for fraction in fractions))
    return [int(fraction * scale) for fraction in fractions], scale


def _fraction(number: float) -> Fraction:
    simple = Fraction(number).limit_denominator(DENOMINATOR)
    return simple if abs(simple - Fraction(number)) <= NOISE * abs(number) else Fraction(repr(number))


def _limits(right: float, scale: int, kind: int) -> tuple[int | None, int | None]:
    """Whole lower and upper limit of a row times its scale; kind 0 is ==, 1 is <=, -1 is >=."""
    if math.isinf(right):
        beyond = (right > 0) == (kind < 0) or kind == 0
        return (1, 0) if beyond else (None, None)
    exact = _fraction(right) * scale
    near = round(exact)
    if abs(exact - near) <= 1e-9 * max(1, abs(near)):
        exact = Fraction(near)
    least = math.ceil(exact) if kind <= 0 else None
    most = math.floor(exact) if kind >= 0 else None
    return least, most


def _check_size(weights: list[int], columns: list[int], largest: list[int], where: str, *limits: int | None) -> None:
    reach = sum(abs(weight) * largest[column] for weight, column in zip(weights, columns, strict=True))
    if max(reach, *(abs(limit) for limit in limits if limit is not None), 0) >= LARGEST:
        raise SolverError(f"the numbers of {where} have too many digits to be written as whole numbers")
