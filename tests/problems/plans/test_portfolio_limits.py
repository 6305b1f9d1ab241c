"""Construction `portfolio`: what it does with its limits."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from methods.graph_domain import GraphDomain
from problems.plans.puzzles import cube

from matheur.engine import Budget
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import zero
from matheur.problems.plans import portfolio
from matheur.problems.plans.portfolio import Portfolio
from matheur.problems.plans.racing import Trial, race, racers_for
from matheur.problems.plans.searching import best_first
from matheur.running.loading import load_instance

CROWD, CROWD_TARGET = (
    "24 1 5 22 29 23 12 17 21 2 0 31 28 10 16 18 6 13 3 30",
    "28 29 3 17 30 25 12 27 10 20 31 0 23 15 11 13 8 9 18 6",
)
"""Twenty rings in dimension 5."""


def test_tables_may_take_longer_than_the_share_of_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are built within the whole budget, once for all searches, and then there is a plan."""
    now, calls = [0.0], count()
    real = portfolio.heuristic_of

    def slow(domain: Any, name: str, *, memory: int, budget: Budget) -> Any:
        next(calls)
        now[0] += 3.0
        budget.check()
        return real(domain, name, memory=memory, budget=budget)

    monkeypatch.setattr(portfolio, "heuristic_of", slow)
    _, problem = load_instance("cubical/demo")
    budget = Budget(seconds=1000, clock=lambda: now[0])
    outcome = Portfolio(seconds=2.0, width_max=64).build(problem, budget, np.random.default_rng(0))
    assert next(calls) == 1
    assert outcome.solution is not None
    assert problem.evaluate(outcome.solution).objective == outcome.objective


def run(problem: Any, work: int, **options: Any) -> tuple[Any, list[tuple[int | float, int]]]:
    """A portfolio with a limit of work: its outcome, and the cost and work of each plan that it hands out."""
    offered: list[tuple[int | float, int]] = []
    budget = Budget(work=work, on_incumbent=lambda _plan, cost: offered.append((cost, budget.spent_work)))
    return Portfolio(**options).build(problem, budget, np.random.default_rng(0)), offered


def test_the_search_from_both_ends_proves_what_a_star_does_not() -> None:
    """A placement as far from its target as any: layers from both ends grow slowly, and that search gets the turns."""
    outcome, _ = run(cube(5, 4, "12 28 29 5 2 0", "17 30 0 29 4 1"), 3_000_000)
    assert (outcome.objective, outcome.bound, outcome.certificate["backend"]) == (21, 21, "bidirectional")


def test_a_star_gets_the_turns_where_estimates_are_good() -> None:
    """With many rings and a wide branching the other search ends after its first slice."""
    problem = cube(5, 2, "12 3 8 9 1 31 16 20 2 7", "3 12 9 8 31 1 20 16 7 2")
    domain = domain_of(problem)
    racers = racers_for(domain, domain.heuristics()["hamming"](), memory=1 << 30, best_first=True)
    race(racers, Budget(work=50_000), cost=None, trial=Trial(40_000), most=0)
    guided, both_ends = racers
    assert guided.expanded > 10 * both_ends.expanded > 0
    assert guided.bound > both_ends.bound


def test_a_plan_comes_before_the_exact_searches() -> None:
    """A narrow beam is first, so that any limit leaves a plan."""
    _, offered = run(cube(5, 1, CROWD, CROWD_TARGET), 400_000)
    assert offered[0][1] < 30_000


def test_a_hopeless_search_is_not_begun_again() -> None:
    """Without a promise each exact search ends with its trial, and the beams get the rest."""
    problem = cube(5, 1, CROWD, CROWD_TARGET)
    domain = domain_of(problem)
    racers = racers_for(domain, domain.heuristics()["hamming"](), memory=1 << 30, best_first=True)
    budget = Budget(work=1_000_000)
    assert not race(racers, budget, cost=80, trial=Trial(5_000), most=200_000)
    assert budget.spent_work < 50_000


def test_costs_that_a_star_cannot_count() -> None:
    """A* ends beyond 65,535; the plans of the beams remain, and windows and second proofs are searched in batches."""
    domain = GraphDomain(4, [(0, 1, 40_000), (1, 3, 40_000), (0, 2, 30_000), (2, 3, 70_000)], 0, 3)
    outcome = Portfolio().build(SimpleNamespace(domain=lambda: domain), Budget(), np.random.default_rng(0))
    assert outcome.objective == 80_000
    assert outcome.solution is not None
    assert domain.cost_of(outcome.solution, 0) == (3, 80_000)
    answer = best_first(domain, zero(), Budget(), 1 << 26)
    assert (answer.cost, answer.bound) == (80_000, 80_000)
