"""Contracts of MILP backends, see `matheur.solvers.port`."""

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
"""All contracts, for tests that check a `BackendCase` against each."""


def check_backend(backend: str | Backend, *, seconds: float = 2.0) -> None:
    """Check a backend on small models, inside the wrapper that `get_backend` adds.

    It takes a minute or more, since some contracts are about time limits. Call it in the main thread, like any solve.

    Parameters
    ----------
    backend
        A name for `get_backend`, or the backend.
    seconds
        Number of seconds that suffice for an incumbent of an easy model, even on a busy machine.

    Raises
    ------
    AssertionError
        If a contract is broken; the message states which and how.
    SolverError
        If the backend is not installed, or if the model refutes one of its answers.
    """
    coated = get_backend(backend) if isinstance(backend, str) else CheckedBackend(backend)
    keep(CONTRACTS, BackendCase(coated, seconds))
