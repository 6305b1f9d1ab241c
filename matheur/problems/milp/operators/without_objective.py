"""Construction `without-objective`: the MILP solver on the model without its costs."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions, begin_arrays, run_arrays, solve_arrays
from matheur.problems.milp.operators.gaps import facts_of
from matheur.problems.milp.operators.polish import Polish
from matheur.problems.milp.operators.whole import best_known
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer, LinearSolve
from matheur.solvers.linear_task import Restriction

__all__ = ["WithoutObjective"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)
_RULE = "the model without its objective"


@dataclass(frozen=True, slots=True)
class WithoutObjective:
    """The MILP solver on the model without its costs, to the first solution; a linear program for continuous columns.

    The relaxation then has no preferred vertex, and nothing has to be proved: a solver may find a solution in seconds
    when it otherwise finds none in a minute. The solution may be poor and needs improvement. A proof of infeasibility
    holds for the model. In a timed run, a later call continues the solve. Compare the heuristic `zeroobj` of SCIP.

    Attributes
    ----------
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search until there is a solution, or the budget is used up. Work: one unit for each node."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        try:
            answer = self._answer(problem, budget, rng)
        except FailedSolveError as error:  # with the costs it may do better
            _log.warning("the model without its objective was not solved: %s", error)
            budget.spend(work=1)
            return Outcome(Status.EXHAUSTED)
        if answer.status is MilpStatus.INFEASIBLE and best_known(budget).solution is None:
            reason = f"{answer.backend} proved that it has none"
            return Outcome(Status.INFEASIBLE, reason=reason, certificate=facts_of(answer, _RULE))
        if answer.values is None:
            return Outcome(Status.EXHAUSTED)
        values = settled(problem.model, answer.values)  # solvers return nearly integral values
        found = problem.evaluate(values)
        if not found.feasible:
            return Outcome(Status.EXHAUSTED)
        budget.offer(values, found.objective)
        try:
            better = Polish(solver=self.solver).explore(problem, values, budget, rng)
        except FailedSolveError:
            better = Outcome(Status.NO_IMPROVEMENT)
        if better.solution is not None:
            return Outcome(Status.IMPROVED, better.solution, better.objective)
        return Outcome(Status.IMPROVED, values, found.objective)

    def _answer(self, problem: Milp, budget: Budget, rng: Generator) -> LinearAnswer:
        """The answer of the solver at the end of the budget; in a timed run it is then paused."""
        without = Restriction(cost=np.zeros(problem.model.width))
        if not budget.timed:
            return solve_arrays(problem.model, self.solver, budget, rng, restriction=without)
        key = f"{_RULE}: {self.solver!r}"
        kept = budget.kept.get(key)
        if not isinstance(kept, _Kept) or not kept.solve.waits:
            nodes = budget.affordable(None)
            kept = _Kept(begin_arrays(problem.model, self.solver, rng, restriction=without, nodes=nodes))
            budget.kept[key] = kept
        answer = run_arrays(kept.solve, budget, seconds=budget.seconds_left)
        budget.spend(work=max(1, answer.nodes - kept.nodes))
        kept.nodes = answer.nodes
        return answer


@dataclass(slots=True)
class _Kept:
    """A paused solve, and its nodes so far, which are booked."""

    solve: LinearSolve
    nodes: int = 0

    def close(self) -> None:
        self.solve.close()
