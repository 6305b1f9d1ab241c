"""The black and white neighbourhood."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from problems.edge_matching.operators.boards import check, framed, random_board, unframed

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.operators.checkerboard import Checkerboard


def test_bad_options_are_refused() -> None:
    """A negative number of sideways steps is an error that carries the value."""
    with pytest.raises(ConfigurationError, match="-1"):
        Checkerboard(sideways=-1)


@pytest.mark.parametrize("seed", range(3))
def test_its_local_optimum_withstands_every_reassignment(seed: int) -> None:
    """No permutation and rotation of the black or of the white pieces of a 2 x 3 board is better."""
    problem = unframed(2, 3, seed)
    rng = np.random.default_rng(seed)
    board = Checkerboard().explore(problem, random_board(problem, seed), Budget(), rng).solution
    again = Checkerboard().explore(problem, board, Budget(), rng)
    assert again.status is Status.LOCAL_OPTIMUM
    best = min(
        int(problem.evaluate(_replaced(board, cells, order, turns)).objective)
        for cells in ([0, 2, 4], [1, 3, 5])
        for order in permutations(cells)
        for turns in product(range(4), repeat=3)
    )
    assert best == check(problem, again)


def _replaced(board: np.ndarray, cells: list[int], order: tuple[int, ...], turns: tuple[int, ...]) -> np.ndarray:
    changed = board.copy()
    changed[cells] = (board[list(order)] & ~3) | np.array(turns)
    return changed


def test_sideways_steps_leave_the_local_optimum() -> None:
    """With sideways steps the call goes on to another board at most as expensive."""
    problem = framed(7, 7)
    rng = np.random.default_rng(0)
    board = Checkerboard().explore(problem, random_board(problem), Budget(), rng).solution
    outcome = Checkerboard(sideways=30).explore(problem, board, Budget(), rng)
    assert check(problem, outcome) <= problem.evaluate(board).objective
    assert not np.array_equal(outcome.solution, board)
