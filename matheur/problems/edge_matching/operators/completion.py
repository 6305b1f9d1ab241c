"""Filling the empty cells of a board from the unused pieces."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.optimize import linear_sum_assignment

from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import unused_pieces

__all__ = ["complete"]

_FORBIDDEN = 1_000_000.0


def complete(instance: Instance, board: Board, rng: Generator) -> Board:
    """Fill every empty cell that can be filled, with as few mismatches to the pieces that lie there as possible.

    One assignment problem over empty cells and unused pieces, ties broken at random; joints between two empty cells
    are not seen, so this is a completion, not an optimum. Frame and hints are kept.

    Returns
    -------
    Board
        A new board; cells for which no unused piece fits stay empty.
    """
    board = board.copy()
    empty, pieces = np.flatnonzero(board == EMPTY), unused_pieces(instance, board)
    if not empty.size or not pieces.size:
        return board
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
