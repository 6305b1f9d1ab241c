"""All cliques of maximum size or maximum weight: counted, and listed up to a limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.methods.clique.exact import ExactSearch, exact_search
from matheur.methods.clique.local_search import LocalSearch
from matheur.methods.clique.reduction import Reduction, heavy_clique, reduced, weighted_reduced
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.stepping import in_slices
from matheur.methods.clique.weighted_exact import WeightedExactSearch, best_search
from matheur.methods.clique.weighted_search import WeightedSearch

__all__ = ["AllCliques", "all_cliques"]

_SELECTIONS = 5_000  # of the initial local search


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class AllCliques:
    """Result of an enumeration.

    Attributes
    ----------
    vertices
        The best clique, 0-based, ascending.
    value, bound
        Size or weight of the best clique, and an upper bound for all cliques.
    count
        Number of best cliques found: all of them if `complete`.
    cliques
        Listed best cliques, each ascending, in lexicographic order.
    complete
        Whether `count` is final: the optimum is proved, and the enumeration finished.
    nodes
        Number of branchings of both searches.
    seconds
        Wall-clock seconds.
    """

    vertices: NDArray[np.int32]
    value: int
    bound: int
    count: int
    cliques: list[NDArray[np.int32]]
    complete: bool
    nodes: int
    seconds: float


def all_cliques(
    graph: AnyGraph,
    rng: Generator,
    *,
    weights: NDArray[np.int64] | None = None,
    keep: int = 1_000,
    max_nodes: int | None = None,
    seconds: float | None = None,
    stop: Callable[[], bool] = _never,
) -> AllCliques:
    """Prove the optimum by branch and bound, then enumerate all cliques that reach it.

    Parameters
    ----------
    rng
        Random generator of the initial local search.
    weights
        Whole numbers by vertex; vertices without positive weight are left out. None: all vertices have equal weight.
    keep
        Maximum number of listed cliques; all are counted, one by one.
    max_nodes, seconds, stop
        Limits of both searches together; time and `stop` are checked about every 0.03 s, but not during the reduction
        of a sparse graph, which may take a minute for hundreds of thousands of vertices with weights.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices, or the weights for their sum.

    Examples
    --------
    >>> from matheur.methods.clique.graph import Graph
    >>> square = Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0])
    >>> found = all_cliques(square, np.random.default_rng(1))
    >>> found.value, found.count, [clique.tolist() for clique in found.cliques]
    (2, 4, [[0, 1], [0, 3], [1, 2], [2, 3]])
    """
    began = search_clock()

    def on() -> bool:
        return not stop() and (seconds is None or search_clock() - began < seconds)

    best = _Best(graph, weights, rng)
    for _ in in_slices(best.search, on, max_nodes=max_nodes):
        pass
    clique, value, bound, nodes = best.vertices, best.value, best.bound, best.search.nodes
    if not best.search.done or value == 0:
        return AllCliques(clique, value, bound, 1, [clique][:keep], best.search.done, nodes, search_clock() - began)
    of = np.ones(graph.n, dtype=np.int64) if weights is None else weights
    part: Reduction | None = None
    if isinstance(graph, SparseGraph):
        part = reduced(graph, value - 1) if weights is None else weighted_reduced(graph, weights, value - 1)
        every = WeightedExactSearch(part.graph, of[part.vertices], beyond=value - 1, keep=keep)
    else:
        every = WeightedExactSearch(graph, of, beyond=value - 1, keep=keep)
    for _ in in_slices(every, on, max_nodes=None if max_nodes is None else max_nodes - nodes):
        pass
    found = every.cliques if part is None else [part.lifted(one) for one in every.cliques]
    cliques, count = sorted(found, key=lambda one: one.tolist()), every.count
    if not count:  # no best clique was found before a limit
        cliques, count = [clique][:keep], 1
    return AllCliques(clique, value, bound, count, cliques, every.done, nodes + every.nodes, search_clock() - began)


class _Best:
    """The exact search for a best clique, after a local search, or on a sparse graph reduced by a heavy clique."""

    def __init__(self, graph: AnyGraph, weights: NDArray[np.int64] | None, rng: Generator) -> None:
        self.search: ExactSearch | SparseExact | WeightedExactSearch
        self._part: Reduction | None = None
        self._before = np.zeros(0, dtype=np.int32)
        if isinstance(graph, SparseGraph):
            if weights is None:
                self.search = exact_search(graph)
                return
            self._before = heavy_clique(graph, weights)
            self._part = weighted_reduced(graph, weights, int(weights[self._before].sum()))
            self.search = WeightedExactSearch(self._part.graph, weights[self._part.vertices])
            return
        start = LocalSearch(graph, rng) if weights is None else WeightedSearch(graph, weights, rng)
        start.advance(_SELECTIONS)
        self.search = best_search(graph, weights, start.vertices)

    @property
    def value(self) -> int:
        return self.search.value if self._part is None else max(self._part.size, self.search.value)

    @property
    def bound(self) -> int:
        return self.search.bound if self._part is None else max(self._part.size, self.search.bound)

    @property
    def vertices(self) -> NDArray[np.int32]:
        if self._part is None:
            return self.search.vertices
        return self._part.lifted(self.search.vertices) if self.search.value > self._part.size else self._before
