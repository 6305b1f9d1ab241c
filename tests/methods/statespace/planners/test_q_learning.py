"""The learning planners: update rules against plain Python, valid plans, true bounds, limits, other domains."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from contracts.domains import Pancakes
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.calling_back import called_back
from matheur.methods.statespace.heuristics.base import zero
from matheur.methods.statespace.placing import Extensions, PlacingDomain
from matheur.methods.statespace.planners.goal_ball import ball_of, goal_ball
from matheur.methods.statespace.planners.q_learning import UNKNOWN, VARIANTS, WeightLearner, q_learning
from matheur.methods.statespace.planners.q_learning_kernels import learn_from
from matheur.problems.cubical.domain import CubicalDomain

EASY = (3, 2, [6, 1, 4, 5], [4, 1, 5, 6])  # optimum 6
HARD = (4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])  # optimum 11
WEIGHTED = [variant for variant in VARIANTS if variant != "improved"]


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


def solves(domain: CubicalDomain, answer: SearchAnswer) -> bool:
    """Whether the plan ends in the goal and costs what it says."""
    assert answer.plan is not None
    return bool((domain.apply(domain.start, answer.plan)[-1] == domain.goal).all()) and len(answer.plan) == answer.cost


def learned(
    path: list[int], weights: list[float], won: bool, printed: bool, growth: float | None = None
) -> list[float]:
    """The update rules in plain Python, rate 0.05 and discount 0.95."""
    new = list(weights)
    if won and growth is not None:
        for number, state in enumerate(path):
            new[state] += 0.05 * (1 + growth) ** number
        return new
    for number, state in enumerate(path[:-1] if printed else path[::-1]):
        if won:
            new[state] = 0.95 ** (number if printed else 1) * new[state] + 0.05 * 0.95**number
        else:
            new[state] = 0.95 * new[state] * 0.95**number
            if not printed:
                new[state] = max(new[state], 1e-12)
    return new


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=400),
    st.lists(st.floats(1e-12, 1), min_size=6, max_size=6),
    st.booleans(),
    st.sampled_from(WEIGHTED),
)
def test_update_rules(path: list[int], weights: list[float], won: bool, variant: str) -> None:
    """Weights change along a walk as the formulas say, also where it visits a state several times."""
    printed, growth = variant != "repository", 0.05 if variant == "text" else None
    changed = np.array(weights)
    learn_from(
        np.array(path), len(path) - 1, changed, won, printed, 0.05, 0.95, 0.0 if printed else 1e-12,
        -1.0 if growth is None else growth,
    )  # fmt: skip
    assert changed.tolist() == pytest.approx(learned(path, weights, won, printed, growth), rel=1e-9, abs=1e-300)


def test_the_reward_of_the_text_grows_and_stays_finite() -> None:
    """After s steps a state gets r (1 + lambda)^s more, and no walk is so long that sums of weights overflow."""
    weights = np.zeros(4)
    learn_from(np.arange(4), 3, weights, True, True, 0.1, 0.95, 0.0, 0.5)
    assert weights.tolist() == pytest.approx([0.1, 0.15, 0.225, 0.3375])
    long = np.zeros(100_000)
    for _ in range(2):
        learn_from(np.arange(100_000), 99_999, long, True, True, 0.1, 0.95, 0.0, 0.5)
    assert np.isfinite(long.sum())


@pytest.mark.parametrize("variant", WEIGHTED)
def test_one_walk_on_a_line(variant: str) -> None:
    """On a line there is one walk; its weights are those of the formulas, and the second one is lost at its end."""
    line = GraphDomain([(i, i + 1, 1) for i in range(4)], 0, 4)
    printed, growth = variant != "repository", 0.05 if variant == "text" else None
    expected = learned([0, 1, 2, 3, 4], [UNKNOWN] * 4 + [1.0], True, printed, growth)
    for walks in (1, 2):
        near = goal_ball(line, 10, budget=Budget(), memory=1 << 20)
        learner = WeightLearner(
            line, near, rng(), 1 << 24, walks, printed, 0.05, 0.95, -1.0 if growth is None else growth
        )
        answer = learner.run(Budget(), None)
        assert answer.plan is not None
        assert answer.plan.tolist() == [0, 1, 2, 3]
        assert learner.table.columns[0][:5].tolist() == pytest.approx(expected, rel=1e-12)
        # As printed an equal walk is won again, as published it is lost.
        expected = learned([0, 1, 2, 3, 4], expected, printed, printed, growth)


@pytest.mark.parametrize(("dimension", "states"), [(3, 1000), (4, 1000), (5, 100_000)])
def test_the_ball_is_the_paper_s_by_dimension(dimension: int, states: int) -> None:
    """P is 1000 for d = 3 and 4, and 100,000 for d = 5; other puzzles have 1000."""
    assert ball_of(CubicalDomain(dimension, 2, [0], [3])) == states
    assert ball_of(GraphDomain([(0, 1, 1)], 0, 1)) == 1000


def test_the_ball_weighs_half_as_much_with_each_level() -> None:
    """The weights that the walks begin with are 1, 1/2, 1/4, ... by the distance to the goal."""
    near = goal_ball(cube(), 50, budget=Budget(), memory=1 << 24)
    learner = WeightLearner(cube(), near, rng(), 1 << 24, 0, False, 0.05, 0.95)
    weights = learner.table.columns[0]
    assert weights[: len(near)].tolist() == [0.5**distance for distance in near.distance.tolist()]
    assert weights[len(near)] == UNKNOWN


def test_successors_are_chosen_by_their_weights() -> None:
    """From a state with three successors of equal weight a third of the walks goes each way; the goal outweighs all."""
    arcs = [(0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 9, 1), (2, 9, 1), (3, 9, 1)]
    firsts = [
        int(q_learning(GraphDomain(arcs, 0, 9), variant="repository", iterations=1, rng=rng(seed)).plan[0])
        for seed in range(600)
    ]
    assert np.bincount(firsts) / 600 == pytest.approx([1 / 3] * 3, abs=0.06)
    side = GraphDomain([(0, 1, 1), (0, 9, 1), (1, 0, 1)], 0, 9)
    for seed in range(20):
        assert q_learning(side, variant="paper", iterations=1, rng=rng(seed)).cost == 1


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_cube_is_solved(variant: str) -> None:
    """Same seed, same run; plans are valid, handed out with falling costs, and nearly or exactly optimal."""
    seen = []
    one = q_learning(
        cube(), variant=variant, ball=100, rng=rng(1), on_plan=lambda plan, cost: seen.append((cost, plan.tolist()))
    )
    two = q_learning(cube(), variant=variant, ball=100, rng=rng(1))
    assert figures(one) == figures(two)
    assert solves(cube(), one)
    costs = [cost for cost, _ in seen]
    assert costs == sorted(costs, reverse=True)
    assert seen[-1] == (one.cost, one.plan.tolist())
    if variant == "improved":
        assert (one.cost, one.proved) == (6, True)


@pytest.mark.parametrize("seed", range(5))
def test_the_improved_variant_proves_the_optimum(seed: int) -> None:
    """When the two values of the start meet, the plan is optimal."""
    answer = q_learning(cube(HARD), rng=rng(seed))
    assert solves(cube(HARD), answer)
    assert (answer.cost, answer.proved, answer.limit) == (11, True, None)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_published_instance(data: Path, seed: int) -> None:
    """The improved variant is optimal on every instance of dimension 3 and 4, and once on those of dimension 5."""
    rows = list(csv.DictReader((data / "state_space" / "cubic_instances.csv").read_text().splitlines()))
    assert len(rows) > 30
    for row in rows:
        if row["d"] == "5" and seed:
            continue
        places = [[int(vertex) for vertex in row[end].split()] for end in ("start", "target")]
        domain = CubicalDomain(int(row["d"]), int(row["k"]), *places)
        answer = q_learning(domain, ball=100_000 if row["d"] == "5" else 1000, rng=rng(seed))
        if row["exact_optimal_len"] == "unreachable":
            assert answer.unreachable
            continue
        assert solves(domain, answer)
        assert answer.cost == int(row["exact_optimal_len"])


@settings(max_examples=80)
@given(cases(), st.sampled_from(VARIANTS), st.integers(1, 2), st.integers(0, 9))
def test_any_graph(case: Case, variant: str, words: int, seed: int) -> None:
    """On arbitrary directed graphs plans are valid and claims are true."""
    domain = case.domain(words=words)
    budget = Budget(work=3000)
    answer = q_learning(domain, variant=variant, iterations=100, rng=rng(seed), budget=budget)
    assert budget.spent_work == answer.expanded <= 3000
    assert not answer.unreachable or case.optimum is None
    assert case.optimum is None or answer.bound <= case.optimum
    if answer.plan is not None:
        assert domain.cost_of(answer.plan) == answer.cost
        assert case.optimum is not None
        assert answer.cost >= case.optimum
    elif case.optimum is not None:
        assert answer.limit is not None or variant != "improved"


@settings(max_examples=40)
@given(cases(), st.integers(0, 9))
def test_any_estimate(case: Case, seed: int) -> None:
    """An admissible estimate, even an inconsistent one, keeps the bound true and the answer optimal."""
    domain = case.domain()
    heuristic = domain.heuristic(case.estimates, admissible=True)
    answer = q_learning(domain, heuristic=heuristic, rng=rng(seed), budget=Budget(work=200_000))
    assert answer.limit is not None or answer.cost == case.optimum
    assert answer.limit is not None or answer.plan is None or answer.proved
    assert case.optimum is None or answer.bound <= case.optimum


def test_start_at_the_goal() -> None:
    """The empty plan, without work."""
    for variant in VARIANTS:
        answer = q_learning(CubicalDomain(3, 2, [6, 1], [6, 1]), variant=variant, rng=rng())
        assert (answer.cost, answer.plan.tolist(), answer.expanded) == (0, [], 0)


def test_start_beside_the_goal() -> None:
    """Inside the ball the values meet before the first walk."""
    answer = q_learning(CubicalDomain(3, 2, [6, 1], [4, 1]), rng=rng())
    assert (answer.cost, answer.proved) == (1, True)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_plan_no_claim(variant: str) -> None:
    """Without a way the budget ends the walks; only a ball that holds all that reaches the goal proves it."""
    stuck = CubicalDomain(3, 2, [5, 1, 4, 6], [4, 1, 5, 6])
    answer = q_learning(stuck, variant=variant, ball=50, rng=rng(), budget=Budget(work=20_000))
    assert (answer.plan, answer.unreachable, answer.limit) == (None, False, "work")
    assert q_learning(stuck, variant=variant, ball=1000, rng=rng()).unreachable


@pytest.mark.parametrize("variant", VARIANTS)
def test_limits(variant: str) -> None:
    """Work ends exactly at its limit, an interrupt and a deadline at once, memory and target are respected."""
    for work in (1, 77, 1234):
        budget = Budget(work=work)
        answer = q_learning(cube(HARD), variant=variant, ball=100, rng=rng(), budget=budget)
        assert (answer.limit, answer.expanded, budget.spent_work) == ("work", work, work)
    stopped = q_learning(cube(HARD), variant=variant, rng=rng(), budget=Budget(interrupt=lambda: True))
    assert stopped.limit == "interrupt"
    assert q_learning(cube(HARD), variant=variant, rng=rng(), budget=Budget(seconds=0.0)).limit == "time"
    small = q_learning(cube(HARD), variant=variant, rng=rng(), memory=20_000)
    assert (small.limit, small.plan) == ("memory", None)
    target = q_learning(cube(HARD), variant=variant, rng=rng(), budget=Budget(target=200))
    assert target.limit == "target"
    assert 11 <= target.cost <= 200


@pytest.mark.parametrize("variant", VARIANTS)
def test_memory_is_a_limit(variant: str) -> None:
    """Tables grow up to the limit and no further."""
    stuck = CubicalDomain(4, 2, [0, 1, 2, 3, 4, 5, 6], [1, 0, 2, 3, 4, 5, 6])
    answer = q_learning(stuck, variant=variant, ball=1, rng=rng(3), memory=1 << 20, budget=Budget(work=1_000_000))
    assert answer.memory <= 1 << 20
    assert answer.limit in {None, "memory", "work"}


def test_wrong_arguments() -> None:
    """Domains that are not compiled, unknown variants and estimates that may exceed the cost are refused."""
    with pytest.raises(ValueError, match="not"):
        q_learning(Pancakes(5), rng=rng())
    with pytest.raises(ValueError, match="paper"):
        q_learning(cube(), variant="papers", rng=rng())
    line = GraphDomain([(0, 1, 1)], 0, 1)
    with pytest.raises(ValueError, match="admissible"):
        q_learning(line, heuristic=line.heuristic([5] * 64, admissible=False), rng=rng())


def test_goals_beside_each_other_need_room() -> None:
    """Every value of the last slot leads to another goal: the table grows before they are entered."""
    many = 10_000

    class Items:
        name = fingerprint = "items"
        scale, offset, cost_max, slots, values = 1, 0, many, 1, many

        def extensions(self, rows: NDArray[np.int64]) -> Extensions:
            parents, values = np.divmod(np.arange(len(rows) * many), many)
            return parents, values, many - values

    domain = PlacingDomain(Items())  # type: ignore[arg-type]
    with called_back(domain, zero()) as (compiled, _):
        answer = q_learning(compiled, rng=rng(), iterations=3, memory=1 << 24)
        small = q_learning(compiled, rng=rng(), iterations=3, memory=1 << 18)
    assert (answer.cost, answer.bound, answer.limit) == (1, 1, None)
    assert answer.stored == many + 1
    assert (small.plan, small.limit) == (None, "memory")
