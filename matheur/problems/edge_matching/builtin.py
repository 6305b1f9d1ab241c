"""Built-in puzzles: generated from fixed seeds, with the colour counts of Brendan Owen's sets.

They are of the same kind and difficulty as the META 2010 contest instances, but are not those instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from matheur.problems.builtin_instances import Builtins
from matheur.problems.edge_matching.generator import default_colours, generate
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["BUILTINS", "builtin", "builtin_solution"]

_SIZES = {"demo": 8, **{f"{size}x{size}": size for size in range(3, 17)}}
_DEMO_SEED = 2010


def _line(name: str, size: int) -> str:
    frame, inner = default_colours(size, size)
    line = f"random solvable {size} x {size} board, {frame} frame and {inner} inner colours"
    return f"{line}; improves visibly within seconds" if name == "demo" else line


BUILTINS: Mapping[str, str] = MappingProxyType({name: _line(name, size) for name, size in _SIZES.items()})
"""Names of the built-in puzzles, with a one-line description each."""


def _make(name: str) -> tuple[Instance, Board]:
    size = _SIZES[name]
    return generate(size, size, seed=_DEMO_SEED if name == "demo" else size, name=name)


builtin = Builtins("edge-matching", BUILTINS, lambda name: _make(name)[0])
"""A built-in puzzle."""

builtin_solution = Builtins("edge-matching", BUILTINS, lambda name: _make(name)[1])
"""The hidden solution of a built-in puzzle, for tests and demonstrations."""
