"""Sparse graphs reduced by a known clique, and the searches that use it."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.errors import MatheurError
from matheur.methods.clique import (
    ExactSearch,
    HubSearch,
    LocalSearch,
    PartitionSearch,
    SparseGraph,
    VertexCover,
    reduction,
    sparse_portfolio,
)
from matheur.methods.clique.reduction import reduced
from matheur.methods.clique.sparse_portfolio import SparsePortfolio


def test_a_reduction_keeps_all_larger_cliques() -> None:
    """Whatever size is known, every vertex of a larger clique is left, and the graph is the subgraph of those left."""
    for seed in range(12):
        drawn = nx.gnp_random_graph(40, 0.1 + 0.05 * seed, seed=seed)
        graph = SparseGraph.from_networkx(drawn)
        cliques = list(nx.find_cliques(drawn))
        for size in range(max(map(len, cliques)) + 1):
            core = reduced(graph, size)
            needed = {v for clique in cliques if len(clique) > size for v in clique}
            assert needed <= set(core.vertices.tolist())
            assert core.graph.edges == drawn.subgraph(core.vertices.tolist()).number_of_edges()
            members = np.arange(min(3, core.graph.n))
            assert core.inside(core.lifted(members)).tolist() == members.tolist()
        assert len(reduced(graph, graph.cores.colours).vertices) == 0


def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that stays too large is one line with its size; the portfolio then goes on with the exact search."""
    monkeypatch.setattr(reduction, "_VERTICES_MAX", 20)
    monkeypatch.setattr(sparse_portfolio, "_ALONE", 0)
    drawn = nx.gnp_random_graph(60, 0.5, seed=2)
    graph = SparseGraph.from_networkx(drawn)
    with pytest.raises(MatheurError, match="60 vertices may belong to a clique of more than 2"):
        reduced(graph, 2)
    members = SparsePortfolio(graph, np.random.default_rng(1), timed=False)
    while members.size < members.bound:
        members.advance(50)
    assert members.size == max(map(len, nx.find_cliques(drawn)))
    alone = SparsePortfolio(graph, np.random.default_rng(1), timed=False, exact=False)
    alone.advance(1_000)
    with pytest.raises(MatheurError, match="vertices may belong"):
        alone.advance(1_000)


def test_all_searches_together_end_with_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact and other searches in turn reach the clique number with a bound that never rises, timed or by work."""
    monkeypatch.setattr(sparse_portfolio, "_ALONE", 0)
    drawn = nx.gnp_random_graph(90, 0.6, seed=4)
    graph = SparseGraph.from_networkx(drawn)
    largest = len(nx.max_weight_clique(drawn, weight=None)[0])
    for timed, exact in ((False, True), (True, True), (False, False)):
        members = SparsePortfolio(graph, np.random.default_rng(1), timed=timed, exact=exact)
        bounds = [members.bound]
        for _ in range(100_000):
            members.advance(200)
            bounds.append(members.bound)
            if members.size >= (members.bound if exact else largest):
                break
        assert bounds == sorted(bounds, reverse=True)
        assert members.size == largest
        assert graph.is_clique(members.vertices)
        assert members.proved_by == ("branch-and-bound" if exact else "colouring")
        assert members.selections >= members.nodes > 0


def test_searches_of_dense_graphs_refuse_the_sparse_form() -> None:
    """Rows of neighbours are never taken for rows of what is not joined: they have other names."""
    graph, rng = SparseGraph.from_edges(3, [0, 1], [1, 2]), np.random.default_rng(1)
    for make in (LocalSearch, VertexCover, PartitionSearch, HubSearch, lambda graph, _: ExactSearch(graph)):
        with pytest.raises((TypeError, AttributeError), match=r"dense form|SparseGraph"):
            make(graph, rng)
