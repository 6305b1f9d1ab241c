"""Maximum clique with proof: bitset branch and bound, in slices.

For graphs of a few hundred vertices, or sparser ones of a thousand; dense graphs of edge-matching boards beyond
4 x 4 are out of reach without their structure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.problems.max_clique.graph import Graph

__all__ = ["ExactResult", "solve_exact"]

_MEMORY_MAX = 4_000_000_000
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


def solve_exact(
    graph: Graph,
    *,
    start: Sequence[int] | NDArray[np.integer] = (),
    max_nodes: int | None = None,
    seconds: float | None = None,
    target: int | None = None,
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
    # Numba is imported where it is used: importing the package must stay cheap.
    from matheur.clique import exact_kernels as kernels

    began = time.monotonic()
    n, words = graph.n, (graph.n + 63) // 64
    members = np.array(start, dtype=np.int32)
    clash = graph.conflict(members)
    if clash is not None:
        raise ValueError(f"the start is not a clique: vertices {clash[0]} and {clash[1]} are not joined")
    _check_memory(n, 8 * words * n)
    order, core = _degeneracy(graph)
    depths = core + 3  # a clique has at most core + 1 vertices
    _check_memory(n, 8 * words * (n + depths) + 8 * n * depths)
    adjacency = _reordered(graph, order)
    candidates = np.zeros((depths, words), dtype=np.uint64)
    branch, colour = np.zeros((depths, n), dtype=np.int32), np.zeros((depths, n), dtype=np.int32)
    left, chosen = np.zeros(depths, dtype=np.int64), np.zeros(depths, dtype=np.int32)
    uncoloured, klass = np.zeros(words, dtype=np.uint64), np.zeros(words, dtype=np.uint64)
    best = np.zeros(n, dtype=np.int32)
    position = np.empty(n, dtype=np.int32)
    position[order] = np.arange(n)
    best[: len(members)] = position[members]
    state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
    state[kernels.BEST] = len(members)
    kernels.prepare(adjacency, candidates, branch, colour, left, uncoloured, klass, state)
    goal = n if target is None else min(target, n)

    def vertices() -> NDArray[np.int32]:
        return np.sort(order[best[: state[kernels.BEST]]]).astype(np.int32)

    reported, chunk = len(members), _FIRST_CHUNK
    while state[kernels.DEPTH] >= 0 and state[kernels.BEST] < goal and not stop():
        at = time.monotonic()
        done = int(state[kernels.NODES])
        room = chunk if max_nodes is None else min(chunk, max_nodes - done)
        if room <= 0 or (seconds is not None and at - began >= seconds):
            break
        kernels.run(
            done + room, goal, adjacency, candidates, branch, colour, left, uncoloured, klass, chosen, best, state
        )
        if on_improvement is not None and state[kernels.BEST] > reported:
            reported = int(state[kernels.BEST])
            on_improvement(vertices())
        took = time.monotonic() - at
        chunk = max(10, int(min(4 * chunk, chunk * _CHUNK_SECONDS / max(took, 1e-6))))
    size = int(state[kernels.BEST])
    bound = size if state[kernels.DEPTH] < 0 else max(size, min(int(state[kernels.BOUND]), core + 1))
    return ExactResult(vertices(), bound, int(state[kernels.NODES]), time.monotonic() - began, bound == size)


def _check_memory(n: int, size: int) -> None:
    if size > _MEMORY_MAX:
        raise MatheurError(f"exact search on {n:,} vertices needs {size / 1e9:,.1f} GB. Maybe use local search")


def _degeneracy(graph: Graph) -> tuple[NDArray[np.int64], int]:
    """Vertices, the one removed last first (always one of least remaining degree), and the degeneracy."""
    n = graph.n
    degree = graph.degrees.astype(np.int64)
    alive = np.ones(n, dtype=bool)
    order = np.empty(n, dtype=np.int64)
    core = 0
    gone = np.iinfo(np.int64).max
    for place in range(n - 1, -1, -1):
        vertex = int(np.argmin(degree))
        core = max(core, int(degree[vertex]))
        order[place] = vertex
        alive[vertex] = False
        degree[vertex] = gone
        # All that are alive lose a neighbour, but for the non-neighbours.
        degree[alive] -= 1
        others = graph.non_neighbours(vertex)
        degree[others[alive[others]]] += 1
    return order, core


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
