"""Operators of maximum clique on sparse graphs."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pyomo.environ as pyo
import pytest

import matheur
from matheur.engine import Budget, Status
from matheur.engine.operators import operator_class
from matheur.errors import ConfigurationError, MatheurError
from matheur.methods.clique import SparseGraph, reduction
from matheur.problems.max_clique import MaxClique
from matheur.problems.max_clique.operators import on_core
from matheur.problems.max_clique.operators.certifier import CliqueCertifier
from matheur.problems.max_clique.operators.whole_model import Edge

NAMES = ("portfolio", "local-search", "phased", "vertex-cover", "partition", "hubs", "evolution", "exact", "milp-full")


def drawn() -> nx.Graph:
    """A tree-like graph of 600 vertices with a dense part, whose vertices have no special numbers."""
    graph = nx.barabasi_albert_graph(600, 2, seed=1)
    graph.add_edges_from((7 * a + 3, 7 * b + 3) for a, b in nx.gnp_random_graph(40, 0.6, seed=1).edges())
    return graph


DRAWN = drawn()
PROBLEM = MaxClique(SparseGraph.from_networkx(DRAWN))
OPTIMUM = max(map(len, nx.find_cliques(DRAWN)))


def run(name: str, budget: Budget, start: Any = None) -> Any:
    role = "construction" if start is None else "neighbourhood"
    made = operator_class("max-clique", role, name)()
    rng = np.random.default_rng(1)
    return made.build(PROBLEM, budget, rng) if start is None else made.explore(PROBLEM, start, budget, rng)


def test_every_construction_answers_in_the_numbers_of_the_whole_graph() -> None:
    """What is offered and what is returned are cliques of the whole graph; the best is found, and nothing else."""
    for name in NAMES:
        offered: list[Any] = []
        budget = Budget(work=200_000, target=-OPTIMUM, on_incumbent=lambda found, _, to=offered: to.append(found))
        outcome = run(name, budget)
        assert outcome.objective == -len(outcome.solution) == -OPTIMUM, name
        for clique in (*offered, outcome.solution):
            assert PROBLEM.evaluate(clique).feasible
        assert outcome.bound is None or outcome.bound <= -OPTIMUM
        assert budget.spent_work > 0


def test_every_neighbourhood_goes_on_from_a_clique_of_the_whole_graph() -> None:
    """From an edge outside of the dense part the best clique is found, and from that one nothing."""
    best = run("exact", Budget()).solution
    for name in ("local-search", "phased", "vertex-cover", "partition", "hubs", "evolution", "exact"):
        start = np.array([598, next(iter(DRAWN[598]))], dtype=np.int32)
        before = start.copy()
        outcome = run(name, Budget(work=100_000, target=-OPTIMUM), start)
        assert np.array_equal(start, before)
        # One vertex of each class is not the best of this graph.
        assert len(outcome.solution) >= OPTIMUM - (name == "partition"), name
        assert PROBLEM.evaluate(outcome.solution).feasible
        again = run(name, Budget(work=20_000), best)
        assert again.solution is None
        assert again.status in (Status.NO_IMPROVEMENT, Status.EXHAUSTED, Status.LOCAL_OPTIMUM)


def test_a_graph_without_anything_larger_is_proved_by_cores_or_colours() -> None:
    """A ring of triangles is proved by its colours, a path of fours and odd rings by its cores, by any method."""
    triangles = nx.Graph((3 * a + i, 3 * a + (i + 1) % 3) for a in range(50) for i in range(3))
    wheels = nx.disjoint_union(nx.complete_graph(4), nx.disjoint_union(nx.cycle_graph(9), nx.cycle_graph(11)))
    for graph, size in ((triangles, 3), (wheels, 4)):
        problem = MaxClique(SparseGraph.from_networkx(graph))
        for name in ("local-search", "portfolio", "exact"):
            made = operator_class("max-clique", "construction", name)()
            outcome = made.build(problem, Budget(work=1_000), np.random.default_rng(1))
            assert (outcome.objective, outcome.bound) == (-size, -size)
            assert outcome.certificate["backend"] in ("cores", "colouring", "branch-and-bound")


def test_a_graph_that_stays_too_large_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dense method says how much is left; its neighbourhood finds nothing, and the exact search is not concerned."""
    monkeypatch.setattr(reduction, "_VERTICES_MAX", 10)
    with pytest.raises(MatheurError, match="this search takes 10 of a sparse graph"):
        run("local-search", Budget(work=10_000))
    start = np.array([0], dtype=np.int32)
    assert run("local-search", Budget(work=10_000), start).status is Status.NO_IMPROVEMENT
    assert run("exact", Budget()).objective == -OPTIMUM


