"""Exact maximum clique."""

from __future__ import annotations

import csv
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from matheur.errors import MatheurError
from matheur.methods.clique import search, solve_exact
from matheur.problems.max_clique import Graph, load_graph


@pytest.mark.parametrize("density", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("n", [3, 20, 64, 65])
def test_the_optimum_is_proved(n: int, density: float) -> None:
    """On random graphs the proved size is that of networkx, with and without a start."""
    for seed in range(3):
        reference = nx.gnp_random_graph(n, density, seed=seed)
        graph = Graph.from_networkx(reference)
        best = len(nx.max_weight_clique(reference, weight=None)[0])
        found = solve_exact(graph)
        assert (found.size, found.bound, found.proved) == (best, best, True)
        assert graph.is_clique(found.vertices)
        again = solve_exact(graph, start=found.vertices)
        assert (again.size, again.proved) == (best, True)
        assert again.nodes <= found.nodes


@pytest.mark.parametrize("name", ["C125.9", "keller4", "brock200_1", "hamming8-4", "MANN_a9", "p_hat300-1"])
def test_public_graphs_are_proved(data: Path, name: str) -> None:
    """Public graphs are solved to their known optimum, from the value of the local search."""
    rows = {row["name"]: row for row in csv.DictReader((data / "clique/best_known.csv").read_text().splitlines())}
    graph = load_graph(data / "clique/ascii" / f"{name}.clq")
    start = search(graph, np.random.default_rng(1), max_selections=20_000)
    found = solve_exact(graph, start=start.vertices)
    assert (found.size, found.proved) == (int(rows[name]["best_known"]), True)
    assert graph.is_clique(found.vertices)


def test_a_limit_leaves_a_bound() -> None:
    """Cut short, the search still gives a clique and an upper bound, the same on every run."""
    graph = Graph.from_networkx(nx.gnp_random_graph(150, 0.9, seed=1))
    runs = [solve_exact(graph, max_nodes=500) for _ in range(2)]
    assert runs[0].vertices.tolist() == runs[1].vertices.tolist()
    assert runs[0].nodes == 500
    assert not runs[0].proved
    assert 0 < runs[0].size < runs[0].bound <= 150
    assert solve_exact(graph, stop=lambda: True).nodes == 0


def test_a_target_ends_the_search() -> None:
    """A clique of at least the target size ends the search without a proof."""
    graph = Graph.from_networkx(nx.gnp_random_graph(100, 0.8, seed=1))
    seen: list[int] = []
    found = solve_exact(graph, target=8, on_improvement=lambda vertices: seen.append(len(vertices)))
    assert found.size == seen[-1] >= 8
    assert not found.proved


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_graphs_are_proved(n: int) -> None:
    """No vertex and one vertex are cliques of their own."""
    found = solve_exact(Graph.from_edges(n, [], []))
    assert (found.size, found.proved) == (n, True)


def test_bad_starts_and_huge_graphs_are_refused() -> None:
    """A start that is no clique and a graph beyond bit matrices are errors."""
    with pytest.raises(ValueError, match="not a clique"):
        solve_exact(Graph.from_edges(3, [0], [1]), start=[0, 2])
    with pytest.raises(MatheurError, match="GB"):
        solve_exact(Graph.from_complement(200_000, [], []))
