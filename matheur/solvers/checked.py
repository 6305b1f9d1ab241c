"""Wrapper in which `get_backend` returns every backend. Loads Pyomo only for a Pyomo model."""

from __future__ import annotations

from typing import Any

from matheur.pyomo_start import start_pyomo
from matheur.pyomo_turn import pyomo_turn
from matheur.solvers.port import Backend, Capabilities, MilpSolution, SolveRequest

__all__ = ["CheckedBackend"]


class CheckedBackend:
    """A backend whose models and answers are checked.

    Parameters
    ----------
    backend
        Any backend; its name, capabilities and version are passed through.
    """

    def __init__(self, backend: Backend) -> None:
        self.inner: Backend = backend
        self.name: str = backend.name
        self.capabilities: Capabilities = backend.capabilities

    def available(self) -> bool:
        """As reported by the backend; never raises."""
        return self.inner.available()

    def version(self) -> str:
        """As reported by the backend."""
        return self.inner.version()

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a model; see `matheur.solvers.port.Backend`.

        Raises
        ------
        SolverError
            For unsupported components, for failures of the backend, and for an answer that the model refutes.
        """
        with pyomo_turn():
            start_pyomo()
            from matheur.solvers.checking import solve_checked

            return solve_checked(self.inner, model, request)
