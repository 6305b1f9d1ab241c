"""The search over hubs: few vertices without which the complement falls into cliques."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from matheur.errors import ConfigurationError
from matheur.methods.clique import HubSearch, Portfolio, cluster_labels
from matheur.problems.max_clique import Graph, load_graph

RNG = np.random.default_rng


def covering(points: int, blocks: list[tuple[int, ...]], near: tuple[tuple[int, int], ...] = ()) -> Graph:
    """Points, and a clique of conflicts for each block, each of whose vertices conflicts with a point (as `MANN`)."""
    pairs = list(near)
    n = points
    for block in blocks:
        mine = range(n, n + len(block))
        pairs += list(combinations(mine, 2)) + list(zip(block, mine, strict=True))
        n += len(block)
    return Graph.from_complement(n, [a for a, _ in pairs], [b for _, b in pairs])


def drawn(seed: int, points: int = 9, count: int = 14) -> Graph:
    """A covering graph of random blocks of two to four points, some points in conflict with each other."""
    rng = RNG(seed)
    blocks = [tuple(rng.choice(points, int(rng.integers(2, 5)), replace=False).tolist()) for _ in range(count)]
    near = [(a, b) for a, b in combinations(range(points), 2) if rng.random() < 0.1]
    return covering(points, blocks, tuple(near))


def optimum(graph: Graph) -> int:
    """By networkx."""
    joined = nx.Graph()
    joined.add_nodes_from(range(graph.n))
    joined.add_edges_from((u, v) for u, v in combinations(range(graph.n), 2) if graph.adjacent(u, v))
    return len(nx.max_weight_clique(joined, weight=None)[0])


@pytest.mark.parametrize("seed", range(8))
def test_finds_the_optimum_of_covering_graphs(seed: int) -> None:
    """Points are the hubs; what is found is a clique of the size that networkx proves."""
    graph = drawn(seed)
    search = HubSearch(graph, RNG(seed))
    assert 0 < search.hubs < graph.n // 2
    search.advance(3000)
    assert search.size == len(search.vertices) == optimum(graph)
    assert graph.is_clique(search.vertices)


def test_counts_stay_true() -> None:
    """Size and free vertices are what counting from scratch gives, after any number of steps."""
    graph = drawn(20, points=14, count=30)
    search = HubSearch(graph, RNG(1))
    moved = 0
    for _ in range(30):
        search.advance(37)
        taken = search._hubs[search._inside == 1]
        moved += len(taken)
        assert graph.is_clique(taken)
        open_ = search._label >= 0
        for hub in taken.tolist():
            open_[graph.non_neighbours(hub)] = False
        free = np.bincount(search._label[open_], minlength=len(search._free))
        assert np.array_equal(free, search._free)
        assert search._state[1] == len(taken) + np.count_nonzero(free)
    assert moved > 0


def test_slices_do_not_change_the_course() -> None:
    """One call or many: the same clique after the same work, also across a shake."""
    graph = drawn(3)
    whole, parts = HubSearch(graph, RNG(5)), HubSearch(graph, RNG(5))
    whole.advance(50_000)
    for _ in range(500):
        parts.advance(100)
    assert (whole.selections, whole.size) == (parts.selections, parts.size) == (50_000, parts.size)
    assert np.array_equal(whole._inside, parts._inside)


def test_a_start_is_kept_or_improved() -> None:
    """Its hubs are taken over, so the first clique is no smaller; what is no clique is refused."""
    graph = drawn(4)
    first = HubSearch(graph, RNG(1))
    first.advance(3000)
    again = HubSearch(graph, RNG(2), start=first.vertices)
    assert again.size >= first.size
    with pytest.raises(ValueError, match="not joined"):
        HubSearch(graph, RNG(1), start=[0, int(graph.non_neighbours(0)[0])])


@pytest.mark.parametrize("n", [0, 1, 5])
def test_graphs_without_hubs(n: int) -> None:
    """Complete and edgeless graphs are one vertex of each cluster, at once."""
    for graph, best in ((Graph.from_edges(n, [], []), min(n, 1)), (Graph.from_complement(n, [], []), n)):
        search = HubSearch(graph, RNG(1))
        search.advance(100)
        assert (search.size, len(search.vertices), search.selections) == (best, best, 0)


def test_labels_are_checked() -> None:
    """Clusters that are none, a wrong number of labels and a tenure of 0 are errors; too many hubs give None."""
    path = Graph.from_complement(3, [0, 1], [1, 2])
    for labels in ([0, 0, 0], [0, 1, 1], [0, 1]):
        with pytest.raises(ValueError, match="cluster"):
            HubSearch(path, RNG(1), labels=np.array(labels))
    with pytest.raises(ConfigurationError, match="tenure"):
        HubSearch(path, RNG(1), tenure=0)
    assert cluster_labels(path, hubs_max=0) is None
    found = cluster_labels(path)
    assert found is not None
    assert np.count_nonzero(found < 0) == 1


def test_public_graphs_of_steiner_triples(data: Path) -> None:
    """MANN_a45 has its 45 points as hubs and reaches 345, the best known size, as does the portfolio by work."""
    graph = load_graph(data / "clique/binary/MANN_a45.clq.b")
    search = HubSearch(graph, RNG(0))
    assert search.hubs == 45
    search.advance(60_000, 345)
    assert search.size == 345
    assert graph.is_clique(search.vertices)
    portfolio = Portfolio(graph, RNG(1), timed=False)
    while portfolio.size < 345 and portfolio.selections < 1_500_000:
        portfolio.advance(None, 345)
    assert portfolio.size == 345
