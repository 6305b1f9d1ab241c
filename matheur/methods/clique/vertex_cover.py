"""Maximum clique as a minimum vertex cover of the complement: the Python side of the kernel.

NuMVC (Cai, Su, Luo, Sattar 2013). The unit of work is the exchange of one vertex of the cover for another.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import SteppedSearch

__all__ = ["VertexCover"]

_STEPS_MAX = 2_000_000_000  # ages are 32-bit numbers


class VertexCover(SteppedSearch):
    """A search that can be advanced in slices; its course does not depend on how it is sliced.

    Parameters
    ----------
    graph
        Graph in which to search for a clique.
    rng
        Source of the seed of the kernel's own generator; one number is drawn.
    forgetting
        Weights shrink to three tenths when their mean exceeds `forgetting` times the number of vertices.
    start
        A clique to start from.

    Raises
    ------
    ConfigurationError
        If `forgetting` is not positive.
    ValueError
        If `start` is not a clique.
    """

    def __init__(
        self,
        graph: Graph,
        rng: Generator,
        *,
        forgetting: float = 0.5,
        start: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import vertex_cover_kernels as kernels

        if not 0 < forgetting <= 1e4:
            raise ConfigurationError(f"forgetting must be above 0 and at most 10,000 ({forgetting})")
        members = starting_clique(graph, start)
        n, entries = graph.n, len(graph.idx)
        self._kernels, self._graph = kernels, graph
        self._mean = min(max(2, int(forgetting * n)), (1 << 62) // max(1, entries))
        rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(graph.ptr))
        lower = np.flatnonzero(rows > graph.idx)  # ordered by the larger end, then the smaller one
        upper = np.flatnonzero(rows < graph.idx)
        upper = upper[np.argsort(graph.idx[upper], kind="stable")]
        self._first, self._second = lower.astype(np.int64), upper.astype(np.int64)
        self._edge = np.empty(entries, dtype=np.int32)
        self._edge[lower] = self._edge[upper] = np.arange(len(lower), dtype=np.int32)
        self._idx = graph.idx.astype(np.uint16) if n < 1 << 16 else graph.idx
        self._weight = np.ones(entries, dtype=np.int32)
        self._score = np.zeros(n, dtype=np.int32)
        self._changed = np.ones(n, dtype=np.uint8)
        self._moved = np.zeros(n, dtype=np.int32)
        self._open = np.zeros(len(lower), dtype=np.int32)
        self._place = np.zeros(len(lower), dtype=np.int32)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
        self._best = np.zeros(n, dtype=np.int32)
        kernels.start(
            members, graph.ptr, self._idx, self._edge, self._weight, self._score, self._changed, self._moved,
            self._open, self._place, self._state, self._random, self._best,
        )  # fmt: skip

    def advance(self, steps: int, target: int | None = None) -> None:
        """Make up to this many more exchanges; stop early at a clique of `target` vertices."""
        state = self._state
        self._kernels.run(
            min(_STEPS_MAX, int(state[self._kernels.STEPS]) + steps),
            self._graph.n if target is None else min(target, self._graph.n),
            self._mean, self._graph.ptr, self._idx, self._edge, self._first, self._second, self._weight, self._score,
            self._changed, self._moved, self._open, self._place, state, self._random, self._best,
        )  # fmt: skip

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return np.sort(self._best[: self.size])
