"""Vertex cover, assignment of classes, phases, and the portfolio of all."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from matheur.errors import ConfigurationError, MatheurError
from matheur.methods.clique import ExactSearch, LocalSearch, PartitionSearch, Portfolio, VertexCover
from matheur.methods.clique.assignments import assign
from matheur.methods.clique.graph import colour_classes
from matheur.problems.max_clique import Graph, load_graph
from matheur.problems.max_clique.generator import model_rb

RNG = np.random.default_rng
RANDOM = nx.gnp_random_graph(60, 0.8, seed=5)
GRAPH = Graph.from_networkx(RANDOM)
OPTIMUM = len(nx.max_weight_clique(RANDOM, weight=None)[0])


def make(name: str, graph: Graph, seed: int = 1, start: list[int] | None = None):  # type: ignore[no-untyped-def]
    if name == "vertex-cover":
        return VertexCover(graph, RNG(seed), start=start)
    if name == "partition":
        return PartitionSearch(graph, RNG(seed), start=start)
    return LocalSearch(graph, RNG(seed), rule=name, start=start)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["vertex-cover", "phased", "penalty"])
def test_finds_the_optimum_of_a_random_graph(name: str) -> None:
    """A few thousand units of work are enough, with every seed, and what is found is a clique."""
    for seed in range(3):
        search = make(name, GRAPH, seed)
        search.advance(20_000, OPTIMUM)
        assert search.size == len(search.vertices) == OPTIMUM
        assert GRAPH.is_clique(search.vertices)
        assert 0 <= search.reached_at <= search.selections


@pytest.mark.parametrize("name", ["vertex-cover", "partition", "phased"])
def test_slices_do_not_change_the_course(name: str) -> None:
    """One call or many: the same clique after the same work."""
    whole, parts = make(name, GRAPH), make(name, GRAPH)
    whole.advance(3000)
    for _ in range(30):
        parts.advance(100)
    assert (whole.selections, whole.size) == (parts.selections, parts.size)
    assert np.array_equal(whole.vertices, parts.vertices)


@pytest.mark.parametrize("name", ["vertex-cover", "partition"])
def test_a_start_is_kept_or_improved(name: str) -> None:
    """Whatever the start, the result is no smaller; what is no clique is refused."""
    clique = sorted(nx.max_weight_clique(RANDOM, weight=None)[0])
    search = make(name, GRAPH, start=clique)
    assert search.size >= len(clique)
    search.advance(200)
    assert search.size >= len(clique)
    u, v = next(nx.non_edges(RANDOM))
    with pytest.raises(ValueError, match="not joined"):
        make(name, GRAPH, start=[u, v])


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("name", ["vertex-cover", "partition", "phased"])
def test_extreme_graphs(name: str, n: int) -> None:
    """Graphs without vertices, without edges and complete ones end with the right clique."""
    for graph, best in ((Graph.from_edges(n, [], []), min(n, 1)), (Graph.from_complement(n, [], []), n)):
        search = make(name, graph)
        search.advance(100)
        assert search.size == best


def test_weights_of_the_cover_are_forgotten_in_time() -> None:
    """A low threshold for forgetting changes the course, and the answer stays a clique."""
    often, never = VertexCover(GRAPH, RNG(1), forgetting=0.02), VertexCover(GRAPH, RNG(1), forgetting=100.0)
    for search in (often, never):
        search.advance(5000)
        assert GRAPH.is_clique(search.vertices)
    assert often._weight.sum() < never._weight.sum()
    with pytest.raises(ConfigurationError, match="forgetting"):
        VertexCover(GRAPH, RNG(1), forgetting=0.0)


def test_scores_of_the_cover_stay_true() -> None:
    """After any number of exchanges, scores and open edges are what counting from scratch gives."""
    search = VertexCover(GRAPH, RNG(3), forgetting=0.05)
    for _ in range(20):
        search.advance(137)
        outside = search._score <= -(1 << 28)
        rows = np.repeat(np.arange(GRAPH.n), np.diff(GRAPH.ptr))
        counted = np.zeros(GRAPH.n, dtype=np.int64)
        np.add.at(counted, rows, search._weight * outside[GRAPH.idx])
        expected = np.where(outside, counted - (1 << 29), -counted)
        assert np.array_equal(search._score, expected)
        open_edges = int((outside[rows] & outside[GRAPH.idx]).sum()) // 2
        assert search._state[1] == open_edges


def test_scores_of_the_cover_of_a_star_stay_in_range() -> None:
    """One vertex has all conflicts, and so the weight of all: its score grows by thousands with every exchange."""
    n = 4000
    star = Graph.from_complement(n, np.zeros(n - 1, dtype=np.int64), np.arange(1, n))
    search = VertexCover(star, RNG(1), forgetting=10_000.0)
    search.advance(200_000)
    assert search.selections == 200_000
    assert search.size == n - 1
    inside = search._score > -(1 << 28)
    assert inside.sum() == search._state[4]
    assert -search._score[inside].min(initial=0) <= 1 << 27


@pytest.mark.parametrize("table", [False, True])
def test_one_vertex_of_every_class(table: bool) -> None:
    """On Model RB the search finds the hidden size; its conflicts are what counting gives on the way."""
    graph, _ = model_rb(15, 9, RNG(1))
    search = PartitionSearch(graph, RNG(2), table=table)
    label = colour_classes(graph)
    assert search.classes == 15
    for tenure in (0, 5, 5, 5, 10**6):
        search._tenure = tenure
        search.advance(50)
        chosen = search._assignment.present
        conflicts = sum(np.isin(chosen, graph.non_neighbours(int(v))).sum() for v in chosen) // 2
        assert conflicts == search._state[4]
        assert np.array_equal(label[chosen], np.arange(15))
    search = PartitionSearch(graph, RNG(3), table=table)
    search.advance(200_000)
    assert (search.size, search.conflicts) == (15, 0)
    assert graph.is_clique(search.vertices)


@pytest.mark.parametrize("table", [False, True])
def test_classes_of_any_size(table: bool) -> None:
    """Classes of 1 to 60 vertices: a clique is found where there is one, and no vertex that is not there is chosen."""
    rng = RNG(5)
    label = np.repeat(np.arange(20), rng.integers(1, 61, size=20)).astype(np.int32)
    hidden = np.array([rng.choice(np.flatnonzero(label == c)) for c in range(20)])
    joined = np.triu(rng.random((len(label), len(label))) < 0.6, 1) & (label[:, None] != label)
    joined[np.ix_(hidden, hidden)] = np.triu(np.ones((20, 20), dtype=bool), 1)
    graph = Graph.from_edges(len(label), *(found.tolist() for found in np.nonzero(joined)))
    search = PartitionSearch(graph, rng, classes=label, table=table)
    search.advance(500_000)
    assert np.array_equal(search.vertices, hidden)


def test_classes_are_checked() -> None:
    """Joined vertices of one class, empty classes and negative tenures are errors."""
    path = Graph.from_edges(3, [0, 1], [1, 2])
    assert PartitionSearch(path, RNG(1), classes=np.array([0, 1, 0])).classes == 2
    for classes in ([0, 0, 1], [0, 2, 0], [0, 1]):
        with pytest.raises(ValueError, match="class"):
            PartitionSearch(path, RNG(1), classes=np.array(classes))
    with pytest.raises(ConfigurationError, match="tenure"):
        PartitionSearch(path, RNG(1), tenure=-1)
    many = Graph.from_complement(2049, [], [])
    assert PartitionSearch(many, RNG(1), table=False).size == 2049
    with pytest.raises(ConfigurationError, match="up to 2,048 classes"):
        PartitionSearch(many, RNG(1), table=True)


def test_a_vertex_may_conflict_with_more_than_a_million_classes() -> None:
    """A vertex with many conflicts is not mistaken for a chosen one: no class without a conflict counts as one."""
    many = (1 << 20) + 1
    hub, free = many + 1, many + 2
    pairs = [np.arange(many + 1), np.full(many + 1, hub)], [np.array([1, many]), np.array([free, free])]
    graph = Graph.from_complement(many + 3, *(np.concatenate(ends) for ends in zip(*pairs, strict=True)))
    label = np.arange(many + 3, dtype=np.int32)
    label[hub], label[free] = 0, many  # classes 0 and `many` have two vertices each, all others have one
    found = assign(graph, label, RNG(1), np.array([0, free], dtype=np.int32), table=False)
    assert found.state[found.kernels.TOTAL] == 1
    found.run(10, 5, 20)
    assert found.state[found.kernels.TOTAL] == 0
    assert found.state[found.kernels.HOT] == 0


def test_the_portfolio_proves_small_graphs() -> None:
    """All members together find the optimum and the exact one proves it; by work the run is reproducible."""
    runs = []
    for _ in range(2):
        portfolio = Portfolio(GRAPH, RNG(1), timed=False)
        while portfolio.size < portfolio.bound:
            before = portfolio.selections
            portfolio.advance(None)
            assert portfolio.selections >= before
        assert portfolio.size == OPTIMUM
        assert portfolio.proved_by == "branch-and-bound"
        runs.append((portfolio.vertices.tolist(), portfolio.selections))
    assert runs[0] == runs[1]


def test_the_portfolio_divides_by_what_is_reached() -> None:
    """Without branch and bound, members that lag behind get less; a graph of classes gets the assignment search."""
    graph, _ = model_rb(20, 11, RNG(1))
    portfolio = Portfolio(graph, RNG(1), timed=False, exact=False)
    for _ in range(60):
        portfolio.advance(2000)
    assert "partition" in portfolio.shares or portfolio.size == 20
    assert all(0 < share <= 8 for share in portfolio.shares.values())
    assert portfolio.bound == 20


@pytest.mark.parametrize("strength", [0, 1, 2])
def test_bounds_of_every_strength_agree(strength: int) -> None:
    """Re-colouring and the infra-chromatic bound save nodes and lose no clique."""
    nodes = []
    for level in (0, strength):
        search = ExactSearch(GRAPH, strength=level)
        while not search.done:
            search.advance(1000)
            assert search.bound >= OPTIMUM
        assert (search.size, search.bound) == (OPTIMUM, OPTIMUM)
        assert GRAPH.is_clique(search.vertices)
        nodes.append(search.nodes)
    assert nodes[1] <= nodes[0]


def test_every_strength_on_many_small_graphs() -> None:
    """Against networkx on random graphs of all densities."""
    for seed in range(25):
        random = nx.gnp_random_graph(22, 0.3 + 0.025 * seed, seed=seed)
        best = len(nx.max_weight_clique(random, weight=None)[0])
        graph = Graph.from_networkx(random)
        for strength in (0, 1, 2):
            search = ExactSearch(graph, strength=strength)
            while not search.done:
                search.advance(7)
            assert search.size == best, (seed, strength)


def test_a_clique_from_elsewhere_is_taken_over() -> None:
    """The exact search goes on from a better clique; a set that is none is refused."""
    clique = sorted(nx.max_weight_clique(RANDOM, weight=None)[0])
    search = ExactSearch(GRAPH)
    search.advance(5)
    search.improve(clique)
    assert search.vertices.tolist() == clique
    while not search.done:
        search.advance(1000)
    assert search.size == OPTIMUM
    with pytest.raises(ValueError, match="not a clique"):
        ExactSearch(GRAPH).improve(list(range(60)))


def test_public_graphs_of_classes(data: Path) -> None:
    """BHOSLIB: the assignment search reaches the hidden optimum of frb30-15-1 within a few thousand steps."""
    graph = load_graph(data / "clique/bhoslib/frb30-15-1.mis")
    search = PartitionSearch(graph, RNG(1))
    search.advance(300_000)
    assert search.size == 30


def test_a_complement_of_a_few_edges_is_begun_at_once() -> None:
    """Of 200,000 vertices with three conflicts each search begins with nearly all, without a scan for each of them."""
    graph = Graph.from_complement(200_000, [0, 1, 4], [1, 2, 5])
    assert int(colour_classes(graph).max()) + 1 == 199_998
    assert VertexCover(graph, RNG(1)).size == 199_998
    assert PartitionSearch(graph, RNG(1)).size >= 199_997
    with pytest.raises(MatheurError, match="Maybe use local search"):
        ExactSearch(graph)


def test_the_cover_begins_as_by_single_steps() -> None:
    """Vertices leave the first cover in the order of their ages while they are not needed, whatever the graph."""
    for seed in range(5):
        graph = Graph.from_networkx(nx.gnp_random_graph(40, 0.9, seed=seed))
        search = VertexCover(graph, RNG(seed))
        ages, inside = search._moved.copy(), np.ones(40, dtype=bool)
        while True:
            free = [v for v in np.flatnonzero(inside) if inside[graph.non_neighbours(v)].all()]
            if not free:
                break
            inside[min(free, key=lambda v: (ages[v], v))] = False
        assert search.vertices.tolist() == np.flatnonzero(~inside).tolist()
