"""Graphs kept as their neighbours."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import SparseGraph, is_sparse


def test_both_forms_of_a_graph_answer_alike() -> None:
    """Edges, degrees, rows, pairs, blocks, complement and subgraphs are those of the dense form, and of networkx."""
    for seed, density in enumerate((0.0, 0.1, 0.5, 1.0)):
        reference = nx.gnp_random_graph(40, density, seed=seed)
        edges = np.array(reference.edges(), dtype=np.int64).reshape(-1, 2)
        # Doubled, turned round and with a loop: a simple graph all the same.
        u, v = np.concatenate((edges[:, 0], edges[:, 1], [3])), np.concatenate((edges[:, 1], edges[:, 0], [3]))
        sparse, dense = SparseGraph.from_edges(40, u, v), Graph.from_edges(40, u, v)
        assert (sparse.n, sparse.edges, sparse.density) == (dense.n, dense.edges, dense.density)
        assert sparse.degrees.tolist() == dense.degrees.tolist()
        assert np.array_equal(next(sparse.blocks())[1], next(dense.blocks())[1])
        for a in range(40):
            assert sparse.neighbours(a).tolist() == sorted(reference[a])
            assert sparse.non_neighbours(a).tolist() == dense.non_neighbours(a).tolist()
            assert [sparse.adjacent(a, b) for b in range(40)] == [reference.has_edge(a, b) for b in range(40)]
        for one, other in (
            (sparse.dense(), dense),
            (sparse.complement(), dense.complement()),
            (sparse.dense(np.array([7, 3, 20])), Graph.from_networkx(nx.relabel_nodes(
                nx.Graph(reference.subgraph([7, 3, 20])), {7: 0, 3: 1, 20: 2}).subgraph([0, 1, 2]))),
        ):  # fmt: skip
            assert one.edges == other.edges
        assert sparse.dense(np.array([7, 3, 20])).adjacent(0, 2) == reference.has_edge(7, 20)
        assert np.array_equal(sparse.dense().idx, dense.idx)
        assert nx.utils.graphs_equal(sparse.to_networkx(), reference)
        assert np.array_equal(SparseGraph.from_networkx(reference).indices, sparse.indices)


def test_both_forms_find_the_same_clashes() -> None:
    """What is no clique is told with the pairs that are not joined; a vertex twice clashes with itself."""
    reference = nx.gnp_random_graph(30, 0.7, seed=1)
    sparse, dense = SparseGraph.from_networkx(reference), Graph.from_networkx(reference)
    rng = np.random.default_rng(1)
    for size in (0, 1, 2, 3, 5, 9, 30):
        chosen = np.sort(rng.choice(30, size, replace=False))
        assert list(sparse.clashes(chosen)) == list(dense.clashes(chosen))
        assert sparse.conflict(chosen) == dense.conflict(chosen)
        assert sparse.is_clique(chosen) == all(reference.has_edge(a, b) for a in chosen for b in chosen if a < b)
    assert sparse.conflict([4, 2, 4]) == dense.conflict([4, 2, 4]) == (4, 4)
    for graph in (sparse, dense):
        with pytest.raises(ValueError, match=r"\(30\)"):
            graph.conflict([30])


def test_large_graphs_with_few_edges_are_sparse() -> None:
    """Memory decides: small graphs and those with many edges keep the dense form."""
    assert is_sparse(10**6, 10**6)
    assert is_sparse(5_000, 1_000_000)
    assert not is_sparse(500, 100)
    assert not is_sparse(5_000, 2_000_000)
    assert not is_sparse(0, 0)


def test_a_million_vertices_take_memory_by_the_edges() -> None:
    """Neither the arrays nor a check of a clique grow with the pairs of vertices."""
    path = SparseGraph.from_edges(10**6, np.arange(10**6 - 1), np.arange(1, 10**6))
    assert path.edges == 10**6 - 1
    assert path.indptr.nbytes + path.indices.nbytes < 20_000_000
    assert path.is_clique([500_000, 500_001])
    assert path.conflict([5, 6, 7]) == (5, 7)
    with pytest.raises(ValueError, match="read-only"):
        path.indices[0] = 1
