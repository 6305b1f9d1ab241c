"""Neighbourhood `polish`: the continuous columns again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.neighbourhood import solve_restricted
from matheur.problems.milp.operators.state import fixed_at
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus

__all__ = ["Polish"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Polish:
    """The best values of the continuous columns for the integers of the incumbent, by a linear program.

    A local optimum is proved within the tolerances of the solver. Work: one unit.

    Attributes
    ----------
    solver
        The MILP solver, which also solves linear programs.
    """

    solver: SolverOptions = field(default_factory=SolverOptions)

    def explore(
        self, problem: Milp, incumbent: NDArray[np.float64], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.float64]]:
        """Solve the linear program."""
        model = problem.model
        if model.integral.all():
            budget.spend(work=1)
            return Outcome(Status.LOCAL_OPTIMUM)
        restriction = replace(fixed_at(model, incumbent, model.integral), relaxed=True)
        try:
            outcome, answer = solve_restricted(problem, restriction, incumbent, self.solver, budget, rng)
        except FailedSolveError as error:  # it may succeed with other integers
            _log.warning("the continuous columns of a solution were not chosen: %s", error)
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        if answer.status in (MilpStatus.INFEASIBLE, MilpStatus.OPTIMAL):
            return replace(outcome, status=Status.LOCAL_OPTIMUM)
        return outcome
