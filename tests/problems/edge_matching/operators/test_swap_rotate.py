"""The swap and rotation neighbourhood, and tabu search by its moves."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from problems.edge_matching.operators.boards import check, framed, random_board, unframed

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.problems.edge_matching import Board, EdgeMatching
from matheur.problems.edge_matching.operators.swap_rotate import SwapRotate, Tabu


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


# Tabu search


@pytest.mark.parametrize("problem", [framed(4, 4), framed(3, 5, hints=2), unframed(3, 3)])
def test_the_first_move_of_tabu_search_is_the_best_even_if_it_is_worse(problem: EdgeMatching) -> None:
    """From a local optimum of all exchanges it goes to the best other board that one exchange reaches."""
    optimum = SwapRotate().explore(problem, random_board(problem, 1), Budget(), np.random.default_rng(0)).solution
    outcome = Tabu(moves=1).explore(problem, optimum, Budget(), np.random.default_rng(0))
    assert outcome.status is Status.NO_IMPROVEMENT
    assert check(problem, outcome) == _best_exchange(problem, optimum) >= problem.evaluate(optimum).objective


def _best_exchange(problem: EdgeMatching, board: Board) -> int:
    """Least objective over all feasible exchanges of two different cells in all rotations."""
    found = []
    for a, b in combinations(range(board.size), 2):
        for r, s in product(range(4), repeat=2):
            changed = board.copy()
            changed[a], changed[b] = (board[b] & ~3) | r, (board[a] & ~3) | s
            evaluation = problem.evaluate(changed)
            if evaluation.feasible:
                found.append(int(evaluation.objective))
    return min(found)


def test_no_piece_goes_back_before_its_tenure_is_over() -> None:
    """With a long memory the walk comes to no placement of pieces in cells twice, and so leaves every local optimum."""
    problem = framed(4, 4, seed=3)
    board = random_board(problem, 4)
    seen = []
    for moves in range(1, 25):
        walk = Tabu(moves=moves, tenure=1000).explore(problem, board, Budget(), np.random.default_rng(5))
        last = walk.solution if walk.status is not Status.IMPROVED else None
        if last is not None:
            seen.append(tuple((last >> 2).tolist()))
    assert len(set(seen)) == len(seen)


def test_tabu_search_gets_out_of_a_local_optimum_of_the_descent() -> None:
    """It improves boards that no exchange improves, and returns its best board, not its last one."""
    problem = framed(6, 6, seed=1)
    optimum = SwapRotate().explore(problem, random_board(problem, 2), Budget(), np.random.default_rng(0)).solution
    outcome = Tabu(moves=3000).explore(problem, optimum, Budget(), np.random.default_rng(1))
    assert outcome.status is Status.IMPROVED
    assert check(problem, outcome) < problem.evaluate(optimum).objective
    again = Tabu(moves=3000).explore(problem, optimum, Budget(), np.random.default_rng(1))
    assert np.array_equal(again.solution, outcome.solution)


def test_tabu_search_ends_with_its_work() -> None:
    """One unit of work is a move."""
    problem = framed(4, 4)
    budget = Budget(work=7)
    outcome = Tabu().explore(problem, random_board(problem, 1), budget, np.random.default_rng(0))
    assert budget.exhausted
    assert outcome.status in (Status.IMPROVED, Status.EXHAUSTED)
