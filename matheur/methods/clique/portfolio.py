"""Several clique searches that share a budget according to their results."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.errors import MatheurError
from matheur.methods.clique.colouring import largest_first_classes
from matheur.methods.clique.exact import ExactSearch
from matheur.methods.clique.graph import Graph, colour_classes
from matheur.methods.clique.hubs import HubSearch, cluster_labels
from matheur.methods.clique.local_search import LocalSearch
from matheur.methods.clique.partition import PartitionSearch
from matheur.methods.clique.vertex_cover import VertexCover
from matheur.methods.clique.weighted_exact import WeightedExactSearch
from matheur.methods.clique.weighted_search import PATIENCE, SizeSearch, WeightedSearch
from matheur.methods.clique.weights import checked_weights, weighted_colouring

__all__ = ["Portfolio", "Searching"]

_SLICE = 0.01  # seconds of a member of share 1, in a timed run
_SLICE_WORK = 10_000  # the same in work units
_FIRST_WORK = 500  # in the first round; it doubles with every round
_LEAST = 0.1  # no member gets less than this part of its prior
_LEAST_TIMED = 0.25  # the same in a timed run, in which two missing vertices halve a share
_CLASSES_MAX = 1.5  # classes of a colouring per vertex of the best clique: above, one vertex of each is too unlikely
_COLOURED_MAX = 20_000  # vertices
_COLOURING_MAX = 50_000_000  # entries of the complement, a tenth of a second
_HUBS_MAX = 4  # the search over hubs takes part if at most one vertex in this many is a hub
_EXACT_MAX = 5_000
_COVER_MAX = 20_000_000  # entries of the complement: preparation takes seconds for more
_EXACT_SHARE, _EXACT_SHARE_TIMED = 0.1, 0.3  # in a timed run, proofs of a few seconds finish in time
_STRONG = 8  # perturbation of the search by penalties, needed for hidden cliques (brock)
_EXACT_PATIENCE = 2_000_000  # nodes after which the exact search gets less
_EXACT_LEAST = 0.05
_EXACT_TRIAL, _EXACT_TRIED = 1.0, 0.25  # in a timed run: its share, and for how many seconds
# It is tried for longer, with a larger share, if the estimate of its remaining time is not hopeless: an early estimate
# may be ten times too large.
_EXACT_LONGER, _EXACT_HOPE = 2.0, 20.0  # the share; the largest estimate, as a multiple of the remaining time
_EXACT_LONGER_PART = 0.04  # of the remaining time
_EXACT_SLICE = 0.05  # seconds
_EXACT_NEAR = 19.0  # share if it is expected to finish within the remaining time
_EXACT_LATE = 0.25  # mean work of a remaining branch relative to a finished branch, as measured
_BY_SIZE = 0.5  # share of the search for many vertices, if vertices have weights
_LONG_PATIENCE = 25 * PATIENCE  # of the second search, if vertices have weights
_CAREFUL, _CAREFUL_WORDS = 200, 500_000_000  # the exact search's first slice: nodes, and words for n of them

# Initial shares. Below this density the complement has many edges, which slows the vertex cover search, and cliques are
# small, so hidden cliques are the hard case: the search by penalties finds them.
_DENSE = 0.8
_COVER_SPARSE, _PENALTY_SPARSE = 0.25, 3.0
_HUBS_PRIOR = 4.0
_PARTITION_PRIOR, _PARTITION_HOPEFUL = 2.0, 8.0  # the latter if nearly all classes have a vertex


class Searching(Protocol):
    """A search in slices."""

    def advance(self, amount: int, /, target: int | None = None) -> None: ...

    @property
    def selections(self) -> int: ...

    @property
    def value(self) -> int: ...

    @property
    def vertices(self) -> NDArray[np.int32]: ...


@dataclass(slots=True)
class _Member:
    name: str
    search: Searching
    prior: float = 1.0
    share: float = 1.0
    credit: float = 0.0  # grows with every improvement that it found first, and decays
    rate: float = 0.0  # work units per second

    def slice(self, timed: bool, rounds: int) -> int:
        """Work units of the next turn; few at first, since easy graphs are solved after a few hundred."""
        usual = _SLICE * self.rate if timed and self.rate > 0 else _SLICE_WORK
        return max(100, int(self.share * min(usual, _FIRST_WORK << min(rounds, 20))))


class Portfolio:
    """Runs different searches in turn, with shares according to their prospects and results.

    The members are local searches with random choices and with penalties, the vertex cover search, the assignment
    search if a colouring has few enough classes, the search over hubs if there are few hubs, and branch and bound. A
    member's share of the next round is a prior by density and classes. It is halved for every vertex that its best
    clique has less than the overall best (in a timed run, for every two vertices), down to a tenth of the prior (in a
    timed run, a fourth), and doubled if the member found the overall best. In a timed run branch and bound gets most of
    the time as soon as its progress suggests that it will finish within the remaining time. Shares are measured in
    seconds in a timed run, else in work units, so a run with a work limit is reproducible.

    If vertices have weights, the members are two tabu searches, which restart after few and after many moves without a
    heavier clique, a search for many vertices, which weighs the cliques found, and branch and bound. A gap is then
    counted in vertices of mean weight.

    Parameters
    ----------
    graph
        Graph to search.
    rng
        Random generator; every member gets its own child generator.
    timed
        Whether slices are measured in seconds.
    weights
        Whole numbers by vertex; None for a clique of many vertices.
    exact
        Whether branch and bound takes part.
    clock
        Function that returns monotonic seconds.
    left
        Remaining seconds of a timed run: branch and bound gets most of them if it is expected to finish in that time.
    """

    def __init__(
        self,
        graph: Graph,
        rng: Generator,
        *,
        timed: bool,
        weights: NDArray[np.int64] | None = None,
        exact: bool = True,
        clock: Callable[[], float] = search_clock,
        left: Callable[[], float] = lambda: math.inf,
    ) -> None:
        self._graph, self._timed, self._clock, self._left = graph, timed, clock, left
        chance, penalty, cover, self._partition_stream, self._hubs_stream = rng.spawn(5)
        self._weights = None if weights is None else checked_weights(graph.n, weights)
        self._mean, self._bound = 1.0, graph.n
        # All but the first are created at their first turn, because each needs a kernel that may have to be compiled.
        self._waiting: list[tuple[str, float, Callable[[], Searching]]]
        if self._weights is None:
            self._members = [_Member("local-search", LocalSearch(graph, chance))]
            dense = graph.density >= _DENSE
            self._waiting = [
                (
                    "penalty",
                    1.0 if dense else _PENALTY_SPARSE,
                    lambda: LocalSearch(graph, penalty, rule="penalty", delta=_STRONG),
                )
            ]
            if len(graph.idx) <= _COVER_MAX:
                share = 1.0 if dense else _COVER_SPARSE
                self._waiting.append(("vertex-cover", share, lambda: VertexCover(graph, cover)))
        else:
            of = self._weights
            self._members = [_Member("tabu", WeightedSearch(graph, of, chance))]
            self._waiting = [
                ("long-tabu", 1.0, lambda: WeightedSearch(graph, of, penalty, patience=_LONG_PATIENCE)),
                ("by-size", _BY_SIZE, lambda: SizeSearch(graph, of, cover, delta=_STRONG)),
            ]
            counted = of[of > 0]
            self._bound = int(counted.sum())
            self._mean = float(counted.mean()) if len(counted) else 1.0
        self._exact: ExactSearch | WeightedExactSearch | None = None
        self._exact_rate = self._exact_seconds = 0.0
        self._owed = 0  # nodes that remain for the exact search in this round
        self._wants_exact = exact and graph.n <= _EXACT_MAX
        self._asked_structure = graph.n > _COLOURED_MAX
        self._best = np.zeros(0, dtype=np.int32)
        self._value = 0
        self._turn = self._rounds = 0
        self.proved_by: str | None = None

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return self._best

    @property
    def size(self) -> int:
        """Size of the best clique."""
        return len(self._best)

    @property
    def value(self) -> int:
        """Size of the best clique, or its weight if vertices have weights."""
        return self._value

    @property
    def bound(self) -> int:
        """Upper bound on the size, or weight, of a clique."""
        return self._bound

    @property
    def selections(self) -> int:
        """Total work of all members: selections, exchanges, steps, nodes."""
        return sum(member.search.selections for member in self._members) + (self._exact.nodes if self._exact else 0)

    @property
    def nodes(self) -> int:
        """Number of nodes of the branch and bound."""
        return self._exact.nodes if self._exact else 0

    @property
    def shares(self) -> dict[str, float]:
        """Current shares by name; a member with a best clique has its prior share, up to doubled."""
        return {member.name: member.share for member in self._members}

    def advance(self, work: int | None, target: int | None = None) -> None:
        """Run one slice of the next member, of at most `work` units; do nothing if the optimum is proved."""
        if self._value >= self._bound:
            return
        if self._owed > 0 and self._exact is not None:
            self._branch(self._exact, work, target)
            return
        if self._turn == len(self._members):
            if not self._waiting:
                self._turn = 0
                self._round(work, target)
                return
            name, prior, make = self._waiting.pop(0)
            self._members.append(_Member(name, make(), prior, prior))
        member = self._members[self._turn]
        self._turn += 1
        usual = member.slice(self._timed, self._rounds)
        amount = usual if work is None else min(work, usual)
        before, began = member.search.selections, self._clock()
        member.search.advance(amount, self._bound if target is None else min(target, self._bound))
        took, done = self._clock() - began, member.search.selections - before
        member.rate = done / took if took > 1e-4 else 1e6 * max(1.0, done / 1e4)
        if member.search.value > self._value:
            self._best, self._value = member.search.vertices, member.search.value
            member.credit = 1.0

    def _structure(self) -> None:
        """Look once for classes and hubs; each gives a bound and another search."""
        graph = self._graph
        if self._weights is not None:
            bound = weighted_colouring(graph, self._weights)
            if bound < self._bound:
                self._bound, self.proved_by = bound, "colouring"
            return
        label = colour_classes(graph)
        other = largest_first_classes(graph, entries_max=_COLOURING_MAX)
        if other is not None and other.max(initial=-1) < label.max(initial=-1):
            label = other
        count = int(label.max(initial=-1)) + 1
        if count < self._bound:
            self._bound, self.proved_by = count, "colouring"
        if self._value < count <= _CLASSES_MAX * self._value:
            assignments = PartitionSearch(graph, self._partition_stream, classes=label)
            self._members.append(_Member("partition", assignments, _PARTITION_PRIOR))
        clusters = cluster_labels(graph, hubs_max=graph.n // _HUBS_MAX)
        if clusters is not None and self._value < self._bound:
            hubs = HubSearch(graph, self._hubs_stream, labels=clusters)
            self._members.append(_Member("hubs", hubs, _HUBS_PRIOR))

    def _round(self, work: int | None, target: int | None) -> None:
        """End a round: look for structure once, update the shares, and run a slice of the exact search."""
        self._rounds += 1
        if not self._asked_structure:
            self._asked_structure = True
            self._structure()
        for member in self._members:
            if member.name == "partition":
                near = self._bound - self._value <= self._bound // 10
                member.prior = _PARTITION_HOPEFUL if near else _PARTITION_PRIOR
            gap = self._value - member.search.value
            if self._weights is not None:
                # The weight of a search for many vertices is not informative before it has found most of them.
                gap = 0 if member.name == "by-size" else math.ceil(gap / self._mean)
            faith = max(_LEAST_TIMED, 2.0 ** (-min(gap, 30) / 2)) if self._timed else max(_LEAST, 2.0 ** -min(gap, 30))
            member.share = member.prior * faith * (1.0 + member.credit)
            member.credit *= 0.9
        if not self._wants_exact or self._value >= self._bound:
            return
        if self._exact is None:
            try:
                if self._weights is None:
                    self._exact = ExactSearch(self._graph, self._best)
                else:
                    self._exact = WeightedExactSearch(self._graph, self._weights, self._best)
            except MatheurError:  # the bit matrices do not fit
                self._wants_exact = False
                return
        exact = self._exact
        exact.improve(self._best)
        share = self._share_of(exact) * sum(member.share for member in self._members)
        words = self._graph.n**2 * (self._graph.n // 64 + 1)
        limit = max(1, min(_CAREFUL, _CAREFUL_WORDS // words)) if self._timed else max(10, int(share * _SLICE_WORK / 2))
        if self._timed and self._exact_rate > 0:
            limit = max(10, int(share * _SLICE * self._exact_rate))
        self._owed = limit
        self._branch(exact, work, target)

    def _branch(self, exact: ExactSearch | WeightedExactSearch, work: int | None, target: int | None) -> None:
        """Run a slice of the exact search's work in this round; all of it if the run is not timed."""
        limit = self._owed
        if self._timed and self._exact_rate > 0:
            limit = min(limit, max(10, int(_EXACT_SLICE * self._exact_rate)))
        before, began = exact.nodes, self._clock()
        exact.advance(limit if work is None else min(work, limit), target)
        took = self._clock() - began
        self._owed = self._owed - limit if self._timed else 0
        self._exact_seconds += took
        self._exact_rate = (exact.nodes - before) / took if took > 1e-4 else 1e5
        if exact.value > self._value:
            self._best, self._value = exact.vertices, exact.value
        if exact.bound < self._bound:
            self._bound, self.proved_by = exact.bound, "branch-and-bound"

    def _share_of(self, exact: ExactSearch | WeightedExactSearch) -> float:
        """Share of the exact search relative to all others together; in a timed run, by its remaining work."""
        patient = exact.nodes < _EXACT_PATIENCE
        if not self._timed:
            return _EXACT_SHARE if patient else _EXACT_LEAST
        usual = _EXACT_SHARE_TIMED if patient else _EXACT_LEAST
        if self._exact_seconds < _EXACT_TRIED:
            return _EXACT_TRIAL
        done = exact.progress
        missing = _EXACT_LATE * self._exact_seconds * (1.0 - done) / done if done > 0 else math.inf
        left = self._left()
        if missing * (1.0 + 1.0 / _EXACT_NEAR) <= left < math.inf:
            return _EXACT_NEAR
        tried = left == math.inf or self._exact_seconds >= _EXACT_LONGER_PART * left
        return usual if tried or missing > _EXACT_HOPE * left else _EXACT_LONGER
