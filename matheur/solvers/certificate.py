"""Facts behind a proof of optimality, and its confirmation by another backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from matheur.errors import SolverError
from matheur.solvers.port import Backend, MilpSolution, MilpStatus, SolveRequest

__all__ = ["RefutedError", "confirm", "proof_facts"]


class RefutedError(SolverError):
    """Another backend found something better than a claimed optimum.

    Attributes
    ----------
    answer
        Answer of the other backend.
    """

    def __init__(self, message: str, answer: MilpSolution) -> None:
        super().__init__(message)
        self.answer = answer


def proof_facts(answer: MilpSolution, request: SolveRequest) -> dict[str, Any]:
    """Backend, claim and settings of a proof, as plain values for a result file."""
    return {
        "backend": answer.backend,
        "version": answer.version,
        "relative_gap": request.relative_gap,
        "absolute_gap": request.absolute_gap,
        "solver_objective": answer.objective,
        "solver_bound": answer.bound,
        "nodes": answer.nodes,
        "seconds": round(answer.seconds, 3),
    }


def confirm(
    build: Callable[[], Any], objective: float | None, backend: Backend, request: SolveRequest
) -> dict[str, Any]:
    """Search with a second backend for anything better than a claimed optimum; infeasibility is the second proof.

    Parameters
    ----------
    build
        Builds the model again, so that nothing is shared with the first proof.
    objective
        The claimed optimum, in the model's own terms; None for the claim that there is no solution at all.
    backend
        A different backend from the first proof; to confirm an optimum, it must support cutoffs.
    request
        Limits, gaps and interrupt; warm start, target, cutoff and options are set here.

    Returns
    -------
    dict
        `proof_facts`, and the cutoff.

    Raises
    ------
    RefutedError
        If it finds something better.
    SolverError
        If it cannot decide within the limits, or does not support cutoffs.
    """
    claim = "that there is no solution" if objective is None else f"the optimum {objective}"
    if objective is not None and not backend.capabilities.cutoff:
        raise SolverError(f"'{backend.name}' cannot confirm an optimum: it does not support cutoffs")
    asked = replace(request, warm_start=False, target=None, cutoff=objective, options={})
    answer = backend.solve(build(), asked)
    if answer.has_solution:
        found = f"'{backend.name}' found {answer.objective}, better than the claimed optimum {objective}"
        if objective is None:
            found = f"'{backend.name}' found {answer.objective}, although there was said to be no solution"
        raise RefutedError(found, answer)
    if answer.status is not MilpStatus.INFEASIBLE:
        why = answer.message or answer.status.value
        raise SolverError(f"'{backend.name}' could not confirm {claim} ({why})")
    return {**proof_facts(answer, asked), **({} if objective is None else {"cutoff": objective})}
