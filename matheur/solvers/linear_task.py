"""The task of a solve on arrays: a `LinearModel`, whole or restricted.

A neighbourhood of a linear model is a `Restriction`: other bounds, other costs, more rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from matheur.linear.evaluation import judged_activities
from matheur.linear.model import LinearModel, dot, excludes
from matheur.solvers.coarse import WIDE, coarse_row, noisy_row, reach_by_rows, reach_within

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["ROW", "LinearTask", "Restriction", "Rows"]

Values = NDArray[np.float64]

MARGIN = 1e-6  # relative: least improvement that counts, if the objective has no known step
ROUNDING = 1e-9  # relative error of an objective, far below a difference that counts
ROW = 1e-6 * (1 - 1e-9)
"""Relative to the side of a row, if that is larger than 1: slightly less than the tolerance of the solvers, so that
values accepted in float64 are also accepted in exact arithmetic."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that are added to a model.

    Attributes
    ----------
    matrix
        Coefficients of the rows, with a column for each column of the model.
    lower, upper
        Limits of the rows, infinite if there is none.
    """

    matrix: csr_array
    lower: Values
    upper: Values


@dataclass(frozen=True, slots=True)
class Restriction:
    """A subset of the solutions of a model, possibly with other costs.

    Attributes
    ----------
    lower, upper
        Bounds by column in place of the model's; None for the bounds of the model.
    cost
        Cost by column in place of the model's, with the same sense; None for the costs of the model.
    rows
        Additional rows.
    relaxed
        Integer columns that may take any value; True for all of them, which gives the linear relaxation.
    """

    lower: Values | None = None
    upper: Values | None = None
    cost: Values | None = None
    rows: Rows | None = None
    relaxed: bool | NDArray[np.bool_] = False


@dataclass(frozen=True)
class LinearTask:
    """The task of a solve: a model with a restriction.

    Attributes
    ----------
    model
        The whole model.
    restriction
        The changes to the model.
    start
        Start values, NaN where unknown; None for no start.
    """

    model: LinearModel
    restriction: Restriction = field(default_factory=Restriction)
    start: Values | None = None

    @cached_property
    def lower(self) -> Values:
        """Lower bounds; integral for integer columns."""
        given = self.model.lower if self.restriction.lower is None else self.restriction.lower
        return np.where(self.integral & np.isfinite(given), np.ceil(given - 1e-9), given)

    @cached_property
    def upper(self) -> Values:
        """Upper bounds; integral for integer columns, and not below the lower bounds by a rounding error."""
        given = self.model.upper if self.restriction.upper is None else self.restriction.upper
        upper = np.where(self.integral & np.isfinite(given), np.floor(given + 1e-9), given)
        crossed = upper < self.lower
        if crossed.any():
            equal = crossed & ~excludes(self.lower, upper)
            upper[equal] = self.lower[equal]
        return upper

    @property
    def narrow(self) -> tuple[Values, Values]:
        """Both bounds; those of integer columns that are far beyond what the rows allow are reduced to about that."""
        ends = np.abs(np.where(np.isfinite([self.lower, self.upper]), [self.lower, self.upper], 0.0))
        wide = self.integral & (ends > WIDE)
        if not wide.any():
            return self.lower, self.upper
        reach = np.ceil(reach_by_rows(self.model) * (1 + MARGIN)) + 1
        return (
            np.where(wide[0], np.maximum(self.lower, -reach), self.lower),
            np.where(wide[1], np.minimum(self.upper, reach), self.upper),
        )

    @cached_property
    def integral(self) -> NDArray[np.bool_]:
        """Columns that must have integral values."""
        return self.model.integral & np.logical_not(self.restriction.relaxed)

    @property
    def cost(self) -> Values:
        """Cost by column."""
        return self.model.cost if self.restriction.cost is None else self.restriction.cost

    @property
    def offset(self) -> float:
        """Constant of the objective: the model's if its costs are used."""
        return self.model.offset if self.restriction.cost is None else 0.0

    @property
    def sense(self) -> int:
        """1 to minimise, -1 to maximise."""
        return -1 if self.model.maximise else 1

    @cached_property
    def step(self) -> float:
        """Smallest possible difference of two objectives; 0 if unknown."""
        used = np.flatnonzero(self.cost)
        weights = self.cost[used]
        if not len(used) or not self.integral[used].all() or np.any(weights % 1) or np.abs(weights).max() > 2**52:
            return 0.0
        return float(np.gcd.reduce(np.abs(weights).astype(np.int64)))

    def better(self, objective: float) -> float:
        """The worst objective that still counts as strictly better than the given one."""
        if not self.step:
            return objective - self.sense * MARGIN * max(1.0, abs(objective))
        steps = math.ceil(self.sense * (objective - self.offset) / self.step - MARGIN) - 1
        return self.offset + self.sense * self.step * (steps + 0.25)  # margin for the solver's tolerance

    def as_good(self, objective: float | None) -> float | None:
        """The worst objective that still counts as at least as good as the given one; None if none is given."""
        if objective is None:
            return None
        if not self.step:
            return objective + self.sense * ROUNDING * max(1.0, abs(objective))
        steps = math.floor(self.sense * (objective - self.offset) / self.step + MARGIN)
        return self.offset + self.sense * self.step * (steps + 0.25)  # margin for the solver's tolerance

    def beats(self, objective: float, cutoff: float | None) -> bool:
        """Whether an objective is strictly better than the cutoff, or there is no cutoff."""
        return cutoff is None or self.sense * (objective - self.better(cutoff)) <= 0.5 * MARGIN * max(1.0, abs(cutoff))

    def nothing_beyond(self, bound: float, cutoff: float | None) -> bool:
        """Whether a bound shows that nothing is strictly better than the cutoff."""
        if cutoff is None:
            return False
        return self.sense * (bound - self.better(cutoff)) >= -0.5 * MARGIN * max(1.0, abs(cutoff))

    def objective(self, values: Values) -> float:
        """The objective of values, in float64."""
        return dot(self.cost, values) + self.offset

    def fault(self, values: Values, tolerance: float) -> str:
        """A row or column that values violate by more than a relative tolerance, else empty.

        With a tolerance, rows of the model are judged as in exact arithmetic: large terms may sum to a small error.
        """
        model, restriction = self.model, self.restriction
        exactly = tolerance > 0 and bool(np.isfinite(values).all())
        activity = judged_activities(model, values, tolerance) if exactly else model.row_sums(model.terms(values))
        for limits, names, shown in (
            ((self.lower, self.upper), model.column_names, values),
            ((model.row_lower, model.row_upper), model.row_names, activity),
        ):
            worst = _worst(shown, *limits, tolerance)
            if worst is not None:
                what = "row" if limits[0] is model.row_lower else "column"
                return f"the {what} {names[worst]} ({shown[worst]:.12g})"
        if restriction.rows is not None:
            shown = restriction.rows.matrix @ values
            worst = _worst(shown, restriction.rows.lower, restriction.rows.upper, tolerance)
            if worst is not None:
                return f"an added row ({shown[worst]:.12g})"
        return ""

    def plainly_impossible(self) -> str:
        """A row or column that no values can satisfy, found without a search; else empty."""
        rows = self.restriction.rows
        if rows is not None:
            empty = (np.diff(rows.matrix.indptr) == 0) & ((rows.lower > 0) | (rows.upper < 0))
            if np.any(empty | excludes(rows.lower, rows.upper)):
                return "an added row can never hold"
        return self.model.impossible(self.lower, self.upper)

    def start_is_solution(self, cutoff: float | None) -> bool:
        """Whether the start is a whole solution without any tolerance, and better than the cutoff."""
        known = self.start_objective(0.0)
        return known is not None and self.beats(known, cutoff)

    def start_objective(self, tolerance: float = ROW) -> float | None:
        """The objective of the start, if it is a whole solution within a relative tolerance; else None."""
        start = self.start
        if start is None or not np.isfinite(start).all():
            return None
        whole = np.all(start[self.integral] == np.rint(start[self.integral]))
        return self.objective(start) if whole and not self.fault(start, tolerance) else None

    @cached_property
    def size(self) -> float:
        """The largest absolute value of a term of the objective, among terms with bounds."""
        return self._size(self._reach)

    def size_within(self, objective: float) -> float:
        """The same in solutions that are at least as good as this objective."""
        return self._size(self._reach_within(objective))

    def _size(self, reach: Values) -> float:
        used = np.flatnonzero(self.cost)
        return float((np.abs(self.cost[used]) * reach[used]).max(initial=0.0))

    @property
    def worst(self) -> float | None:
        """Worst possible objective by the bounds of the columns; None if it is infinite."""
        used = np.flatnonzero(self.cost)
        cost = self.cost[used]
        total = float(np.where(self.sense * cost > 0, cost * self.upper[used], cost * self.lower[used]).sum())
        return total + self.offset if np.isfinite(total) else None

    def coarse_row(self, tolerance: float, objective: float | None = None) -> str:
        """A row of integers in which a unit step is below this relative tolerance of a solver's arithmetic; else empty.

        See `matheur.solvers.coarse`.

        Parameters
        ----------
        objective
            Only solutions that are at least as good as this count; None for all.
        """
        found = coarse_row(self.model, self.integral, self._reach, tolerance)
        if not found or objective is None:
            return found
        return coarse_row(self.model, self.integral, self._reach_within(objective), tolerance)

    def noisy_row(self) -> str:
        """A row whose sum in float64 may be off by more than the tolerance of solvers; else empty."""
        return noisy_row(self.model, self.integral, self._reach)

    def _reach_within(self, objective: float) -> Values:
        """As `_reach`, in solutions that are at least as good as this objective."""
        room = self.sense * (objective - self.offset) + MARGIN * max(1.0, abs(objective))
        limits = (-np.inf, room) if self.sense > 0 else (-room, np.inf)
        return np.minimum(self._reach, reach_within(self.model, self.cost, *limits))

    @cached_property
    def _reach(self) -> Values:
        """The largest absolute value of each column, 1 if it has no bound.

        Some modelling tools write bounds such as 2147483647 where there is none; then the limits of rows count, too.
        """
        ends = (
            np.where(np.isfinite(self.lower), np.abs(self.lower), -1),
            np.where(np.isfinite(self.upper), np.abs(self.upper), -1),
        )
        reach = np.maximum(*ends)
        if np.any(reach[self.model.integral] > WIDE):
            reach = np.minimum(reach, reach_by_rows(self.model))
        return np.where(reach < 0, 1.0, reach)


def _worst(shown: Values, lower: Values, upper: Values, tolerance: float) -> int | None:
    sides = (np.where(np.isfinite(side), np.abs(side), 1.0) for side in (lower, upper))
    below, above = (tolerance * np.maximum(1.0, side) for side in sides)
    if np.all((lower - below <= shown) & (shown <= upper + above)):
        return None
    with np.errstate(invalid="ignore"):
        low = np.where(np.isfinite(lower), (lower - shown) / np.maximum(1.0, np.abs(lower)), -np.inf)
        high = np.where(np.isfinite(upper), (shown - upper) / np.maximum(1.0, np.abs(upper)), -np.inf)
    over = np.maximum(low, high)
    worst = int(np.argmax(over))
    return worst if over[worst] > tolerance or np.isnan(shown[worst]) else None
