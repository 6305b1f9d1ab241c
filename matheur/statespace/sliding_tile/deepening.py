"""Iterative deepening A* for sliding tiles: additive pattern databases, kept up to date slide by slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.pace import Pace, limit_reached
from matheur.statespace.sliding_tile.automaton import automaton
from matheur.statespace.sliding_tile.databases import Database
from matheur.statespace.sliding_tile.deepening_kernels import (
    DEPTH,
    DISTANCE,
    DONE,
    EXCESS,
    FOUND,
    MIRRORED,
    NEXT,
    NODES,
    NUMBERS,
    PAUSED,
    THRESHOLD,
    deepen,
    value_of,
)
from matheur.statespace.sliding_tile.geometry import Geometry

__all__ = ["Estimator", "ida_star_tiles"]

_DEPTH = 1 << 12
_NEVER = 1 << 30


@dataclass(frozen=True, eq=False)
class Estimator:
    """Databases of disjoint patterns that cover all tiles, in one array.

    Attributes
    ----------
    board
        The geometry.
    group_of
        Pattern of each tile, int64[cells].
    members, begins
        Tiles of all patterns on end, and where each pattern begins.
    offsets
        Where each table begins in `packed`.
    packed
        All tables.
    mirrored
        Whether the mirrored board is looked up, too.
    """

    board: Geometry
    group_of: NDArray[np.int64]
    members: NDArray[np.int64]
    begins: NDArray[np.int64]
    offsets: NDArray[np.int64]
    packed: NDArray[np.uint8]
    mirrored: bool

    @staticmethod
    def of(board: Geometry, databases: Sequence[Database], *, mirrored: bool = True) -> Estimator:
        """Put databases together.

        Raises
        ------
        ValueError
            If they do not partition the tiles.
        """
        tiles = [tile for one in databases for tile in one.tiles]
        if sorted(tiles) != list(range(1, board.cells)):
            raise ValueError("the patterns must hold every tile once")
        group_of = np.zeros(board.cells, dtype=np.int64)
        for number, one in enumerate(databases):
            group_of[list(one.tiles)] = number
        begins = np.cumsum([0, *(len(one.tiles) for one in databases)]).astype(np.int64)
        offsets = np.cumsum([0, *(one.packed.size for one in databases)])[:-1].astype(np.int64)
        packed = np.concatenate([one.packed for one in databases])
        members = np.array(tiles, dtype=np.int64)
        return Estimator(board, group_of, members, begins, offsets, packed, mirrored and board.mirror_cell is not None)

    def halves(self, cell_of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Half excess of each pattern."""
        tables = (self.members, self.begins, self.offsets, self.packed, self.board.cells)
        return np.array([value_of(group, cell_of, *tables) for group in range(len(self.offsets))], dtype=np.int64)


def ida_star_tiles(
    estimator: Estimator,
    tiles: Sequence[int],
    *,
    budget: Budget | None = None,
    on_bound: Callable[[int], None] | None = None,
) -> SearchAnswer:
    """An optimal plan for a board that can be solved.

    Parameters
    ----------
    tiles
        Row by row, 0 = blank.
    budget
        A unit of work is a slide looked at.
    on_bound
        Called with every new lower bound.

    Returns
    -------
    SearchAnswer
        Its moves are those of the problem (U D L R). A board that cannot be solved runs to the budget's end: look at
        its parity first.
    """
    budget = Budget() if budget is None else budget
    return _Search(estimator, np.array(tiles, dtype=np.int64)).run(budget, on_bound)


class _Search:
    """An iterative deepening under way."""

    def __init__(self, estimator: Estimator, tiles: NDArray[np.int64]) -> None:
        board = estimator.board
        self.estimator, self.tiles = estimator, tiles
        self.cell_of = np.empty(board.cells, dtype=np.int64)
        self.cell_of[tiles] = np.arange(board.cells)
        empty = np.empty(0, dtype=np.int64)
        self.mirror = (empty, empty)
        self.mirrored = self.cell_of.copy()
        if estimator.mirrored and board.mirror_cell is not None and board.mirror_tile is not None:
            self.mirror = (board.mirror_cell, board.mirror_tile)
            self.mirrored[board.mirror_tile] = board.mirror_cell[self.cell_of]
        self.values = estimator.halves(self.cell_of)
        self.mirrored_values = estimator.halves(self.mirrored)
        self.distance = int(sum(board.distance[tile, cell] for cell, tile in enumerate(tiles.tolist())))
        self.stack = np.zeros((_DEPTH, 7), dtype=np.int64)
        self.numbers = np.zeros(NUMBERS, dtype=np.int64)
        self.nodes = 0

    def run(self, budget: Budget, on_bound: Callable[[int], None] | None) -> SearchAnswer:
        begun, pace = budget.clock(), Pace(budget)
        excess, mirrored = int(self.values.sum()), int(self.mirrored_values.sum())
        threshold = self.distance + 2 * max(excess, mirrored)
        if self.distance == 0:
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        answer, limit, bound = DONE, None, 0
        while answer == DONE and limit is None:
            bound = threshold
            if on_bound is not None:
                on_bound(bound)
            self.numbers[:] = 0
            self.numbers[[THRESHOLD, NEXT, EXCESS, MIRRORED, DISTANCE]] = (
                threshold, _NEVER, excess, mirrored, self.distance,
            )  # fmt: skip
            self.stack[0] = 0
            self.stack[0, 0] = self.cell_of[0] if self.tiles[self.cell_of[0]] == 0 else int(np.argmin(self.tiles))
            answer, limit = self._iterate(pace)
            threshold = int(self.numbers[NEXT])
        plan = self._plan() if answer == FOUND else None
        return SearchAnswer(
            plan=plan,
            cost=None if plan is None else len(plan),
            bound=bound,
            unreachable=False,
            limit=limit,
            expanded=self.nodes,
            generated=self.nodes,
            stored=0,
            memory=self.estimator.packed.nbytes + self.stack.nbytes,
            seconds=budget.clock() - begun,
        )

    def _iterate(self, pace: Pace) -> tuple[int, str | None]:
        """One iteration in slices; returns how it ended and the limit that ended it."""
        one, board = self.estimator, self.estimator.board
        while True:
            limit = limit_reached(pace.budget)
            if limit is not None:
                return PAUSED, limit
            before = int(self.numbers[NODES])
            answer = deepen(
                pace.next(), self.tiles, self.cell_of, self.mirrored, self.values, self.mirrored_values,
                board.adjacent, board.distance, *self.mirror, one.group_of, one.members, one.begins, one.offsets,
                one.packed, automaton(), self.stack, self.numbers,
            )  # fmt: skip
            done = int(self.numbers[NODES]) - before
            self.nodes += done
            pace.done(done)
            if answer != PAUSED:
                return int(answer), None

    def _plan(self) -> NDArray[np.int32]:
        """The moves on the stack: each level knows which one it tries next."""
        depth = int(self.numbers[DEPTH])
        return (self.stack[:depth, 1] - 1).astype(np.int32)
