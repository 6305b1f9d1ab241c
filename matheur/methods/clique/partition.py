"""Cliques with one vertex of every class: the Python side of the tabu search over assignments.

For graphs whose vertices fall into classes of pairwise non-adjacent vertices, to find a clique with a vertex of every
class: edge-matching boards (cells), Model RB and other constraint satisfaction problems (variables). The unit of work
is a step: one class gets another vertex.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.assignments import assign
from matheur.methods.clique.graph import Graph, colour_classes
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import SteppedSearch

__all__ = ["PartitionSearch"]


class PartitionSearch(SteppedSearch):
    """A search that can be advanced in slices; its course does not depend on how it is sliced.

    Parameters
    ----------
    graph
        Graph to search.
    rng
        Draws the first assignment and the seed of the kernel's own generator.
    classes
        The class of each vertex, from 0; None for a greedy colouring (`matheur.problems.max_clique.colour_classes`).
    tenure, spread
        A vertex that was replaced may not return for `tenure` steps, plus up to 9 steps at random, plus `spread`
        percent of the number of classes in conflict.
    start
        A clique to start from; vertices of the other classes are drawn.
    table
        Whether conflicts are stored in a table; None: if that is faster (see `matheur.methods.clique.assignments`). The
        course of the search depends on it.

    Raises
    ------
    ConfigurationError
        If tenure or spread are out of range, or there are too many classes for a table.
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
        table: bool | None = None,
    ) -> None:
        if not (0 <= tenure <= 10**6 and 0 <= spread <= 10**6):
            raise ConfigurationError(f"tenure and spread must be from 0 to 1,000,000 ({tenure}, {spread})")
        label = colour_classes(graph) if classes is None else np.asarray(classes, dtype=np.int32)
        members = starting_clique(graph, start)
        self._graph, self._tenure, self._spread = graph, tenure, spread
        self._assignment = assign(graph, label, rng, members, table=table)
        self._kernels, self._state = self._assignment.kernels, self._assignment.state
        self._classes = int(label.max(initial=-1)) + 1
        self._clique = self._without_conflicts(self._assignment.best)
        if len(members) > len(self._clique):
            self._clique = np.sort(members).astype(np.int32)
        self._seen = self.conflicts

    def advance(self, steps: int, target: int | None = None) -> None:
        """Make up to this many more steps; stop early if no conflict remains, or at a clique of `target` vertices."""
        if target is not None and self.size >= target:
            return
        self._assignment.run(self.selections + steps, self._tenure, self._spread)
        if self.conflicts < self._seen:
            self._seen = self.conflicts
            found = self._without_conflicts(self._assignment.best)
            if len(found) > len(self._clique):
                self._clique = found

    @property
    def classes(self) -> int:
        """Number of classes: no clique is larger."""
        return self._classes

    @property
    def conflicts(self) -> int:
        """Number of pairs in conflict in the best assignment."""
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
        """The clique that remains when the vertices with most conflicts are dropped from an assignment one by one."""
        inside = np.zeros(self._graph.n, dtype=bool)
        inside[chosen] = True
        lengths = self._graph.ptr[chosen + 1] - self._graph.ptr[chosen]
        count = np.zeros(len(chosen), dtype=np.int64)
        for at in np.flatnonzero(lengths).tolist():
            count[at] = inside[self._graph.non_neighbours(int(chosen[at]))].sum()
        kept = np.ones(len(chosen), dtype=bool)
        place = {int(chosen[at]): at for at in np.flatnonzero(count).tolist()}
        while len(count) and count.max() > 0:
            worst = int(np.argmax(count))
            kept[worst], count[worst] = False, 0
            vertex = int(chosen[worst])
            inside[vertex] = False
            for other in self._graph.non_neighbours(vertex)[inside[self._graph.non_neighbours(vertex)]].tolist():
                count[place[other]] -= 1
        return np.sort(chosen[kept]).astype(np.int32)
