"""What a neighbourhood may look at before it says which part of the solutions is to be searched."""

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

_CHEAP = 0.1  # of the seconds of a call
_NOISE = 0.5


@dataclass(frozen=True, eq=False)
class State:
    """Where the search stands.

    Attributes
    ----------
    problem
        With the model.
    incumbent, objective
        The solution to improve, not to be written to, and its objective, which is minimised.
    budget
        What is left of the run; with its pool of elites.
    solver
        The MILP solver of the neighbourhood.
    size
        How large the part is to be; integer columns that are free, unless the neighbourhood says otherwise.
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
        """The linear relaxation of the model, made once; None if there is none. Work: one unit."""
        return relaxation_of(self.model, self.solver, self.budget)

    def relaxed_again(self, cost: Values, rng: Generator) -> Values | None:
        """An optimal point with other costs of the relaxation without what is no better than the incumbent."""
        task = LinearTask(self.model)
        limit = task.better(float(self.problem.score(self.objective))) - self.model.offset
        better = self.row(self.model.cost, **{"upper" if task.sense > 0 else "lower": limit})
        return relaxed_again(self.model, Restriction(cost=cost, rows=better), self.solver, self.budget, rng)

    def point(self, variety: float, seconds: float, rng: Generator) -> Values | None:
        """A point of the relaxation; None if there is none.

        Parameters
        ----------
        variety
            Share of calls with another point than that of the model, if one is cheap: one with costs that are changed
            at random, among those that are better than the incumbent. It is made again for each of them.
        seconds
            What a call may take, of which it is a small part.
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
        """Coefficients that count binary columns which differ from the incumbent, but for a constant, and this."""
        binary = self.model.binary
        ones = binary & (self.incumbent > 0.5)
        return binary.astype(np.float64) - 2.0 * ones, int(ones.sum())

    def row(self, coefficients: Values, *, lower: float = -np.inf, upper: float = np.inf) -> Rows:
        """A row of the given coefficients, one by column."""
        from scipy.sparse import csr_array  # a tenth of a second that easy models do not need

        return Rows(csr_array(coefficients.reshape(1, -1)), np.array([lower]), np.array([upper]))

    def first(self, ranks: NDArray[Any], rng: Generator) -> Columns:
        """The integer columns of lowest rank, as many as `size` says; chance decides between equals.

        Parameters
        ----------
        ranks
            A number for each integer column, in the order of `whole`.
        """
        order = np.lexsort((rng.random(len(self.whole)), ranks))
        return self.whole[order[: self.size]]

    def freed(self, columns: Columns, **more: Any) -> Restriction:
        """These integer columns and all continuous ones are free; all others are fixed at the incumbent's values.

        Parameters
        ----------
        **more
            Further attributes of the `Restriction`.
        """
        fixed = self.model.integral.copy()
        fixed[columns] = False
        return fixed_at(self.model, self.incumbent, fixed, **more)


def fixed_at(model: LinearModel, values: Values, columns: NDArray[np.bool_], **more: Any) -> Restriction:
    """The model with some of its columns fixed at the values of a solution."""
    return Restriction(
        lower=np.where(columns, values, model.lower), upper=np.where(columns, values, model.upper), **more
    )
