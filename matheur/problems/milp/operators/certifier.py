"""A second proof of a claimed optimum, or that there is no solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import OperatorError, SolverError
from matheur.methods.milp import claim_of, other_backend
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap
from matheur.problems.milp.problem import Milp
from matheur.solvers import Backend, MilpStatus, SolveRequest
from matheur.solvers.linear import solve_linear
from matheur.solvers.linear_task import LinearTask, Restriction

__all__ = ["SecondSolver"]

_AGAIN = 4


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
        task = LinearTask(problem.model)
        cutoff = claim = None if objective is None else float(problem.score(objective))
        request = SolveRequest(
            relative_gap=RELATIVE, absolute_gap=absolute_gap(problem.model), cutoff=cutoff, interrupt=interrupt
        )
        answer = solve_linear(backend, problem.model, request)
        for _ in range(_AGAIN):
            if answer.values is None or answer.objective is None:
                break
            best = None if claim is None else _best_with(backend, task, answer.values, request)
            if claim is None or (best is not None and task.beats(best, claim)):
                found = problem.score(problem.evaluate(answer.values).objective)
                raise OperatorError(f"'{first}' claims {_said(problem, objective)}, but '{backend.name}' found {found}")
            # Its solution is better only within its row tolerance: search beyond it.
            cutoff = claim + 2 * (answer.objective - claim)
            answer = solve_linear(backend, problem.model, replace(request, cutoff=cutoff))
        if answer.status is not MilpStatus.INFEASIBLE:
            raise SolverError(f"'{backend.name}' could not confirm {_said(problem, objective)} ({answer.message})")
        return {
            "method": f"{backend.name}, nothing better exists", "backend": backend.name, "version": answer.version,
            "cutoff": cutoff, "nodes": answer.nodes, "seconds": round(answer.seconds, 3),
        }  # fmt: skip


def _best_with(backend: Backend, task: LinearTask, values: NDArray[np.float64], request: SolveRequest) -> float | None:
    """The best objective with these integers, without a cutoff that would use up the tolerances of rows."""
    integral = task.integral
    fixed = Restriction(
        lower=np.where(integral, values, task.lower), upper=np.where(integral, values, task.upper), relaxed=True
    )
    return solve_linear(backend, task.model, replace(request, cutoff=None), fixed).objective


def _said(problem: Milp, objective: int | float | None) -> str:
    return claim_of(None) if objective is None else f"the optimum {problem.score(objective)}"
