"""The random construction."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import check, framed, problems, unframed

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.problems.edge_matching import EMPTY, EdgeMatching, Hint, Instance, generate
from matheur.problems.edge_matching.operators.random_board import RandomBoard


@given(problem=problems(), seed=st.integers(0, 99))
@settings(max_examples=50)
def test_a_random_board_is_complete_and_feasible(problem: EdgeMatching, seed: int) -> None:
    """Frame and hints hold, no cell is empty, and the objective is the evaluator's."""
    outcome = RandomBoard().build(problem, Budget(), np.random.default_rng(seed))
    check(problem, outcome)
    assert (outcome.solution != EMPTY).all()


def test_boards_of_one_row_and_one_column_can_be_filled() -> None:
    """The ends and the middle of a framed strip have pieces of their own."""
    for rows, columns in ((1, 6), (6, 1), (1, 1), (1, 2)):
        problem = EdgeMatching(generate(rows, columns, seed=1, unique=False)[0])
        check(problem, RandomBoard().build(problem, Budget(), np.random.default_rng(0)))


def test_every_rotation_and_cell_is_drawn() -> None:
    """On a 2 x 2 board without a frame a piece comes into each cell in each rotation."""
    problem = unframed(2, 2)
    rng = np.random.default_rng(0)
    boards = [RandomBoard().build(problem, Budget(), rng).solution for _ in range(300)]
    assert {(cell, board[cell]) for board in boards for cell in range(4)} == {
        (c, p) for c in range(4) for p in range(16)
    }


def test_a_piece_that_fits_nowhere_is_named() -> None:
    """A border piece with facing frame sides makes a 3 x 3 board impossible."""
    instance, _ = generate(3, 3, seed=0)
    pieces = instance.pieces.copy()
    pieces[4] = [0, 1, 0, 1]
    outcome = RandomBoard().build(EdgeMatching(Instance(3, 3, pieces)), Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert "piece 5 fits in no cell" in outcome.reason


def test_wrong_numbers_of_corners_are_infeasible() -> None:
    """With five corners and three border pieces not every cell can be filled."""
    instance, solution = generate(3, 3, seed=0)
    pieces = instance.pieces.copy()
    pieces[solution[1] >> 2] = pieces[solution[0] >> 2]
    outcome = RandomBoard().build(EdgeMatching(Instance(3, 3, pieces)), Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert "at most 8 of 9 cells" in outcome.reason


def test_a_hint_against_the_frame_is_infeasible() -> None:
    """An inner piece that a hint puts into a corner is named."""
    problem = framed(4, 4)
    inner = int(np.flatnonzero(problem.instance.piece_class == 0)[0])
    hinted = EdgeMatching(Instance(4, 4, problem.instance.pieces, (Hint(0, inner),)))
    outcome = RandomBoard().build(hinted, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.INFEASIBLE
    assert f"piece {inner + 1} cannot lie in cell 0" in outcome.reason


def test_a_matching_finds_the_board_that_classes_miss() -> None:
    """Frame sides that face each other fit a strip, where a piece of two frame sides is no corner."""
    pieces = np.array([[0, 1, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1]], dtype=np.int16)
    problem = EdgeMatching(Instance(1, 3, pieces))
    assert check(problem, RandomBoard().build(problem, Budget(), np.random.default_rng(0))) == 0
