"""The contracts of matheur as checks, for the tests of packages that extend it.

A check raises an `AssertionError` that states which contract is broken and how. Errors raised by the tested object pass
through, with a note that names the contract. The tests of matheur run the same checks on everything that is registered.
The checks need no test framework:

    from matheur.testing import check_operator

    def test_my_operator():
        check_operator(problem, MyOperator, incumbent=problem.decode([2, 0, 1]))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matheur.testing.backend import check_backend
    from matheur.testing.contract import Contract, NotPromisedError
    from matheur.testing.domain import check_domain
    from matheur.testing.operator import check_operator
    from matheur.testing.problem import check_problem

__all__ = ["Contract", "NotPromisedError", "check_backend", "check_domain", "check_operator", "check_problem"]

_HOMES = {
    "Contract": "matheur.testing.contract",
    "NotPromisedError": "matheur.testing.contract",
    "check_backend": "matheur.testing.backend",  # imports Pyomo
    "check_domain": "matheur.testing.domain",  # imports numba
    "check_operator": "matheur.testing.operator",
    "check_problem": "matheur.testing.problem",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'matheur.testing' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
