"""Construction `milp-full`: the whole board as one MILP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.models.lights_out import build
from matheur.solvers import MilpStatus
from matheur.solvers.proving import proved_bound

__all__ = ["MilpFull"]


@dataclass(frozen=True, slots=True)
class MilpFull:
    """How often each press is made, by a MILP solver (`matheur.models.lights_out`). Work: branch-and-bound nodes.

    Attributes
    ----------
    nodes
        Limit on branch-and-bound nodes.
    solver
        The MILP backend.
    """

    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Build and solve the model; elimination detects boards without a solution first, and gives a reason."""
        with budget.watched():
            reason = problem.infeasible_reason()
            built = build(problem.instance)
        if reason is not None:
            budget.spend(work=1)
            return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "elimination"})

        def hand_out(values: Mapping[Any, float]) -> None:
            presses = built.read(values)
            if problem.evaluate(presses).feasible:  # within a solver's tolerance is not enough
                budget.offer(presses, len(presses))

        answer = solve_model(
            built.model, self.solver, budget, rng, nodes=self.nodes, target=budget.target, on_values=hand_out
        )
        above = proved_bound(answer)
        bound = None if above is None else max(problem.trivial_bound, above)
        certificate = None if bound is None else certificate_of(answer)
        presses = built.read(answer.values) if answer.has_solution else None
        if presses is None or not problem.evaluate(presses).feasible:
            return Outcome(Status.EXHAUSTED, bound=bound, certificate=certificate)
        status = Status.IMPROVED if answer.status is MilpStatus.OPTIMAL else Status.EXHAUSTED
        return Outcome(status, presses, len(presses), bound=bound, certificate=certificate)
