"""A walk of the slip backtracker: one partial board at a time, any order, any hints."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables
from matheur.problems.edge_matching.backtracking.walk import KernelWalk
from matheur.problems.edge_matching.instance import Board

__all__ = ["SlipWalk"]


class SlipWalk(KernelWalk):
    """Fills a board cell by cell; see `Walk`.

    Parameters
    ----------
    apart
        Whether no piece may have two mismatches.
    """

    try_cost, try_follows = 2.5, 1.15
    beginnings: tuple[int, ...] = ()

    def __init__(self, tables: SlipTables, apart: bool) -> None:
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.backtracking import slip_kernels as kernels

        self._kernels, self._tables, self._apart = kernels, tables, apart
        self.cells = cells = len(tables.order)
        self.fixed, self.mismatches = tables.fixed, tables.mismatches
        self._by_depth = {
            name: np.zeros(cells + 2, dtype=np.int64)
            for name in ("mask", "first", "cursor", "cost", "slips", "spent", "odd", "after")
        }
        self._by_depth["odd"][0] = tables.odd
        self._kind = np.zeros(len(tables.down), dtype=np.int64)
        self._choice, self._deepest = (np.zeros(cells + 1, dtype=np.int64) for _ in range(2))
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._spent: NDArray[np.int64] | None = None

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending these colours first; `first` is ignored, because there are no `beginnings`."""
        if self._spent is None or not np.array_equal(colours, self._spent):
            self._tables.exhaust(colours)
            self._spent = colours
        self._tables.shuffle(rng)
        self._state[:] = 0

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Continue to `limit` placements since `begin`, to a full board, or to the end."""
        tables, of = self._tables, self._by_depth
        self._kernels.advance(
            limit, tables.colours, tables.flips, self._apart, tables.live, tables.entries, tables.flip, tables.base,
            tables.above, tables.left, tables.corners, tables.ranges, tables.bit, allowed, quota, tables.down,
            tables.right, of["mask"], of["first"], of["cursor"], of["cost"], self._kind, of["slips"], of["spent"],
            of["odd"], of["after"], self._choice, self._deepest, self._state,
        )  # fmt: skip

    def beginning(self, cells: int) -> bytes | None:
        """A key of the first `cells` cells; None if they are not all filled without mismatches."""
        if self.depth < cells or self._by_depth["slips"][cells] > 0:
            return None
        return self._choice[:cells].tobytes()

    def board(self, cells: int) -> Board:
        """The present board of the first `cells` cells."""
        return self._filled(self._choice[:cells])

    def leave(self, cells: int) -> None:
        """Skip all other boards with the same first `cells` cells."""
        tables = self._tables
        self._kernels.leave(cells - 1, tables.flips, tables.live, tables.flip, self._choice, self._state)

    def slips(self, number: int) -> int:
        """Mismatches of full board `number` (from 0), without those of fixed pieces with each other."""
        return int(self._by_depth["slips"][self.cells])

    def full(self, number: int) -> Board:
        """The full board."""
        return self._filled(self._choice[: self.cells])

    def fullest(self) -> Board:
        """The fullest board since `begin`."""
        return self._filled(self._deepest[: self.deepest])

    def _filled(self, choice: NDArray[np.int64]) -> Board:
        board = self.fixed.copy()
        board[self._tables.order[: choice.size]] = self._tables.placements(choice)
        return board
