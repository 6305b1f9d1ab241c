"""Moves of pieces over vertices, for the model `matheur.models.planning`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.plans.relocations import Regions

__all__ = ["tile_regions"]


class _Tiles(Regions):
    """Piece i is tile i + 1; component c of a state is the tile in cell c."""

    def places(self, state: NDArray[np.uint8]) -> tuple[int, ...]:
        """The cell of each tile."""
        return tuple(int(cell) for cell in np.argsort(state)[1:])

    def state(self, places: tuple[int, ...]) -> NDArray[np.uint8]:
        """The inverse of `places`."""
        tiles = np.zeros(self.vertices, dtype=np.uint8)
        tiles[list(places)] = np.arange(1, self.vertices)
        return tiles


def tile_regions(problem: Any) -> Regions:
    """Cells of a board, and pairs of neighbouring ones."""
    rows, columns = problem.instance.rows, problem.instance.columns
    across = [(cell, cell + 1) for cell in range(rows * columns) if (cell + 1) % columns]
    down = [(cell, cell + columns) for cell in range((rows - 1) * columns)]
    return _Tiles(rows * columns, tuple(across + down))
