"""Built-in boards: seeded random ones of many sizes."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from matheur.problems.builtin_instances import Builtins
from matheur.problems.sliding_tile.generator import generate, uniform
from matheur.problems.sliding_tile.instance import Instance

__all__ = ["BUILTINS", "builtin"]

_SIZES = ((3, 3), (2, 7), (3, 5), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8))
_SEED = 2026

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "4 x 4, a random board",
        **{f"{rows}x{columns}": f"{rows} x {columns}, a random board" for rows, columns in _SIZES},
        "3x3-farthest": "3 x 3, one of the two boards that need 31 slides",
        "4x4-easy": "4 x 4, 30 random slides from the goal",
        "4x4-swapped": "4 x 4, the goal with 14 and 15 exchanged: Loyd's puzzle, which cannot be solved",
        "5x5-easy": "5 x 5, 60 random slides from the goal",
    }
)
"""Names of the built-in boards, with a line each."""


def _make(name: str) -> Instance:
    if name == "4x4-swapped":
        return Instance(4, 4, (*range(1, 14), 15, 14, 0), title=name)
    if name == "3x3-farthest":
        return Instance(3, 3, (8, 6, 7, 2, 5, 4, 3, 0, 1), title=name)
    size, _, easy = ("4x4" if name == "demo" else name).partition("-")
    rows, columns = (int(side) for side in size.split("x"))
    if easy:
        return generate(rows, columns, seed=_SEED, moves=30 if rows == 4 else 60, title=name)[0]
    rng = np.random.default_rng([_SEED, rows, columns])
    return uniform(rows, columns, rng, title=name)


builtin = Builtins("sliding-tile", BUILTINS, _make)
"""A built-in board."""
