"""Operators of maximum clique where vertices have weights."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from matheur.engine import Budget
from matheur.engine.operators import operator_entries
from matheur.errors import ConfigurationError, OperatorError
from matheur.methods.clique import adapters
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.problems.max_clique import Graph, MaxClique
from matheur.problems.max_clique.operators.certifier import CliqueCertifier
from matheur.problems.max_clique.operators.whole_model import CliqueCover
from matheur.running.building import build_operator
from matheur.testing.contract import hold
from matheur.testing.operator import OperatorCase, answer_is_true

BY_SIZE = {"phased", "vertex-cover", "partition", "hubs"}
REFERENCE = nx.gnp_random_graph(30, 0.7, seed=5)
WEIGHTS = np.random.default_rng(5).integers(-2, 20, size=30)
nx.set_node_attributes(REFERENCE, {v: max(0, int(w)) for v, w in enumerate(WEIGHTS)}, "weight")
OPTIMUM = -int(nx.max_weight_clique(REFERENCE)[1])
PROBLEM = MaxClique(Graph.from_networkx(REFERENCE), weights=WEIGHTS)
SPARSE = MaxClique(SparseGraph.from_networkx(REFERENCE), weights=WEIGHTS)
BEGIN = np.array(next(iter(REFERENCE.edges)), dtype=np.int32)


@pytest.mark.parametrize("kind", ["construction", "neighbourhood"])
def test_operators_weigh_or_refuse(kind: str) -> None:
    """What an operator answers is true for weights, too; searches for many vertices say that they know none."""
    for entry in operator_entries("max-clique", kind):  # type: ignore[arg-type]
        if entry.name == "external" and not adapters()["cliquer"].available:
            continue
        options = {"adapter": "cliquer"} if entry.name == "external" else {}

        def make(changed=None, name=entry.name, options=options):  # type: ignore[no-untyped-def]
            return build_operator("max-clique", kind, name, {**options, **(changed or {})}, {"name": "highs"})  # type: ignore[arg-type]

        if entry.name in BY_SIZE:
            method = make().build if kind == "construction" else make().explore
            arguments = (PROBLEM,) if kind == "construction" else (PROBLEM, BEGIN)
            with pytest.raises(ConfigurationError, match=f"'{entry.name}' looks for many vertices"):
                method(*arguments, Budget(work=100), np.random.default_rng(1))
            continue
        for one in (PROBLEM, SPARSE):
            hold(answer_is_true, OperatorCase(one, make, kind, BEGIN, OPTIMUM, 500, 3))  # type: ignore[arg-type]


def test_searches_with_a_proof_end_with_the_optimum() -> None:
    """Portfolio, branch and bound and the MILP prove the weight; the certifier confirms it, and refutes another."""
    for name in ("portfolio", "exact", "milp-full"):
        operator = build_operator("max-clique", "construction", name, {}, {"name": "highs"})
        for problem in (PROBLEM, SPARSE):
            outcome = operator.build(problem, Budget(), np.random.default_rng(1))
            assert (outcome.objective, outcome.bound) == (OPTIMUM, OPTIMUM), name
            assert problem.evaluate(outcome.solution).objective == OPTIMUM
    for first in ("highs", "portfolio"):
        for problem in (PROBLEM, SPARSE):
            assert CliqueCertifier().certify(problem, OPTIMUM, first=first, interrupt=lambda: False)["method"]
            with pytest.raises(OperatorError):
                CliqueCertifier().certify(problem, OPTIMUM + 1, first=first, interrupt=lambda: False)


def test_the_whole_model_has_the_weights() -> None:
    """The objective of the exported model is minus the weight."""
    model, offset = CliqueCover().build(PROBLEM)
    for vertex in range(30):
        model.x[vertex].value = float(vertex in BEGIN)
    assert model.objective() + offset == PROBLEM.evaluate(BEGIN).objective


def test_weights_that_a_solver_could_not_tell_apart_are_refused() -> None:
    """A MILP solver works with floating point numbers."""
    huge = MaxClique(PROBLEM.graph, weights=np.abs(WEIGHTS) * 10**15 + 1)
    with pytest.raises(ConfigurationError, match="too large for a MILP solver"):
        build_operator("max-clique", "construction", "milp-full", {}, {"name": "highs"}).build(
            huge, Budget(), np.random.default_rng(1)
        )
