"""Cliques of maximum weight: exact search, tabu search, all of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, MatheurError
from matheur.methods.clique import Portfolio, WeightedExactSearch, WeightedSearch, all_cliques
from matheur.methods.clique.reduction import heavy_clique, weighted_reduced
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.methods.clique.weights import TOTAL_MAX, weighted_colouring
from matheur.problems.max_clique import Graph, load_graph

RNG = np.random.default_rng
# Weights v mod 200 + 1 of vertex v (from 1), as in the literature, with optima that cliquer or networkx prove, too.
KNOWN = {"brock200_4": 2107, "keller4": 1153, "C125.9": 2529, "san200_0.7_2": 2422, "p_hat300-1": 1057}


def graphs() -> Iterator[tuple[Graph, NDArray[np.int64], nx.Graph]]:
    """Random graphs with weights, some of them 0 or below, and their vertices of positive weight for networkx."""
    for seed in range(24):
        n, density = (0, 1, 5, 20, 40, 70)[seed % 6], (0.2, 0.5, 0.8)[seed % 3]
        reference = nx.gnp_random_graph(n, density, seed=seed)
        weights = RNG(seed).integers(-3 if seed % 2 else 1, 12, size=n)
        counted = reference.subgraph(np.flatnonzero(weights > 0).tolist()).copy()
        nx.set_node_attributes(counted, {v: int(weights[v]) for v in counted}, "weight")
        yield Graph.from_networkx(reference), weights, counted


def test_the_optimum_is_that_of_networkx() -> None:
    """Branch and bound proves the weight that networkx finds, however it is sliced; its bounds never lie below it."""
    for graph, weights, counted in graphs():
        best = nx.max_weight_clique(counted)[1]
        exact = WeightedExactSearch(graph, weights)
        assert weighted_colouring(graph, weights) >= best
        while not exact.done:
            assert exact.bound >= best
            exact.advance(7)
        assert exact.value == exact.bound == best == weights[exact.vertices].sum()
        assert graph.is_clique(exact.vertices)


def test_all_heaviest_cliques_are_collected() -> None:
    """They are those of networkx's enumeration, also where fewer are kept than counted."""
    for graph, weights, counted in graphs():
        cliques = [sorted(clique) for clique in nx.find_cliques(counted)] if len(counted) else []
        values = [int(weights[clique].sum()) for clique in cliques]
        best = max(values, default=0)
        right = sorted(clique for clique, value in zip(cliques, values, strict=True) if value == best)
        everything = WeightedExactSearch(graph, weights, beyond=best - 1 if right else 0, keep=1_000)
        few = WeightedExactSearch(graph, weights, beyond=best - 1 if right else 0, keep=2)
        for search in (everything, few):
            while not search.done:
                search.advance(5)
            assert search.count == len(right)
        assert sorted(clique.tolist() for clique in everything.cliques) == right
        assert len(few.cliques) == min(2, len(right))


def test_all_largest_cliques_are_counted() -> None:
    """Without weights, all cliques of maximum size are those of networkx; limits leave a count that says so."""
    for seed in range(12):
        reference = nx.gnp_random_graph((0, 3, 25, 50)[seed % 4], (0.0, 0.4, 0.8)[seed % 3], seed=seed)
        graph = Graph.from_networkx(reference)
        cliques = [sorted(clique) for clique in nx.find_cliques(reference)] if graph.n else [[]]
        most = max(map(len, cliques))
        right = sorted(clique for clique in cliques if len(clique) == most)
        found = all_cliques(graph, RNG(1), keep=10_000)
        assert (found.value, found.bound, found.count, found.complete) == (most, most, len(right), True)
        assert [clique.tolist() for clique in found.cliques] == right
    dense = Graph.from_networkx(nx.complete_multipartite_graph(*[3] * 8))  # 3**8 of them
    whole, cut = all_cliques(dense, RNG(1), keep=4), all_cliques(dense, RNG(1), keep=4, max_nodes=500)
    assert (whole.count, len(whole.cliques), whole.complete) == (3**8, 4, True)
    assert 0 < cut.count < 3**8
    assert (cut.complete, cut.nodes, cut.value) == (False, 500, 8)
    stopped = all_cliques(dense, RNG(1), stop=lambda: True)
    assert (stopped.count, stopped.complete, dense.is_clique(stopped.vertices)) == (1, False, True)


