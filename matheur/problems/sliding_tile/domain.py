"""Sliding tiles as a domain: component c of a state is the tile in cell c, 0 = blank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.announcing import announce
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Automorphisms, BaseDomain, Kernel, View
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.pace import limit_reached
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.ranking import PartialPermutationRanking
from matheur.problems.sliding_tile import domain_kernels as sliding_tile_kernels
from matheur.problems.sliding_tile.instance import goal_of
from matheur.problems.sliding_tile.problem import SlidingTile
from matheur.problems.sliding_tile.search.databases import database
from matheur.problems.sliding_tile.search.deepening import Estimator, ida_star_tiles
from matheur.problems.sliding_tile.search.geometry import Geometry, geometry
from matheur.problems.sliding_tile.search.partitions import largest_size, named_for, partition, table_bytes
from matheur.problems.sliding_tile.search.walking import walking_distance_of

__all__ = ["SlidingTileDomain", "estimator_of", "sliding_tile_domain"]

_RANKED = 12  # cells of the largest board whose states are ranked
_GENERAL = ("linear-conflict", "manhattan", "walking-distance")  # heuristics for boards with any goal
_TABLES = 24 << 20  # bytes of the tables of `additive`, which are built in seconds


class SlidingTileDomain(BaseDomain):
    """Slides of a board; moves 0 to 3 are U D L R, the direction of the tile.

    Parameters
    ----------
    rows, columns
        Size.
    start, goal
        Tiles row by row. Any two arrangements of the same parity are accepted; symmetries and pattern databases are
        available for the usual goals.
    """

    def __init__(self, rows: int, columns: int, start: Sequence[int], goal: Sequence[int]) -> None:
        self.rows: int = rows
        self.columns: int = columns
        cells = rows * columns
        self.start: NDArray[np.uint8] = np.array(start, dtype=np.uint8)
        self.goal: NDArray[np.uint8] = np.array(goal, dtype=np.uint8)
        self.name: str = f"sliding-tile {rows}x{columns}"
        self.fingerprint: str = self.name
        width = max(1, (cells - 1).bit_length())
        self.packing: Packing = Packing((width,) * cells)
        self.goal_mask: NDArray[np.bool_] = np.ones(cells, dtype=np.bool_)
        self.moves = self.branching = 4
        self.ranking: PartialPermutationRanking | None = (
            PartialPermutationRanking(cells, cells) if cells <= _RANKED else None
        )
        adjacent = geometry(rows, columns, "blank-last").adjacent
        table = np.where(adjacent < 0, 255, adjacent).astype(np.uint8)
        self._layout = [self.packing.words, width, 64 // width]
        numbers = np.array([cells, *self._layout], dtype=np.int64)
        self.expander: Kernel | None = Kernel(sliding_tile_kernels.expand, numbers, (np.ascontiguousarray(table),))

    @property
    def board(self) -> Geometry | None:
        """The geometry, if the tiles are in order at the goal, wherever the blank is."""
        tiles = tuple(self.goal.tolist())
        name = goal_of(tiles)
        return None if name[:1].isdigit() else geometry(self.rows, self.columns, name)

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> SlidingTileDomain:
        """The same board with other endpoints."""
        return SlidingTileDomain(self.rows, self.columns, np.asarray(start).tolist(), np.asarray(goal).tolist())

    def uniform(self, count: int, rng: Generator) -> NDArray[np.uint8]:
        """Boards from which the goal can be reached, drawn uniformly.

        Raises
        ------
        ValueError
            For a board with a single row or column, where reachability is not only a matter of parity.
        """
        if min(self.rows, self.columns) < 2:
            raise ValueError(f"uniform boards have at least two rows and two columns ({self.rows} x {self.columns})")
        cells = self.goal.size
        boards = rng.permuted(np.tile(np.arange(cells, dtype=np.uint8), (count, 1)), axis=1)
        odd = _parity(boards, self.columns) != _parity(self.goal[None], self.columns)[0]
        first, second = (boards[:, :2] == 0).argmax(axis=1), np.full(count, 1)
        # Exchange two tiles: those of the first two cells or, if one of them is the blank, of the other and the third.
        blank = (boards[:, :2] == 0).any(axis=1)
        first, second = np.where(blank, 1 - first, 0), np.where(blank, 2, second)
        rows = np.flatnonzero(odd)
        one, other = boards[rows, first[rows]], boards[rows, second[rows]]
        boards[rows, first[rows]], boards[rows, second[rows]] = other, one
        return boards

    def automorphisms(self) -> Automorphisms | None:
        """On a square board, if the tiles are in order at the goal: the reflection in the main diagonal."""
        board = self.board
        if board is None or board.mirror_cell is None or board.mirror_tile is None:
            return None
        identity = np.arange(board.cells)
        components = np.array([identity, board.mirror_cell], dtype=np.int64)
        values = np.zeros((2, 1 << self.packing.widths[0]), dtype=np.uint8)
        values[:] = np.arange(values.shape[1])
        values[1, : board.cells] = board.mirror_tile
        return Automorphisms(components, values)

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View | None:
        """Renumbered tiles on the board, or on an image of it in which the blank is at its place."""
        cells = before.size
        place, shown = np.full((cells, 256), -1, dtype=np.int64), np.zeros((cells, 256), dtype=np.uint8)
        for image in _images(self.rows, self.columns):
            if before[(after[image] == 0).argmax()] == 0:
                names = np.empty(cells, dtype=np.uint8)
                names[before] = after[image]
                place[:, :cells], shown[:, :cells] = image[:, None], names
                return View(self.fingerprint, after, place, shown)
        return None

    def heuristics(self) -> Mapping[str, Callable[..., Heuristic]]:
        """Heuristics by name: `linear-conflict`, `manhattan` and `walking-distance` for any goal.

        If the tiles are in order at the goal, `additive` comes first; for the usual goals named partitions come last.
        """
        own: dict[str, Callable[[], Heuristic]] = {
            "linear-conflict": partial(self._taxicab, conflicts=True),
            "manhattan": partial(self._taxicab, conflicts=False),
            "walking-distance": partial(walking_distance_of, self.rows, self.columns, self.goal, self._layout),
        }
        board = self.board
        if board is None or min(self.rows, self.columns) == 1:
            return own
        named = {name: partial(self.additive, board, name) for name in named_for(board)}
        return {"additive": partial(self.additive, board, str(largest_size(board, _TABLES))), **own, **named}

    def _taxicab(self, *, conflicts: bool) -> Heuristic:
        home = np.empty(self.goal.size, dtype=np.uint8)
        home[self.goal] = np.arange(self.goal.size)
        numbers = np.array([self.rows, self.columns, *self._layout, int(conflicts)], dtype=np.int64)
        kernel = Kernel(sliding_tile_kernels.linear_conflict, numbers, (home,))
        return Heuristic("linear-conflict" if conflicts else "manhattan", True, True, kernel)

    def ida_star(self, heuristic: str, *, budget: Budget, memory: int, threads: int = 1) -> SearchAnswer | None:
        """IDA* with additive pattern databases, updated incrementally with each slide; `auto` uses `additive`."""
        name = "additive" if heuristic == "auto" else heuristic
        board = self.board
        if board is None or name not in self.heuristics() or name in _GENERAL:
            return None
        if name == "additive":
            name = str(largest_size(board, min(_TABLES, memory)))
        if table_bytes(board, name) > memory:
            return None
        estimator = estimator_of(board, name, budget=budget, threads=threads)
        if estimator is None:
            return SearchAnswer(limit=limit_reached(budget) or "time")  # the unfinished tables are kept in a file
        return ida_star_tiles(estimator, self.start.tolist(), budget=budget, threads=threads)

    def additive(self, board: Geometry, name: str, *, mirrored: bool = True, budget: Budget | None = None) -> Heuristic:
        """The sum of additive pattern databases; not consistent, since they ignore the blank.

        With `mirrored`, on square boards, the larger of the sums for the board and for its mirror image.

        Raises
        ------
        OutOfBudgetError
            If the budget ended before the tables were built.
        """
        one = estimator_of(board, name, budget=budget)
        if one is None:
            raise OutOfBudgetError
        mirrored = mirrored and one.mirrored
        no_mirror = np.zeros(board.cells, dtype=np.int64)
        mirror = (board.mirror_cell, board.mirror_tile) if mirrored else (no_mirror, no_mirror)
        parts = (board.distance.ravel(), one.members, one.begins, one.offsets, *mirror)
        numbers = np.concatenate([np.asarray(part, dtype=np.uint64) for part in parts])
        fields = np.array([board.cells, *self._layout, len(one.offsets), int(mirrored)], dtype=np.int64)
        kernel = Kernel(sliding_tile_kernels.additive, fields, (one.packed, numbers))
        return Heuristic(f"additive {name}", True, False, kernel, memory=one.packed.nbytes)


def _images(rows: int, columns: int) -> Iterator[NDArray[np.int64]]:
    """The symmetries of a board as maps from cell to cell, the identity first."""
    board = np.arange(rows * columns).reshape(rows, columns)
    for image in (board, board.T) if rows == columns else (board,):
        for turned in (image, image[::-1], image[:, ::-1], image[::-1, ::-1]):
            yield turned.ravel()


def _parity(boards: NDArray[np.uint8], columns: int) -> NDArray[np.int64]:
    """Invariant of each board under slides, 0 or 1: the parity of its permutation plus the blank's position."""
    cells = boards.shape[1]
    inversions = sum((boards[:, :cell] > boards[:, cell : cell + 1]).sum(axis=1) for cell in range(1, cells))
    row, column = np.divmod((boards == 0).argmax(axis=1), columns)
    return np.asarray((inversions + row + column) % 2, dtype=np.int64)


_estimators: dict[tuple[Geometry, str], Estimator] = {}


def estimator_of(board: Geometry, name: str, *, budget: Budget | None = None, threads: int = 1) -> Estimator | None:
    """The tables of a partition, from the user's cache if available; None if the budget ended first.

    Raises
    ------
    ConfigurationError
        If there is no such partition.
    """
    if (board, name) not in _estimators:
        found = []
        for pattern in partition(board, name):
            one = database(board, pattern, budget=budget, progress=announce, threads=threads)
            if one is None:
                return None
            found.append(one)
        _estimators[board, name] = Estimator.of(board, found)
    return _estimators[board, name]


def sliding_tile_domain(problem: SlidingTile) -> SlidingTileDomain:
    """The domain of a board, with the tile numbers of `Instance.canonical` and the moves of the board."""
    one = problem.instance.canonical
    return SlidingTileDomain(one.rows, one.columns, one.tiles, one.target)
