"""A board as arrays: adjacent cells, goal cells of the tiles, and the mirror image of the board."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sliding_tile.instance import goal_tiles

__all__ = ["Geometry", "geometry"]

# Origin of the sliding tile relative to the blank, by move (U D L R): rows down, columns right.
_FROM = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True, eq=False)
class Geometry:
    """Size and goal of a board.

    Attributes
    ----------
    rows, columns, goal
        Size and goal, as in the instance.
    target
        Tile of each cell at the goal, int64[cells].
    home
        Cell of each tile at the goal, int64[cells].
    adjacent
        int64[cells, 4]: for a blank in each cell and move m, the cell whose tile slides into it, -1 outside the board.
    touching
        uint64[cells]: the neighbours of each cell, as bits.
    distance
        int64[cells, cells]: taxicab distance of tile t in cell c from its goal cell; 0 for the blank.
    mirror_cell, mirror_tile
        Reflection in the main diagonal, for square boards with the blank's goal on it, else None: tile t in cell c has
        the same distance from its goal, and the same moves, as tile `mirror_tile[t]` in cell `mirror_cell[c]`.
    """

    rows: int
    columns: int
    goal: str
    target: NDArray[np.int64]
    home: NDArray[np.int64]
    adjacent: NDArray[np.int64]
    touching: NDArray[np.uint64]
    distance: NDArray[np.int64]
    mirror_cell: NDArray[np.int64] | None
    mirror_tile: NDArray[np.int64] | None

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns


@lru_cache(maxsize=32)
def geometry(rows: int, columns: int, goal: str) -> Geometry:
    """The geometry of a board."""
    cells = rows * columns
    target = np.array(goal_tiles(cells, goal), dtype=np.int64)
    home = np.empty(cells, dtype=np.int64)
    home[target] = np.arange(cells)
    adjacent = np.full((cells, 4), -1, dtype=np.int64)
    for cell in range(cells):
        for move, (down, right) in enumerate(_FROM):
            row, column = cell // columns + down, cell % columns + right
            if 0 <= row < rows and 0 <= column < columns:
                adjacent[cell, move] = row * columns + column
    touching = [sum(1 << int(other) for other in adjacent[cell] if other >= 0) for cell in range(cells)]
    down_of, right_of = np.divmod(np.arange(cells), columns)
    distance = np.abs(down_of[None] - down_of[home][:, None]) + np.abs(right_of[None] - right_of[home][:, None])
    distance[0] = 0
    mirror_cell = mirror_tile = None
    if rows == columns and home[0] % (columns + 1) == 0:  # the reflection keeps the blank's goal cell fixed
        mirror_cell = right_of * columns + down_of
        mirror_tile = target[mirror_cell[home]]
    return Geometry(
        rows, columns, goal, target, home, adjacent, np.array(touching, dtype=np.uint64), distance, mirror_cell,
        mirror_tile,
    )  # fmt: skip


def boards_along(board: Geometry, tiles: Sequence[int], plan: NDArray[np.int32]) -> NDArray[np.int64]:
    """The boards along a plan, int64[moves + 1, cells]."""
    boards = np.empty((len(plan) + 1, board.cells), dtype=np.int64)
    boards[0] = tiles
    blank = int(np.argmin(boards[0]))
    for step, move in enumerate(plan.tolist()):
        origin = int(board.adjacent[blank, move])
        boards[step + 1] = boards[step]
        boards[step + 1, [blank, origin]] = boards[step, [origin, blank]]
        blank = origin
    return boards