def test_sparse_graphs_are_reduced_by_weights() -> None:
    """A heavy clique and what it leaves hold the optimum; all best ones are those of the dense form."""
    for graph, weights, counted in graphs():
        best = nx.max_weight_clique(counted)[1]
        sparse = SparseGraph.from_networkx(graph.to_networkx())
        clique = heavy_clique(sparse, weights)
        value = int(weights[clique].sum())
        assert sparse.is_clique(clique)
        left = weighted_reduced(sparse, weights, value)
        search = WeightedExactSearch(left.graph, weights[left.vertices])
        search.advance(10**6)
        assert max(value, search.value) == best
        for of in (weights, None):
            one, other = all_cliques(sparse, RNG(1), weights=of), all_cliques(graph, RNG(1), weights=of)
            assert (one.value, one.bound, one.count, one.complete) == (other.value, other.bound, other.count, True)
            assert [found.tolist() for found in one.cliques] == [found.tolist() for found in other.cliques]


def test_the_tabu_search_finds_the_optimum_and_keeps_its_books() -> None:
    """On small graphs it reaches the proved weight; its clique weighs what it says, whatever the slices."""
    for graph, weights, counted in graphs():
        best = nx.max_weight_clique(counted)[1]
        search = WeightedSearch(graph, weights, RNG(1), patience=100)
        whole = WeightedSearch(graph, weights, RNG(1), patience=100)
        whole.advance(4_000)
        for _ in range(400):
            search.advance(10)
        assert search.value == best == weights[search.vertices].sum()
        assert graph.is_clique(search.vertices)
        assert (search.reached_at, search.vertices.tolist()) == (whole.reached_at, whole.vertices.tolist())


def test_a_start_is_kept_without_what_adds_nothing() -> None:
    """Searches begin with the positive part of a clique; something else is refused."""
    graph, weights = Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3]), np.array([5, 0, 2, 9])
    for search in (
        WeightedSearch(graph, weights, RNG(1), start=[0, 1, 2]),
        WeightedExactSearch(graph, weights, [0, 1, 2]),
    ):
        assert (search.value, search.vertices.tolist()) == (7, [0, 2])
    exact = WeightedExactSearch(graph, weights)
    exact.improve([2, 3])
    assert (exact.value, exact.vertices.tolist()) == (11, [2, 3])
    with pytest.raises(ValueError, match="not a clique"):
        exact.improve([0, 1, 2, 3])
    with pytest.raises(ValueError, match="not a clique"):
        WeightedSearch(graph, weights, RNG(1), start=[0, 3])
    with pytest.raises(ConfigurationError, match="patience"):
        WeightedSearch(graph, weights, RNG(1), patience=0)


def test_a_hidden_large_clique_is_found_by_its_size(data: Path) -> None:
    """In san400_0.7_1 weights lead away from the hidden clique of 40 vertices; the portfolio looks for many, too."""
    graph = load_graph(data / "clique/binary/san400_0.7_1.clq.b")
    portfolio = Portfolio(graph, RNG(1), timed=False, weights=np.arange(1, graph.n + 1) % 200 + 1, exact=False)
    while portfolio.selections < 300_000 and portfolio.value < 3941:
        portfolio.advance(10_000)
    assert portfolio.value == 3941
    assert len(portfolio.vertices) == 40
    assert graph.is_clique(portfolio.vertices)


def test_weights_are_checked() -> None:
    """One whole number for each vertex is needed, and their sum must fit."""
    graph = Graph.from_edges(2, [0], [1])
    for wrong in (np.ones(3, dtype=np.int64), np.ones(2)):
        with pytest.raises(ValueError, match="one for each of the 2 vertices"):
            WeightedExactSearch(graph, wrong)  # type: ignore[arg-type]
    with pytest.raises(MatheurError, match="sum of the weights"):
        WeightedExactSearch(graph, np.array([TOTAL_MAX - 1, 1]))


def test_the_weighted_graphs_of_the_literature(data: Path) -> None:
    """DIMACS graphs with weights v mod 200 + 1: the portfolio proves the published optima."""
    for name, best in KNOWN.items():
        graph = load_graph(data / "clique/ascii" / f"{name}.clq")
        weights = np.arange(1, graph.n + 1) % 200 + 1
        portfolio = Portfolio(graph, RNG(1), timed=False, weights=weights)
        while portfolio.value < portfolio.bound:
            portfolio.advance(10_000)
        assert portfolio.value == best == weights[portfolio.vertices].sum()
        assert graph.is_clique(portfolio.vertices)
