"""The state that a neighbourhood uses to choose the part of the solutions to search."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.protocols import solution_key
from matheur.linear.model import LinearModel
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.relaxation import Relaxation, relaxation_of, relaxed_again
from matheur.problems.milp.problem import Milp
from matheur.solvers.linear_task import LinearTask, Restriction, Rows

__all__ = ["State", "fixed_at"]

Values = NDArray[np.float64]
Columns = NDArray[np.intp]

_CHEAP = 0.1  # share of the seconds of a call
_NOISE = 0.5


@dataclass(frozen=True, eq=False)
class State:
    """The state of the search.

    Attributes
    ----------
    problem
        The problem, which has the model.
    incumbent, objective
        The solution to improve, read-only, and its objective, which is minimised.
    budget
        The remaining budget of the run, with its pool of elites.
    solver
        The MILP solver of the neighbourhood.
    size
        Requested size of the part: the number of free integer columns, unless the neighbourhood defines it otherwise.
    """

    problem: Milp
    incumbent: Values
    objective: int | float
    budget: Budget
    solver: SolverOptions
    size: int

    @property
    def model(self) -> LinearModel:
        """The model."""
        return self.problem.model

    @cached_property
    def whole(self) -> Columns:
        """The integer columns."""
        return np.flatnonzero(self.model.integral)

    @property
    def elites(self) -> list[Values]:
        """Other good solutions of the run, the best first."""
        own = solution_key(self.problem, self.incumbent)
        return [elite.solution for elite in self.budget.elites.entries() if elite.key != own]

    @property
    def relaxation(self) -> Relaxation | None:
        """The linear relaxation of the model, solved once; None if it was not solved. Work: one unit."""
        return relaxation_of(self.model, self.solver, self.budget)

    def relaxed_again(self, cost: Values, rng: Generator) -> Values | None:
        """An optimal point, under other costs, among the points of the relaxation better than the incumbent."""
        task = LinearTask(self.model)
        limit = task.better(float(self.problem.score(self.objective))) - self.model.offset
        better = self.row(self.model.cost, **{"upper" if task.sense > 0 else "lower": limit})
        return relaxed_again(self.model, Restriction(cost=cost, rows=better), self.solver, self.budget, rng)

    def point(self, variety: float, seconds: float, rng: Generator) -> Values | None:
        """A point of the relaxation; None if there is none.

        Parameters
        ----------
        variety
            Share of calls with another point, if it is cheap: an optimum under randomly perturbed costs among the
            points that are better than the incumbent. It is computed again in each of these calls.
        seconds
            Time limit of a call; another point is cheap if the relaxation took a small share of it.
        """
        root = self.relaxation
        if root is None:
            return None
        cheap = not self.budget.timed or root.seconds <= _CHEAP * seconds
        if rng.random() < variety and cheap:
            other = self.relaxed_again(self.model.cost * (1 + _NOISE * rng.standard_normal(self.model.width)), rng)
            return root.values if other is None else other
        return root.values

    @property
    def changes(self) -> tuple[Values, int]:
        """Coefficients and a constant that count the binary columns that differ from the incumbent."""
        binary = self.model.binary
        ones = binary & (self.incumbent > 0.5)
        return binary.astype(np.float64) - 2.0 * ones, int(ones.sum())

    def row(self, coefficients: Values, *, lower: float = -np.inf, upper: float = np.inf) -> Rows:
        """A row of the given coefficients, one by column."""
        from scipy.sparse import csr_array  # a tenth of a second that easy models do not need

        return Rows(csr_array(coefficients.reshape(1, -1)), np.array([lower]), np.array([upper]))

    def first(self, ranks: NDArray[Any], rng: Generator) -> Columns:
        """The `size` integer columns of lowest rank; ties are broken at random.

        Parameters
        ----------
        ranks
            A number for each integer column, in the order of `whole`.
        """
        order = np.lexsort((rng.random(len(self.whole)), ranks))
        return self.whole[order[: self.size]]

    def freed(self, columns: Columns, **more: Any) -> Restriction:
        """Restriction: these integer columns and all continuous ones are free, the others fixed at the incumbent.

        Parameters
        ----------
        **more
            Further attributes of the `Restriction`.
        """
        fixed = self.model.integral.copy()
        fixed[columns] = False
        return fixed_at(self.model, self.incumbent, fixed, **more)


def fixed_at(model: LinearModel, values: Values, columns: NDArray[np.bool_], **more: Any) -> Restriction:
    """Restriction with some columns fixed at the values of a solution."""
    return Restriction(
        lower=np.where(columns, values, model.lower), upper=np.where(columns, values, model.upper), **more
    )
