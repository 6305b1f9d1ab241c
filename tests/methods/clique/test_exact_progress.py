"""What branch and bound says of its progress, and what the portfolio makes of it."""

from __future__ import annotations

import numpy as np

from matheur.methods.clique.exact import ExactSearch
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.portfolio import Portfolio


def random_graph(n: int, density: float, seed: int) -> Graph:
    first, second = np.nonzero(np.triu(np.random.default_rng(seed).random((n, n)) < density, 1))
    return Graph.from_edges(n, first.tolist(), second.tolist())


def test_progress_goes_from_nothing_to_all() -> None:
    """The share of the root's branches that are done never falls while no larger clique is found, and ends at 1."""
    graph = random_graph(120, 0.7, 1)
    first = ExactSearch(graph)
    while not first.done:
        first.advance(1000)
    search, seen = ExactSearch(graph, first.vertices), []
    while not search.done:
        seen.append(search.progress)
        search.advance(20)
    assert seen[0] == 0
    assert len(set(seen)) > 5
    assert seen == sorted(seen)
    assert search.progress == 1


def test_progress_within_the_first_branch_of_the_root() -> None:
    """It counts branches at all depths, so there is an estimate long before the first branch of the root is done."""
    graph = random_graph(120, 0.9, 3)
    search, seen = ExactSearch(graph), []
    while search._state[search._kernels.DEPTH] == 0 or search._left[0, 0] == search._roots - 1:
        seen.append(search.progress)
        search.advance(20)
    assert len(set(seen)) > 5
    assert max(seen) < 1 / search._roots


def heuristic_work(left: float) -> int:
    """Work of the other members until the proof, when a run has so many seconds left; the clock counts nothing else."""
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.1
        return now

    members = Portfolio(random_graph(150, 0.8, 2), np.random.default_rng(0), timed=True, clock=clock, left=lambda: left)
    while members.size < members.bound:
        members.advance(None)
    assert members.proved_by == "branch-and-bound"
    return members.selections - members.nodes


def test_branch_and_bound_gets_the_time_where_it_will_prove() -> None:
    """Where its progress says that it ends in time the others do little meanwhile; where not they go on."""
    assert 0 < heuristic_work(1e6) < heuristic_work(0.0) / 2
