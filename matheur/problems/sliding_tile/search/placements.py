"""States of a pattern: the set of occupied cells, the order of the tiles, and the region of the blank.

The blank moves at no cost inside its region of free cells, so a region is one state. All orders of the tiles over one
set of cells and one region form a row of bits. A slide maps a whole row to another one: the orders stay the same if the
tile passes no other tile (as in a horizontal slide), or are renumbered in the same way in every row. The search
therefore works on rows that fit into the fastest cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, sqrt

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sliding_tile.search import placements_kernels as kernels
from matheur.problems.sliding_tile.search.geometry import Geometry

__all__ = ["TILES_MAX", "Placements", "placements", "regions_of"]

TILES_MAX = 9
"""Tiles of a pattern."""


@dataclass(frozen=True, eq=False)
class Placements:
    """All placements of some tiles on a board.

    Attributes
    ----------
    sets
        uint64[sets]: the occupied cells as bits, ascending.
    bounds
        int32[sets + 1]: first row of each set.
    regions
        uint64[rows]: region of the blank in each row, as bits.
    begins, sources, rotated
        int32[rows + 1], int32[slides], int16[slides]: see `placements_kernels.slides`.
    maps
        uint32[m, orders]: renumberings of the orders.
    map_of
        int16[tiles * tiles]: index in `maps` for each rotation, -1 for the identity.
    orders
        uint8[orders, tiles]: tile in the first, second, ... occupied cell.
    """

    sets: NDArray[np.uint64]
    bounds: NDArray[np.int32]
    regions: NDArray[np.uint64]
    begins: NDArray[np.int32]
    sources: NDArray[np.int32]
    rotated: NDArray[np.int16]
    maps: NDArray[np.uint32]
    map_of: NDArray[np.int16]
    orders: NDArray[np.uint8]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.regions)

    @property
    def words(self) -> int:
        """Number of words in a row."""
        return -(-len(self.orders) // 64)

    def row_of(self, occupied: int, blank: int) -> int:
        """The row for a set of cells, as bits, and the blank's cell."""
        number = int(np.searchsorted(self.sets, np.uint64(occupied)))
        rows = range(int(self.bounds[number]), int(self.bounds[number + 1]))
        return next(row for row in rows if int(self.regions[row]) >> blank & 1)


def regions_of(cells: int, tiles: int) -> float:
    """Approximate mean number of regions of a set on a square board: free cells minus adjacent pairs of them."""
    free = cells - tiles
    pairs = 2 * (cells - sqrt(cells)) * free * (free - 1) / (cells * max(1, cells - 1))
    return max(1.2, free - pairs)


@lru_cache(maxsize=2)
def placements(board: Geometry, tiles: int) -> Placements:
    """The placements of 1 to `TILES_MAX` tiles on a board; at least one cell must stay free."""
    cells = board.cells
    bounds = np.empty(comb(cells, tiles) + 1, dtype=np.int32)
    kernels.bounds_of_rows(cells, tiles, board.touching, bounds)
    rows = int(bounds[-1])
    sets, regions = np.empty(len(bounds) - 1, dtype=np.uint64), np.zeros(rows, dtype=np.uint64)
    binomials = np.array([[comb(cell, i) for i in range(tiles + 1)] for cell in range(cells)], dtype=np.int64)
    begins = np.empty(rows + 1, dtype=np.int32)
    sources, rotated = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int16)
    for _ in range(2):
        many = kernels.slides(cells, tiles, board.touching, binomials, bounds, sets, regions, begins, sources, rotated)
        if sources.size == 0:
            sources, rotated = np.empty(many, dtype=np.int32), np.empty(many, dtype=np.int16)
    orders = np.empty((factorial(tiles), tiles), dtype=np.uint8)
    kernels.arrangements(orders)
    used = [one for one in np.unique(rotated).tolist() if one // tiles != one % tiles]
    map_of = np.full(tiles * tiles, -1, dtype=np.int16)
    map_of[used] = np.arange(len(used))
    maps = np.empty((max(1, len(used)), len(orders)), dtype=np.uint32)
    for number, one in enumerate(used):
        kernels.rotations(orders, one // tiles, one % tiles, maps[number])
    return Placements(sets, bounds, regions, begins, sources, rotated, maps, map_of, orders)
