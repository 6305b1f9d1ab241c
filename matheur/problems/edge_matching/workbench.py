"""Edge-matching puzzles in the workbench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from matheur.problems.edge_matching.formats import write_json
from matheur.problems.edge_matching.picture.palette import colour_of
from matheur.problems.workbench import Cell, Position, Workbench, pressed_pairs

__all__ = ["WORKBENCH"]


class _EdgeMatchingWorkbench(Workbench):
    plays = True

    def text(self, problem: Any) -> str:
        return write_json(problem.instance)

    def editor(self, problem: Any) -> dict[str, Any]:
        one = problem.instance
        return {"kind": "hints", "rows": one.rows, "columns": one.columns}

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """A board: pressing two cells exchanges their pieces, pressing one cell twice turns its piece."""
        one = problem.instance
        board = _first_board(one)
        pairs, waiting = pressed_pairs(moves, one.cells)
        for a, b in pairs:
            if a == b:
                board[a] = _turned(one, board[a], a, 1)
            else:
                board[a], board[b] = _turned(one, board[b], a, 0), _turned(one, board[a], b, 0)
        cells = []
        for cell, placement in enumerate(board):
            row, column = divmod(cell, one.columns)
            label = f"row {row}, column {column}: piece {placement // 4 + 1}, rotation {placement % 4}"
            sides = tuple(colour_of(int(colour)) for colour in one.shown[placement])
            look = "chosen" if cell == waiting else "hint" if one.fixed[cell] else "piece"
            cells.append(Cell(str(placement // 4 + 1), look, "" if one.fixed[cell] else str(cell), label, sides))
        words = "Press two pieces to exchange them" + (", one twice to turn it." if one.rules.rotation else ".")
        solution = problem.encode(np.array(board, dtype=np.int32))
        return Position(solution, words, columns=one.columns, cells=tuple(cells))


def _first_board(one: Any) -> list[int]:
    """Pieces in file order, each in the first cell that frame and hints allow."""
    board, used = [-1] * one.cells, set()
    order = sorted(range(one.cells), key=lambda cell: (not one.fixed[cell], cell))
    for cell in order:
        fitting = (4 * piece + turn for piece in range(one.cells) if piece not in used for turn in range(4)
                   if one.fits[4 * piece + turn, cell])  # fmt: skip
        found = next(fitting, None)
        if found is not None:
            board[cell] = found
            used.add(found // 4)
    left = iter(piece for piece in range(one.cells) if piece not in used)
    return [4 * next(left) if placement < 0 else placement for placement in board]


def _turned(one: Any, placement: int, cell: int, by: int) -> int:
    """The piece in the next rotation, by at least `by` quarter-turns, that fits the cell, if there is one."""
    piece, turn = divmod(placement, 4)
    for more in range(4):
        there = 4 * piece + (turn + by + more) % 4
        if one.fits[there, cell]:
            return int(there)
    return 4 * piece + (turn + by) % 4


WORKBENCH = _EdgeMatchingWorkbench()
