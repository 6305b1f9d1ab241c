"""Branch and bound on the neighbourhoods of sparse graphs."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.methods.clique import SparseExact, SparseGraph, solve_exact
from matheur.methods.clique.graph import Graph


def reference(seed: int) -> nx.Graph:
    rng = np.random.default_rng(seed)
    return nx.gnp_random_graph(int(rng.integers(2, 45)), float(rng.random()), seed=seed)


def test_small_graphs_have_the_clique_number_of_networkx_at_all_strengths() -> None:
    """In slices of any size, the bound falls to the size, and never below the clique number."""
    for seed in range(60):
        drawn = reference(seed)
        largest = max(map(len, nx.find_cliques(drawn)))
        search = SparseExact(SparseGraph.from_networkx(drawn), strength=seed % 3)
        bounds = [search.bound]
        while not search.done:
            search.advance(1 + seed % 7)
            bounds.append(search.bound)
            assert len(search.vertices) == search.size <= largest
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] == search.size == largest
        assert drawn.subgraph(search.vertices.tolist()).number_of_edges() == largest * (largest - 1) // 2
        assert search.progress == 1.0


def test_both_forms_prove_the_same_size() -> None:
    """A graph of hubs and a dense part has one answer in the sparse and in the dense form."""
    drawn = nx.barabasi_albert_graph(400, 12, seed=3)
    drawn.add_edges_from(nx.gnp_random_graph(60, 0.6, seed=3).edges())
    sparse, dense = SparseGraph.from_networkx(drawn), Graph.from_networkx(drawn)
    one, other = solve_exact(sparse), solve_exact(dense)
    assert one.proved
    assert other.proved
    assert one.size == other.size > 5
    assert dense.is_clique(one.vertices)


def test_cores_are_those_of_networkx() -> None:
    """Core numbers, the order and the later neighbours agree with each other and with networkx."""
    for seed in range(10):
        drawn = reference(seed)
        cores = SparseGraph.from_networkx(drawn).cores
        expected = nx.core_number(drawn)
        assert [expected[v] for v in cores.order.tolist()] == cores.core.tolist()
        assert cores.degeneracy == max(expected.values())
        for at in range(len(cores.order)):
            later = cores.later[cores.begins[at] : cores.begins[at + 1]]
            assert len(later) <= cores.core[at]
            joined = {int(cores.order[b]) for b in later}
            assert joined == set(drawn[int(cores.order[at])]) & set(cores.order[at + 1 :].tolist())
            assert (cores.colour[later] != cores.colour[at]).all()


def test_a_clique_from_elsewhere_is_taken_over_and_goes_on() -> None:
    """Starts and improvements cut the search off, in the middle of a neighbourhood as well; no clique is refused."""
    drawn = nx.gnp_random_graph(60, 0.7, seed=5)
    graph = SparseGraph.from_networkx(drawn)
    largest = max(nx.find_cliques(drawn), key=len)
    for steps in (0, 1, 70, 200):
        search = SparseExact(graph, largest[:3])
        search.advance(steps)
        search.improve(largest)
        assert search.size == len(largest)
        while not search.done:
            search.advance(50)
        assert search.size == len(largest)
        assert graph.is_clique(search.vertices)
    with pytest.raises(ValueError, match="not a clique"):
        search.improve(range(60))
    with pytest.raises(ValueError, match="not joined"):
        SparseExact(graph, next(nx.non_edges(drawn)))


def test_limits_and_targets_end_the_search() -> None:
    """A limit of nodes leaves a bound, a target a clique of that size."""
    graph = SparseGraph.from_networkx(nx.gnp_random_graph(150, 0.5, seed=1))
    limited = solve_exact(graph, max_nodes=200)
    assert not limited.proved
    assert 1 < limited.size < limited.bound
    assert limited.nodes == 200
    assert solve_exact(graph, target=4).size >= 4
    assert solve_exact(SparseGraph.from_edges(0, [], [])).proved
    assert solve_exact(SparseGraph.from_edges(3, [], [])).size == 1
