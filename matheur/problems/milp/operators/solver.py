"""Construction `solver`: the MILP solver itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.whole import Whole, best_known, whole_of
from matheur.problems.milp.problem import Milp

__all__ = ["Solver"]

Values = NDArray[np.float64]


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
            If the solver fails, or the model is unbounded.
        """
        best = best_known(budget)
        if budget.timed and self.nodes is None:
            return whole_of(problem, self.solver, budget, rng, best).run(budget)
        with Whole(problem, self.solver, budget, rng, best, nodes=self.nodes) as limited:
            return limited.run(budget)
