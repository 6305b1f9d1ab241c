"""Cliques with one vertex of every class: the Python side of the tabu search over assignments.

For graphs whose vertices fall into classes of pairwise non-adjacent ones, where a clique that has a vertex of every
class is sought: edge-matching boards (cells), Model RB and other constraint satisfaction problems (variables). The unit
of work is a step: one class gets another vertex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.clique.starting import starting_clique
from matheur.clique.stepping import SteppedSearch
from matheur.errors import ConfigurationError
from matheur.problems.max_clique.graph import Graph, colour_classes

__all__ = ["PartitionSearch"]

_BLOCK = 16_000_000  # entries of the complement at a time


class PartitionSearch(SteppedSearch):
    """A search that can be advanced in slices; its course does not depend on how it is sliced.

    Parameters
    ----------
    graph
        Where to search.
    rng
        Draws the first assignment and the seed of the kernel's own generator.
    classes
        The class of each vertex, from 0; those of a greedy colouring if None
        (`matheur.problems.max_clique.colour_classes`).
    tenure, spread
        A vertex that was replaced may not come back for `tenure` steps, up to 9 more by chance, and `spread` percent
        of the classes in conflict.
    start
        A clique to begin with; the other classes are drawn.

    Raises
    ------
    ConfigurationError
        If tenure or spread are negative.
    ValueError
        If two vertices of a class are joined, a class is empty, or `start` is not a clique.
    """

    def __init__(
        self,
        graph: Graph,
        rng: Generator,
        *,
        classes: NDArray[np.integer] | None = None,
        tenure: int = 5,
        spread: int = 20,
        start: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.clique import partition_kernels as kernels

        if not (0 <= tenure <= 10**6 and 0 <= spread <= 10**6):
            raise ConfigurationError(f"tenure and spread must be from 0 to 1,000,000 ({tenure}, {spread})")
        label = colour_classes(graph) if classes is None else np.asarray(classes, dtype=np.int32)
        members = starting_clique(graph, start)
        n, count = graph.n, int(label.max()) + 1 if len(label) else 0
        self._kernels, self._graph = kernels, graph
        self._tenure, self._spread = tenure, spread
        self._members = np.argsort(label, kind="stable").astype(np.int32)
        self._first = np.searchsorted(label[self._members], np.arange(count + 1)).astype(np.int64)
        sizes = np.diff(self._first)
        if len(label) != n or (sizes == 0).any():
            raise ValueError("every vertex needs a class, and every class a vertex")
        # The kernel numbers the vertices class by class: `number` of the graph's vertices.
        number = np.empty(n, dtype=np.int32)
        number[self._members] = np.arange(n)
        self._ptr, self._idx = _rows_across(graph, label, self._members, number)
        self._label = label[self._members]
        self._chosen = (self._first[:-1] + rng.integers(0, np.maximum(sizes, 1))).astype(np.int32)
        self._chosen[label[members]] = number[members]
        self._conflicts, self._tabu = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
        self._hot, self._place = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
        self._best = self._chosen.copy()
        kernels.prepare(self._ptr, self._idx, self._chosen, self._conflicts, self._hot, self._place, self._state)
        self._state[kernels.BEST] = self._state[kernels.TOTAL]
        self._clique = self._without_conflicts(self._members[self._best])
        if len(members) > len(self._clique):
            self._clique = np.sort(members).astype(np.int32)
        self._seen = int(self._state[kernels.BEST])

    def advance(self, steps: int, target: int | None = None) -> None:
        """Make up to so many more steps; stop early where nothing is in conflict, or at a clique of `target`."""
        state, kernels = self._state, self._kernels
        if target is not None and self.size >= target:
            return
        kernels.run(
            int(state[kernels.STEPS]) + steps, self._tenure, self._spread, self._ptr, self._idx, self._first,
            self._label, self._chosen, self._conflicts, self._tabu, self._hot, self._place, state, self._random,
            self._best,
        )  # fmt: skip
        if state[kernels.BEST] < self._seen:
            self._seen = int(state[kernels.BEST])
            found = self._without_conflicts(self._members[self._best])
            if len(found) > len(self._clique):
                self._clique = found

    @property
    def classes(self) -> int:
        """Number of classes: no clique is larger."""
        return len(self._chosen)

    @property
    def conflicts(self) -> int:
        """Pairs in conflict of the best assignment."""
        return int(self._state[self._kernels.BEST])

    @property
    def size(self) -> int:
        """Size of the best clique so far."""
        return len(self._clique)

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return self._clique

    def _without_conflicts(self, chosen: NDArray[np.int32]) -> NDArray[np.int32]:
        """What is left of an assignment when the vertices of most conflicts are dropped, one after the other."""
        inside = np.zeros(self._graph.n, dtype=bool)
        inside[chosen] = True
        count = np.array([inside[self._graph.non_neighbours(v)].sum() for v in chosen.tolist()], dtype=np.int64)
        kept = np.ones(len(chosen), dtype=bool)
        place = {vertex: at for at, vertex in enumerate(chosen.tolist())}
        while len(count) and count.max() > 0:
            worst = int(np.argmax(count))
            kept[worst], count[worst] = False, 0
            vertex = int(chosen[worst])
            inside[vertex] = False
            for other in self._graph.non_neighbours(vertex)[inside[self._graph.non_neighbours(vertex)]].tolist():
                count[place[other]] -= 1
        return np.sort(chosen[kept]).astype(np.int32)


def _rows_across(
    graph: Graph, label: NDArray[np.int32], order: NDArray[np.int32], number: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rows of the complement in another order and numbering, without pairs of a class; in blocks, to save memory."""
    lengths = np.diff(graph.ptr)[order]
    sizes = np.bincount(label)
    ptr = np.concatenate(([0], np.cumsum(lengths - sizes[label[order]] + 1)))
    if (np.diff(ptr) < 0).any():
        raise ValueError("two vertices of a class are joined")
    idx = np.empty(int(ptr[-1]), dtype=np.uint16 if graph.n < 1 << 16 else np.int32)
    ends = np.cumsum(lengths)
    first = 0
    while first < len(order):
        done = int(ends[first] - lengths[first])
        last = max(first + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
        rows, many = order[first:last], lengths[first:last]
        begins = graph.ptr[rows] - (ends[first:last] - many - done)
        other = graph.idx[np.repeat(begins, many) + np.arange(int(many.sum()))]
        across = label[other] != np.repeat(label[rows], many)
        if int(np.count_nonzero(across)) != int(ptr[last] - ptr[first]):
            raise ValueError("two vertices of a class are joined")
        idx[ptr[first] : ptr[last]] = number[other[across]]
        first = last
    return ptr, idx
