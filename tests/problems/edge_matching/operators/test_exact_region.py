"""The exact search of small regions."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from problems.edge_matching.operators.boards import framed, problems, random_board, unframed

from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching, generate
from matheur.problems.edge_matching.operators.board_tools import unused_pieces
from matheur.problems.edge_matching.operators.exact_region import RegionStatus, region_cost, solve_region


def _refills(
    problem: EdgeMatching, board: Board, cells: NDArray[np.int64], spare: list[int]
) -> list[tuple[int, Board]]:
    """All feasible refills with their objectives, by the evaluator alone."""
    found = []
    tiles = [int(p) >> 2 if p >= 0 else EMPTY for p in board[cells]] + spare
    empties = sum(tile == EMPTY for tile in tiles)
    for order in set(permutations(tiles, len(cells))):
        for turns in product(range(4), repeat=len(cells)):
            if any(turn and tile == EMPTY for tile, turn in zip(order, turns, strict=True)):
                continue
            changed = board.copy()
            changed[cells] = [EMPTY if t == EMPTY else 4 * t + r for t, r in zip(order, turns, strict=True)]
            evaluation = problem.evaluate(changed)
            if evaluation.feasible and sum(tile == EMPTY for tile in order) <= empties:
                found.append((int(evaluation.objective), changed))
    return found


@given(problem=problems(), seed=st.integers(0, 99), empty=st.sampled_from([0.0, 0.3]), data=st.data())
@settings(max_examples=20)
def test_the_refill_is_the_best_of_all(problem: EdgeMatching, seed: int, empty: float, data: st.DataObject) -> None:
    """Up to three cells, with a spare piece where there is one: the evaluator finds nothing better or more."""
    board = random_board(problem, seed, empty)
    count = data.draw(st.integers(1, min(3, problem.instance.cells)))
    cells = np.random.default_rng(seed).permutation(problem.instance.cells)[:count]
    cells = np.sort(cells[~problem.instance.fixed[cells]])
    spare = unused_pieces(problem.instance, board)[:1].tolist()
    result = solve_region(problem.instance, board, cells, spare=spare, rng=np.random.default_rng(seed))
    start = int(problem.evaluate(board).objective)
    refills = _refills(problem, board, cells, spare)
    assert result.status is RegionStatus.OPTIMAL
    assert problem.evaluate(result.board).feasible
    assert problem.evaluate(result.board).objective == start + result.delta == min(o for o, _ in refills)
    assert result.found == (result.delta < 0)
    assert result.cost == region_cost(problem.instance, result.board, cells)


@pytest.mark.parametrize("problem", [framed(4, 4), unframed(3, 3)])
def test_four_cells_in_a_square_are_solved_exactly(problem: EdgeMatching) -> None:
    """A 2 x 2 window ends at the minimum of all its refills."""
    columns = problem.instance.columns
    cells = np.array([0, 1, columns, columns + 1])
    board = random_board(problem, 4)
    result = solve_region(problem.instance, board, cells)
    assert problem.evaluate(result.board).objective == min(o for o, _ in _refills(problem, board, cells, []))


def test_a_hidden_solution_is_found_in_a_hole() -> None:
    """When the pieces of a 4 x 4 window of a solved board are shuffled, the search brings back a perfect board."""
    instance, solution = generate(7, 7, seed=5)
    problem, board = EdgeMatching(instance), np.array(solution, dtype=np.int32)
    cells = np.array([7 * row + column for row in range(1, 5) for column in range(2, 6)])
    rng = np.random.default_rng(0)
    board[cells] = rng.permutation(board[cells])
    assert problem.evaluate(board).objective > 10
    result = solve_region(problem.instance, board, cells, rng=rng)
    assert problem.evaluate(result.board).objective == 0
    assert result.status is RegionStatus.OPTIMAL


def test_equal_returns_another_board_of_the_same_cost_or_proves_that_there_is_none() -> None:
    """The sideways search agrees with the enumeration of all refills of two cells, over many pairs of cells."""
    problem = framed(4, 4, seed=1)
    board = random_board(problem, 1)
    start = int(problem.evaluate(board).objective)
    outcomes = set()
    for cells in np.array([(5, 6), (5, 9), (5, 10), (1, 2), (4, 8), (0, 3), (9, 10), (12, 15)]):
        others = [
            o for o, other in _refills(problem, board, cells, []) if o <= start and not np.array_equal(other, board)
        ]
        result = solve_region(problem.instance, board, cells, equal=True, rng=np.random.default_rng(0))
        outcomes.add(result.status)
        assert result.found == bool(others) == (result.status is RegionStatus.FOUND)
        if result.found:
            assert not np.array_equal(result.board, board)
            assert problem.evaluate(result.board).objective == start + result.delta <= start
    assert outcomes == {RegionStatus.FOUND, RegionStatus.OPTIMAL}


def test_limits_stop_the_search_without_a_claim() -> None:
    """A node limit and an interrupt end with LIMIT, and the board is at least as good as before."""
    problem = unframed(5, 5)
    board = random_board(problem)
    few = solve_region(problem.instance, board, np.arange(25), node_limit=40)
    assert few.status is RegionStatus.LIMIT
    assert few.nodes == 40
    stopped = solve_region(problem.instance, board, np.arange(25), interrupt=lambda: True)
    assert (stopped.status, stopped.nodes, stopped.found) == (RegionStatus.LIMIT, 0, False)
    assert np.array_equal(stopped.board, board)


def test_slices_do_not_change_the_search() -> None:
    """A search that is stopped at a node limit has found what the longer one had found by then, and never worsens."""
    problem = framed(6, 6)
    board = random_board(problem)
    cells = np.array([6 * row + column for row in range(1, 5) for column in range(1, 5)])
    costs = [solve_region(problem.instance, board, cells, node_limit=10**power).cost for power in range(2, 6)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < region_cost(problem.instance, board, cells)


def test_hinted_cells_of_a_region_stay() -> None:
    """A hinted cell may be named; it keeps its piece."""
    problem = framed(4, 4, hints=5)
    board = random_board(problem)
    result = solve_region(problem.instance, board, np.arange(16), node_limit=20_000)
    assert problem.evaluate(result.board).feasible
    assert result.delta < 0


def test_repeated_cells_and_pieces_are_refused() -> None:
    """A cell named twice, or a spare piece that lies in the region, is an error of the caller."""
    problem = framed(4, 4)
    board = random_board(problem)
    with pytest.raises(ValueError, match="twice"):
        solve_region(problem.instance, board, [5, 5])
    with pytest.raises(ValueError, match="twice"):
        solve_region(problem.instance, board, [5, 6], spare=[int(board[5]) >> 2])
    big = framed(9, 9)
    with pytest.raises(ValueError, match="64"):
        solve_region(big.instance, random_board(big), np.arange(81))
