"""Small graphs for the contract of operators, with optima computed by networkx."""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from matheur.problems.max_clique import Graph, MaxClique

NAMES = ("dense", "sparse", "classes")


@cache
def problem(name: str) -> MaxClique:
    """Return the problem with a name of `NAMES`."""
    rng = np.random.default_rng(NAMES.index(name))
    n = 30
    joined = np.triu(rng.random((n, n)) < (0.4 if name == "sparse" else 0.8), 1)
    if name == "classes":
        joined &= (np.arange(n) // 5)[:, None] != (np.arange(n) // 5)[None, :]
    u, v = np.nonzero(joined)
    return MaxClique(Graph.from_edges(n, u, v), name)


@cache
def optimum(one: MaxClique) -> int:
    """Return the optimal objective, the negative size of a largest clique."""
    graph = nx.Graph()
    graph.add_nodes_from(range(one.graph.n))
    graph.add_edges_from((u, v) for u in range(one.graph.n) for v in range(u) if one.graph.adjacent(u, v))
    return -len(nx.max_weight_clique(graph, weight=None)[0])


@cache
def some_clique(one: MaxClique) -> NDArray[np.int32]:
    """Return an edge as a read-only clique."""
    first = next(v for v in range(one.graph.n) if one.graph.degrees[v])
    second = next(v for v in range(one.graph.n) if one.graph.adjacent(first, v))
    found = np.array(sorted((first, second)), dtype=np.int32)
    found.setflags(write=False)
    return found
