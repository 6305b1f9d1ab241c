"""Tools shared by the moves on a board: which pieces may change places, and a tray for the unused pieces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["Layout", "cell_groups", "count_mismatches", "kernel_state", "piece_groups", "unused_pieces"]


def count_mismatches(instance: Instance, board: Board) -> int:
    """Joints whose two sides differ or that touch an empty cell: the objective, as operators count it."""
    shown = np.where((board == EMPTY)[:, None], -1, instance.sides[board]).reshape(instance.rows, instance.columns, 4)
    right, left = shown[:, :-1, 1], shown[:, 1:, 3]
    lower, upper = shown[:-1, :, 2], shown[1:, :, 0]
    across = np.count_nonzero((right != left) | (right < 0))
    return int(across + np.count_nonzero((lower != upper) | (lower < 0)))


def cell_groups(instance: Instance) -> NDArray[np.int32]:
    """Shape (cells,): number of frame sides of each cell, -1 where a hint fixes the piece.

    Only cells of the same group may exchange their pieces (Salassa et al. 2017, section 3.3: the border and the
    inner region are kept apart). If pieces may not be turned, the group also tells which sides are frame. Without a
    frame, all free cells form group 0.
    """
    group = _frame_sides(instance, instance.outside) if instance.framed else np.zeros(instance.cells)
    return np.where(instance.fixed, -1, group).astype(np.int32)


def piece_groups(instance: Instance) -> NDArray[np.int32]:
    """Shape (cells,): the group of cells in which each piece may lie, -1 for a piece that a hint fixes."""
    group = np.zeros(instance.cells, dtype=np.int32)
    if instance.framed:
        group = _frame_sides(instance, instance.pieces == 0).astype(np.int32)
    group[[hint.piece for hint in instance.hints]] = -1
    return group


def _frame_sides(instance: Instance, frame: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number of frame sides per row of shape (any, 4); without rotation, a number that encodes which sides."""
    weights = np.array([1, 1, 1, 1] if instance.rules.rotation else [1, 2, 4, 8])
    return frame @ weights


def unused_pieces(instance: Instance, board: Board) -> NDArray[np.int32]:
    """Pieces that are not on the board, ascending."""
    free = np.ones(instance.cells, dtype=bool)
    free[board[board != EMPTY] >> 2] = False
    return np.flatnonzero(free).astype(np.int32)


def kernel_state(rng: Generator) -> NDArray[np.uint64]:
    """The random state of a kernel: one odd 64-bit word drawn from `rng`."""
    return rng.integers(1 << 63, size=1, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


@dataclass(frozen=True, slots=True)
class Layout:
    """A board followed by a tray, which has one position per unused piece.

    A tray position has no neighbours and costs nothing, so that placing an unused piece, or exchanging it with
    one on the board, is the same move as exchanging two cells. A complete board has no tray.

    Attributes
    ----------
    placements
        int32, shape (positions,): the board, then the tray; the only array that kernels change.
    neighbours
        int32, shape (positions, 4): cell above, right, below, left; -1 outside and for the tray.
    groups
        int32, shape (positions,): positions of the same group may exchange; -1 for positions that stay.
    kinds
        int32, shape (positions,): row of `turns` for the position; each hinted cell has a row of its own.
    turns
        uint8, shape (kinds, pieces): bit r is set if the piece fits with rotation r, frame and hints considered.
    sides
        Colours by placement, as in the instance.
    """

    placements: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    groups: NDArray[np.int32]
    kinds: NDArray[np.int32]
    turns: NDArray[np.uint8]
    sides: NDArray[np.int16]

    @classmethod
    def of(cls, instance: Instance, board: Board) -> Layout:
        """Lay out a copy of the board."""
        tray = unused_pieces(instance, board)
        nowhere = np.full((tray.size, 4), -1, dtype=np.int32)
        groups = cell_groups(instance)
        pattern = np.where(groups < 0, -1 - np.arange(instance.cells), instance.outside @ np.array([1, 2, 4, 8]))
        _, samples, kinds = np.unique(pattern, return_index=True, return_inverse=True)
        fitting = instance.fits[:, samples].reshape(-1, 4, samples.size)
        turns = (fitting * np.array([1, 2, 4, 8], dtype=np.uint8)[:, None]).sum(axis=1, dtype=np.uint8).T
        return cls(
            placements=np.concatenate([board, 4 * tray]).astype(np.int32),
            neighbours=np.concatenate([instance.neighbours, nowhere]),
            groups=np.concatenate([groups, piece_groups(instance)[tray]]),
            kinds=np.concatenate([kinds, np.full(tray.size, samples.size)]).astype(np.int32),
            turns=np.concatenate([turns, np.ones((1, instance.cells), dtype=np.uint8)]),
            sides=instance.sides,
        )

    def board(self) -> Board:
        """A copy of the board as it is now, without the tray."""
        return self.placements[: self.turns.shape[1]].copy()

    def members(self) -> list[NDArray[np.int32]]:
        """Positions of each non-empty group, ascending."""
        return [np.flatnonzero(self.groups == g).astype(np.int32) for g in np.unique(self.groups) if g >= 0]
