"""What neighbourhoods share that let a MILP solver look at a restricted model for something better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions, solve_arrays
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer, Restriction

__all__ = ["fixed_at", "search_restricted"]

Values = NDArray[np.float64]


def fixed_at(problem: Milp, incumbent: Values, columns: NDArray[np.bool_]) -> Restriction:
    """The model with some of its columns fixed at the values of a solution."""
    model = problem.model
    return Restriction(lower=np.where(columns, incumbent, model.lower), upper=np.where(columns, incumbent, model.upper))


def search_restricted(
    problem: Milp,
    restriction: Restriction,
    incumbent: Values,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    **limits: Any,
) -> tuple[Outcome[Values], LinearAnswer]:
    """Look for a better solution in a restricted model; the outcome claims no more than that, and the solver's answer.

    Parameters
    ----------
    **limits
        As in `matheur.methods.milp.solve_arrays`, such as `nodes` and `seconds`.
    """
    known = problem.evaluate(incumbent).objective
    cutoff = float(problem.score(known))
    answer = solve_arrays(problem.model, solver, budget, rng, restriction=restriction, cutoff=cutoff, **limits)
    if answer.values is None:
        ended = answer.status is not MilpStatus.INFEASIBLE and budget.exhausted
        return Outcome(Status.EXHAUSTED if ended else Status.NO_IMPROVEMENT), answer
    found = problem.evaluate(answer.values)
    if not found.feasible or found.objective >= known:  # better within the tolerance of the solver only
        return Outcome(Status.NO_IMPROVEMENT), answer
    return Outcome(Status.IMPROVED, answer.values, found.objective), answer
