"""What a claim of optimality rests on, and its second proof by another backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from matheur.errors import SolverError
from matheur.solvers.answers import goal_of
from matheur.solvers.port import Backend, MilpSolution, MilpStatus, SolveRequest

__all__ = ["Certificate", "certify"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """One proof, or two.

    Attributes
    ----------
    objective, bound
        Of the backend, in the model's own sense.
    relative_gap, absolute_gap
        What the backend was told to call optimal.
    backend, version
        Who proved it.
    evaluated
        The same solution's objective, recomputed by the problem's own evaluator.
    second
        The proof of another backend.
    """

    objective: float
    bound: float
    relative_gap: float
    absolute_gap: float
    backend: str
    version: str
    evaluated: float
    second: Certificate | None = None

    @classmethod
    def of(cls, answer: MilpSolution, request: SolveRequest, evaluated: float) -> Certificate:
        """The certificate of one proved answer.

        Raises
        ------
        SolverError
            If the answer is no proof of optimality: status, missing bound, a gap wider than asked for, or an
            objective that the evaluator does not confirm.
        """
        if answer.status is not MilpStatus.OPTIMAL or answer.objective is None or answer.bound is None:
            raise SolverError(f"{answer.backend} proved no optimum ({answer.status.value}: {answer.message})")
        scale = max(1.0, abs(answer.objective))
        allowed = max(request.absolute_gap, request.relative_gap * scale) + 1e-6 * scale
        if not abs(answer.objective - answer.bound) <= allowed:
            raise SolverError(f"{answer.backend} leaves a gap: objective {answer.objective}, bound {answer.bound}")
        if abs(answer.objective - evaluated) > 1e-6 * scale:
            raise SolverError(f"{answer.backend} claims objective {answer.objective}, the evaluator says {evaluated}")
        return cls(
            objective=answer.objective,
            bound=answer.bound,
            relative_gap=request.relative_gap,
            absolute_gap=request.absolute_gap,
            backend=answer.backend,
            version=answer.version,
            evaluated=evaluated,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a result file."""
        return asdict(self)


def certify(
    build: Callable[[], Any],
    first: MilpSolution,
    evaluated: float,
    second: Backend,
    request: SolveRequest,
    evaluate: Callable[[Any, MilpSolution], float] | None = None,
) -> Certificate:
    """Prove an optimum again with another backend.

    Parameters
    ----------
    build
        Makes the model anew, so that nothing is shared with the first proof.
    first
        The answer to confirm, solved under the same gaps as `request`.
    evaluated
        Its solution's objective in the model's terms, recomputed by the problem's own evaluator.
    second
        Another backend.
    request
        Gaps and limits of both proofs; warm start, target and cutoff are left out of the second.
    evaluate
        Recomputes the objective of the second solution, given its model and answer; without it the backend's own
        figure is compared.

    Raises
    ------
    SolverError
        If either is no proof, or they disagree; the message names both.
    """
    one = Certificate.of(first, request, evaluated)
    model = build()
    answer = second.solve(model, replace(request, warm_start=False, target=None, cutoff=None, options={}))
    if answer.status is MilpStatus.INFEASIBLE:
        raise SolverError(f"{first.backend} and {second.name} disagree: {one.objective} against infeasible")
    again = answer.objective if evaluate is None else evaluate(model, answer)
    two = Certificate.of(answer, request, float("nan") if again is None else again)
    sense, slack = goal_of(model).sense, 1e-6 * max(1.0, abs(one.objective))
    if any(sense * (a.bound - b.objective) > slack for a, b in ((one, two), (two, one))):
        raise SolverError(
            f"{one.backend} and {two.backend} disagree: optimum {one.objective} (bound {one.bound}) against "
            f"{two.objective} (bound {two.bound})"
        )
    return replace(one, second=two)
