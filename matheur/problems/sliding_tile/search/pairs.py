"""Learnt values of pairs of tiles, which estimate how far the tables underestimate the distance of a board.

Sums of pattern databases ignore conflicts between tiles of different patterns. The estimate here is linear: a multiple
of the taxicab distance, a multiple of each partition's excess, and a value for every pair of tiles and their two cells,
as in n-tuple networks (Szubert and Jaskowski 2014). A slide moves one tile and the blank, so the number of changes
equals the number of cells; they are stored in one contiguous block of `changes`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sliding_tile.search.geometry import Geometry

__all__ = ["SCALE", "PairValues"]

SCALE = 64
"""Parts of a slide in which scores count."""

_AHEAD = 64  # slides added to every estimate to keep scores positive


@dataclass(frozen=True, eq=False)
class PairValues:
    """A learnt estimate, ready for `beam_kernels`.

    Attributes
    ----------
    weights
        int64[1 + partitions]: weights of the taxicab distance and of the half excess of each partition, times `SCALE`.
    values
        float32[tiles, cells, tiles, cells]: value of tile i in cell a and tile j in cell b, the blank being tile 0;
        symmetric.
    changes
        int16[tiles * cells * 4 * tiles * cells], times `SCALE`: for tile t that leaves cell a by a move of the blank m,
        the contribution of each tile in its cell. Tile 0: the contribution of the blank's move alone.
    constant
        Constant term, in slides.
    """

    weights: NDArray[np.int64]
    values: NDArray[np.float32]
    changes: NDArray[np.int16]
    constant: float

    @staticmethod
    def of(
        board: Geometry, distance: float, excesses: NDArray[np.float64], constant: float, values: NDArray[np.float32]
    ) -> PairValues:
        """Build the estimate from weights in slides."""
        cells = board.cells
        weights = np.rint(SCALE * np.array([distance, *excesses])).astype(np.int64)
        changes = np.zeros((cells, cells, 4, cells, cells), dtype=np.int16)
        for blank in range(cells):
            for move in range(4):
                origin = int(board.adjacent[blank, move])
                if origin < 0:
                    continue
                change = values[:, blank] - values[:, origin] + (values[0, origin] - values[0, blank])
                change[0] = values[0, origin] - values[0, blank]
                own = values[:, blank, 0, origin] - values[:, origin, 0, blank]
                change[:, 0] = 0.0
                tiles = np.arange(cells)
                change[tiles, tiles] = 0.0
                change[tiles[1:], tiles[1:], origin] = own[1:]
                limit = np.iinfo(np.int16).max
                changes[:, origin, move] = np.clip(np.rint(SCALE * change), -limit, limit)
        return PairValues(weights, values, changes.ravel(), constant)

    def total(self, cell_of: NDArray[np.uint8], unknown: int) -> int:
        """Constant plus the sum over all pairs, times `SCALE`, from the cells of all tiles; omits one tile's pairs."""
        tiles = np.array([tile for tile in range(len(cell_of)) if tile != unknown])
        cells = cell_of[tiles].astype(np.int64)
        pairs = self.values[tiles[:, None], cells[:, None], tiles, cells]
        return round(SCALE * (_AHEAD + self.constant + (pairs.sum() - np.trace(pairs)) / 2))
