"""The hybrid of evolution and Q-learning: valid plans, true bounds, limits, and what each half contributes."""

from __future__ import annotations

import numpy as np
import pytest
from contracts.domains import Pancakes
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.planners.assisted_evolution import assisted_evolution
from matheur.methods.statespace.planners.q_learning import q_learning
from matheur.problems.cubical.domain import CubicalDomain

EASY = (3, 2, [6, 1, 4, 5], [4, 1, 5, 6])  # optimum 6
MIDDLE = (4, 2, [5, 4, 13, 7, 1], [13, 7, 5, 4, 1])  # optimum 7
HARD = (4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])  # optimum 11


def cube(puzzle: tuple[int, int, list[int], list[int]] = EASY) -> CubicalDomain:
    """A cubical puzzle."""
    return CubicalDomain(*puzzle)


def rng(seed: int = 0) -> np.random.Generator:
    """A generator."""
    return np.random.default_rng(seed)


def figures(answer: SearchAnswer) -> tuple[object, ...]:
    """Everything but the time."""
    plan = None if answer.plan is None else tuple(answer.plan.tolist())
    return plan, answer.cost, answer.bound, answer.limit, answer.expanded, answer.generated, answer.stored


@pytest.mark.parametrize("walks", [0, 5])
def test_the_cube_is_solved(walks: int) -> None:
    """Same seed, same run; plans are valid and handed out with falling costs, with and without walks before."""
    runs, seen = [], []
    for _ in range(2):
        seen.clear()
        runs.append(
            assisted_evolution(
                cube(), walks=walks, population=50, generations=200, ball=20, rng=rng(1),
                on_plan=lambda plan, cost: seen.append((cost, plan.tolist())),
            )
        )  # fmt: skip
    assert figures(runs[0]) == figures(runs[1])
    plan, costs = runs[0].plan, [cost for cost, _ in seen]
    assert plan is not None
    assert (cube().apply(cube().start, plan)[-1] == cube().goal).all()
    assert costs == sorted(set(costs), reverse=True)
    assert seen[-1] == (runs[0].cost, plan.tolist())
    assert runs[0].cost == len(plan) <= 8


def test_the_evolution_goes_on_from_the_walks() -> None:
    """It begins with the plan of the same walks of Q-learning, and makes it shorter."""
    walked = q_learning(cube(MIDDLE), variant="repository", iterations=30, ball=100, rng=rng(3))
    answer = assisted_evolution(cube(MIDDLE), walks=30, ball=100, generations=100, population=200, rng=rng(3))
    assert walked.cost is not None
    assert answer.cost is not None
    assert 7 <= answer.cost < walked.cost
    assert answer.expanded > walked.expanded


@settings(max_examples=60)
@given(cases(), st.sampled_from([0, 3]), st.integers(1, 2), st.integers(0, 9))
def test_any_graph(case: Case, walks: int, words: int, seed: int) -> None:
    """On arbitrary directed graphs plans are valid and claims are true."""
    domain = case.domain(words=words)
    budget = Budget(work=3000)
    answer = assisted_evolution(
        domain, walks=walks, population=20, generations=50, longest=30, rng=rng(seed), budget=budget
    )
    assert budget.spent_work == answer.expanded <= 3000
    assert not answer.unreachable or case.optimum is None
    assert case.optimum is None or answer.bound <= case.optimum
    if answer.plan is not None:
        assert domain.cost_of(answer.plan) == answer.cost
        assert case.optimum is not None
        assert answer.cost >= case.optimum


@settings(max_examples=30)
@given(cases(), st.integers(0, 9))
def test_any_estimate(case: Case, seed: int) -> None:
    """An admissible estimate as fitness keeps the bound true."""
    domain = case.domain()
    fitness = domain.heuristic(case.estimates, admissible=True)
    answer = assisted_evolution(
        domain, walks=0, population=20, generations=30, longest=30, fitness=fitness, rng=rng(seed)
    )
    assert case.optimum is None or answer.bound <= case.optimum
    assert answer.plan is None or domain.cost_of(answer.plan) == answer.cost


def test_start_at_and_next_to_the_goal() -> None:
    """The empty plan without work, and a plan of one move that the ball proves."""
    answer = assisted_evolution(CubicalDomain(3, 2, [6, 1], [6, 1]), rng=rng())
    assert (answer.cost, answer.plan.tolist(), answer.expanded) == (0, [], 0)
    for walks in (0, 10):
        near = assisted_evolution(CubicalDomain(3, 2, [6, 1], [4, 1]), walks=walks, rng=rng())
        assert (near.cost, near.proved, near.limit) == (1, True, None)


def test_no_plan_no_claim() -> None:
    """Without a way all generations pass; only a ball that holds all that reaches the goal proves it."""
    stuck = CubicalDomain(3, 2, [5, 1, 4, 6], [4, 1, 5, 6])
    options = {"walks": 0, "population": 20, "generations": 20}
    answer = assisted_evolution(stuck, ball=50, longest=20, rng=rng(), **options)
    assert (answer.plan, answer.unreachable, answer.limit) == (None, False, None)
    assert assisted_evolution(stuck, ball=1000, rng=rng(), **options).unreachable


@pytest.mark.parametrize("walks", [0, 5])
def test_limits(walks: int) -> None:
    """Work ends exactly at its limit, an interrupt and a deadline at once, memory and target are respected."""
    for work in (1, 77, 1234, 20_001):
        budget = Budget(work=work)
        answer = assisted_evolution(cube(HARD), walks=walks, ball=100, rng=rng(), budget=budget)
        assert (answer.limit, answer.expanded, budget.spent_work) == ("work", work, work)
    stopped = assisted_evolution(cube(HARD), walks=walks, rng=rng(), budget=Budget(interrupt=lambda: True))
    assert stopped.limit == "interrupt"
    assert assisted_evolution(cube(HARD), walks=walks, rng=rng(), budget=Budget(seconds=0.0)).limit == "time"
    small = assisted_evolution(cube(HARD), walks=walks, ball=10, rng=rng(), memory=1_000_000)
    assert small.limit == "memory"
    assert small.memory <= 1_000_000
    target = assisted_evolution(cube(HARD), walks=walks, ball=1000, rng=rng(), budget=Budget(target=200))
    assert target.limit == "target"
    assert 11 <= target.cost <= 200


def test_wrong_arguments() -> None:
    """Domains that are not compiled and senseless sizes are refused."""
    with pytest.raises(ValueError, match="compiled domain"):
        assisted_evolution(Pancakes(5), rng=rng())
    with pytest.raises(ValueError, match="population 0"):
        assisted_evolution(GraphDomain([(0, 1, 1)], 0, 1), population=0, rng=rng())
