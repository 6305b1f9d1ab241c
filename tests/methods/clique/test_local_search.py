"""Local search for maximum clique."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from matheur.errors import ConfigurationError
from matheur.methods.clique import LocalSearch, search
from matheur.problems.max_clique import Graph, load_graph

RULES = ["random", "degree", "penalty"]
FILES = ["C125.9", "keller4", "brock200_4", "hamming8-4", "p_hat300-3", "san200_0.7_2", "johnson16-2-4", "c-fat200-5"]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("density", [0.2, 0.5, 0.8])
def test_small_graphs_are_solved(rule: str, density: float) -> None:
    """On random graphs every rule finds a clique as large as networkx's exact one."""
    for seed in range(5):
        reference = nx.gnp_random_graph(30, density, seed=seed)
        best = len(nx.max_weight_clique(reference, weight=None)[0])
        graph = Graph.from_networkx(reference)
        found = search(graph, np.random.default_rng(seed), max_selections=5000, rule=rule)  # type: ignore[arg-type]
        assert found.size == best > 0
        assert graph.is_clique(found.vertices)


@pytest.mark.parametrize("name", FILES)
def test_best_known_sizes_are_reached(data: Path, name: str) -> None:
    """On public graphs the search reaches the best known size and returns a clique."""
    rows = {row["name"]: row for row in csv.DictReader((data / "clique/best_known.csv").read_text().splitlines())}
    graph = load_graph(data / "clique/ascii" / f"{name}.clq")
    target = int(rows[name]["best_known"])
    found = search(graph, np.random.default_rng(1), max_selections=3_000_000, target=target)
    assert found.size == target
    assert graph.is_clique(found.vertices)
    assert found.reached_at <= found.selections


@pytest.mark.parametrize("rule", RULES)
def test_the_seed_decides_everything(rule: str) -> None:
    """The same seed gives the same clique and work, however the search is cut into slices."""
    graph = Graph.from_networkx(nx.gnp_random_graph(120, 0.8, seed=1))
    whole = search(graph, np.random.default_rng(3), max_selections=20_000, rule=rule)  # type: ignore[arg-type]
    again = search(graph, np.random.default_rng(3), max_selections=20_000, rule=rule)  # type: ignore[arg-type]
    sliced = LocalSearch(graph, np.random.default_rng(3), rule=rule)  # type: ignore[arg-type]
    while sliced.selections < 20_000:
        sliced.advance(min(37, 20_000 - sliced.selections))
    other = search(graph, np.random.default_rng(4), max_selections=20_000, rule=rule)  # type: ignore[arg-type]
    assert whole.vertices.tolist() == again.vertices.tolist() == sliced.vertices.tolist()
    assert whole.reached_at == again.reached_at == sliced.reached_at
    assert whole.selections == again.selections == sliced.selections == 20_000
    assert (whole.reached_at, whole.vertices.tolist()) != (other.reached_at, other.vertices.tolist())


def test_the_state_stays_consistent() -> None:
    """After any number of selections, counts, sums and lists are what the clique implies."""
    graph = Graph.from_networkx(nx.gnp_random_graph(60, 0.7, seed=2))
    local = LocalSearch(graph, np.random.default_rng(5), delta=3)
    checked = 0
    for _ in range(300):
        local.advance(7)
        state, lists = local._state, local._lists
        members = lists[2, : state[2]]
        assert graph.is_clique(members)
        inside = np.zeros(60, dtype=bool)
        inside[members] = True
        tabu = set(lists[3, : state[3]].tolist())
        for vertex in range(60):
            others = graph.non_neighbours(vertex)
            others = others[inside[others]]
            assert int(local._code[vertex]) == len(others) + (int(others.sum()) << 16)
            for kind in (0, 1):
                listed = vertex in lists[kind, : state[kind]]
                assert listed == (not inside[vertex] and vertex not in tabu and len(others) == kind)
                checked += listed
    assert checked > 1000


def test_many_vertices_use_wide_codes() -> None:
    """Above 65,535 vertices, where counts and sums need 64 bits, the search still returns cliques."""
    n = 70_000
    blocked = np.arange(1, n)
    graph = Graph.from_complement(
        n, np.concatenate((blocked, blocked[:-1])), np.concatenate((blocked - 1, blocked[1:]))
    )
    found = search(graph, np.random.default_rng(1), max_selections=60_000, delta=1)
    assert graph.is_clique(found.vertices)
    assert found.size > 25_000


def test_limits_and_targets_end_the_search() -> None:
    """Selections, a target, a stop and a deadline each end the search; without any it is refused."""
    graph = Graph.from_networkx(nx.gnp_random_graph(100, 0.8, seed=1))
    rng = np.random.default_rng(1)
    assert search(graph, rng, max_selections=77).selections == 77
    assert search(graph, rng, max_selections=0).size == 0
    assert search(graph, rng, target=5, seconds=60).size == 5
    calls: list[int] = []

    def stop() -> bool:
        calls.append(1)
        return len(calls) > 3

    assert search(graph, rng, stop=stop).selections > 0
    assert graph.is_clique(search(graph, rng, seconds=0.05).vertices)  # how large, the machine decides
    with pytest.raises(ValueError, match="to end"):
        search(graph, rng)


def test_a_start_is_kept_unless_beaten() -> None:
    """The search never returns less than the clique it starts from, and refuses a start that is none."""
    graph = Graph.from_edges(5, [0, 0, 1, 3], [1, 2, 2, 4])
    assert search(graph, np.random.default_rng(1), start=[0, 1, 2], max_selections=0).vertices.tolist() == [0, 1, 2]
    assert search(graph, np.random.default_rng(1), start=[3, 4], max_selections=50).vertices.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="not a clique"):
        search(graph, np.random.default_rng(1), start=[0, 3], max_selections=1)


def test_improvements_are_handed_out() -> None:
    """Each reported clique is larger than the one before, the last is the answer."""
    graph = Graph.from_networkx(nx.gnp_random_graph(200, 0.9, seed=1))
    seen: list[np.ndarray] = []
    found = search(graph, np.random.default_rng(1), max_selections=50_000, on_improvement=seen.append)
    sizes = [len(vertices) for vertices in seen]
    assert sizes == sorted(set(sizes))
    assert seen[-1].tolist() == found.vertices.tolist()
    assert all(graph.is_clique(vertices) for vertices in seen)


@pytest.mark.parametrize("n", [0, 1, 5])
def test_complete_and_empty_graphs_end_at_once(n: int) -> None:
    """Where all vertices are a clique the answer is proved; edgeless graphs give one vertex."""
    complete = search(Graph.from_complement(n, [], []), np.random.default_rng(1), max_selections=1000)
    assert (complete.size, complete.proved) == (n, True)
    edgeless = search(Graph.from_edges(n, [], []), np.random.default_rng(1), max_selections=1000)
    assert edgeless.size == min(n, 1)


def test_wrong_options_are_named() -> None:
    """An unknown rule and a delta below 1 are configuration errors."""
    graph = Graph.from_edges(2, [0], [1])
    with pytest.raises(ConfigurationError, match="Maybe 'degree'"):
        LocalSearch(graph, np.random.default_rng(1), rule="degre")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="delta"):
        LocalSearch(graph, np.random.default_rng(1), delta=0)


def test_importing_the_package_loads_no_compiler() -> None:
    """`import matheur.methods.clique` pulls in neither numba nor networkx."""
    script = "import sys, matheur.methods.clique; print(sorted({'numba', 'networkx', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"
