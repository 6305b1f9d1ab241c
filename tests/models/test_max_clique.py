"""MILPs of maximum clique."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.models.max_clique import FORMULATIONS, build, covering_sets
from matheur.problems.max_clique import Graph
from matheur.solvers import SolveRequest, get_backend


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_optimum_is_that_of_networkx(formulation: str) -> None:
    """Both formulations have the size of the largest clique as their optimum, and the answer is a clique."""
    for seed, density in enumerate((0.2, 0.5, 0.8)):
        random = nx.gnp_random_graph(18, density, seed=seed)
        graph = Graph.from_networkx(random)
        built = build(graph, formulation)
        answer = get_backend("highs").solve(built.model, SolveRequest())
        found = built.read(answer.values)
        assert len(found) == len(nx.max_weight_clique(random, weight=None)[0]) == -round(answer.objective)
        assert graph.is_clique(found)


def test_sets_cover_all_pairs_that_are_not_joined() -> None:
    """Members of a set are pairwise not joined; every such pair lies in one; classes are found."""
    graph = Graph.from_networkx(nx.gnp_random_graph(25, 0.6, seed=3))
    sets = covering_sets(graph)
    pairs = {(a, b) for chosen in sets for a in chosen for b in chosen if a < b}
    assert pairs == {(v, int(w)) for v in range(25) for w in graph.non_neighbours(v) if v < w}
    parts = Graph.from_networkx(nx.complete_multipartite_graph(4, 3, 5))
    assert sorted(map(len, covering_sets(parts))) == [3, 4, 5]


def test_starts_and_errors() -> None:
    """A clique becomes the values of the variables; unknown formulations are errors."""
    built = build(Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3]))
    built.begin_at(np.array([0, 2], dtype=np.int32))
    assert [built.x[v].value for v in range(4)] == [1.0, 0.0, 1.0, 0.0]
    assert build(Graph.from_edges(0, [], [])).read({}).tolist() == []
    with pytest.raises(ValueError, match="edge"):
        build(Graph.from_edges(2, [0], [1]), "edges")
