"""matheur: mathematical models and combinatorial kernels as interchangeable operators of one local search engine.

The public names are loaded on first use, so that `import matheur` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matheur.engine.operators import register_operator
    from matheur.errors import ConfigurationError, InputError, MatheurError, OperatorError, SolverError
    from matheur.running.result import Result
    from matheur.running.solving import solve
    from matheur.version import __version__

__all__ = [
    "ConfigurationError",
    "InputError",
    "MatheurError",
    "OperatorError",
    "Result",
    "SolverError",
    "__version__",
    "register_operator",
    "solve",
]

_HOMES = {
    "__version__": "matheur.version",
    "ConfigurationError": "matheur.errors",
    "InputError": "matheur.errors",
    "MatheurError": "matheur.errors",
    "OperatorError": "matheur.errors",
    "Result": "matheur.running.result",
    "SolverError": "matheur.errors",
    "register_operator": "matheur.engine.operators",
    "solve": "matheur.running.solving",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'matheur' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
