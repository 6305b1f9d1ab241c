"""Built-in linear programs, from the Pyomo models in `models/`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from matheur.linear.model import LinearModel
from matheur.problems.builtin_instances import Builtins

__all__ = ["builtin", "made"]

_SEED = 1989

_MADE: Mapping[str, tuple[str, str, Mapping[str, int]]] = MappingProxyType(
    {
        "demo": ("lot sizing, 3 items in 8 periods: proved in seconds", "lot_sizing", {"items": 3, "periods": 8}),
        "lot-sizing": ("lot sizing, 20 items in 20 periods", "lot_sizing", {"items": 20, "periods": 20}),
    }
)


def made(module: str, sizes: Mapping[str, Any], seed: int) -> LinearModel:
    """The arrays of a generated instance of a model in `models/`."""
    from importlib import import_module

    from matheur.solvers.pyomo_arrays import arrays_of

    one = import_module(f"matheur.models.{module}")
    build: Callable[[Any], Any] = one.build
    return arrays_of(build(one.generate(**sizes, seed=seed))).model


def _make(name: str) -> LinearModel:
    _, module, sizes = _MADE[name]
    return made(module, sizes, _SEED)


builtin = Builtins("milp", {name: line for name, (line, _, _) in _MADE.items()}, _make)
"""Makes the built-in program of a name."""
