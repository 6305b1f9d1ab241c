"""Neighbourhood `mutation`: some integer columns free."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.restricted import fixed_at, search_restricted
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus

__all__ = ["Mutation"]


@dataclass(frozen=True, slots=True)
class Mutation:
    """Some integer columns by chance, and all continuous ones, are chosen again by the MILP solver.

    Where the solver proves that nothing is better, this is remembered, and the same columns are not asked for again.
    Work: one unit for each node of the solver's tree.

    Attributes
    ----------
    free
        Number of integer columns that are free.
    nodes
        Limit of branch-and-bound nodes.
    seconds
        Limit of one call in a timed run.
    solver
        The MILP solver.
    """

    free: int = option(100, minimum=1)
    nodes: int = option(200, minimum=1)
    seconds: float = option(5.0, above=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def explore(
        self, problem: Milp, incumbent: NDArray[np.float64], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.float64]]:
        """Draw columns and solve."""
        model = problem.model
        whole = np.flatnonzero(model.integral)
        free = rng.choice(whole, min(self.free, len(whole)), replace=False)
        fixed = model.integral.copy()
        fixed[free] = False
        key = proof_key("mutation", problem.digest(incumbent), np.sort(free).tobytes())
        if key in budget.proofs:
            budget.spend(work=1)
            return Outcome(Status.LOCAL_OPTIMUM if not fixed.any() else Status.NO_IMPROVEMENT)
        restriction = fixed_at(problem, incumbent, fixed)
        outcome, answer = search_restricted(
            problem, restriction, incumbent, self.solver, budget, rng, nodes=self.nodes, seconds=self.seconds
        )
        if answer.status is MilpStatus.INFEASIBLE:
            budget.proofs.remember(key)
            if not fixed.any():
                return Outcome(Status.LOCAL_OPTIMUM)
        return outcome
