"""Robust tabu search and the swap descent as neighbourhoods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.operators.assignments import (
    SHAPES,
    check,
    exchanged,
    optimum,
    problem,
    problems,
    random_permutation,
)

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment import load
from matheur.problems.quadratic_assignment.operators.robust_tabu import RobustTabu
from matheur.problems.quadratic_assignment.operators.swap import Swap
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment


def _best_neighbour(one: QuadraticAssignment, permutation: np.ndarray) -> int:
    """Least objective over all exchanges of two facilities, by the evaluator alone."""
    n = one.instance.n
    return min(int(one.evaluate(exchanged(permutation, i, j)).objective) for i in range(n) for j in range(n) if i != j)


@pytest.mark.parametrize("symmetric", SHAPES)
@pytest.mark.parametrize("n", [2, 5, 11])
def test_the_local_optimum_withstands_every_swap(n: int, symmetric: str) -> None:
    """The evaluator finds no better permutation among all exchanges."""
    one = problem(n, symmetric)
    start = random_permutation(n)
    rng = np.random.default_rng(0)
    reached = Swap().explore(one, start, Budget(), rng).solution
    budget = Budget()
    again = Swap().explore(one, reached, budget, rng)
    assert again.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work == 1
    assert np.array_equal(again.solution, reached)
    assert check(one, again) <= _best_neighbour(one, reached)


def test_one_step_of_the_descent_takes_the_best_swap() -> None:
    """With one unit of work the permutation becomes as good as the best of all its neighbours."""
    one = problem(9, "none")
    start = random_permutation(9)
    outcome = Swap().explore(one, start, Budget(work=1), np.random.default_rng(0))
    assert outcome.status is Status.IMPROVED
    assert check(one, outcome) == _best_neighbour(one, start) < one.evaluate(start).objective


@settings(max_examples=30)
@given(problems(), st.integers(0, 1000), st.booleans())
def test_answers_are_true_and_reproducible(one: QuadraticAssignment, seed: int, tabu: bool) -> None:
    """Any problem, also of one facility: claims and offers are exact, and the seed decides."""
    move = RobustTabu(iterations=300) if tabu else Swap()
    start = random_permutation(one.instance.n, seed)
    offers: list[tuple[int, int]] = []
    budget = Budget(on_incumbent=lambda s, claimed: offers.append((claimed, int(one.evaluate(s).objective))))
    first = move.explore(one, start, budget, np.random.default_rng(seed))
    other = Budget()
    second = move.explore(one, start, other, np.random.default_rng(seed))
    assert np.array_equal(first.solution, second.solution)
    assert check(one, first) <= one.evaluate(start).objective
    assert all(claimed == true for claimed, true in offers)
    assert (first.status is Status.IMPROVED) == bool(offers)
    assert budget.spent_work == other.spent_work


@pytest.mark.parametrize("symmetric", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_tabu_search_finds_the_optimum_of_small_problems(symmetric: str, seed: int) -> None:
    """As exhaustive enumeration says."""
    one = problem(7, symmetric, seed)
    outcome = RobustTabu(iterations=5000).explore(one, random_permutation(7), Budget(), np.random.default_rng(seed))
    assert check(one, outcome) == optimum(one)


def test_tabu_search_beats_the_descent() -> None:
    """It leaves the local optimum of the descent, and never returns something worse than the incumbent."""
    one = problem(25, zeros=0.5, seed=7)
    rng = np.random.default_rng(0)
    local = Swap().explore(one, random_permutation(25), Budget(), rng)
    better = RobustTabu(iterations=20_000).explore(one, local.solution, Budget(), rng)
    assert better.status is Status.IMPROVED
    assert check(one, better) < check(one, local)
    last = RobustTabu(iterations=1).explore(one, better.solution, Budget(), rng)
    assert last.status is Status.NO_IMPROVEMENT
    assert np.array_equal(last.solution, better.solution)


@pytest.mark.parametrize("move", [RobustTabu(), Swap()])
def test_they_stop_when_asked(move: RobustTabu | Swap) -> None:
    """An interrupt, a spent budget or a target ends the call with a true answer."""
    one = problem(30, seed=1)
    start = random_permutation(30)
    before = int(one.evaluate(start).objective)
    for budget in (Budget(interrupt=lambda: True), Budget(work=0), Budget(seconds=0.0)):
        outcome = move.explore(one, start, budget, np.random.default_rng(0))
        assert outcome.status is Status.EXHAUSTED
        assert check(one, outcome) == before
    aimed, near, cut = Budget(target=before), Budget(target=before - 1), Budget(work=70_000)
    move.explore(one, start, aimed, np.random.default_rng(0))
    assert aimed.spent_work == 0
    assert RobustTabu().explore(one, start, near, np.random.default_rng(0)).status is Status.IMPROVED
    assert near.spent_work < 10
    RobustTabu().explore(one, start, cut, np.random.default_rng(0))
    assert cut.spent_work == 70_000


def test_options_are_checked() -> None:
    """Wrong numbers are refused with their values."""
    for options in ({"iterations": 0}, {"tenure": 0.0}, {"aspiration": -1.0}, {"tenure": float("nan")}):
        with pytest.raises(ConfigurationError, match=r"RobustTabu\."):
            RobustTabu(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["nug12", "chr12a", "had12", "tai12a", "bur26a", "lipa40b", "esc32a"])
def test_tabu_search_reaches_published_optima(data: Path, name: str) -> None:
    """Within a few short calls, for symmetric, asymmetric and sparse matrices."""
    folder = data / "assignment" / "qaplib"
    known = dict(line.split(",")[0:3:2] for line in (folder / "best_known.csv").read_text().splitlines())
    one = load(folder / f"{name}.dat")
    budget = Budget(work=1_500_000, target=int(known[name]))
    rng = np.random.default_rng(5)
    current, objective = random_permutation(one.instance.n), None
    while not budget.exhausted and not budget.reached(objective):
        start = rng.permutation(one.instance.n).astype(np.int32)
        outcome = RobustTabu(iterations=100_000).explore(one, start, budget, rng)
        current, objective = outcome.solution, outcome.objective
    assert one.evaluate(current).objective == int(known[name])
