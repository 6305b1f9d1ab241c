"""Built-in linear programs, from the Pyomo models in `models/`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from matheur.linear.model import LinearModel
from matheur.problems.builtin_instances import Builtins
from matheur.problems.milp.generator import KINDS, generate

__all__ = ["builtin"]

_SEED = 1989

_MADE: Mapping[str, tuple[str, str, Mapping[str, int]]] = MappingProxyType(
    {
        "demo": ("lot sizing, 3 items in 8 periods: proved in seconds", "lot-sizing", {"items": 3, "periods": 8}),
        **{
            name: (f"{kind.line}: " + " x ".join(f"{size} {key}" for key, size in kind.sizes.items()), name, {})
            for name, kind in KINDS.items()
        },
    }
)


def _make(name: str) -> LinearModel:
    _, kind, sizes = _MADE[name]
    return generate(kind, sizes, _SEED)[0]


builtin = Builtins("milp", {name: line for name, (line, _, _) in _MADE.items()}, _make)
"""Makes the built-in program of a name."""
