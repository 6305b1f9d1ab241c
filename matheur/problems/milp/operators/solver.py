"""Construction `solver`: the MILP solver itself."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.whole import Whole, best_known, whole_of
from matheur.problems.milp.problem import Milp

__all__ = ["Solver"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Solver:
    """The whole model, solved by a MILP solver to a proof or to the limit.

    In a timed run, a later call continues the solve.

    Attributes
    ----------
    nodes
        Node limit.
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Solve the model. Work: one unit for each node.

        Raises
        ------
        SolverError
            If the solver fails and no solution is known, or the model is unbounded.
        """
        try:
            return self._solved(problem, budget, rng)
        except FailedSolveError as error:
            if best_known(budget).solution is None:
                raise
            _log.warning("the solver failed, and the search goes on with the best solution: %s", error)
            budget.spend(work=1)
            return Outcome(Status.EXHAUSTED)

    def _solved(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        best = best_known(budget)
        if budget.timed and self.nodes is None:
            return whole_of(problem, self.solver, budget, rng, best).run(budget)
        with Whole(problem, self.solver, budget, rng, best, nodes=self.nodes) as limited:
            return limited.run(budget)
