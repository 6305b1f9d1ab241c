"""A walk of the layered backtracker: many partial boards at once, row by row."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_tables import LayerTables, UnfitError
from matheur.problems.edge_matching.backtracking.narrow_tables import NarrowTables
from matheur.problems.edge_matching.backtracking.walk import KernelWalk
from matheur.problems.edge_matching.backtracking.wide_tables import WideTables
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["LayerWalk", "layer_tables"]

_FULL = 512  # rows per layer; 256 to 2,048 are equally fast
_COPIES = 4  # maximum rows from one row, because of pieces that fit in several rotations


def layer_tables(instance: Instance, order: NDArray[np.int64], look_ahead: bool = True) -> LayerTables | None:
    """The fastest tables that accept a puzzle and an order of its cells; None if there are none."""
    for kind in (NarrowTables, WideTables):
        try:
            return kind(instance, order, look_ahead)
        except UnfitError:
            continue
    return None


class LayerWalk(KernelWalk):
    """Fills boards layer by layer; see `Walk`.

    Attributes
    ----------
    placed
        Number of placements by depth, shape (cells,), over all calls of `begin`.
    """

    try_follows = 0.35

    def __init__(self, tables: LayerTables) -> None:
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.backtracking import layer_rows

        self._kernels, self._layer_rows, self._tables = tables.kernels, layer_rows, tables
        kernels = self._kernels
        self.cells = cells = len(tables.order)
        self.fixed, self.mismatches, self.try_cost = tables.hinted, 0, tables.try_cost
        self._width = width = _COPIES * (_FULL + kernels.ROOM)
        self._rows = np.zeros(kernels.WORDS * (width * (cells + 1) + _FULL + kernels.ROOM), dtype=np.uint64)
        tables.reserve(width)
        self._listed = np.zeros(width, dtype=np.uint64)
        self._count, self._at_row = np.zeros(cells + 1, dtype=np.int64), np.zeros(cells + 1, dtype=np.int64)
        self._chain = np.zeros((cells + 1, kernels.WORDS), dtype=np.uint64)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self.placed: NDArray[np.int64] = np.zeros(cells, dtype=np.int64)
        self._allowed: NDArray[np.int64] | None = None

    @property
    def beginnings(self) -> tuple[int, ...]:
        """Pieces that fit in the first cell, which divide all boards into parts."""
        return self._tables.beginnings

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending these colours first, with piece `first` in the first cell if it is given."""
        self.spend(colours)
        self._begin(rng, first, None)

    def spend(self, colours: NDArray[np.int64]) -> None:
        """Set the colours to spend first from the next beginning onwards."""
        self._tables.exhaust(colours)

    def begin_behind(self, board: Board, rng: Generator) -> None:
        """Begin again after given first cells, spending the same colours."""
        self._begin(rng, None, board)

    def _begin(self, rng: Generator, first: int | None, board: Board | None) -> None:
        self._tables.start(rng, first, board)
        self._state[:] = 0
        self._count[:] = self._at_row[:] = 0
        rows: NDArray[np.uint64] = self._tables.first
        self._count[0] = len(rows)
        self._rows[: rows.size] = rows.ravel()
        self._chain[0] = rows[0]
        self._allowed = None  # the next `advance` drops rows for which nothing fits

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Continue to `limit` placements since `begin`, to full boards, or to the end."""
        tables = self._tables
        if self._allowed is not allowed:
            self._allowed = allowed
            words, fits = self._kernels.WORDS, tables.FITS
            self._layer_rows.drop(allowed, self._width, words, fits, self._rows, self._count, self._at_row)
        self._kernels.advance(
            limit, _FULL, self._width, int(allowed[-1]), tables.colours, *tables.arguments, allowed, quota, self._rows,
            self._listed, self._count, self._at_row, self._chain.ravel(), self.placed, self._state,
        )  # fmt: skip

    def slips(self, number: int) -> int:
        """Mismatches of full board `number` (from 0)."""
        place = (self.cells * self._width + number) * self._kernels.WORDS
        return int(self._rows[place + self._tables.FRAME]) >> self._kernels.USED_AT

    def full(self, number: int) -> Board:
        """Full board `number` (from 0)."""
        chain = np.zeros_like(self._chain)
        row = self.cells * self._width + number
        kernels = self._kernels
        self._layer_rows.remember(
            row, self.cells, kernels.WORDS, kernels.ORIGIN_BITS, kernels.ORIGIN_SCALE, self._rows, chain.ravel()
        )
        return self._tables.board(chain, self.cells)

    def fullest(self) -> Board:
        """The fullest board since `begin`."""
        return self._tables.board(self._chain, self.deepest)
