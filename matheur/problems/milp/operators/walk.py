"""Neighbourhood `jump`: a local search without the MILP solver that begins at the incumbent."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.finder import Finder
from matheur.problems.milp.problem import Milp

__all__ = ["Walk"]

_SHARE = 0.1  # share of the remaining seconds


@dataclass(frozen=True, slots=True)
class Walk:
    """The local search of the construction `jump` from the incumbent, with the objective to beat as a row.

    A linear program chooses the continuous columns of its solutions. Work: one unit for each 100,000 coefficients
    examined, and one for each linear program.

    Attributes
    ----------
    passes
        Length of the walk, in passes over the whole model.
    seconds
        Time limit of a call in a timed run; at most a tenth of the remaining time.
    solver
        The MILP solver, for linear programs.
    """

    passes: int = option(500, minimum=1)
    seconds: float = option(2.0, above=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def explore(
        self, problem: Milp, incumbent: NDArray[np.float64], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.float64]]:
        """Walk from the incumbent."""
        seconds = min(self.seconds, _SHARE * budget.seconds_left) if budget.timed else None
        call = budget.child(seconds=seconds)
        known = problem.evaluate(incumbent).objective
        if not problem.model.cost.any() or not problem.model.integral.any():
            call.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        finder = Finder(problem, self.solver, call, rng)
        if finder.conflict is None and not call.exhausted:
            finder.best, finder.objective = incumbent.copy(), known
            finder.walk.accept(incumbent)
            finder.walked(self.passes)
        if finder.objective == known or finder.best is None or finder.objective is None:
            return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)
        finder.completed(finder.best)
        return Outcome(Status.IMPROVED, finder.best, finder.objective)
