"""Built-in instances: generated from fixed seeds, in the styles of QAPLIB."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from matheur.problems.builtin_instances import Builtins
from matheur.problems.quadratic_assignment.generator import KINDS, generate
from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["BUILTINS", "builtin", "builtin_solution"]

_MADE: Mapping[str, tuple[str, int | tuple[int, int]]] = {
    "demo": ("grid", (3, 4)),
    "tiny8": ("grid", (2, 4)),
    "grid30": ("grid", (5, 6)),
    "uniform25": ("uniform", 25),
    "clustered30": ("clustered", 30),
    "structured27": ("blocks", 27),
    "tree18": ("tree", 18),
    "asymmetric20": ("asymmetric", 20),
    "planted36": ("planted", (6, 6)),
}
_SEED = 1957


def _line(kind: str, size: int | tuple[int, int]) -> str:
    n = size if isinstance(size, int) else size[0] * size[1]
    return f"n = {n}: {KINDS[kind]}"


BUILTINS: Mapping[str, str] = MappingProxyType({name: _line(*made) for name, made in _MADE.items()})
"""Names of the built-in instances, with a line each."""


def _make(name: str) -> tuple[Instance, NDArray[np.int32]]:
    kind, size = _MADE[name]
    return generate(kind, size, seed=_SEED, name=name)


builtin = Builtins("quadratic-assignment", BUILTINS, lambda name: _make(name)[0])
"""A built-in instance."""

builtin_solution = Builtins("quadratic-assignment", BUILTINS, lambda name: _make(name)[1])
"""The solution that the generator gave with it (of `planted36` the optimum)."""
