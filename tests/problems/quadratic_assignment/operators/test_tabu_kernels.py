"""The tables of all exchanges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.operators.assignments import (
    SHAPES,
    exchanged,
    optimum,
    problem,
    problems,
    random_permutation,
)

from matheur.problems.quadratic_assignment.instance import MAGNITUDE_MAX, Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import ExchangeState, Matrices, objective
from matheur.problems.quadratic_assignment.operators.tabu_kernels import CURRENT, GAINED, descend
from matheur.problems.quadratic_assignment.operators.tabu_search import TabuSearch
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment


def _changes(one: QuadraticAssignment, permutation: np.ndarray) -> np.ndarray:
    """What each exchange changes, by the evaluator alone: entry (i, l) for i and the facility in location l."""
    n, before = one.instance.n, one.evaluate(permutation).objective
    facility = np.argsort(permutation)
    return np.array(
        [
            [one.evaluate(exchanged(permutation, i, int(facility[k]))).objective - before for k in range(n)]
            for i in range(n)
        ]
    )


def _consistent(one: QuadraticAssignment, state: ExchangeState) -> bool:
    """Whether the permutation is one, its inverse is right, and the table of changes is that of the evaluator."""
    n = one.instance.n
    right = np.array_equal(np.sort(state.p), np.arange(n)) and np.array_equal(state.q[state.p], np.arange(n))
    return bool(right) and np.array_equal(state.change[:, :n], _changes(one, state.p))


@settings(max_examples=40)
@given(problems(), st.integers(0, 100))
def test_changes_are_those_of_the_evaluator(one: QuadraticAssignment, seed: int) -> None:
    """From nothing, and for numbers of 32 and 64 bits, the table says what each exchange changes."""
    permutation = random_permutation(one.instance.n, seed)
    for wide in (False, True):
        assert _consistent(one, ExchangeState(Matrices.of(one.instance, wide=wide), permutation))


@settings(max_examples=40)
@given(problems(), st.integers(0, 100), st.integers(1, 200))
def test_updates_are_as_good_as_computing_anew(one: QuadraticAssignment, seed: int, iterations: int) -> None:
    """After many exchanges the updated tables are those of the permutation, whose objective is as counted."""
    search = TabuSearch(one.instance, np.random.default_rng(seed))
    search.start(random_permutation(one.instance.n, seed))
    assert search.advance(iterations) == iterations
    assert _consistent(one, search._state)
    assert search._numbers[CURRENT] == one.evaluate(search._state.p).objective
    assert search.objective == one.evaluate(search.best).objective <= search._numbers[CURRENT]


@pytest.mark.parametrize("symmetric", SHAPES)
def test_as_many_terms_as_needed(symmetric: str) -> None:
    """One symmetric matrix is enough for half the work."""
    matrices = Matrices.of(problem(7, symmetric).instance)
    assert len(matrices.flows) == len(matrices.distances) == (2 if symmetric == "none" else 1)
    assert matrices.flows.dtype == np.int32
    assert Matrices.of(problem(7, symmetric, scale=10**7).instance).flows.dtype == np.int64


@pytest.mark.parametrize("symmetric", SHAPES)
def test_the_largest_numbers_do_not_overflow(symmetric: str) -> None:
    """Close to the limit of an instance the tables are still exact."""
    small = problem(6, symmetric, seed=1).instance
    scale = MAGNITUDE_MAX // int(abs(small.flows).sum() * abs(small.distances).max()) - 1
    one = QuadraticAssignment(Instance(small.flows, scale * small.distances))
    search = TabuSearch(one.instance, np.random.default_rng(0))
    search.start(random_permutation(6))
    search.advance(500)
    assert _consistent(one, search._state)
    assert search.objective == one.evaluate(search.best).objective
    assert search.objective == scale * optimum(problem(6, symmetric, seed=1))


@pytest.mark.parametrize("symmetric", SHAPES)
def test_both_widths_walk_the_same_way(symmetric: str) -> None:
    """Numbers of 32 and of 64 bits lead through the same permutations."""
    one = problem(20, symmetric, seed=3)
    found = []
    for wide in (False, True):
        search = TabuSearch(one.instance, np.random.default_rng(1))
        search._state = ExchangeState(Matrices.of(one.instance, wide=wide), random_permutation(20))
        search._tabu = np.empty_like(search._state.change)
        search.start(random_permutation(20))
        search.advance(3000)
        found.append((search._state.p.tolist(), search._numbers.tolist()))
    assert found[0] == found[1]


def test_slices_make_one_walk() -> None:
    """A search in slices is the same as one without a break."""
    one = problem(15, seed=5)
    whole, sliced = (TabuSearch(one.instance, np.random.default_rng(1)) for _ in range(2))
    whole.start(random_permutation(15))
    sliced.start(random_permutation(15))
    whole.advance(1000)
    for _ in range(100):
        assert sliced.advance(10) == 10
    assert np.array_equal(whole._state.p, sliced._state.p)
    assert np.array_equal(whole._numbers, sliced._numbers)


def test_it_stops_at_the_target_and_out_of_patience() -> None:
    """Iterations end when the objective is good enough, or when too many have gained nothing."""
    one = problem(12, seed=2)
    search = TabuSearch(one.instance, np.random.default_rng(1))
    search.start(random_permutation(12))
    start = search.objective
    assert search.advance(10_000, target=start - 0.5) < 10_000
    assert search.objective < start
    made = search.advance(10**6, patience=500)
    assert made < 10**6
    assert search._numbers[GAINED] <= made


def test_the_descent_ends_where_no_exchange_gains() -> None:
    """The proof is the evaluator's, too; a limit stops the descent before."""
    one = problem(14, "none", seed=4)
    matrices = Matrices.of(one.instance)
    state = ExchangeState(matrices, random_permutation(14))
    numbers = np.zeros(6, dtype=np.int64)
    numbers[CURRENT] = objective(one.instance, state.p)

    def go(limit: int) -> tuple[int, bool]:
        return descend(
            limit, matrices.flows, matrices.distances, state.p, state.q, state.potential, state.change, state.work,
            numbers,
        )  # fmt: skip

    assert go(1) == (1, False)
    moves, proved = go(1000)
    assert proved
    assert moves > 0
    assert _changes(one, state.p).min() >= 0
    assert numbers[CURRENT] == one.evaluate(state.p).objective
