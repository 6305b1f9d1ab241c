"""Graphs kept as their complement."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.errors import MatheurError
from matheur.methods.clique import graph as module
from matheur.methods.clique.graph import Graph


def random_graph(n: int, density: float, seed: int) -> nx.Graph:
    return nx.gnp_random_graph(n, density, seed=seed)


def same(a: Graph, b: Graph) -> bool:
    return np.array_equal(a.ptr, b.ptr) and np.array_equal(a.idx, b.idx)


@pytest.mark.parametrize("seed", range(4))
def test_edges_complement_and_networkx_give_the_same_graph(seed: int) -> None:
    """A graph is the same from its edges, from its non-edges, from networkx and as complement of its complement."""
    reference = random_graph(40, 0.6, seed)
    edges = np.array(reference.edges())
    others = np.array(nx.complement(reference).edges())
    graph = Graph.from_edges(40, edges[:, 0], edges[:, 1])
    assert graph.edges == reference.number_of_edges() > 0
    assert graph.density == pytest.approx(nx.density(reference))
    assert graph.degrees.tolist() == [degree for _, degree in sorted(reference.degree())]
    assert same(graph, Graph.from_complement(40, others[:, 1], others[:, 0]))
    assert same(graph, Graph.from_networkx(reference))
    assert same(graph, graph.complement().complement())
    assert graph.complement().edges == len(others)


def test_adjacency_and_bits_agree_with_networkx() -> None:
    """Every pair has the same answer from `adjacent`, from the bit matrix and from networkx."""
    reference = random_graph(70, 0.5, 3)
    graph = Graph.from_networkx(reference)
    bits = graph.bits()
    for u in range(70):
        for v in range(70):
            joined = reference.has_edge(u, v)
            assert graph.adjacent(u, v) == joined
            assert bool(int(bits[u, v // 64]) >> (v % 64) & 1) == joined


def test_small_blocks_make_the_same_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting the work into blocks of a few rows changes nothing."""
    edges = np.array(random_graph(50, 0.7, 1).edges())
    whole = Graph.from_edges(50, edges[:, 0], edges[:, 1])
    monkeypatch.setattr(module, "BLOCK_CELLS", 130)
    assert same(whole, Graph.from_edges(50, edges[:, 0], edges[:, 1]))
    assert np.array_equal(np.vstack([block for _, block in whole.blocks(cells=130)]), next(whole.blocks())[1])


def test_doubled_edges_and_loops_count_once_or_not_at_all() -> None:
    """Doubled edges, both directions and loops leave a simple graph."""
    graph = Graph.from_edges(3, [0, 1, 0, 2], [1, 0, 1, 2])
    assert graph.edges == 1
    assert graph.adjacent(0, 1)
    assert not graph.adjacent(2, 2)


def test_cliques_are_recognised_and_conflicts_named() -> None:
    """A clique has no conflict; a missing edge, a repeated vertex and an unknown one are told apart."""
    graph = Graph.from_edges(4, [0, 1, 2], [1, 2, 0])
    assert graph.is_clique([2, 0, 1])
    assert graph.is_clique([])
    assert graph.conflict([0, 3]) == (0, 3)
    assert graph.conflict([1, 1]) == (1, 1)
    with pytest.raises(ValueError, match="no such vertex"):
        graph.is_clique([4])


@pytest.mark.parametrize("n", [0, 1])
def test_tiny_graphs_work(n: int) -> None:
    """Graphs of no vertex or one vertex have no edges and density 1."""
    graph = Graph.from_edges(n, [], [])
    assert (graph.n, graph.edges, graph.density) == (n, 0, 1.0)
    assert graph.is_clique(range(n))


def test_a_huge_graph_is_refused_before_allocation() -> None:
    """A billion vertices with one edge are one error, whether edges or non-edges are given."""
    with pytest.raises(MatheurError, match="GB"):
        Graph.from_edges(10**9, [0], [1])
    with pytest.raises(MatheurError, match="GB"):
        Graph.from_complement(10**10, [0], [1])


def test_unknown_end_points_are_refused() -> None:
    """An end point that is no vertex is named."""
    with pytest.raises(ValueError, match=r"\(3\)"):
        Graph.from_edges(3, [0], [3])
    with pytest.raises(ValueError, match=r"\(-1\)"):
        Graph.from_edges(3, [-1], [2])


def test_arrays_cannot_be_changed() -> None:
    """The arrays of a graph are read-only."""
    graph = Graph.from_edges(3, [0], [1])
    with pytest.raises(ValueError, match="read-only"):
        graph.idx[0] = 1


@pytest.mark.parametrize("reference", [nx.gnp_random_graph(30, 0.4, seed=1), nx.empty_graph(4), nx.complete_graph(5)])
def test_networkx_and_back(reference: nx.Graph) -> None:
    """A graph that goes there and back is the same, isolated vertices included."""
    found = Graph.from_networkx(reference).to_networkx()
    assert nx.utils.graphs_equal(found, reference)
