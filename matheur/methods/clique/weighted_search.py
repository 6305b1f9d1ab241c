"""Tabu search for cliques of large weight: the Python side of the kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.local_search import LocalSearch
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import CandidateLists
from matheur.methods.clique.weights import checked_weights, positive_part

__all__ = ["PATIENCE", "SizeSearch", "WeightedSearch"]

PATIENCE = 4_000
"""Moves without a heavier clique before a restart, as in Wu, Hao and Glover (2012)."""


class WeightedSearch(CandidateLists):
    """Multi-neighbourhood tabu search (Wu, Hao, Glover 2012), in slices, which do not affect its course.

    The unit of work is the move: a vertex that is added, exchanged or dropped.

    Parameters
    ----------
    graph
        Graph to search.
    weights
        Whole numbers by vertex; vertices without positive weight are left out.
    rng
        Source of the seed of the kernel's own generator; one number is drawn.
    patience
        Number of moves without a heavier clique before a restart from a random vertex.
    start
        A clique to start from; its vertices without positive weight are dropped.

    Raises
    ------
    ConfigurationError
        If `patience` is below 1.
    MatheurError
        If the sum of the weights is too large.
    ValueError
        If `start` is not a clique, or there is not one weight for each vertex.
    """

    def __init__(
        self,
        graph: Graph,
        weights: NDArray[np.int64],
        rng: Generator,
        *,
        patience: int = PATIENCE,
        start: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import weighted_search_kernels as kernels

        if patience < 1:
            raise ConfigurationError(f"patience must be at least 1 ({patience})")
        self._weights, self._patience = checked_weights(graph.n, weights), patience
        self._taking = np.flatnonzero(self._weights > 0).astype(np.int32)
        self._total = int(self._weights[self._taking].sum())
        self._until = np.zeros(graph.n, dtype=np.int64)
        members = positive_part(starting_clique(graph, start), self._weights)
        super().__init__(kernels, graph, rng, members, np.flatnonzero(self._weights <= 0))
        for place in (kernels.WEIGHT, kernels.VALUE, kernels.LOCAL):
            self._state[place] = self._weights[members].sum()

    def advance(self, selections: int, target: int | None = None) -> None:
        """Make up to this many more moves; stop early at a clique of weight `target`, or if nothing is left out."""
        if not len(self._taking):
            return
        self._kernels.run(
            self.selections + selections, self._total if target is None else min(target, self._total), self._patience,
            self._taking, self._graph.ptr, self._idx, self._code, self._half, self._lists, self._pos, self._barred,
            self._weights, self._until, self._state, self._random, self._best,
        )  # fmt: skip

    @property
    def value(self) -> int:
        """Weight of the best clique."""
        return int(self._state[self._kernels.VALUE])


class SizeSearch:
    """A search for many vertices that weighs the cliques found; for hidden large cliques that weights do not reveal.

    Parameters
    ----------
    graph, weights, rng
        See `WeightedSearch`.
    delta
        Strength of a perturbation, see `LocalSearch`, which runs with penalties.
    """

    def __init__(self, graph: Graph, weights: NDArray[np.int64], rng: Generator, *, delta: int) -> None:
        self._weights = checked_weights(graph.n, weights)
        self._search = LocalSearch(graph, rng, rule="penalty", delta=delta)
        self._size, self._value, self._best = 0, 0, np.zeros(0, dtype=np.int32)

    def advance(self, selections: int, target: int | None = None) -> None:
        """Make up to this many more selections; a target, which is a weight, is reached only by chance."""
        self._search.advance(selections)
        if self._search.size > self._size:
            self._size = self._search.size
            vertices = positive_part(self._search.vertices, self._weights)
            value = int(self._weights[vertices].sum())
            if value > self._value:
                self._best, self._value = vertices, value

    @property
    def selections(self) -> int:
        """Number of selections made so far."""
        return self._search.selections

    @property
    def value(self) -> int:
        """Weight of the best clique."""
        return self._value

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return self._best
