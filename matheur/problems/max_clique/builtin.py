"""Built-in graphs: algebraic graphs, and random graphs with fixed seeds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from matheur.methods.clique.graph import Graph
from matheur.problems.builtin_instances import Builtins
from matheur.problems.max_clique.generator import Vertices, gnp, hamming, hidden, johnson, keller, model_rb

__all__ = ["BUILTINS", "builtin", "builtin_solution"]

_SEED = 1993

_MADE: Mapping[str, tuple[str, Callable[[np.random.Generator], tuple[Graph, Vertices]]]] = {
    "demo": ("hidden clique of 22 in 300 vertices", lambda rng: hidden(300, 0.7, 22, rng)),
    "random200": ("200 vertices, density 0.9", lambda rng: gnp(200, 0.9, rng)),
    "random500": ("500 vertices, density 0.5", lambda rng: gnp(500, 0.5, rng)),
    "hidden400": ("hidden clique of 29 in 400 vertices", lambda rng: hidden(400, 0.75, 29, rng)),
    "rb30": ("Model RB, 30 variables of 15 values: 30", lambda rng: model_rb(30, 15, rng)),
    "rb40": ("Model RB, 40 variables of 19 values: 40", lambda rng: model_rb(40, 19, rng)),
    "rb50": ("Model RB, 50 variables of 23 values: 50", lambda rng: model_rb(50, 23, rng)),
    "hamming6-4": ("64 words, at least 4 apart: 4", lambda _: hamming(6, 4)),
    "hamming8-4": ("256 words, at least 4 apart: 16", lambda _: hamming(8, 4)),
    "hamming10-4": ("1024 words, at least 4 apart: 40 is the best known", lambda _: hamming(10, 4)),
    "johnson8-4-4": ("70 subsets, at least 4 apart: 14", lambda _: johnson(8, 4, 4)),
    "johnson16-2-4": ("120 pairs, disjoint: 8", lambda _: johnson(16, 2, 4)),
    "johnson32-2-4": ("496 pairs, disjoint: 16", lambda _: johnson(32, 2, 4)),
    "keller4": ("171 vertices: 11", lambda _: keller(4)),
    "keller5": ("776 vertices: 27", lambda _: keller(5)),
    "keller6": ("3361 vertices: 59", lambda _: keller(6)),
}

BUILTINS: Mapping[str, str] = MappingProxyType({name: line for name, (line, _) in _MADE.items()})
"""Names of the built-in graphs, with one line about each; a number after a colon is the size of a largest clique."""


def _make(name: str) -> tuple[Graph, Vertices]:
    return _MADE[name][1](np.random.default_rng(_SEED))


builtin = Builtins("max-clique", BUILTINS, lambda name: _make(name)[0])
"""A built-in graph."""

builtin_solution = Builtins("max-clique", BUILTINS, lambda name: _make(name)[1])
"""The clique that comes with a built-in graph: the hidden clique, or a greedy one."""
