"""Maximum clique with proof: bitset branch and bound, in slices.

For graphs of a few hundred vertices, or sparser graphs of a thousand. Dense graphs of edge-matching boards beyond 4 x 4
are out of reach without the use of their structure. Sparse graphs of millions of edges are searched neighbourhood by
neighbourhood (`matheur.methods.clique.sparse_exact`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.methods.clique.bit_rows import check_memory, degeneracy, reordered
from matheur.methods.clique.colouring import largest_first_classes
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import BranchAndBound, in_slices

__all__ = ["ExactResult", "ExactSearch", "exact_search", "solve_exact"]

_COLOURING_MAX = 20_000_000  # entries of the complement, a few hundredths of a second


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class ExactResult:
    """The best clique and the proved bound.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    bound
        Upper bound on the size of a clique; equal to the size if `proved`.
    nodes
        Number of branchings.
    seconds
        Wall-clock seconds.
    proved
        True if no larger clique exists.
    """

    vertices: NDArray[np.int32]
    bound: int
    nodes: int
    seconds: float
    proved: bool

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.vertices)


class ExactSearch(BranchAndBound):
    """Branch and bound that can be advanced in slices.

    Parameters
    ----------
    graph
        Graph to search.
    start
        A clique; the search looks only for larger ones.
    strength
        0: colouring bounds; 1: also re-colouring; 2: also the infra-chromatic bound, with the fewest but slowest nodes.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices.
    ValueError
        If `start` is not a clique.
    """

    def __init__(self, graph: Graph, start: Sequence[int] | NDArray[np.integer] = (), *, strength: int = 1) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import exact_kernels as kernels

        n, words = graph.n, (graph.n + 63) // 64
        members = starting_clique(graph, start)
        # A check before the degeneracy, which is slow for many vertices; it is at least half the mean degree.
        least = graph.edges // n + 3 if n else 3
        what, advice = f"exact search on {n:,} vertices", "use local search"
        check_memory(what, 8 * words * (n + 2 * least) + 8 * n * least, advice)
        self._kernels, self._graph = kernels, graph
        self._order, self._core = degeneracy(graph)
        label = largest_first_classes(graph, entries_max=_COLOURING_MAX)
        self._classes_max = n if label is None or not n else int(label.max()) + 1
        depths = self._core + 3  # a clique has at most core + 1 vertices
        check_memory(what, 8 * words * (n + 2 * depths) + 8 * n * depths, advice)
        self._strength = strength
        self._start = np.sort(members)
        best = np.zeros(n, dtype=np.int32)
        self._best, self._chosen = best, np.zeros(depths, dtype=np.int32)
        self._adjacency = reordered(graph, self._order)
        self._candidates = np.zeros((depths, words), dtype=np.uint64)
        self._branch, self._bounds = np.zeros((depths, n), dtype=np.int32), np.zeros((depths, n), dtype=np.int32)
        self._left = np.zeros((2, depths), dtype=np.int64)
        self._uncoloured, self._klass = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
        self._classes = np.zeros((depths + 1, words), dtype=np.uint64)
        self._used = np.zeros(depths + 1, dtype=np.uint8)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._state[kernels.BEST] = len(members)
        kernels.prepare(
            self._strength, self._adjacency, self._candidates, self._branch, self._bounds, self._left,
            self._uncoloured, self._klass, self._classes, self._used, self._state,
        )  # fmt: skip
        self._roots = int(self._left[0, 0])

    def advance(self, nodes: int, target: int | None = None) -> None:
        """Make up to this many more branchings; stop early at a clique of `target` vertices."""
        state = self._state
        self._kernels.run(
            int(state[self._kernels.NODES]) + nodes,
            self._classes_max if target is None else min(target, self._classes_max),
            self._strength, self._adjacency, self._candidates, self._branch, self._bounds, self._left,
            self._uncoloured, self._klass, self._classes, self._used, self._chosen, self._best, state,
        )  # fmt: skip

    @property
    def done(self) -> bool:
        """Whether the search has proved that no larger clique exists."""
        return bool(self._state[self._kernels.DEPTH] < 0) or self.bound == self.size

    @property
    def bound(self) -> int:
        """Upper bound on the size of a clique."""
        if self._state[self._kernels.DEPTH] < 0:
            return self.size
        return max(self.size, min(int(self._state[self._kernels.BOUND]), self._core + 1, self._classes_max))


def exact_search(
    graph: AnyGraph, start: Sequence[int] | NDArray[np.integer] = (), *, strength: int = 1
) -> ExactSearch | SparseExact:
    """The exact search for the form of a graph, see `ExactSearch`.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices.
    ValueError
        If `start` is not a clique.
    """
    if isinstance(graph, SparseGraph):
        return SparseExact(graph, start, strength=strength)
    return ExactSearch(graph, start, strength=strength)


def solve_exact(
    graph: AnyGraph,
    *,
    start: Sequence[int] | NDArray[np.integer] = (),
    max_nodes: int | None = None,
    seconds: float | None = None,
    target: int | None = None,
    strength: int = 1,
    stop: Callable[[], bool] = _never,
    on_improvement: Callable[[NDArray[np.int32]], None] | None = None,
) -> ExactResult:
    """A largest clique, unless a limit ends the search first.

    Parameters
    ----------
    start
        A clique, preferably from a heuristic, so that only the proof remains.
    max_nodes, seconds, stop
        Limits; time and `stop` are checked about every 0.03 s.
    target
        Size at which the search may end without a proof.
    strength
        See `ExactSearch`.
    on_improvement
        Called with the vertices of a better clique.

    Raises
    ------
    MatheurError
        If the graph is too large for bit matrices.
    ValueError
        If `start` is not a clique.

    Examples
    --------
    >>> triangle = Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3])
    >>> answer = solve_exact(triangle)
    >>> answer.vertices.tolist(), answer.proved
    ([0, 1, 2], True)
    """
    began = search_clock()
    search = exact_search(graph, start, strength=strength)
    reported = search.size

    def on() -> bool:
        return not stop() and (seconds is None or search_clock() - began < seconds)

    for _ in in_slices(search, on, max_nodes=max_nodes, target=target):
        if on_improvement is not None and search.size > reported:
            reported = search.size
            on_improvement(search.vertices)
    return ExactResult(search.vertices, search.bound, search.nodes, search_clock() - began, search.done)
