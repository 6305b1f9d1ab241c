"""What every quick move on a board promises, whatever its neighbourhood."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, random_board

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.problems.edge_matching import EMPTY, EdgeMatching
from matheur.problems.edge_matching.operators.assignment import Assignment
from matheur.problems.edge_matching.operators.checkerboard import Checkerboard
from matheur.problems.edge_matching.operators.swap_rotate import SwapRotate

MOVES = [
    Assignment(k=6, iterations=60),
    Assignment(k=6, iterations=60, temperature=0.5),
    Checkerboard(),
    Checkerboard(sideways=5),
    SwapRotate(),
    SwapRotate(first_improvement=True),
]
every_move = pytest.mark.parametrize("move", MOVES, ids=repr)


@every_move
@given(problem=problems(), seed=st.integers(0, 99), empty=st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=25)
def test_a_move_returns_a_feasible_board_that_is_never_worse(
    move: Any, problem: EdgeMatching, seed: int, empty: float
) -> None:
    """The claimed objective is the evaluated one, at most the incumbent's, with as many pieces on the board or more."""
    incumbent = random_board(problem, seed, empty)
    before = incumbent.copy()
    outcome = move.explore(problem, incumbent, Budget(), np.random.default_rng(seed))
    start = problem.evaluate(incumbent).objective
    assert check(problem, outcome) <= start
    assert (outcome.status is Status.IMPROVED) == (outcome.objective < start)
    assert outcome.status is not Status.EXHAUSTED
    assert np.array_equal(incumbent, before)
    assert (outcome.solution == EMPTY).sum() <= (incumbent == EMPTY).sum()


@every_move
def test_a_complete_board_stays_a_permutation(move: Any) -> None:
    """On a complete board every piece lies somewhere before and after."""
    problem = framed(6, 7)
    outcome = move.explore(problem, random_board(problem), Budget(), np.random.default_rng(1))
    assert outcome.status is Status.IMPROVED
    assert sorted(outcome.solution >> 2) == list(range(42))


@every_move
def test_the_same_seed_gives_the_same_board(move: Any) -> None:
    """Two calls from equal generators agree in everything but the seconds."""
    problem = framed(6, 6, hints=2)
    budgets = [Budget(), Budget()]
    first, second = (move.explore(problem, random_board(problem), one, np.random.default_rng(5)) for one in budgets)
    assert np.array_equal(first.solution, second.solution)
    assert (first.objective, first.status) == (second.objective, second.status)
    assert budgets[0].spent_work == budgets[1].spent_work


@every_move
def test_hinted_pieces_stay_where_they_are(move: Any) -> None:
    """Cells that a hint fixes keep their piece and rotation."""
    problem = framed(5, 5, hints=6)
    incumbent = random_board(problem, 3)
    outcome = move.explore(problem, incumbent, Budget(), np.random.default_rng(3))
    fixed = problem.instance.fixed
    assert fixed.sum() == 6
    assert np.array_equal(outcome.solution[fixed], incumbent[fixed])


@every_move
def test_improvements_are_handed_out_and_work_is_booked(move: Any) -> None:
    """The last offer is the result, and the budget knows the work."""
    problem = framed(6, 6)
    offers: list[tuple[Any, float]] = []
    budget = Budget(on_incumbent=lambda board, objective: offers.append((board, objective)))
    outcome = move.explore(problem, random_board(problem), budget, np.random.default_rng(2))
    assert offers[-1][1] == outcome.objective
    assert problem.evaluate(offers[-1][0]).objective == outcome.objective
    assert budget.spent_work > 0


@every_move
def test_an_empty_budget_returns_the_incumbent(move: Any) -> None:
    """Without work left nothing is done and nothing claimed."""
    problem = framed(5, 5)
    incumbent = random_board(problem)
    outcome = move.explore(problem, incumbent, Budget(work=0), np.random.default_rng(0))
    assert outcome.status is Status.EXHAUSTED
    assert np.array_equal(outcome.solution, incumbent)


@every_move
def test_a_work_limit_is_kept(move: Any) -> None:
    """No move books more work than it was given."""
    problem = framed(6, 6)
    budget = Budget(work=3)
    outcome = move.explore(problem, random_board(problem), budget, np.random.default_rng(0))
    check(problem, outcome)
    assert budget.spent_work <= 3


@every_move
def test_the_target_stops_a_move(move: Any) -> None:
    """A move whose incumbent has reached the target does nothing."""
    problem = framed(5, 5)
    incumbent = random_board(problem)
    budget = Budget(target=problem.evaluate(incumbent).objective)
    move.explore(problem, incumbent, budget, np.random.default_rng(0))
    assert budget.spent_work == 0
