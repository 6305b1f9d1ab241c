"""A walk in two stages: the first cells one board at a time, the rest of each such beginning many at a time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.operators.edge_matching.layer_tables import LayerTables
from matheur.operators.edge_matching.layer_walk import LayerWalk
from matheur.operators.edge_matching.slip_tables import SlipTables
from matheur.operators.edge_matching.slip_walk import SlipWalk
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["StagedWalk", "layered"]

_PART = 4  # of the placements in the rest, as many as may be in the first stage: each takes three times as long


def layered(instance: Instance, tables: LayerTables, patience: int = 0) -> LayerWalk | StagedWalk:
    """The walk for such tables: in two stages where the puzzle has too many pieces for one."""
    return LayerWalk(tables) if tables.whole else StagedWalk(instance, tables, patience)


class StagedWalk:
    """Fills boards that have more pieces than a word has bits; see `walk.Walk`.

    The first cells, so many that the rest fits in the words of the layered backtracker, are filled without mismatches
    by the slip backtracker. Each such beginning is continued by layers until there is nothing left to try.

    Parameters
    ----------
    tables
        Those of the rest, with `first_cells`.
    patience
        Placements in the first stage after which it is given up, but not before they are a quarter of those in the
        rest; 0 for never.
    """

    try_cost, try_follows = LayerWalk.try_cost, LayerWalk.try_follows
    beginnings: tuple[int, ...] = ()

    def __init__(self, instance: Instance, tables: LayerTables, patience: int = 0) -> None:
        self._patience = patience
        self._first = SlipWalk(SlipTables(instance, tables.first_cells, 0), False)
        self._rest = LayerWalk(tables)
        self._stage = self._first.cells  # cells of the first stage
        self._none = np.zeros(self._stage + 1, dtype=np.int64)
        self.cells = self._stage + self._rest.cells
        self.fixed, self.mismatches = tables.hinted, 0
        self._allowed: NDArray[np.int64] | None = None
        self._allowed_then = self._none
        self._clear()

    def _clear(self) -> None:
        self._continuing = False  # whether the rest of a beginning is open
        self._nodes = self._tries = 0  # in the rest of beginnings that were left
        self._deepest, self._fullest = 0, self.fixed
        self.found = 0

    @property
    def sides(self) -> int:
        """Sides of fixed pieces with the colours that are spent."""
        return self._first.sides

    @property
    def nodes(self) -> int:
        """Placements since it began."""
        return self._first.nodes + self._nodes + (self._rest.nodes if self._continuing else 0)

    @property
    def tries(self) -> int:
        """Words that were looked up for a mismatch since it began."""
        return self._tries + (self._rest.tries if self._continuing else 0)

    @property
    def depth(self) -> int:
        """Cells that are filled now beyond the fixed ones."""
        return self._stage + self._rest.depth if self._continuing else max(0, self._first.depth)

    @property
    def deepest(self) -> int:
        """The most of them since it began."""
        now = self._stage + self._rest.deepest if self._continuing else 0
        return max(self._first.deepest, self._deepest, now)

    @property
    def ended(self) -> bool:
        """Whether all was tried."""
        return not self._continuing and self._first.ended

    @property
    def stuck(self) -> bool:
        """Whether it is given up, though not all was tried."""
        return not self._continuing and self._patience > 0 and self._first.nodes >= self._longest

    @property
    def _longest(self) -> int:
        """Placements of the first stage at which it is given up."""
        return max(self._patience, self._nodes // _PART)

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending such colours first; `first` is ignored, as there are no `beginnings`."""
        self._first.begin(colours, rng)
        self._rest.spend(colours)
        self._rng = rng
        self._clear()

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Go on until so many placements since it began, full boards, or the end.

        What is allowed in the first stage does not count: there are no mismatches.
        """
        if self._allowed is not allowed:
            self._allowed, self._allowed_then = allowed, allowed[self._stage :]
        self.found = 0
        while self.nodes < limit and not (self.found or self.ended or self.stuck):
            if self._continuing:
                before = self.nodes - self._rest.nodes
                self._rest.advance(limit - before, self._allowed_then, quota[self._stage :])
                self.found = self._rest.found
                if self._rest.ended and not self.found:
                    self._leave()
            else:
                first = limit - self._nodes
                self._first.advance(min(first, self._longest) if self._patience else first, self._none, quota)
                if self._first.found:
                    self._rest.begin_behind(self._first.full(0), self._rng)
                    self._continuing = True

    def _leave(self) -> None:
        """Look for another beginning."""
        if self.deepest > max(self._first.deepest, self._deepest):
            self._deepest, self._fullest = self.deepest, self._rest.fullest()
        self._nodes += self._rest.nodes
        self._tries += self._rest.tries
        self._continuing = False

    def slips(self, number: int) -> int:
        """Mismatches of the full board of that number (from 0)."""
        return self._rest.slips(number)

    def full(self, number: int) -> Board:
        """That board."""
        return self._rest.full(number)

    def fullest(self) -> Board:
        """The fullest board since it began."""
        deepest = self.deepest
        if self._deepest == deepest:
            return self._fullest
        return self._first.fullest() if self._first.deepest == deepest else self._rest.fullest()
