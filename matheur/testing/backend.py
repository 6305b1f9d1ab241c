"""What every MILP backend promises, see `matheur.solvers.port`."""

from __future__ import annotations

from matheur.solvers import Backend, get_backend
from matheur.solvers.checked import CheckedBackend
from matheur.testing.backend_answers import ANSWERS
from matheur.testing.backend_calls import CALLS
from matheur.testing.backend_case import BackendCase
from matheur.testing.backend_limits import LIMITS
from matheur.testing.contract import Contract, keep

__all__ = ["CONTRACTS", "BackendCase", "check_backend"]

CONTRACTS: tuple[Contract, ...] = (*ANSWERS, *LIMITS, *CALLS)
"""All of them, for tests that hold a `BackendCase` to each."""


def check_backend(backend: str | Backend, *, seconds: float = 2.0) -> None:
    """Check a backend on small models, in the coat that `get_backend` puts around it.

    It takes a minute or more: some contracts are about limits of time. Call it in the main thread, as it solves.

    Parameters
    ----------
    backend
        A name for `get_backend`, or the backend.
    seconds
        Seconds in which it has an incumbent of an easy model, also on a busy machine.

    Raises
    ------
    AssertionError
        If a contract is broken; the message says which and how.
    SolverError
        If it is not installed, or if one of its answers is refuted by the model.
    """
    coated = get_backend(backend) if isinstance(backend, str) else CheckedBackend(backend)
    keep(CONTRACTS, BackendCase(coated, seconds))
