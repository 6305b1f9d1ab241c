"""The swap and rotation neighbourhood."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from problems.edge_matching.operators.boards import check, framed, random_board, unframed

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.problems.edge_matching import Board, EdgeMatching
from matheur.problems.edge_matching.operators.swap_rotate import SwapRotate


def _best_neighbour(problem: EdgeMatching, board: Board) -> int:
    """Least objective over all feasible exchanges of two cells in all rotations, by the evaluator alone."""
    best = problem.instance.joints
    for a, b in combinations_with_replacement(range(board.size), 2):
        for r, s in product(range(4), repeat=2):
            changed = board.copy()
            changed[a], changed[b] = (board[b] & ~3) | r, (board[a] & ~3) | s
            evaluation = problem.evaluate(changed)
            if evaluation.feasible:
                best = min(best, int(evaluation.objective))
    return best


@pytest.mark.parametrize("first_improvement", [False, True])
@pytest.mark.parametrize("problem", [framed(4, 4), framed(3, 5, hints=2), unframed(3, 3), unframed(1, 6)])
def test_its_local_optimum_withstands_every_swap(problem: EdgeMatching, first_improvement: bool) -> None:
    """The evaluator finds no better board among all exchanges and rotations."""
    move = SwapRotate(first_improvement)
    rng = np.random.default_rng(0)
    reached = move.explore(problem, random_board(problem, 1), Budget(), rng).solution
    again = move.explore(problem, reached, Budget(), rng)
    assert again.status is Status.LOCAL_OPTIMUM
    assert np.array_equal(again.solution, reached)
    assert _best_neighbour(problem, reached) == check(problem, again)


def test_one_step_of_steepest_descent_takes_the_best_swap() -> None:
    """With one unit of work the board becomes as good as the best of all its neighbours."""
    problem = framed(4, 4, seed=2)
    board = random_board(problem, 2)
    outcome = SwapRotate().explore(problem, board, Budget(work=1), np.random.default_rng(0))
    assert check(problem, outcome) == _best_neighbour(problem, board) < problem.evaluate(board).objective
