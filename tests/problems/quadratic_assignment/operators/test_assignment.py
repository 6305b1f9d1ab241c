"""Optimal reassignment of facilities that exchange no flow."""

from __future__ import annotations

from itertools import chain, combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.operators.assignments import SHAPES, check, problem, problems, random_permutation

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.assignment import Assignment
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

MANY = Assignment(listed=0, sets=500, k=4)


def _best_reassignment(one: QuadraticAssignment, permutation: np.ndarray) -> int:
    """Least objective over all reassignments of all sets without mutual flow, or without mutual distance."""
    flows, distances = one.instance.flows, one.instance.distances
    n = one.instance.n
    facility = np.argsort(permutation)
    best = int(one.evaluate(permutation).objective)
    for members in chain.from_iterable(combinations(range(n), size) for size in range(2, n + 1)):
        for matrix, chosen in ((flows, list(members)), (distances, facility[list(members)].tolist())):
            if any(matrix[i, j] for i, j in permutations(members, 2)):
                continue
            for order in permutations(chosen):
                changed = permutation.copy()
                changed[chosen] = permutation[list(order)]
                best = min(best, int(one.evaluate(changed).objective))
    return best


@pytest.mark.parametrize("symmetric", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_a_proved_local_optimum_withstands_every_reassignment(symmetric: str, seed: int) -> None:
    """The evaluator finds nothing better among all sets and orders."""
    one = problem(6, symmetric, seed, zeros=0.8)
    start = random_permutation(6, seed)
    budget = Budget()
    first = Assignment().explore(one, start, budget, np.random.default_rng(seed))
    assert check(one, first) < one.evaluate(start).objective
    before = budget.spent_work
    again = Assignment().explore(one, first.solution, budget, np.random.default_rng(seed))
    assert again.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work == before + 1, "the proof was not remembered"
    budget = Budget()
    afresh = Assignment().explore(one, first.solution, budget, np.random.default_rng(seed))
    assert afresh.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work > 1
    assert check(one, afresh) == _best_reassignment(one, first.solution)


def test_proofs_speak_of_one_instance() -> None:
    """The memory of one instance proves nothing about another."""
    budget = Budget()
    rng = np.random.default_rng(0)
    one, other = problem(6, zeros=0.8, seed=1), problem(6, zeros=0.8, seed=2)
    reached = Assignment().explore(one, random_permutation(6), budget, rng).solution
    again, new = Budget(proofs=budget.proofs), Budget(proofs=budget.proofs)
    Assignment().explore(one, reached, again, rng)
    Assignment().explore(other, reached, new, rng)
    assert again.spent_work == 1 < new.spent_work


def test_zeros_between_locations_count_too() -> None:
    """With dense flows, locations without distance between them are what can be reassigned."""
    sparse = problem(6, zeros=0.8, seed=3).instance
    one = QuadraticAssignment(Instance(sparse.distances, sparse.flows))
    start = random_permutation(6)
    assert not (one.instance.flows[~np.eye(6, dtype=bool)] == 0).all()
    outcome = Assignment().explore(one, start, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.IMPROVED
    assert check(one, outcome) == _best_reassignment(one, outcome.solution)


def test_no_zeros_nothing_to_do() -> None:
    """Where every pair has a flow and a distance the neighbourhood is empty, and each permutation its local optimum."""
    ones = np.ones((8, 8), dtype=np.int64)
    one = QuadraticAssignment(Instance(ones, ones))
    budget = Budget()
    outcome = Assignment().explore(one, random_permutation(8), budget, np.random.default_rng(0))
    assert outcome.status is Status.LOCAL_OPTIMUM
    assert budget.spent_work == 1
    assert np.array_equal(outcome.solution, random_permutation(8))


def test_random_sets_where_there_are_many() -> None:
    """Without a list, drawn sets gain nearly as much, and nothing is claimed where none gained."""
    one = problem(30, zeros=0.9, seed=4)
    start = random_permutation(30)
    budget = Budget()
    drawn = MANY.explore(one, start, budget, np.random.default_rng(0))
    assert drawn.status is Status.IMPROVED
    assert budget.spent_work == 500
    assert check(one, drawn) < one.evaluate(start).objective
    current = drawn.solution
    for _ in range(30):
        last = MANY.explore(one, current, Budget(), np.random.default_rng(1))
        current = last.solution
    assert last.status is Status.NO_IMPROVEMENT


@settings(max_examples=30)
@given(problems(10), st.integers(0, 1000), st.sampled_from([Assignment(), MANY]))
def test_answers_are_true_and_reproducible(one: QuadraticAssignment, seed: int, move: Assignment) -> None:
    """Any problem: claims and offers are exact, the incumbent is left alone, and the seed decides."""
    start = random_permutation(one.instance.n, seed)
    offers: list[tuple[int, int]] = []
    budget = Budget(on_incumbent=lambda s, claimed: offers.append((claimed, int(one.evaluate(s).objective))))
    first = move.explore(one, start, budget, np.random.default_rng(seed))
    second = move.explore(one, start, Budget(), np.random.default_rng(seed))
    assert np.array_equal(first.solution, second.solution)
    assert check(one, first) <= one.evaluate(start).objective
    assert all(claimed == true for claimed, true in offers)
    assert (first.status is Status.IMPROVED) == bool(offers)


@pytest.mark.parametrize("move", [Assignment(), MANY])
def test_it_stops_when_asked(move: Assignment) -> None:
    """An interrupt, a spent budget or a target ends the call with a true answer."""
    one = problem(20, zeros=0.8, seed=1)
    start = random_permutation(20)
    before = int(one.evaluate(start).objective)
    for budget in (Budget(interrupt=lambda: True), Budget(work=0), Budget(seconds=0.0), Budget(target=before)):
        outcome = move.explore(one, start, budget, np.random.default_rng(0))
        assert outcome.status is Status.EXHAUSTED
        assert check(one, outcome) == before
    few = Budget(work=3)
    move.explore(one, start, few, np.random.default_rng(0))
    assert few.spent_work == 3


def test_numbers_beyond_the_kernel_are_left_alone() -> None:
    """Costs whose differences could overflow are not assigned, and nothing is claimed."""
    huge = 1 << 30
    flows = np.array([[0, huge, 0], [huge, 0, 0], [0, 0, 0]], dtype=np.int64)
    one = QuadraticAssignment(Instance(flows, flows // 4))
    outcome = Assignment().explore(one, random_permutation(3), Budget(), np.random.default_rng(0))
    assert outcome.status in (Status.NO_IMPROVEMENT, Status.IMPROVED)
    assert check(one, outcome) <= one.evaluate(random_permutation(3)).objective


def test_options_are_checked() -> None:
    """Wrong numbers are refused with their values."""
    for options in ({"k": 1}, {"sets": 0}, {"listed": -1}, {"listed": 1 << 62}):
        with pytest.raises(ConfigurationError, match=r"Assignment\."):
            Assignment(**options)
