"""Rectangular windows of a board: their positions, their costs, and the data that a proof about one depends on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.proofs import proof_key
from matheur.problems.edge_matching.instance import DOWN, EMPTY, RIGHT, Board, Instance

__all__ = ["mismatched_joints", "window_cells", "window_costs", "window_key"]


def window_cells(instance: Instance, rows: int, columns: int) -> NDArray[np.intp]:
    """Shape (windows, cells per window): all positions of a window, clipped to the board if it is larger."""
    rows, columns = min(rows, instance.rows), min(columns, instance.columns)
    grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
    views = np.lib.stride_tricks.sliding_window_view(grid, (rows, columns))
    return np.ascontiguousarray(views.reshape(-1, rows * columns))


def mismatched_joints(instance: Instance, board: Board) -> NDArray[np.bool_]:
    """Shape (cells, 2): whether the joints to the right of and below each cell are mismatched."""
    shown = np.where((board == EMPTY)[:, None], -1, instance.sides[board])
    found = np.zeros((instance.cells, 2), dtype=bool)
    for position, side in enumerate((RIGHT, DOWN)):
        inside = np.flatnonzero(~instance.outside[:, side])
        neighbour = instance.neighbours[inside, side]
        here, there = shown[inside, side], shown[neighbour, (side + 2) % 4]
        found[inside, position] = (here != there) | (here < 0)
    return found


def window_costs(instance: Instance, board: Board, windows: NDArray[np.intp]) -> NDArray[np.int64]:
    """Mismatched joints with at least one end in each window."""
    wrong = mismatched_joints(instance, board)
    ends = np.argwhere(wrong)
    cost = np.zeros(len(windows), dtype=np.int64)
    inside = np.zeros((len(windows), instance.cells), dtype=bool)
    np.put_along_axis(inside, windows, True, axis=1)
    for cell, position in ends:
        other = instance.neighbours[cell, (RIGHT, DOWN)[position]]
        cost += inside[:, cell] | inside[:, other]
    return cost


def window_key(instance: Instance, board: Board, cells: NDArray[np.intp]) -> str:
    """A key of everything that the best filling of some cells depends on, and of the present cost.

    It covers the cells, the pieces in them (in any arrangement), the colours of the surroundings, and the unused
    pieces.
    """
    inside = np.zeros(instance.cells, dtype=bool)
    inside[cells] = True
    used = board[board != EMPTY] >> 2
    own = np.sort(board[cells][board[cells] != EMPTY] >> 2)
    spare = np.setdiff1d(np.arange(instance.cells), used)
    neighbour = instance.neighbours[cells]
    outside = (neighbour >= 0) & ~inside[neighbour] & (board[neighbour] != EMPTY)
    opposite = np.broadcast_to((np.arange(4) + 2) % 4, neighbour.shape)
    shown = np.where(outside, instance.sides[board[neighbour], opposite], -1)
    cost = int(window_costs(instance, board, np.asarray(cells)[None, :])[0])
    return proof_key("window", np.asarray(cells), own, spare, shown.astype(np.int32), cost)
