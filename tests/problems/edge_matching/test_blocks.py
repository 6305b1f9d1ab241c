"""Incomplete squares of a board, counted cell by cell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems.edge_matching.operators.boards import framed, problems, random_board

from matheur.problems.edge_matching import EMPTY, Board, EdgeMatching, builtin, generate
from matheur.problems.edge_matching.blocks import incomplete_blocks


def counted(problem: EdgeMatching, board: Board, size: int) -> int:
    """Squares with a joint that does not match, by the evaluator's rules, one by one."""
    instance = problem.instance

    def shows(row: int, column: int, side: int) -> int:
        placed = int(board[row * instance.columns + column])
        return -1 if placed == EMPTY else int(instance.pieces[placed >> 2, (side - (placed & 3)) % 4])

    def complete(row: int, column: int) -> bool:
        rows, columns = range(row, row + size), range(column, column + size)
        joints = [((r, c, 1), (r, c + 1, 3)) for r in rows for c in columns[:-1]]
        joints += [((r, c, 2), (r + 1, c, 0)) for r in rows[:-1] for c in columns]
        return all(shows(*one) == shows(*other) > 0 for one, other in joints)

    corners = [
        (row, column) for row in range(instance.rows - size + 1) for column in range(instance.columns - size + 1)
    ]
    return sum(not complete(*corner) for corner in corners)


@given(problems(), st.integers(0, 100), st.sampled_from([0.0, 0.2]), st.sampled_from([2, 3]))
def test_squares_are_counted(problem: EdgeMatching, seed: int, empty: float, size: int) -> None:
    """As many as one by one, on random boards with and without empty cells."""
    board = random_board(problem, seed, empty)
    assert incomplete_blocks(problem.instance, board, size) == counted(problem, board, size)


def test_one_fault_spoils_the_squares_around_it() -> None:
    """A perfect board has none; a piece taken out spoils the 4 or 9 squares that hold its cell."""
    instance, solution = generate(6, 7, seed=1)
    problem = EdgeMatching(instance)
    assert [problem.guide(name, solution) for name in problem.guides] == [0, 0]
    board = solution.copy()
    board[3 * 7 + 3] = EMPTY
    assert problem.guides == ("blocks-2", "blocks-3")
    assert [problem.guide(name, board) for name in problem.guides] == [4, 9]


@pytest.mark.parametrize("size", [2, 3])
def test_boards_may_be_too_narrow(size: int) -> None:
    """Then there is nothing to count."""
    problem = framed(2, 5)
    board = random_board(problem)
    assert incomplete_blocks(problem.instance, board, size) == (counted(problem, board, 2) if size == 2 else 0)
    assert incomplete_blocks(builtin("3x3"), np.full(9, EMPTY, dtype=np.int32), 3) == 1
