"""Operators of maximum clique beyond their contract."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import matheur
from matheur.engine import Budget, Status
from matheur.engine.operators import operator_class
from matheur.errors import ConfigurationError, SolverError
from matheur.problems.max_clique import Graph, MaxClique
from matheur.problems.max_clique.operators.certifier import CliqueCertifier
from matheur.problems.max_clique.operators.species import CliqueSpecies

RANDOM = nx.gnp_random_graph(40, 0.7, seed=2)
PROBLEM = MaxClique(Graph.from_networkx(RANDOM))
OPTIMUM = len(nx.max_weight_clique(RANDOM, weight=None)[0])


def operator(name: str, **options: object):  # type: ignore[no-untyped-def]
    return operator_class("max-clique", "construction", name)(**options)


@pytest.mark.parametrize("name", ["portfolio", "exact", "milp-full"])
def test_small_graphs_are_proved(name: str) -> None:
    """The answer is the optimum, and so is the bound, with a certificate."""
    outcome = operator(name).build(PROBLEM, Budget(), np.random.default_rng(1))
    assert (outcome.status, outcome.objective, outcome.bound) == (Status.IMPROVED, -OPTIMUM, -OPTIMUM)
    assert outcome.certificate is not None
    assert outcome.certificate["backend"] == {"milp-full": "highs"}.get(name, "branch-and-bound")


def test_an_interrupted_proof_keeps_a_bound() -> None:
    """Branch and bound that is cut off says how large a clique may still be."""
    graph = MaxClique(Graph.from_networkx(nx.gnp_random_graph(150, 0.9, seed=1)))
    outcome = operator("exact", selections=2000).build(graph, Budget(work=2500), np.random.default_rng(1))
    assert outcome.status is Status.EXHAUSTED
    assert outcome.bound < outcome.objective < 0
    assert outcome.bound >= graph.trivial_bound


def test_runs_of_the_engine() -> None:
    """`matheur.solve` ends with the certificate; another method confirms it."""
    result = matheur.solve(PROBLEM, seed=1, work=400_000, certify=True)
    assert (result.status, result.score) == ("optimal", OPTIMUM)
    assert result.certificate["backend"] == "branch-and-bound"
    assert "second" in result.certificate or "confirmed" in str(result.certificate)


def test_the_certifier_refutes() -> None:
    """A claim that is too small is found out by either method; a true one is confirmed."""
    certifier = CliqueCertifier()
    for first in ("branch-and-bound", "highs"):
        facts = certifier.certify(PROBLEM, -OPTIMUM, first=first, interrupt=lambda: False)
        assert "nothing better" in facts["method"]
        with pytest.raises(matheur.errors.OperatorError, match="claims the optimum"):
            certifier.certify(PROBLEM, 1 - OPTIMUM, first=first, interrupt=lambda: False)
    with pytest.raises(SolverError, match="interrupted"):
        certifier.certify(PROBLEM, -OPTIMUM, first="highs", interrupt=lambda: True)


def test_other_programs(tmp_path: Path) -> None:
    """A command's answer is checked and used; an adapter that proves gives the bound; failures are errors."""
    clique = " ".join(str(v) for v in sorted(nx.max_weight_clique(RANDOM, weight=None)[0]))
    script = tmp_path / "solver.py"
    script.write_text(f"print('{clique}')\n")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))} {{file}}"
    rng = np.random.default_rng(1)
    outcome = operator("external", command=command, selections=0).build(PROBLEM, Budget(), rng)
    assert (outcome.objective, outcome.status) == (-OPTIMUM, Status.IMPROVED)
    assert outcome.bound < -OPTIMUM
    table = tmp_path / "mine.toml"
    table.write_text(f"[mine]\ncommand = '''{command}'''\nbase = 0\nexact = true\n")
    outcome = operator("external", adapter=f"{table}#mine", selections=0).build(PROBLEM, Budget(), rng)
    assert outcome.bound == -OPTIMUM
    assert "external" in outcome.certificate["backend"]
    script.write_text("import sys; sys.exit('no')\n")
    with pytest.raises(SolverError, match="exit status 1"):
        operator("external", command=command).build(PROBLEM, Budget(), rng)
    with pytest.raises(ConfigurationError, match="not both"):
        operator("external", command=command, adapter="cliquer")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("portfolio", {"selections": 0}),
        ("local-search", {"delta": 0}),
        ("phased", {"delta": 0}),
        ("vertex-cover", {"forgetting": 0.0}),
        ("partition", {"tenure": -1}),
        ("hubs", {"tenure": 0}),
        ("exact", {"nodes": 0}),
        ("external", {"selections": -1}),
    ],
)
def test_options_out_of_range(name: str, options: dict[str, object]) -> None:
    """Errors name the option."""
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        operator(name, **options)


def test_large_models_are_refused() -> None:
    """A MILP of too many pairs is an error before it is built."""
    sparse = MaxClique(Graph.from_edges(1000, [0], [1]))
    with pytest.raises(ConfigurationError, match="too large"):
        operator("milp-full", selections=10).build(sparse, Budget(), np.random.default_rng(1))


@pytest.mark.parametrize("selections", [0, 100])
def test_evolution_finds_a_largest_clique(selections: int) -> None:
    """With and without the local search, a population of cliques reaches the optimum of a small graph."""
    outcome = operator("evolution", selections=selections, generations=60).build(
        PROBLEM, Budget(target=-OPTIMUM), np.random.default_rng(1)
    )
    assert outcome.objective == -OPTIMUM
    assert PROBLEM.graph.is_clique(outcome.solution)


def test_genomes_of_cliques() -> None:
    """A genome is its clique and back; healing keeps what is joined and ends with a maximal clique."""
    species = CliqueSpecies(PROBLEM, Budget(), selections=0, goal=40)
    rng = np.random.default_rng(1)
    genomes = species.create(10, rng)
    assert (species.fitness(genomes) == [-len(species.clique(genome)) for genome in genomes]).all()
    for genome in genomes:
        clique = species.clique(genome)
        assert PROBLEM.graph.is_clique(clique)
        assert not any(PROBLEM.graph.is_clique([*clique, one]) for one in range(40) if one not in clique)
        assert (species.genome(clique) == genome).all()
    mixed = np.where(rng.random(genomes.shape) < 0.5, genomes, genomes[::-1])
    healed, feasible = species.heal(mixed.astype(np.int32), rng)
    assert feasible.all()
    assert all(PROBLEM.graph.is_clique(species.clique(genome)) for genome in healed)


@pytest.mark.parametrize("graph", [nx.empty_graph(0), nx.empty_graph(5), nx.complete_graph(5)])
def test_evolution_of_plain_graphs(graph: nx.Graph) -> None:
    """Graphs without vertices, without edges and with all edges have their plain answers."""
    problem = MaxClique(Graph.from_networkx(graph))
    outcome = operator("evolution", generations=2).build(problem, Budget(), np.random.default_rng(1))
    assert problem.evaluate(outcome.solution).feasible
    assert len(outcome.solution) == (1 if graph.number_of_edges() == 0 and len(graph) else len(graph))
