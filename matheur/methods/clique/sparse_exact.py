"""Maximum clique of a sparse graph with proof: branch and bound on one neighbourhood after the other, in slices.

For graphs of millions of edges with small dense parts, which the search finds by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.bit_rows import check_memory
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.methods.clique.starting import checked_clique
from matheur.methods.clique.stepping import BranchAndBound

__all__ = ["SparseExact"]


class SparseExact(BranchAndBound):
    """The search of `matheur.methods.clique.exact.ExactSearch` for sparse graphs, used in the same way.

    The search first grows a clique from each vertex. It then tries each vertex as the first one of a clique, from the
    end of the order of least degree: the later neighbours of the vertex are searched unless their number, cores or
    colours show that they contain no larger clique.

    Parameters
    ----------
    graph
        Graph to search.
    start
        A clique; the search looks only for larger ones.
    strength
        Bounds of the branch and bound, as in `ExactSearch`.

    Raises
    ------
    MatheurError
        If the neighbourhoods are too large for bit matrices.
    ValueError
        If `start` is not a clique.
    """

    def __init__(
        self, graph: SparseGraph, start: Sequence[int] | NDArray[np.integer] = (), *, strength: int = 1
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import sparse_kernels as kernels

        self._kernels, self._graph, self._strength = kernels, graph, strength
        self._start = np.sort(checked_clique(graph, start))
        self._cores = graph.cores
        self._order = self._cores.order
        widest = int(np.diff(self._cores.begins).max(initial=0))
        self._members = np.zeros(widest, dtype=np.int32)
        self._best = np.zeros(widest + 1, dtype=np.int32)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._state[kernels.PLACE] = graph.n - 1
        self._state[kernels.BEST] = len(self._start)
        self._arrays: tuple[NDArray[Any], ...] | None = None

    def advance(self, nodes: int, target: int | None = None) -> None:
        """Process up to this many more places or branches; stop early at a clique of `target` vertices.

        A call ends after a few hundredths of a second, even if neighbourhoods are large.
        """
        state, kernels, cores = self._state, self._kernels, self._cores
        limit = int(state[kernels.NODES]) + nodes
        goal = cores.colours if target is None else min(target, cores.colours)
        if self._arrays is None:
            if not self.grow(nodes, goal) or self.done:
                return
            self._arrays = self._prepared()
        kernels.sweep(
            limit, goal, self._strength, cores.core, cores.begins, cores.later, cores.colour, *self._arrays, self._best,
            state,
        )  # fmt: skip

    def grow(self, places: int, target: int | None = None) -> bool:
        """Grow a clique from up to this many more places; returns whether all promising places are done."""
        state, kernels, cores = self._state, self._kernels, self._cores
        goal = cores.colours if target is None else min(target, cores.colours)
        if self._arrays is None:
            kernels.greedy(places, goal, cores.core, cores.begins, cores.later, self._members, self._best, state)
        return self._arrays is not None or bool(state[kernels.PLACE] < 0)

    def _prepared(self) -> tuple[NDArray[Any], ...]:
        """The arrays of the sweep, sized for the largest neighbourhood that may contain a larger clique."""
        cores, kernels = self._cores, self._kernels
        first = cores.first_of(self.size)
        k = int(np.diff(cores.begins[first:]).max(initial=0))
        words, depths = (k + 63) // 64, k + 3
        # Both matrices, candidates and classes by depth, and two lists of vertices by depth.
        size = 8 * words * (2 * k + 2 * depths + 1) + 8 * depths * k
        check_memory(f"exact search on neighbourhoods of {k:,} vertices", size, "use local search")
        self._state[kernels.PLACE] = self._graph.n - 1
        return (
            np.full(cores.colours, -1, dtype=np.int64),
            np.full(self._graph.n, -1, dtype=np.int32),
            np.zeros(k, dtype=np.int64),
            np.zeros(k, dtype=np.int32),
            *(np.zeros(rows * words, dtype=np.uint64) for rows in (k, k, depths)),
            *(np.zeros(depths * k, dtype=np.int32) for _ in range(2)),
            np.zeros((2, depths), dtype=np.int64),
            *(np.zeros(length, dtype=np.uint64) for length in (words, words, (depths + 1) * words)),
            np.zeros(depths + 1, dtype=np.uint8),
            np.zeros(depths, dtype=np.int32),
            np.zeros(k, dtype=np.int32),
            np.zeros(kernels.INNER_LENGTH, dtype=np.int64),
        )

    @property
    def selections(self) -> int:
        """Work so far, equal to `nodes`."""
        return self.nodes

    @property
    def done(self) -> bool:
        """Whether the search has proved that no larger clique exists."""
        return self.bound == self.size

    @property
    def bound(self) -> int:
        """Upper bound on the size of a clique."""
        state, kernels, cores = self._state, self._kernels, self._cores
        if not self._graph.n:
            return 0
        at = self._graph.n - 1
        inner = 0
        if self._arrays is not None:
            at = int(state[kernels.PLACE])
            if state[kernels.SIZE]:
                inner = 1 + min(int(self._arrays[-1][kernels.INNER_BOUND]), int(state[kernels.CORE]) + 1)
        rest = int(cores.core[at]) + 1 if at >= 0 else 0
        return max(self.size, min(cores.colours, max(rest, inner)))

    @property
    def progress(self) -> float:
        """Share of finished places, among the places that may be the first of a larger clique."""
        if self.done:
            return 1.0
        if self._arrays is None:
            return 0.0
        first, n = self._cores.first_of(self.size), self._graph.n
        return max(0.0, min(1.0, (n - 1 - int(self._state[self._kernels.PLACE])) / max(1, n - first)))

    @property
    def proved_by(self) -> str:
        """Source of the bound: a colouring until the sweep gives a better bound."""
        return "colouring" if self.bound >= self._cores.colours else "branch-and-bound"
