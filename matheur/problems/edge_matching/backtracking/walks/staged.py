"""A walk in two stages: one partial board at a time until a beginning takes long, then many at a time."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.layer_tables import LayerTables
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk
from matheur.problems.edge_matching.backtracking.walks.single import SlipWalk
from matheur.problems.edge_matching.instance import Board

__all__ = ["StagedWalk"]

_STAY = 50_000  # placements, about a millisecond: the cost of preparing the tables of a beginning
_PART = 4  # layered placements per placement made one by one, which takes three times as long


class StagedWalk:
    """Fills boards that have more pieces than the words of a row have bits; see `Walk`.

    The slip backtracker searches as usual. When it has stayed long with the same first cells, enough of them that the
    free pieces fit in words, the layered backtracker searches everything that these cells allow, and the slip
    backtracker then continues after them. Placements made since it reached these cells are thus repeated, and a full
    board may be found twice.

    Parameters
    ----------
    one, many
        Slip and layered backtracker, for the same order of the cells.
    tables
        Tables of the layered backtracker.
    patience
        Placements one by one after which the walk gives up, but not before they are a quarter of the layered ones; 0
        for never.
    """

    beginnings: tuple[int, ...] = ()

    def __init__(self, one: SlipWalk, many: LayerWalk, tables: LayerTables, patience: int = 0) -> None:
        self._one, self._many, self._tables, self._patience = one, many, tables, patience
        self.cells, self.fixed, self.mismatches = one.cells, one.fixed, one.mismatches
        self.try_cost, self.try_follows = many.try_cost, many.try_follows
        given = tables.hinted >= 0
        self._stage = int((~given[tables.first_cells]).sum())  # number of cells of a beginning
        # The layered backtracker lays hints beyond the first cells, which are no cells of the slip backtracker.
        self._filled = self._stage + np.append(0, np.cumsum(~given[tables.order]))
        self._allowed: NDArray[np.int64] | None = None
        self._allowed_then = np.zeros(0, dtype=np.int64)
        self._clear()

    def _clear(self) -> None:
        self._layered = False  # whether a beginning is continued by layers
        self._nodes = self._tries = 0  # of completed layered beginnings
        self._deepest, self._fullest = 0, self.fixed
        self._beginning: bytes | None = None
        self._look = _STAY
        self.found = 0

    @property
    def sides(self) -> int:
        """Number of sides of fixed pieces with the colours that are spent."""
        return self._one.sides

    @property
    def nodes(self) -> int:
        """Number of placements since `begin`."""
        return self._one.nodes + self._nodes + (self._many.nodes if self._layered else 0)

    @property
    def tries(self) -> int:
        """Number of words looked up for a mismatch since `begin`."""
        return self._one.tries + self._tries + (self._many.tries if self._layered else 0)

    @property
    def depth(self) -> int:
        """Number of cells filled now, without the fixed ones."""
        return int(self._filled[self._many.depth]) if self._layered else self._one.depth

    @property
    def deepest(self) -> int:
        """Maximum of `depth` since `begin`."""
        now = int(self._filled[self._many.deepest]) if self._layered else 0
        return max(self._one.deepest, self._deepest, now)

    @property
    def ended(self) -> bool:
        """Whether everything was tried."""
        return not self._layered and self._one.ended

    @property
    def stuck(self) -> bool:
        """Whether the walk gives up before everything was tried."""
        return not self._layered and self._patience > 0 and self._one.nodes >= self._longest

    @property
    def _longest(self) -> int:
        """Number of placements one by one at which the walk gives up."""
        return max(self._patience, self._nodes // _PART)

    def begin(self, colours: NDArray[np.int64], rng: Generator, first: int | None = None) -> None:
        """Begin again, spending these colours first; `first` is ignored, because there are no `beginnings`."""
        self._one.begin(colours, rng)
        self._many.spend(colours)
        self._rng = rng
        self._clear()

    def advance(self, limit: int, allowed: NDArray[np.int64], quota: NDArray[np.int64]) -> None:
        """Continue to `limit` placements since `begin`, to full boards, or to the end."""
        if self._allowed is not allowed:
            self._allowed, self._allowed_then = allowed, allowed[self._filled]
        quota_then = quota[self._filled]
        self.found = 0
        while self.nodes < limit and not (self.found or self.ended or self.stuck):
            if self._layered:
                before = self.nodes - self._many.nodes
                self._many.advance(limit - before, self._allowed_then, quota_then)
                self.found = self._many.found
                if self._many.ended and not self.found:
                    self._go_on()
            else:
                bounds = [limit - self._nodes, self._look, *[self._longest] * (self._patience > 0)]
                self._one.advance(min(bounds), allowed, quota)
                self.found = self._one.found
                if self._one.nodes >= self._look and not self.found:
                    self._hand_over()

    def _hand_over(self) -> None:
        """Continue the beginning by layers, if it is the same as at the last check."""
        before, self._beginning = self._beginning, self._one.beginning(self._stage)
        self._look = self._one.nodes + _STAY
        if self._beginning is not None and self._beginning == before:
            self._many.begin_behind(self._one.board(self._stage), self._rng)
            self._layered = True

    def _go_on(self) -> None:
        """Leave a beginning that was tried completely."""
        if self.deepest > max(self._one.deepest, self._deepest):
            self._deepest, self._fullest = self.deepest, self._many.fullest()
        self._nodes += self._many.nodes
        self._tries += self._many.tries
        self._layered, self._beginning = False, None
        self._one.leave(self._stage)
        self._look = self._one.nodes + _STAY

    def slips(self, number: int) -> int:
        """Mismatches of full board `number` (from 0)."""
        return self._many.slips(number) if self._layered else self._one.slips(number)

    def full(self, number: int) -> Board:
        """Full board `number` (from 0)."""
        return self._many.full(number) if self._layered else self._one.full(number)

    def fullest(self) -> Board:
        """The fullest board since `begin`."""
        deepest = self.deepest
        if self._deepest == deepest:
            return self._fullest
        return self._one.fullest() if self._one.deepest == deepest else self._many.fullest()
