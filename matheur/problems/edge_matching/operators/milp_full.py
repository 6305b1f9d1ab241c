"""The whole board as one MILP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.models.edge_matching import full
from matheur.problems.edge_matching.instance import Board
from matheur.solvers import MilpStatus
from matheur.solvers.proving import proved_bound

__all__ = ["MilpFull"]


@dataclass(frozen=True, slots=True)
class MilpFull:
    """Equations (1)-(14) of Salassa et al. 2017, section 2.1, solved to the end or to the limit.

    Attributes
    ----------
    formulation
        `match` and `gap` minimise mismatches; `exact` looks for a perfect board only, and gives a bound of 1 if it
        proves that there is none.
    nodes
        Maximum number of branch-and-bound nodes.
    solver
        The MILP backend.
    """

    formulation: Literal["match", "gap", "exact"] = "match"
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Build and solve the model. Work: branch-and-bound nodes."""
        with budget.watched():
            built = full.build(problem.instance, self.formulation)
        target = None if budget.target is None else budget.target - built.constant

        def hand_out(values: Mapping[Any, float]) -> None:
            board = built.read(values)
            budget.offer(board, problem.evaluate(board).objective)

        answer = solve_model(built.model, self.solver, budget, rng, nodes=self.nodes, target=target, on_values=hand_out)
        if answer.status is MilpStatus.INFEASIBLE:
            proof = certificate_of(answer)
            if self.formulation == "exact":
                return Outcome(Status.EXHAUSTED, bound=1, certificate=proof)
            reason = "frame and hints admit no complete board"
            return Outcome(Status.INFEASIBLE, reason=reason, certificate=proof)
        bound = proved_bound(answer, offset=built.constant)
        certificate = None if bound is None else certificate_of(answer)
        if not answer.has_solution:
            return Outcome(Status.EXHAUSTED, bound=bound, certificate=certificate)
        board = built.read(answer.values)
        objective = problem.evaluate(board).objective
        status = Status.IMPROVED if answer.status is MilpStatus.OPTIMAL else Status.EXHAUSTED
        return Outcome(status, board, objective, bound=bound, certificate=certificate)
