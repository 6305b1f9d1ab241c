"""Random exchanges under late acceptance, guided by mismatches or blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, random_board, unframed

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching import EMPTY, EdgeMatching, Instance, generate
from matheur.problems.edge_matching.blocks import incomplete_blocks
from matheur.problems.edge_matching.operators import exchange_kernels
from matheur.problems.edge_matching.operators.board_tools import Layout
from matheur.problems.edge_matching.operators.exchange import Exchange

GUIDES = ["objective", "blocks-2", "blocks-3"]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@given(problems(), st.integers(0, 50), st.sampled_from(GUIDES), st.sampled_from([0.0, 0.3]), st.integers(0, 5))
@settings(max_examples=60)
def test_what_it_returns_is_as_it_says(problem: EdgeMatching, seed: int, guide: str, empty: float, slack: int) -> None:
    """Feasible, with the objective that the evaluator counts; better if it says so; the incumbent as it was."""
    board = random_board(problem, seed, empty)
    move = Exchange(moves=300, guide=guide, length=20, slack=slack)  # type: ignore[arg-type]
    outcome = move.explore(problem, board, Budget(), rng(seed))
    before, after = problem.evaluate(board).objective, check(problem, outcome)
    assert (outcome.status is Status.IMPROVED) == (after < before)


@given(problems(), st.integers(0, 50), st.integers(0, 1000), st.sampled_from([2, 3]))
def test_a_move_changes_the_blocks_that_hold_its_cells(problem: EdgeMatching, seed: int, at: int, size: int) -> None:
    """Counted around two cells before and after the exchange: the difference is that of whole boards."""
    instance = problem.instance
    board = random_board(problem, seed, 0.2).copy()
    if min(instance.rows, instance.columns) < size:
        return
    first, second = at % instance.cells, at // 7 % instance.cells

    def around() -> int:
        found: int = exchange_kernels.count_blocks(
            first, second, size, instance.rows, instance.columns, board, instance.sides
        )
        return found

    whole, part = incomplete_blocks(instance, board, size), around()
    board[[first, second]] = board[[second, first]]
    assert incomplete_blocks(instance, board, size) - whole == around() - part


def test_pieces_that_fit_no_cell_stay_off_the_board() -> None:
    """Pieces with frame on two opposite sides have as many frame sides as corners, but lie nowhere on a 3 x 3 board."""
    pieces = np.array([[0, 1, 0, 1]] * 4 + [[0, 1, 1, 0]] * 4 + [[1, 1, 1, 1]])
    problem = EdgeMatching(Instance(3, 3, pieces))
    board = np.full(9, EMPTY, dtype=np.int32)
    board[[0, 4]] = 4 * 4, 4 * 8
    assert problem.evaluate(board).feasible
    for guide in GUIDES:
        outcome = Exchange(moves=300, guide=guide, slack=12).explore(problem, board, Budget(), rng())  # type: ignore[arg-type]
        check(problem, outcome)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_guide_is_kept_by_differences(guide: str) -> None:
    """After many moves the value and the mismatches are those of the board."""
    problem = EdgeMatching(generate(6, 6, seed=4)[0])
    instance = problem.instance
    layout = Layout.of(instance, random_board(problem, 1, 0.1))
    members, size = layout.members(), {"blocks-2": 2, "blocks-3": 3}.get(guide, 0)
    before = int(problem.evaluate(layout.board()).objective)
    value = incomplete_blocks(instance, layout.board(), size) if size else before
    figures = np.array([value, before, before, 0, 0])
    exchange_kernels.wander(
        5000, 0, size, 6, 6, np.concatenate(members), np.cumsum([0, *map(len, members)]),
        np.repeat(np.arange(len(members)), [len(group) for group in members]), layout.placements, layout.neighbours,
        layout.kinds, layout.turns, layout.sides, np.full(100, value + 5), figures, layout.placements.copy(),
        np.array([12345], dtype=np.uint64),
    )  # fmt: skip
    mismatches = int(problem.evaluate(layout.board()).objective)
    assert figures[4] == 5000
    assert figures[1] == mismatches
    assert figures[0] == (incomplete_blocks(instance, layout.board(), size) if size else mismatches)
    assert figures[2] <= min(before, mismatches)


@pytest.mark.parametrize("guide", ["objective", "blocks-2"])
def test_it_solves_small_puzzles(guide: str) -> None:
    """A walk from a random board comes to a perfect one, and ends there."""
    problem = framed(4, 4, seed=3)
    budget = Budget(target=0)
    outcome = Exchange(moves=5_000_000, guide=guide, length=200).explore(  # type: ignore[arg-type]
        problem, random_board(problem), budget, rng()
    )
    assert check(problem, outcome) == 0
    assert budget.spent_work < 5000


def test_late_acceptance_takes_worse_boards() -> None:
    """With slack a walk leaves a perfect board; with none, and a memory of one, it never becomes worse."""
    instance, solution = generate(5, 5, seed=1)
    problem = EdgeMatching(instance)
    board = solution.astype(np.int32)
    far = Exchange(moves=50, slack=10).explore(problem, board, Budget(target=-1), rng())
    near = Exchange(moves=50, length=1).explore(problem, board, Budget(target=-1), rng())
    assert check(problem, far) > 0
    assert check(problem, near) == 0


def test_work_is_a_thousand_moves() -> None:
    """A budget in work units ends the walk, a limit of moves does, and both are booked."""
    problem = framed(5, 5)
    board = random_board(problem)
    budget = Budget(work=3)
    outcome = Exchange(moves=10**9).explore(problem, board, budget, rng())
    assert budget.spent_work == 3
    assert outcome.status in (Status.IMPROVED, Status.EXHAUSTED)
    budget = Budget()
    Exchange(moves=1500).explore(problem, board, budget, rng())
    assert budget.spent_work == 2


def test_the_same_seed_walks_the_same_way() -> None:
    """Nothing depends on the clock."""
    problem = framed(6, 5)
    board = random_board(problem)
    one, two, other = (Exchange(moves=9000).explore(problem, board, Budget(), rng(seed)).solution for seed in (1, 1, 2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("problem", [unframed(1, 1), framed(2, 2, hints=4), framed(2, 6)])
def test_boards_with_little_to_move(problem: EdgeMatching) -> None:
    """One cell, all pieces given, no square of three: no error, and nothing that is given moves."""
    board = random_board(problem)
    outcome = Exchange(moves=200, guide="blocks-3").explore(problem, board, Budget(), rng())
    check(problem, outcome)
    assert outcome.solution is not None
    fixed = problem.instance.fixed & (board != EMPTY)
    assert np.array_equal(outcome.solution[fixed] >> 2, board[fixed] >> 2)


@pytest.mark.parametrize("wrong", [{"moves": 0}, {"length": 0}, {"slack": -1}, {"length": 1 << 40}, {"slack": 1 << 62}])
def test_options_are_checked(wrong: dict[str, int]) -> None:
    """The option is named."""
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Exchange(**wrong)  # type: ignore[arg-type]
