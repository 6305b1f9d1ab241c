"""A second proof of a claimed optimum, or that there is no solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from matheur.errors import OperatorError, SolverError
from matheur.methods.milp import claim_of, other_backend
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus, SolveRequest
from matheur.solvers.linear import solve_linear

__all__ = ["SecondSolver"]


@dataclass(frozen=True, slots=True)
class SecondSolver:
    """Another MILP solver looks for anything better than the claimed optimum."""

    def certify(
        self, problem: Milp, objective: int | float | None, *, first: str, interrupt: Callable[[], bool]
    ) -> dict[str, Any]:
        """Prove that no solution is better than `objective`; None: that there is no solution.

        Raises
        ------
        OperatorError
            If the other solver finds something better.
        SolverError
            If it could not finish.
        """
        backend = other_backend(first)
        cutoff = None if objective is None else float(problem.score(objective))
        request = SolveRequest(
            relative_gap=RELATIVE, absolute_gap=absolute_gap(problem.model), cutoff=cutoff, interrupt=interrupt
        )
        answer = solve_linear(backend, problem.model, request)
        if answer.values is not None:
            found = problem.evaluate(answer.values).objective
            raise OperatorError(f"'{first}' claims {_said(problem, objective)}, but '{backend.name}' found {found}")
        if answer.status is not MilpStatus.INFEASIBLE:
            raise SolverError(f"'{backend.name}' could not confirm {_said(problem, objective)} ({answer.message})")
        return {
            "method": f"{backend.name}, nothing better exists", "backend": backend.name, "version": answer.version,
            "cutoff": cutoff, "nodes": answer.nodes, "seconds": round(answer.seconds, 3),
        }  # fmt: skip


def _said(problem: Milp, objective: int | float | None) -> str:
    return claim_of(None) if objective is None else f"the optimum {problem.score(objective)}"