def test_limits_leave_a_clique_and_a_bound() -> None:
    """A run of little work has a clique, a bound, and the same answer again."""
    for name in ("portfolio", "exact", "local-search"):
        for work in (1, 5, 40):
            first, second = (run(name, Budget(work=work)) for _ in range(2))
            assert first.solution.tolist() == second.solution.tolist()
            assert PROBLEM.evaluate(first.solution).feasible
            assert first.bound is None or first.bound <= -OPTIMUM
    stopped = run("exact", Budget(interrupt=lambda: True))
    assert stopped.status is Status.EXHAUSTED or stopped.objective == -OPTIMUM


def test_the_engine_solves_and_certifies() -> None:
    """A proof on a sparse graph is confirmed on what its cores leave, by a MILP solver."""
    result = matheur.solve(PROBLEM, seed=1, work=400_000, certify=True)
    assert (result.status, result.score) == ("optimal", OPTIMUM)
    assert "second" in result.certificate or "confirmed" in str(result.certificate)
    certifier = CliqueCertifier()
    facts = certifier.certify(PROBLEM, -OPTIMUM, first="highs", interrupt=lambda: False)
    assert facts["backend"] == "branch-and-bound"
    ring = MaxClique(SparseGraph.from_networkx(nx.cycle_graph(9)))
    assert "cores" in certifier.certify(ring, -3, first="exact", interrupt=lambda: False)["method"] or (
        "colouring" in certifier.certify(ring, -3, first="exact", interrupt=lambda: False)["method"]
    )


def test_wrong_cliques_are_told_with_their_pairs() -> None:
    """The evaluator names pairs that are not joined, doubled vertices and strange ones, as in the dense form."""
    dense = MaxClique(PROBLEM.graph.dense())
    rng = np.random.default_rng(1)
    for size in (2, 5, 30):
        chosen = rng.choice(700, size).astype(np.int32)
        assert PROBLEM.evaluate(chosen) == dense.evaluate(chosen)
    assert PROBLEM.fingerprint != MaxClique(PROBLEM.graph.complement()).fingerprint
    assert PROBLEM.trivial_bound <= -OPTIMUM


def test_models_of_sparse_graphs_are_those_of_their_pairs() -> None:
    """What is not joined makes the rows: many pairs are refused at once, few make the same model as the dense form."""
    large = MaxClique(SparseGraph.from_edges(3_000, [0], [1]))
    with pytest.raises(ConfigurationError, match="4,498,499 pairs"):
        Edge().build(large)
    path = SparseGraph.from_edges(4, [0, 1, 2], [1, 2, 3])
    models = [Edge().build(MaxClique(graph))[0] for graph in (path, path.dense())]
    sizes = [sum(1 for _ in model.component_data_objects(pyo.Constraint)) for model in models]
    assert sizes == [3, 3]


def test_a_reduction_ends_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is then the clique that was grown, with the bound that is known."""

    def endless(*_: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(on_core, "weighted_reduced", endless)
    problem, rng = MaxClique(PROBLEM.graph, weights=np.arange(1, 601)), np.random.default_rng(1)
    built = operator_class("max-clique", "construction", "exact")().build(problem, Budget(seconds=0.2), rng)
    assert (built.status, problem.evaluate(built.solution).feasible) == (Status.EXHAUSTED, True)
    assert built.bound == problem.trivial_bound
    explored = operator_class("max-clique", "neighbourhood", "exact")()
    found = explored.explore(problem, built.solution, Budget(seconds=0.2), rng)
    assert (found.status, found.solution) == (Status.EXHAUSTED, None)
