"""Cliques of maximum weight with proof, and all of them: bitset branch and bound, in slices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.bit_rows import check_memory, degeneracy, reordered
from matheur.methods.clique.exact import ExactSearch, exact_search
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import BranchAndBound
from matheur.methods.clique.weights import checked_weights, positive_part, weighted_colouring

__all__ = ["WeightedExactSearch", "best_search"]


class WeightedExactSearch(BranchAndBound):
    """Branch and bound for a clique of maximum weight, which can be advanced in slices.

    Parameters
    ----------
    graph
        Graph to search.
    weights
        Whole numbers by vertex; vertices without positive weight are left out.
    start
        A clique; the search looks only for heavier ones.
    beyond
        Instead of a start: collect every clique that weighs more than this and cannot be extended by a vertex of
        positive weight. If this is more than one below the largest weight, parts of heavier cliques are collected, too.
    keep
        Most collected cliques to keep; all are counted.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices, or the weights for their sum.
    ValueError
        If `start` is not a clique, or there is not one weight for each vertex.
    """

    def __init__(
        self,
        graph: Graph,
        weights: NDArray[np.int64],
        start: Sequence[int] | NDArray[np.integer] = (),
        *,
        beyond: int | None = None,
        keep: int = 0,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import weighted_exact_kernels as kernels

        n, words = graph.n, (graph.n + 63) // 64
        self._kernels, self._graph, self._weights = kernels, graph, checked_weights(graph.n, weights)
        self._start = np.sort(positive_part(starting_clique(graph, start), self._weights))
        least = graph.edges // n + 3 if n else 3  # a bound on the degeneracy, which is slow for many vertices
        what, advice = f"exact search on {n:,} vertices", "use local search"
        check_memory(what, 8 * words * (n + least) + 12 * n * least, advice)
        self._order, core = degeneracy(graph)
        depths = core + 3  # a clique has at most core + 1 vertices
        check_memory(what, 8 * words * (n + depths) + 12 * n * depths, advice)
        check_memory(f"a list of {keep:,} cliques of up to {core + 1:,} vertices", 4 * keep * depths, "keep fewer")
        self._bound_max = weighted_colouring(graph, self._weights)
        self._adjacency = reordered(graph, self._order)
        self._weight = np.maximum(self._weights[self._order], 0)
        self._candidates = np.zeros((depths, words), dtype=np.uint64)
        self._branch, self._bounds = np.zeros((depths, n), dtype=np.int32), np.zeros((depths, n), dtype=np.int64)
        self._left, self._total = np.zeros((2, depths), dtype=np.int64), np.zeros(depths, dtype=np.int64)
        self._uncoloured, self._klass = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
        self._remaining, self._members = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int32)
        self._best, self._chosen = np.zeros(depths, dtype=np.int32), np.zeros(depths, dtype=np.int32)
        self._found, self._lengths = np.zeros((keep, depths), dtype=np.int32), np.zeros(keep, dtype=np.int32)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._state[kernels.COLLECT] = beyond is not None
        self._state[kernels.BEST] = int(self._weights[self._start].sum()) if beyond is None else beyond
        kernels.prepare(
            self._adjacency, self._weight, self._candidates, self._branch, self._bounds, self._left, self._uncoloured,
            self._klass, self._remaining, self._members, self._state,
        )  # fmt: skip
        self._roots = int(self._left[0, 0])

    def advance(self, nodes: int, target: int | None = None) -> None:
        """Make up to this many more branchings; stop early at a clique of weight `target`."""
        state, collects = self._state, self._state[self._kernels.COLLECT] == 1
        goal = self._bound_max if target is None else min(target, self._bound_max)
        self._kernels.run(
            int(state[self._kernels.NODES]) + nodes, np.iinfo(np.int64).max if collects else goal,
            self._adjacency, self._weight, self._candidates, self._branch, self._bounds, self._left, self._total,
            self._uncoloured, self._klass, self._remaining, self._members, self._chosen, self._best, self._found,
            self._lengths, state,
        )  # fmt: skip

    def _counted(self, vertices: NDArray[np.int32]) -> NDArray[np.int32]:
        return positive_part(vertices, self._weights)

    def _value_of(self, vertices: NDArray[np.int32]) -> int:
        return int(self._weights[vertices].sum())

    @property
    def size(self) -> int:
        """Number of vertices of the best clique."""
        state, kernels = self._state, self._kernels
        return int(state[kernels.SIZE]) if state[kernels.OWN] else len(self._start)

    @property
    def done(self) -> bool:
        """Whether the search has proved that no heavier clique exists, or the collection is complete."""
        if self._state[self._kernels.DEPTH] < 0:
            return True
        return bool(self._state[self._kernels.COLLECT] == 0) and self.bound == self.value

    @property
    def bound(self) -> int:
        """Upper bound on the weight of a clique."""
        if self._state[self._kernels.DEPTH] < 0:
            return self.value
        return max(self.value, min(int(self._state[self._kernels.BOUND]), self._bound_max))

    @property
    def count(self) -> int:
        """Number of cliques collected so far."""
        return int(self._state[self._kernels.COUNT])

    @property
    def cliques(self) -> list[NDArray[np.int32]]:
        """The cliques that were kept, each ascending, in the order of the search."""
        return [
            np.sort(self._order[self._found[place, : self._lengths[place]]]).astype(np.int32)
            for place in range(min(self.count, len(self._found)))
        ]


def best_search(
    graph: AnyGraph,
    weights: NDArray[np.int64] | None,
    start: Sequence[int] | NDArray[np.integer] = (),
    *,
    strength: int = 1,
) -> ExactSearch | SparseExact | WeightedExactSearch:
    """Branch and bound for a largest clique, or for a heaviest one if there are weights; see the classes.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices, or if it is sparse with weights and must be reduced before.
    """
    if weights is None:
        return exact_search(graph, start, strength=strength)
    if isinstance(graph, SparseGraph):
        raise MatheurError("weights on a sparse graph. Maybe reduce it first?")
    return WeightedExactSearch(graph, weights, start)
