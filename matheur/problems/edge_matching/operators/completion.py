"""Filling the empty cells of a board from the unused pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import unused_pieces

__all__ = ["complete", "filling_model"]

_FORBIDDEN = 1_000_000.0


def complete(instance: Instance, board: Board, rng: Generator) -> Board:
    """Fill every empty cell that can be filled, with as few mismatches to the pieces on the board as possible.

    One assignment problem over empty cells and unused pieces, with ties broken at random. Joints between two empty
    cells are ignored, so the completion need not be optimal. Frame and hints are respected.

    Returns
    -------
    Board
        A new board; cells for which no unused piece fits stay empty.
    """
    board = board.copy()
    empty, pieces = np.flatnonzero(board == EMPTY), unused_pieces(instance, board)
    if not empty.size or not pieces.size:
        return board
    from scipy.optimize import linear_sum_assignment  # imported here: it loads slowly

    placements = (4 * pieces[:, None] + np.arange(4)).ravel()
    cost = np.zeros((placements.size, empty.size))
    for side in range(4):
        neighbour = instance.neighbours[empty, side]
        placed = (neighbour >= 0) & (board[neighbour] != EMPTY)
        shown = instance.sides[board[neighbour[placed]], (side + 2) % 4]
        cost[:, placed] += instance.sides[placements, side][:, None] != shown[None, :]
    cost += rng.random(cost.shape) * 0.2
    cost[~instance.fits[np.ix_(placements, empty)]] = _FORBIDDEN
    by_piece = cost.reshape(pieces.size, 4, empty.size)
    rotation = by_piece.argmin(axis=1)
    row, column = linear_sum_assignment(by_piece.min(axis=1))
    possible = by_piece.min(axis=1)[row, column] < _FORBIDDEN
    row, column = row[possible], column[possible]
    board[empty[column]] = 4 * pieces[row] + rotation[row, column]
    return board


def filling_model(instance: Instance, board: Board, cells: Iterable[int], formulation: str, budget: Budget) -> Any:
    """The MILP that refills some cells with the pieces in them and the unused ones.

    See `matheur.models.edge_matching.region`. Building stops when the budget ends.

    Returns
    -------
    matheur.models.edge_matching.blocks.BuiltModel
    """
    from matheur.models.edge_matching import region  # imported here: Pyomo loads slowly

    with budget.watched():
        return region.build(instance, board, cells, unused_pieces(instance, board), formulation)
