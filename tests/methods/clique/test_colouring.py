"""Colourings by recursive largest first, and the order of least degree."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.methods.clique import ExactSearch, largest_first_classes
from matheur.methods.clique.bit_rows import degeneracy
from matheur.problems.max_clique import Graph, colour_classes
from matheur.problems.max_clique.generator import hamming, model_rb

RNG = np.random.default_rng


@pytest.mark.parametrize("density", [0.0, 0.2, 0.5, 0.8, 1.0])
def test_classes_hold_no_joined_pair(density: float) -> None:
    """On random graphs every vertex gets a class, none is empty, and no class holds an edge."""
    for seed in range(3):
        random = nx.gnp_random_graph(40, density, seed=seed)
        label = largest_first_classes(Graph.from_networkx(random))
        assert label is not None
        assert sorted(set(label.tolist())) == list(range(int(label.max()) + 1))
        assert all(label[u] != label[v] for u, v in random.edges)


def test_structure_is_found() -> None:
    """The 16 classes of hamming8-4 and the variables of Model RB, which a greedy colouring in file order may miss."""
    graph, _ = hamming(8, 4)
    label = largest_first_classes(graph)
    assert label is not None
    assert int(label.max()) + 1 == 16 < int(colour_classes(graph).max()) + 1
    graph, _ = model_rb(20, 11, RNG(1))
    label = largest_first_classes(graph)
    assert label is not None
    assert int(label.max()) + 1 == 20


def test_a_limit_of_work() -> None:
    """Where too much would have to be looked at, there is no colouring; empty graphs have no class."""
    graph, _ = hamming(8, 4)
    assert largest_first_classes(graph, entries_max=1000) is None
    none = largest_first_classes(Graph.from_edges(0, [], []))
    assert none is not None
    assert len(none) == 0


def test_a_colouring_proves_without_a_node() -> None:
    """Where a clique has as many vertices as there are classes, branch and bound has nothing to do."""
    graph, _ = hamming(6, 2)
    search = ExactSearch(graph, [v for v in range(64) if v.bit_count() % 2 == 0])
    assert (search.done, search.nodes, search.size, search.bound) == (True, 0, 32, 32)


def test_the_order_of_least_degree() -> None:
    """Each place from the back holds a vertex of least degree among those left, and the most of these is the core."""
    for seed in range(5):
        random = nx.gnp_random_graph(30, 0.3 + 0.1 * seed, seed=seed)
        order, core = degeneracy(Graph.from_networkx(random))
        assert core == max(nx.core_number(random).values())
        left = random.copy()
        for vertex in order[::-1].tolist():
            assert left.degree[vertex] == min(dict(left.degree).values())
            left.remove_node(vertex)
