"""What constructions and starts share that find a solution without a tree: dives, walks, and the columns left over."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import FailedSolveError
from matheur.linear.jump import Jump
from matheur.linear.propagation import Conflict, Propagation
from matheur.methods.milp import SolverOptions, solve_arrays
from matheur.problems.milp.operators.state import fixed_at
from matheur.problems.milp.problem import Milp
from matheur.solvers import get_backend
from matheur.solvers.linear_task import LinearTask

__all__ = ["LP_SHARE", "UNIT", "Finder"]

_log = logging.getLogger(__name__)

Values = NDArray[np.float64]

UNIT = 100_000
"""Coefficients that are looked at in a unit of work."""

LP_SHARE = 0.5
"""Part of the time that is left which a linear program may take in constructions that stand on it."""

_SLICE = 500_000  # coefficients between two checks of the budget: some milliseconds
_LEAST, _MOST = 10_000, 50_000  # coefficients of a pass over a small and over a large model
_SHARE = 0.3  # largest share of the remaining time for a linear program


class Finder:
    """Dives and walks of a model within a budget, and the best solution that they find.

    Parameters
    ----------
    problem
        The problem.
    solver
        The backend for linear programs of the continuous columns.
    budget, rng
        As passed to an operator. Work is booked as it is done.
    bounds
        Initial bounds, which the integer columns of every solution satisfy; None for the bounds that follow from the
        rows.

    Attributes
    ----------
    best, objective
        The best solution, which has been reported, and its objective; None if there is none.
    conflict
        A row that proves infeasibility; None if none is known.
    """

    def __init__(
        self,
        problem: Milp,
        solver: SolverOptions,
        budget: Budget,
        rng: Generator,
        bounds: Propagation | None = None,
    ) -> None:
        self.problem, self.solver, self.budget, self.rng = problem, solver, budget, rng
        self.best: Values | None = None
        self.objective: int | float | None = None
        self.bounds = Propagation(problem.model) if bounds is None else bounds
        self.conflict: Conflict | None = self.bounds.all_rows() if bounds is None else None
        self._diving = Propagation(problem.model)
        self._walk: Jump | None = None
        self._whole = bool(problem.model.integral.all())
        self._booked, self._effort = 0, 0
        self._random = np.array([rng.integers(1 << 63)], dtype=np.uint64)
        self.book()

    @property
    def effort_of_a_pass(self) -> int:
        """Coefficients per pass over the whole model: more for small models, where other costs count, fewer for large
        ones, of which a step of the local search sees only a few rows."""
        return min(max(_LEAST, len(self.problem.model.data)), _MOST)

    @property
    def walk(self) -> Jump:
        """The local search, created on first use."""
        if self._walk is None:
            model = self.problem.model
            whole = model.integral
            self._walk = Jump(
                model, self.rng, step=LinearTask(model).step,
                lower=np.where(whole, self.bounds.lower, model.lower),
                upper=np.where(whole, self.bounds.upper, model.upper),
            )  # fmt: skip
        return self._walk

    def book(self) -> None:
        """Book the work that was done."""
        effort = self.bounds.effort + self._effort + (0 if self._walk is None else self._walk.effort)
        units = -(-effort // UNIT)
        self.budget.spend(work=units - self._booked)
        self._booked = units

    def _slice(self) -> int:
        return min(_SLICE, (self.budget.affordable(_SLICE // UNIT) or 0) * UNIT)

    def offer(self, values: Values) -> bool:
        """Report values if they are a solution and the best so far; return whether they are a solution."""
        found = self.problem.evaluate(values)
        if found.feasible and (self.objective is None or found.objective < self.objective):
            self.best, self.objective = values.copy(), found.objective
            self.budget.offer(values, found.objective)
        return found.feasible

    def completed(self, values: Values) -> Values | None:
        """The best solution with the integers of some values; None if there is none, or the budget is used up.

        Without continuous columns, it consists of the values themselves. It is reported.
        """
        if self._whole:
            return values if self.offer(values) else None
        if self.budget.exhausted:
            return None
        model = self.problem.model
        solver = SolverOptions() if get_backend(self.solver.name).capabilities.integers_only else self.solver
        try:
            answer = solve_arrays(
                model, solver, self.budget, self.rng, restriction=fixed_at(model, values, model.integral, relaxed=True),
                seconds=_SHARE * self.budget.seconds_left,
            )  # fmt: skip
        except FailedSolveError as error:  # the solve may succeed with other integers
            _log.warning("the continuous columns of a solution were not chosen: %s", error)
            return None
        return answer.values if answer.values is not None and self.offer(answer.values) else None

    @property
    def clean(self) -> bool:
        """Whether the last dive fixed every column without a conflict."""
        return self._diving.conflicts == 0

    def dived(
        self, order: NDArray[np.int32], mode: int, point: Values | None = None, begin: Propagation | None = None
    ) -> Values | None:
        """Values from a dive, near 0 for continuous columns; None if the budget is used up.

        Parameters
        ----------
        order, mode, point
            As in `Propagation.dive`.
        begin
            Initial bounds; None for the bounds that follow from the rows.
        """
        (self.bounds if begin is None else begin).copy_to(self._diving)
        point = np.zeros(self.problem.model.width) if point is None else point
        if not self.fixed(self._diving, order, mode, point):
            return None
        model = self.problem.model
        low, high = np.maximum(self._diving.lower, model.lower), np.minimum(self._diving.upper, model.upper)
        near = np.clip(0.0, low, np.maximum(low, high))
        return np.where(model.integral, self._diving.lower, near)

    def fixed(self, bounds: Propagation, order: NDArray[np.int32], mode: int, point: Values) -> bool:
        """Fix columns as in `Propagation.dive`, from the first one on; False if the budget is used up."""
        bounds.begin_dive()
        done = False
        while not done:
            if self.budget.exhausted:
                return False
            before = bounds.effort
            done = bounds.dive(self._slice(), order, mode, point, self._random)
            self._effort += bounds.effort - before
            self.book()
        return True

    def walked(self, passes: int, *, first: bool = False) -> None:
        """Continue the local search for some passes over the model; report the solutions that it finds.

        Parameters
        ----------
        first
            Whether to end with its first solution.
        """
        walk, end = self.walk, self.walk.effort + passes * self.effort_of_a_pass
        seen = walk.found
        while walk.effort < end and not self.budget.exhausted:
            walk.run(min(self._slice(), end - walk.effort))
            self.book()
            if walk.found > seen:
                seen = walk.found
                self.offer(self._best_of_walk())
                if first or not self.problem.model.cost.any():
                    return

    def _best_of_walk(self) -> Values:
        best = self.walk.best
        assert best is not None
        return best

    def order(self, rank: str, point: Values | None = None) -> NDArray[np.int32]:
        """The integer columns in an order; ties are broken at random.

        Parameters
        ----------
        rank
            `locks`: by decreasing number of locks. `type`: binary columns first, then by number of values. `cost`: by
            decreasing cost. `degree`: by decreasing number of rows. `point`: by increasing distance to an integer, but
            columns at their lower bound last, since most are there. `file`: as in the file. `random`.
        """
        model = self.problem.model
        columns = np.flatnonzero(model.integral).astype(np.int32)
        if rank == "file":
            return columns
        keys: dict[str, Any] = {
            "locks": lambda: -np.maximum(*self.bounds.locks),
            "type": lambda: np.minimum(self.bounds.upper - self.bounds.lower, 1e9),
            "cost": lambda: -np.abs(model.cost),
            "degree": lambda: -np.diff(model.transposed.indptr),
            "point": lambda: self._distance(point),
            "random": lambda: np.zeros(model.width),
        }
        return columns[np.lexsort((self.rng.random(len(columns)), keys[rank]()[columns]))]

    def _distance(self, point: Values | None) -> Values:
        if point is None:
            return np.zeros(self.problem.model.width)
        away = np.abs(point - np.rint(point)).round(6)
        return np.where(point <= self.bounds.lower + 1e-6, 1.0, away)
