"""Iterative deepening A* for sliding tiles: additive pattern databases, kept up to date slide by slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import perm

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.problems.sliding_tile.search.automaton import automaton
from matheur.problems.sliding_tile.search.database_kernels import rank_of
from matheur.problems.sliding_tile.search.databases import Database
from matheur.problems.sliding_tile.search.deepening_kernels import (
    CEILING,
    COLUMNS,
    CUT,
    DEPTH,
    DISTANCE,
    EXCESS,
    FLOOR,
    FOUND,
    MIRRORED,
    NEXT,
    NODES,
    NUMBERS,
    PAUSED,
    THRESHOLD,
    deepen,
)
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.splitting import Shared, search_subtrees

__all__ = ["Estimator", "ida_star_tiles"]

_NEVER = 1 << 30
_SLICE = 1 << 19  # nodes of a thread between checks of the other threads' results
_SPLIT = 1 << 18  # nodes of an iteration after which the next one is split
_SUBTREES = 100  # at least this many, if the depths below allow it
_PLIES = range(6, 31, 3)


@dataclass(frozen=True, eq=False)
class Estimator:
    """Databases of disjoint patterns that cover all tiles, in one array.

    Attributes
    ----------
    board
        The geometry.
    members, begins
        Tiles of all patterns, concatenated, and the index at which each pattern begins; int64.
    offsets
        Index at which each table begins in `packed`; int64.
    packed
        All tables.
    mirrored
        Whether the mirrored board is looked up as well.
    groups, weights, changes, passed
        Changes of the ranks by a slide, see `deepen`.
    """

    board: Geometry
    members: NDArray[np.int64]
    begins: NDArray[np.int64]
    offsets: NDArray[np.int64]
    packed: NDArray[np.uint8]
    mirrored: bool
    groups: NDArray[np.int64]
    weights: NDArray[np.int64]
    changes: NDArray[np.int64]
    passed: NDArray[np.int64]

    @staticmethod
    def of(board: Geometry, databases: Sequence[Database], *, mirrored: bool = True) -> Estimator:
        """Combine databases.

        Raises
        ------
        ValueError
            If they do not partition the tiles.
        """
        tiles = [tile for one in databases for tile in one.tiles]
        if sorted(tiles) != list(range(1, board.cells)):
            raise ValueError("the patterns must hold every tile once")
        mirrored = mirrored and board.mirror_tile is not None
        cells = board.cells
        group_of, weight, change = (
            np.zeros(cells, np.int64),
            np.zeros((2, cells), np.int64),
            np.zeros((2, cells, cells), np.int64),
        )
        for number, one in enumerate(databases):
            group_of[list(one.tiles)] = number
            for place, tile in enumerate(one.tiles):
                weight[0, tile] = perm(cells - 1 - place, len(one.tiles) - 1 - place)
                change[0, tile, list(one.tiles[:place])] = -weight[0, tile]
                change[0, list(one.tiles[:place]), tile] = weight[0, tile]
        groups = group_of[None]
        if mirrored and board.mirror_tile is not None:
            other = board.mirror_tile
            groups = np.array([group_of, group_of[other]])
            weight[1], change[1] = weight[0, other], change[0][np.ix_(other, other)]
        begins = np.cumsum([0, *(len(one.tiles) for one in databases)]).astype(np.int64)
        offsets = np.cumsum([0, *(one.packed.size for one in databases)])[:-1].astype(np.int64)
        packed = np.concatenate([one.packed for one in databases])
        members = np.array(tiles, dtype=np.int64)
        return Estimator(
            board, members, begins, offsets, packed, mirrored, groups, weight, change, _passed(board, mirrored)
        )

    @staticmethod
    def taxicab(board: Geometry) -> Estimator:
        """The taxicab distance alone, without tables: one pattern per tile, with zero excess."""
        none = np.zeros((board.cells + 1) // 2, dtype=np.uint8)
        return Estimator.of(board, [Database((tile,), none, 0.0) for tile in range(1, board.cells)], mirrored=False)

    def ranks(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rank of each pattern on a board, and on the mirrored one: int64[views, patterns]."""
        board = self.board
        cell_of = np.empty(board.cells, dtype=np.int64)
        cell_of[tiles] = np.arange(board.cells)
        views = [cell_of]
        if self.mirrored and board.mirror_cell is not None and board.mirror_tile is not None:
            views.append(np.empty_like(cell_of))
            views[1][board.mirror_tile] = board.mirror_cell[cell_of]
        bounds = [*pairwise(self.begins.tolist())]
        return np.array(
            [[rank_of(view[self.members[begin:end]], board.cells) for begin, end in bounds] for view in views]
        )

    def values(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Half excess of each pattern: int64[views, patterns]."""
        return self.packed[self.offsets + ranks // 2].astype(np.int64) >> 4 * (ranks % 2) & 15


def _passed(board: Geometry, mirrored: bool) -> NDArray[np.int64]:
    """The cells between those of a slide, in row order for vertical moves, in column order for horizontal ones."""
    passed = np.zeros((board.cells, 4, board.columns - 1), dtype=np.int64)
    for blank in range(board.cells):
        for move in range(4 if mirrored else 2):
            origin = int(board.adjacent[blank, move])
            if origin < 0:
                continue
            if move < 2:
                passed[blank, move] = np.arange(min(origin, blank) + 1, max(origin, blank))
            elif board.mirror_cell is not None:
                order = np.argsort(board.mirror_cell)
                ends = sorted(int(board.mirror_cell[cell]) for cell in (origin, blank))
                passed[blank, move] = order[ends[0] + 1 : ends[1]]
    return passed


def ida_star_tiles(
    estimator: Estimator,
    tiles: Sequence[int],
    *,
    budget: Budget | None = None,
    on_bound: Callable[[int], None] | None = None,
    threads: int = 1,
) -> SearchAnswer:
    """An optimal plan for a solvable board.

    Parameters
    ----------
    tiles
        Tiles row by row, 0 = blank.
    budget
        Budget of the search; a unit of work is a slide examined.
    on_bound
        Called with every new lower bound.
    threads
        Number of threads that search the subtrees into which long iterations are split. The plan and the count of
        slides do not depend on it. With a work limit, nothing is split.

    Returns
    -------
    SearchAnswer
        Answer with the moves of the problem (U D L R). The search for an unsolvable board ends only if the board is
        tiny; check its parity first.
    """
    budget = Budget() if budget is None else budget
    return _Search(estimator, np.array(tiles, dtype=np.int64), threads).run(budget, on_bound)


@dataclass(slots=True)
class _State:
    """A node and the path to it; see `deepen`."""

    tile_at: NDArray[np.int64]
    ranks: NDArray[np.int64]
    values: NDArray[np.int64]
    stack: NDArray[np.int64]
    numbers: NDArray[np.int64]

    @property
    def depth(self) -> int:
        return int(self.numbers[DEPTH])

    def copy(self, rows: int) -> _State:
        """A copy with room for a path of `rows - 1` moves."""
        stack = np.zeros((rows, self.stack.shape[1]), dtype=np.int64)
        stack[: self.depth + 1] = self.stack[: self.depth + 1]
        return _State(self.tile_at.copy(), self.ranks.copy(), self.values.copy(), stack, self.numbers.copy())

    def plan(self) -> NDArray[np.int32]:
        """The moves on the stack; each level stores the next move to try."""
        return (self.stack[: self.depth, 1] - 1).astype(np.int32)


class _Search:
    """A running iterative deepening search."""

    def __init__(self, estimator: Estimator, tiles: NDArray[np.int64], threads: int) -> None:
        board = estimator.board
        self.estimator, self.threads = estimator, threads
        self.constants = (
            board.adjacent, board.distance, estimator.passed, estimator.groups, estimator.weights, estimator.changes,
            estimator.offsets, estimator.packed, automaton(),
        )  # fmt: skip
        ranks = estimator.ranks(tiles)
        values = estimator.values(ranks)
        numbers = np.zeros(NUMBERS, dtype=np.int64)
        numbers[DISTANCE] = sum(board.distance[tile, cell] for cell, tile in enumerate(tiles.tolist()))
        numbers[EXCESS], numbers[MIRRORED] = values[0].sum(), values[-1].sum()
        stack = np.zeros((1, COLUMNS), dtype=np.int64)
        stack[0, 0] = int(np.argmin(tiles))
        self.root = _State(tiles, ranks, values, stack, numbers)
        self.nodes = 0

    def run(self, budget: Budget, on_bound: Callable[[int], None] | None) -> SearchAnswer:
        begun, pace, root = budget.clock(), Pace(budget), self.root.numbers
        if root[DISTANCE] == 0:
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        root[NEXT] = root[DISTANCE] + 2 * max(root[EXCESS], root[MIRRORED])
        plan: NDArray[np.int32] | None = None
        limit, bound, last = None, 0, 0
        while plan is None and limit is None and root[NEXT] < _NEVER:
            bound = int(root[NEXT])
            if on_bound is not None:
                on_bound(bound)
            root[[THRESHOLD, NEXT]] = bound, _NEVER
            before = self.nodes
            plan, limit = self._split(budget) if last >= _SPLIT and budget.work_left is None else self._iterate(pace)
            last = self.nodes - before
        return SearchAnswer(
            plan=plan,
            cost=None if plan is None else len(plan),
            bound=bound,
            unreachable=plan is None and limit is None,  # the last iteration cut nothing off
            limit=limit,
            expanded=self.nodes,
            generated=self.nodes,
            stored=0,
            memory=self.estimator.packed.nbytes,
            seconds=budget.clock() - begun,
        )

    def _deepen(self, state: _State, nodes: int) -> tuple[int, int]:
        """Search at most `nodes` more nodes; returns the exit code and the number of nodes searched."""
        before = int(state.numbers[NODES])
        answer = deepen(nodes, state.tile_at, state.ranks, state.values, *self.constants, state.stack, state.numbers)
        return int(answer), int(state.numbers[NODES]) - before

    def _fresh(self) -> _State:
        """The root, ready to be searched up to the threshold."""
        return self.root.copy(int(self.root.numbers[THRESHOLD]) + 2)

    def _iterate(self, pace: Pace) -> tuple[NDArray[np.int32] | None, str | None]:
        """Run one iteration in slices; returns the plan and the limit that ended it."""
        state = self._fresh()
        while True:
            limit = limit_reached(pace.budget)
            if limit is not None:
                return None, limit
            answer, done = self._deepen(state, pace.next())
            self.nodes += done
            pace.done(done)
            if answer != PAUSED:
                self.root.numbers[NEXT] = state.numbers[NEXT]
                return (state.plan() if answer == FOUND else None), None

    def _split(self, budget: Budget) -> tuple[NDArray[np.int32] | None, str | None]:
        """Run one iteration by subtrees."""
        for plies in _PLIES:
            trees, plan, least = self._subtrees(plies)
            if plan is not None:
                return plan, None
            if len(trees) >= _SUBTREES:
                break
        ends = [_NEVER] * len(trees)
        plans: list[NDArray[np.int32] | None] = [None] * len(trees)
        first, nodes, limit = search_subtrees(
            len(trees), self.threads, budget, partial(self._search, trees, ends, plans)
        )
        self.nodes += sum(nodes if first is None else nodes[: first + 1])
        self.root.numbers[NEXT] = min([least, *ends])
        return (None if first is None else plans[first]), limit

    def _subtrees(self, plies: int) -> tuple[list[_State], NDArray[np.int32] | None, int]:
        """The nodes at a depth in search order, a plan found above it, and the smallest value cut off."""
        state = self._fresh()
        found: list[_State] = []
        state.numbers[CEILING] = plies
        while True:
            answer, done = self._deepen(state, _NEVER)
            self.nodes += done
            if answer != CUT:
                return found, state.plan() if answer == FOUND else None, int(state.numbers[NEXT])
            tree = state.copy(plies + 1)
            tree.stack[plies, 1] = 0
            tree.numbers[[NODES, NEXT, FLOOR, CEILING]] = 0, _NEVER, plies, 0
            found.append(tree)

    def _search(
        self, trees: list[_State], ends: list[int], plans: list[NDArray[np.int32] | None], number: int, shared: Shared
    ) -> bool:
        """Search a subtree as long as it is wanted; returns whether it holds a plan."""
        state = trees[number].copy(int(self.root.numbers[THRESHOLD]) + 2)
        answer = PAUSED
        while answer == PAUSED and shared.wanted(number):
            answer, done = self._deepen(state, _SLICE)
            shared.nodes[number] += done
        shared.finished[number] = answer != PAUSED
        ends[number] = int(state.numbers[NEXT])
        plans[number] = state.plan() if answer == FOUND else None
        return answer == FOUND
