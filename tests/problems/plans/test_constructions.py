"""Searches as constructions: what they claim, hand out and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from problems.plans.puzzles import PancakeProblem, best_cost, cube, unsolvable

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.anytime import BatchAStar, Beam
from matheur.problems.plans.exact import AStar, Bidirectional, BreadthFirst, IdaStar
from matheur.problems.plans.learning import Evolution, QLearning
from matheur.problems.plans.portfolio import Portfolio

EXACT = [
    BreadthFirst(),
    BreadthFirst(quotient=True),
    Bidirectional(),
    Bidirectional(quotient=True),
    AStar(),
    AStar(heuristic="pattern-database(bits=6)", ties="fifo"),
    IdaStar(),
    BatchAStar(until="proved"),
    Beam(width_max=None),
    Portfolio(),
]
WITHOUT_PROOF = [
    BatchAStar(weight=0.2, batch=10),
    Beam(width=1, width_max=1),
    Portfolio(nodes=1, width=2, width_max=4),
    Evolution(),
    Evolution(variant="paper", population=200),
    QLearning(),
    QLearning(variant="paper"),
]


def build(operator: Any, problem: Any, **limits: Any) -> Any:
    """One call with the seed 3."""
    return operator.build(problem, Budget(**limits), np.random.default_rng(3))


@pytest.mark.parametrize("operator", EXACT, ids=str)
def test_exact_searches_prove_the_optimum(operator: Any) -> None:
    """The plan is valid, as long as the bound, as short as a plain search says; the proof names its search."""
    problem = cube(3, 2, "6 1 4 5", "4 1 5 6")
    budget = Budget()
    outcome = operator.build(problem, budget, np.random.default_rng(3))
    evaluation = problem.evaluate(outcome.solution)
    assert evaluation.feasible
    assert outcome.objective == evaluation.objective == outcome.bound == best_cost(domain_of(problem))
    assert outcome.status is Status.IMPROVED
    assert outcome.certificate["expanded"] > 0
    assert outcome.certificate["backend"]
    assert budget.spent_work > 0


@pytest.mark.parametrize("operator", WITHOUT_PROOF, ids=str)
def test_other_searches_find_valid_plans(operator: Any) -> None:
    """What they return is as good as they say, no plan handed out is better, and the bound is below the optimum."""
    problem = cube(3, 1, "6 4 5 1", "4 1 5 6")
    offered: list[tuple[bool, int]] = []

    def check(plan: Any, cost: int | float) -> None:
        evaluation = problem.evaluate(plan)
        offered.append((evaluation.feasible and evaluation.objective == cost, int(cost)))

    outcome = build(operator, problem, work=200_000, on_incumbent=check)
    assert offered
    assert all(true for true, _ in offered)
    assert problem.evaluate(outcome.solution).objective == outcome.objective == min(cost for _, cost in offered)
    assert outcome.bound is None or outcome.bound <= 6 <= outcome.objective


@pytest.mark.parametrize(
    "operator",
    [BreadthFirst(), Bidirectional(), AStar(), BatchAStar(), Beam(), Portfolio(), Portfolio(nodes=5)],
    ids=str,
)
def test_impossible_puzzles_are_proved_to_be(operator: Any) -> None:
    """No plan, a reason, and a certificate with the states searched."""
    outcome = build(operator, unsolvable())
    assert outcome.status is Status.INFEASIBLE
    assert outcome.solution is None
    assert outcome.bound is None
    assert "no goal" in outcome.reason
    assert outcome.certificate["expanded"] >= 672


@pytest.mark.parametrize("operator", [BatchAStar(weight=1.0, batch=1), Beam(width_max=None)], ids=str)
def test_costs_and_numpy_domains(operator: Any) -> None:
    """Searches in batches serve a domain of another package, with uneven costs and no compiled function."""
    problem = PancakeProblem((3, 1, 4, 0, 2))
    outcome = build(operator, problem)
    assert outcome.objective == problem.evaluate(outcome.solution).objective == best_cost(problem.domain())


@pytest.mark.parametrize("operator", [BreadthFirst(), Bidirectional(), AStar(), IdaStar(), Evolution()], ids=str)
def test_what_does_not_suit_the_domain_is_said(operator: Any) -> None:
    """A search that needs equal costs or compiled functions says so in one line."""
    with pytest.raises(ConfigurationError, match=r"pancakes"):
        build(operator, PancakeProblem((2, 0, 1)))


def test_unknown_heuristics_are_named() -> None:
    """A misspelt heuristic is an error with the nearest known name."""
    with pytest.raises(ConfigurationError, match="hamming"):
        build(AStar(heuristic="haming"), cube(3, 1, "0 1", "1 0"))


def test_memory_ends_a_search_with_a_bound() -> None:
    """Out of memory, a search is exhausted and keeps what it has proved."""
    problem = cube(5, 4, "30 29 0 17 4 1", "17 30 0 29 4 1")
    outcome = build(BreadthFirst(memory=1), problem)
    assert outcome.status is Status.EXHAUSTED
    assert outcome.solution is None
    assert 1 <= outcome.bound <= 13


def test_a_portfolio_goes_on_where_exact_searches_end() -> None:
    """With few nodes for exact searches the beams find the plan, and the best of all bounds is kept."""
    problem = cube(5, 4, "30 29 0 17 4 1", "17 30 0 29 4 1")
    outcome = build(Portfolio(nodes=1_000, width_max=64), problem)
    assert outcome.solution is not None
    assert problem.trivial_bound < outcome.bound <= 13 <= outcome.objective
    assert outcome.certificate["backend"] in ("astar", "bidirectional")


def test_beams_widen_until_there_is_a_plan() -> None:
    """A beam of the largest width that finds nothing is followed by a wider one."""
    problem = cube(4, 3, "4 1 5 13 7", "13 7 5 4 1")
    assert build(Beam(width=1, width_max=1), problem).solution is not None


@pytest.mark.parametrize("width_max", [4, None])
def test_beams_end_where_no_width_helps(width_max: int | None) -> None:
    """An estimate that is no bound calls the start hopeless: that proves nothing, and wider beams would not help."""
    outcome = build(Beam(heuristic="sum(pattern-database,hamming)", width=1, width_max=width_max), unsolvable())
    assert outcome.status is Status.EXHAUSTED
    assert outcome.solution is None


@pytest.mark.parametrize(
    ("cls", "options"),
    [
        (BreadthFirst, {"memory": 0}),
        (BatchAStar, {"weight": 1.5}),
        (BatchAStar, {"batch": 0}),
        (Beam, {"width": 8, "width_max": 4}),
        (Portfolio, {"nodes": 0}),
        (Portfolio, {"share": 0.0}),
        (Portfolio, {"memory": -1}),
        (Evolution, {"elite": 1.0}),
        (Evolution, {"population": 0}),
        (QLearning, {"curiosity": 2.0}),
        (QLearning, {"walks": 0}),
    ],
)
def test_options_out_of_range_are_refused(cls: Any, options: dict[str, Any]) -> None:
    """The error names the option and its value."""
    name, value = list(options.items())[-1]
    with pytest.raises(ConfigurationError, match=rf"(?s){name}.*{value}"):
        cls(**options)
