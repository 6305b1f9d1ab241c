"""Look-ups of several partitions of the tiles at once, which guide heuristic searches.

A pattern whose tiles do not cut the board in two has the same table as its images under the symmetries of the board,
since the blank reaches all cells that the pattern leaves free. Images therefore share one table, and such a pattern
needs one table for up to eight placements. On square boards, each partition is also looked up for the transposed board.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.announcing import announce
from matheur.engine.budget import Budget
from matheur.problems.sliding_tile.search.beam_kernels import sums_of_lookups, value_of_lookup
from matheur.problems.sliding_tile.search.databases import Progress, database
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.pairs import PairValues
from matheur.problems.sliding_tile.search.partitions import largest_size, partition

__all__ = ["Guide", "Lookups", "canonical", "guide_by_name", "guide_of"]

AUTO_GUIDES: dict[tuple[int, int], str] = {
    (5, 5): "6-6-6-6",
    (6, 6): "5-5-5-5-5-5-5",
    (7, 7): "4-4-4-4-4-4-4-4-4-4-4-4",
    (8, 8): "4",
}
"""Partitions of `auto` by size of the board, built in seconds; others take the largest blocks of some memory."""


@dataclass(frozen=True, eq=False)
class Lookups:
    """Tables of the values of the patterns; arrays as in `beam_kernels.children`.

    Attributes
    ----------
    lookup_of
        int64[partitions, cells].
    begins, members, maps, offsets, packed
        Tiles, maps of cells and tables of the look-ups; the last one has no tiles and is always 0.
    anywhere
        bool[lookups]: whether the values hold for any goal of the blank, since the free cells of the pattern are
        connected.
    """

    lookup_of: NDArray[np.int64]
    begins: NDArray[np.int64]
    members: NDArray[np.int64]
    maps: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    packed: NDArray[np.uint8]
    anywhere: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Guide:
    """Look-ups on a board.

    Attributes
    ----------
    board
        The geometry.
    lookups
        Look-ups of all partitions.
    distance
        int64[cells, cells]: taxicab distance of each tile in each cell from its goal.
    pairs
        Learnt values of pairs of tiles, or None.
    unknown
        A tile whose pairs are ignored, or -1.
    """

    board: Geometry
    lookups: Lookups
    distance: NDArray[np.int64]
    pairs: PairValues | None = None
    unknown: int = -1

    @property
    def partitions(self) -> int:
        """Number of partitions, transposed ones included."""
        return len(self.lookups.lookup_of)

    def values(self, cell_of: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Half excess of every look-up for a board, given by the cell of each tile."""
        one = self.lookups
        parts = (one.begins, one.members, one.maps, one.offsets, one.packed)
        return np.array([value_of_lookup(cell_of, i, *parts) for i in range(len(one.offsets))], dtype=np.uint8)

    def sums(self, values: NDArray[np.uint8]) -> NDArray[np.int32]:
        """Half excess by partition."""
        used = [np.unique(row[1:]) for row in self.lookups.lookup_of]
        return np.array([values[lookups].sum(dtype=np.int64) for lookups in used], dtype=np.int32)

    def mean_excess(self, cells_of: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Mean excess of all partitions, float64[n], of boards given by the cells of all tiles, uint8[n, cells]."""
        one = self.lookups
        halves = sums_of_lookups(cells_of, one.begins, one.members, one.maps, one.offsets, one.packed)
        return np.asarray(2.0 * halves / self.partitions)

    def toward(self, target: Sequence[int]) -> tuple[Guide, NDArray[np.int64]]:
        """The guide to another arrangement, and the new number of each tile.

        Tiles are renumbered by their target cells. If the blank's target differs from its cell at the goal of the
        board, the tile whose target is that cell gets the remaining number. For the pattern of this number, and for
        patterns whose values depend on the blank, only taxicab distances are used.
        """
        board, one = self.board, self.lookups
        labels = np.empty(board.cells, dtype=np.int64)
        labels[np.asarray(target)] = board.target
        blank = int(labels[0])
        if blank == 0:
            return self, labels
        corner = int(board.home[0])
        labels[target[corner]], labels[0] = blank, 0
        distance = self.distance.copy()
        # The taxicab distance to the blank's corner is not stored in the geometry.
        row, column = np.divmod(np.arange(board.cells), board.columns)
        distance[blank] = abs(row - corner // board.columns) + abs(column - corner % board.columns)
        lookup_of = one.lookup_of.copy()
        nothing = len(one.offsets) - 1
        for own in lookup_of:
            own[(own == own[blank]) | ~one.anywhere[own]] = nothing
        return Guide(board, replace(one, lookup_of=lookup_of), distance, self.pairs, blank), labels


_guides: dict[tuple[Geometry, str], Guide] = {}
_AUTO_BYTES = 24 << 20  # bytes of the tables of boards without a named partition


def guide_by_name(board: Geometry, names: str, *, budget: Budget | None = None) -> Guide | None:
    """The guide for named partitions, joined by `+`, or `auto`; None if the budget ended first.

    Raises
    ------
    ConfigurationError
        If there is no such partition.
    """
    if (board, names) not in _guides:
        known = AUTO_GUIDES.get((board.rows, board.columns), str(largest_size(board, _AUTO_BYTES)))
        chosen = (known if names == "auto" else names).split("+")
        made = guide_of(board, [partition(board, name) for name in chosen], budget=budget, progress=announce)
        if made is None:
            return None
        _guides[board, names] = made
    return _guides[board, names]


def guide_of(
    board: Geometry,
    partitions: Sequence[Sequence[Sequence[int]]],
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Guide | None:
    """The guide of some partitions, with tables from the user's cache if available; None if the budget ended first.

    Parameters
    ----------
    partitions
        Partitions, each a list of patterns that together contain every tile once.
    """
    tables: dict[tuple[int, ...], tuple[int, NDArray[np.uint8]]] = {}
    lookup_of: list[NDArray[np.int64]] = []
    maps: list[NDArray[np.int64]] = []
    members: list[int] = []
    offsets: list[int] = []
    anywhere: list[bool] = []
    begins = [0]
    size = 0
    sides = 1 if board.mirror_cell is None else 2
    for patterns in partitions:
        for side in range(sides):
            row = np.zeros(board.cells, dtype=np.int64)
            for pattern in patterns:
                tiles, own, cells = canonical(board, pattern)
                if tiles not in tables:
                    made = database(board, tiles, budget=budget, progress=progress)
                    if made is None:
                        return None
                    tables[tiles] = (size, made.packed)
                    size += made.packed.size
                if side == 1:
                    assert board.mirror_cell is not None
                    assert board.mirror_tile is not None
                    own = np.argsort(board.mirror_tile)[own]
                    cells = cells[board.mirror_cell]
                row[own] = len(offsets)
                members += own.tolist()
                begins.append(len(members))
                maps.append(cells)
                anywhere.append(_leaves_one_piece(board, pattern))
                offsets.append(tables[tiles][0])
            lookup_of.append(row)
    begins.append(len(members))
    maps.append(np.arange(board.cells))
    offsets.append(size)
    packed = np.concatenate([*(table for _, table in tables.values()), np.zeros(1, dtype=np.uint8)])
    lookups = Lookups(
        np.array(lookup_of), np.array(begins, dtype=np.int64), np.array(members, dtype=np.int64),
        np.array(maps, dtype=np.uint8), np.array(offsets, dtype=np.int64), packed, np.array([*anywhere, True]),
    )  # fmt: skip
    return Guide(board, lookups, board.distance)


def canonical(board: Geometry, pattern: Sequence[int]) -> tuple[tuple[int, ...], NDArray[np.int64], NDArray[np.int64]]:
    """The representative pattern whose table is used for this one.

    Returns
    -------
    tuple
        Its tiles, ascending; the corresponding tiles of `pattern`; the map of cells int64[cells].
    """
    own = np.array(sorted(pattern), dtype=np.int64)
    best = tuple(own.tolist()), own, np.arange(board.cells)
    if not _leaves_one_piece(board, pattern):
        return best
    for image in _symmetries(board.rows, board.columns):
        tiles = board.target[image[board.home[own]]]
        ascending = tuple(sorted(tiles.tolist()))
        if 0 not in ascending and ascending < best[0]:
            best = ascending, own[np.argsort(tiles)], image
    return best


def _symmetries(rows: int, columns: int) -> list[NDArray[np.int64]]:
    """Symmetries as maps from cell to cell, the identity first."""
    grid = np.arange(rows * columns).reshape(rows, columns)
    images = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if rows == columns:
        images += [image.T for image in images]
    return [image.ravel() for image in images]


def _leaves_one_piece(board: Geometry, pattern: Sequence[int]) -> bool:
    """Whether the cells that the pattern leaves free at the goal are connected."""
    free = set(range(board.cells)) - {int(board.home[tile]) for tile in pattern}
    waiting = [next(iter(free))]
    free.remove(waiting[0])
    while waiting:
        for cell in board.adjacent[waiting.pop()].tolist():
            if cell in free:
                free.remove(cell)
                waiting.append(cell)
    return not free
