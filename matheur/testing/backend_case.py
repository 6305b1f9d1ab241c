"""A backend under test, and comparisons of its answers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from matheur.solvers import Backend, MilpSolution, MilpStatus, SolveRequest
from matheur.testing.contract import NotPromisedError, require

__all__ = ["LONG", "BackendCase", "near", "require_optimum"]

LONG = SolveRequest(seconds=60.0)
"""A request with a time limit so long that something else must end it."""


@dataclass(frozen=True, slots=True)
class BackendCase:
    """A wrapped backend, and the number of seconds that suffice for an incumbent of an easy model."""

    backend: Backend
    seconds: float = 2.0

    def __str__(self) -> str:
        return f"the backend '{self.backend.name}'"

    def needs(self, capability: str) -> None:
        """Raise a `NotPromisedError` if the backend does not declare this capability."""
        if not getattr(self.backend.capabilities, capability):
            raise NotPromisedError(f"{self.backend.name} declares no {capability}")

    def needs_continuous(self) -> None:
        """Raise a `NotPromisedError` if the backend accepts only bounded integers."""
        if self.backend.capabilities.integers_only:
            raise NotPromisedError(f"{self.backend.name} takes bounded integers only")

    def solve(self, model: Any, request: SolveRequest | None = None) -> MilpSolution:
        """The answer to a request, by default a request without limits."""
        return self.backend.solve(model, request or SolveRequest())

    def aiming(self, request: SolveRequest, target: float | None) -> SolveRequest:
        """The request with a target, if the backend declares that it ends there."""
        return replace(request, target=target) if self.backend.capabilities.target else request


def near(value: float | None, wanted: float, tolerance: float = 1e-6) -> bool:
    """Whether a value is not None and is equal to another one within a tolerance."""
    return value is not None and math.isclose(value, wanted, rel_tol=1e-6, abs_tol=tolerance)


def require_optimum(answer: MilpSolution, objective: float, bound: float | None = None) -> None:
    """Require that the answer claims the given optimum and, unless it is None, the given bound."""
    status = answer.status
    require(status is MilpStatus.OPTIMAL, f"the status is '{status.value}', where {objective} is the optimum")
    require(near(answer.objective, objective), f"the objective is {answer.objective}, and the optimum {objective}")
    require(bound is None or near(answer.bound, bound), f"the bound is {answer.bound}, not {bound}")
