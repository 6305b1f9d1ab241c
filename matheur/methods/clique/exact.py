"""Maximum clique with proof: bitset branch and bound, in slices.

For graphs of a few hundred vertices, or sparser ones of a thousand; dense graphs of edge-matching boards beyond
4 x 4 are out of reach without their structure. Sparse graphs of millions of edges are searched neighbourhood by
neighbourhood (`matheur.methods.clique.sparse_exact`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.errors import MatheurError
from matheur.methods.clique.colouring import largest_first_classes
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import BranchAndBound

__all__ = ["ExactResult", "ExactSearch", "exact_search", "solve_exact"]

MEMORY_MAX = 4_000_000_000
_COLOURING_MAX = 20_000_000  # entries of the complement, some hundredths of a second
_FIRST_CHUNK = 100
_CHUNK_SECONDS = 0.03


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class ExactResult:
    """The best clique and what is proved.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    bound
        No clique is larger than this; equal to the size if `proved`.
    nodes
        Branchings done.
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
        Where to search.
    start
        A clique; only larger ones are looked for.
    strength
        0: colouring bounds; 1: with re-colouring; 2: with the infra-chromatic bound, too: the fewest nodes, and the
        slowest ones.

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
        # Before the degeneracy, which takes a while for many vertices; it is at least half the mean degree.
        least = graph.edges // n + 3 if n else 3
        _check_memory(n, 8 * words * (n + 2 * least) + 8 * n * least)
        self._kernels, self._graph = kernels, graph
        self._order, self._core = _degeneracy(graph)
        label = largest_first_classes(graph, entries_max=_COLOURING_MAX)
        self._classes_max = n if label is None or not n else int(label.max()) + 1
        depths = self._core + 3  # a clique has at most core + 1 vertices
        _check_memory(n, 8 * words * (n + 2 * depths) + 8 * n * depths)
        self._strength = strength
        self._start = np.sort(members)
        best = np.zeros(n, dtype=np.int32)
        self._best, self._chosen = best, np.zeros(depths, dtype=np.int32)
        self._adjacency = _reordered(graph, self._order)
        self._candidates = np.zeros((depths, words), dtype=np.uint64)
        self._branch, self._colour = np.zeros((depths, n), dtype=np.int32), np.zeros((depths, n), dtype=np.int32)
        self._left = np.zeros(depths, dtype=np.int64)
        self._uncoloured, self._klass = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
        self._classes = np.zeros((depths + 1, words), dtype=np.uint64)
        self._used = np.zeros(depths + 1, dtype=np.uint8)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._state[kernels.BEST] = len(members)
        kernels.prepare(
            self._strength, self._adjacency, self._candidates, self._branch, self._colour, self._left,
            self._uncoloured, self._klass, self._classes, self._used, self._state,
        )  # fmt: skip
        self._roots = int(self._left[0])

    def advance(self, nodes: int, target: int | None = None) -> None:
        """Branch up to this many more times; stop early at a clique of `target` vertices."""
        state = self._state
        self._kernels.run(
            int(state[self._kernels.NODES]) + nodes,
            self._classes_max if target is None else min(target, self._classes_max),
            self._strength, self._adjacency, self._candidates, self._branch, self._colour, self._left,
            self._uncoloured, self._klass, self._classes, self._used, self._chosen, self._best, state,
        )  # fmt: skip

    @property
    def size(self) -> int:
        """Size of the best clique."""
        return int(self._state[self._kernels.BEST])

    @property
    def done(self) -> bool:
        """Whether it is proved that no larger clique exists."""
        return bool(self._state[self._kernels.DEPTH] < 0) or self.bound == self.size

    @property
    def bound(self) -> int:
        """No clique is larger than this."""
        if self._state[self._kernels.DEPTH] < 0:
            return self.size
        return max(self.size, min(int(self._state[self._kernels.BOUND]), self._core + 1, self._classes_max))

    @property
    def progress(self) -> float:
        """Share of the root's branches that are done, which is mostly less than that of the work: late ones are small.

        Branches count that may hold more than the best clique.
        """
        if self.done:
            return 1.0
        root, left = self._colour[0, : self._roots], int(self._left[0])
        promising = root > self.size
        open_ = int(np.count_nonzero(promising[:left])) + int(self._state[self._kernels.DEPTH] > 0)
        return max(0.0, 1.0 - open_ / max(1, int(np.count_nonzero(promising))))

    @property
    def strength(self) -> int:
        """Which bounds are used."""
        return self._strength

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        if not self._state[self._kernels.OWN]:
            return self._start
        return np.sort(self._order[self._best[: self.size]]).astype(np.int32)


def exact_search(
    graph: AnyGraph, start: Sequence[int] | NDArray[np.integer] = (), *, strength: int = 1
) -> ExactSearch | SparseExact:
    """The exact search that goes with the form of a graph, see `ExactSearch`.

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
        A clique, best from a heuristic: what remains is the proof.
    max_nodes, seconds, stop
        Limits; time and `stop` are looked at about every 0.03 s.
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
    goal = graph.n if target is None else min(target, graph.n)
    reported, chunk = search.size, _FIRST_CHUNK
    while not search.done and search.size < goal and not stop():
        at = search_clock()
        room = chunk if max_nodes is None else min(chunk, max_nodes - search.nodes)
        if room <= 0 or (seconds is not None and at - began >= seconds):
            break
        search.advance(room, goal)
        if on_improvement is not None and search.size > reported:
            reported = search.size
            on_improvement(search.vertices)
        took = search_clock() - at
        chunk = max(10, int(min(4 * chunk, chunk * _CHUNK_SECONDS / max(took, 1e-6))))
    return ExactResult(search.vertices, search.bound, search.nodes, search_clock() - began, search.done)


def _check_memory(n: int, size: int) -> None:
    if size > MEMORY_MAX:
        raise MatheurError(f"exact search on {n:,} vertices needs {size / 1e9:,.1f} GB. Maybe use local search")


def _degeneracy(graph: Graph) -> tuple[NDArray[np.int64], int]:
    """Vertices, the one removed last first (always one of least remaining degree), and the degeneracy."""
    from matheur.methods.clique import colouring_kernels

    order = np.empty(graph.n, dtype=np.int64)
    return order, int(colouring_kernels.degeneracy(graph.ptr, graph.idx, order))


def _reordered(graph: Graph, order: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Adjacency bits with row and column i standing for vertex `order[i]`."""
    words = (graph.n + 63) // 64
    matrix = np.zeros((graph.n, 8 * words), dtype=np.uint8)
    position = np.empty(graph.n, dtype=np.int64)
    position[order] = np.arange(graph.n)
    for first, block in graph.blocks():
        packed = np.packbits(block[:, order], axis=1, bitorder="little")
        matrix[position[first : first + len(block)], : packed.shape[1]] = packed
    return matrix.view("<u8").astype(np.uint64, copy=False)
