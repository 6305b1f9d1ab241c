"""All searches on a sparse graph: exact search on the whole graph, the others on the reduced graph."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.errors import MatheurError
from matheur.methods.clique.portfolio import Portfolio
from matheur.methods.clique.reduction import Reduction, reduced
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import SparseGraph

__all__ = ["SparsePortfolio"]

_SLICE = 0.05  # seconds of the exact search, in a timed run
_SLICE_WORK = 10_000  # places and branchings, else
_ALONE = 100_000  # places and branchings before other searches take part: most graphs are solved by then


class SparsePortfolio:
    """The exact search for sparse graphs, and `Portfolio` on the reduced graph, in turn.

    Both have the same share, of the time in a timed run, else of the work. A clique found by one prunes the other; a
    larger clique makes the reduced graph smaller, and its searches restart.

    Parameters
    ----------
    graph
        Graph to search.
    rng, timed, exact, clock, left
        See `Portfolio`; without `exact` the exact search only grows the first clique.
    """

    def __init__(
        self,
        graph: SparseGraph,
        rng: Generator,
        *,
        timed: bool,
        exact: bool = True,
        clock: Callable[[], float] = search_clock,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._graph, self._rng, self._timed, self._clock, self._left = graph, rng, timed, clock, left
        self._wants_exact = exact
        self._exact = SparseExact(graph)
        self._rest: tuple[Reduction, Portfolio] | None = None
        self._refused = -1  # size of a clique that does not reduce the graph enough
        self._fault: MatheurError | None = None
        self._spent = [0.0, 0.0]  # by the exact search, by the others: seconds, or work
        self._rate = 0.0
        self._bound = self._exact.bound
        self._done = 0  # work of earlier portfolios
        self.proved_by: str | None = "colouring"

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return self._exact.vertices

    @property
    def size(self) -> int:
        """Size of the best clique."""
        return self._exact.size

    @property
    def value(self) -> int:
        """Value of the objective: the size of the best clique."""
        return self.size

    @property
    def bound(self) -> int:
        """Upper bound on the size of a clique."""
        return max(self._bound, self.size)

    @property
    def selections(self) -> int:
        """Work of all searches."""
        return self._exact.nodes + self._done + (0 if self._rest is None else self._rest[1].selections)

    @property
    def nodes(self) -> int:
        """Work of the exact search."""
        return self._exact.nodes

    def advance(self, work: int | None, target: int | None = None) -> None:
        """Run one slice of the next search, of at most `work` units; do nothing if the optimum is proved.

        Raises
        ------
        MatheurError
            If no search can handle the graph.
        """
        if self.size >= self._bound:
            return
        usual = max(100, int(_SLICE * self._rate)) if self._timed and self._rate > 0 else _SLICE_WORK
        amount = usual if work is None else min(work, usual)
        began, before = self._clock(), self.selections
        if not self._exact.grow(0, target):
            self._exact.grow(amount, target)
            self._note(self._exact.bound, "colouring")
            return
        others = self._others()
        turn = 1 if others is not None and (not self._wants_exact or self._spent[1] < self._spent[0]) else 0
        if turn == 1 and others is not None:
            reduction, members = others
            members.advance(work, target)
            if members.size > self.size:
                self._exact.improve(reduction.lifted(members.vertices))
            self._note(max(reduction.size, members.bound), members.proved_by or "cores")
        elif self._wants_exact:
            self._branch(amount, target)
        else:
            raise self._fault or MatheurError("no search is left")
        took, done = self._clock() - began, self.selections - before
        if turn == 0:
            self._rate = done / took if took > 1e-4 else 1e6
        self._spent[turn] += took if self._timed else done

    def _branch(self, amount: int, target: int | None) -> None:
        try:
            self._exact.advance(amount, target)
        except MatheurError as fault:  # the bit matrices do not fit
            self._wants_exact, self._fault = False, fault
            if self._others() is None:
                raise
            return
        self._note(self._exact.bound, self._exact.proved_by)

    def _note(self, bound: int, source: str) -> None:
        if bound < self._bound:
            self._bound, self.proved_by = bound, source

    def _others(self) -> tuple[Reduction, Portfolio] | None:
        """The reduced graph and its searches, after the exact search's initial share; None if it does not fit."""
        if self._wants_exact and self._exact.nodes < _ALONE:
            return None
        if self._rest is not None and self._rest[0].size == self.size:
            return self._rest
        if self._refused == self.size:
            return None
        if self._rest is not None and self._rest[1].size == self.size:
            return self._rest  # it found this clique itself, and continues from it
        try:
            reduction = reduced(self._graph, self.size)
        except MatheurError as fault:
            self._refused, self._fault = self.size, fault
            return None
        if not len(reduction.vertices):
            self._note(self.size, "cores")
        self._done += 0 if self._rest is None else self._rest[1].selections
        members = Portfolio(
            reduction.graph, self._rng.spawn(1)[0], timed=self._timed, exact=False, clock=self._clock, left=self._left
        )
        self._rest = reduction, members
        return self._rest
