"""Additive pattern databases of sliding tiles (Korf and Felner 2002, doi:10.1016/S0004-3702(01)00092-3).

Tiles are partitioned into patterns; for each, a table holds the least number of slides of its own tiles that brings
them home, whatever the others do. Slides of different patterns are different slides, so the values may be added. The
blank's cell is left out of the tables (the least over all of them is kept), which makes them small and the estimate
slightly inconsistent. Kept is half of what a value exceeds the taxicab distance by, in four bits.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, perm

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import load_table, store_table
from matheur.errors import ConfigurationError
from matheur.statespace.crew import run_tasks
from matheur.statespace.sliding_tile.database_kernels import UNSEEN, pack, rank_of, settle, spread
from matheur.statespace.sliding_tile.geometry import Geometry
from matheur.statespace.sliding_tile.placements import TILES_MAX, placements, regions_of

__all__ = ["Database", "build_database", "bytes_needed", "database"]

_KIND = "sliding-tile"
_SLICES = 64
_UNFINISHED = 1 << 28  # bytes: a larger table is not held until another call goes on with it
_log = logging.getLogger(__name__)

Progress = Callable[[str, float], None]
"""Called with a name and a share of the work from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Database:
    """The table of a pattern.

    Attributes
    ----------
    tiles
        The pattern, in the order of the ranks.
    packed
        uint8[(ranks + 1) // 2]: half of the excess over the taxicab distance, see `settle` and `pack`.
    seconds
        How long it took to build.
    """

    tiles: tuple[int, ...]
    packed: NDArray[np.uint8]
    seconds: float


def bytes_needed(cells: int, tiles: int) -> int:
    """Memory while a table of so many tiles is built, roughly."""
    row = 8 * -(-factorial(tiles) // 64)
    rows = regions_of(cells, tiles) * perm(cells, tiles) / factorial(tiles)
    return int(1.5 * perm(cells, tiles) + rows * (2 * row + 64))


def database(
    board: Geometry,
    tiles: Sequence[int],
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    threads: int = 1,
) -> Database | None:
    """The table of a pattern, from the user's cache if it is there; None if the budget ended first.

    Raises
    ------
    ConfigurationError
        If the pattern makes no sense.
    """
    pattern = tuple(int(tile) for tile in tiles)
    if not pattern or len(set(pattern)) < len(pattern) or not all(0 < tile < board.cells for tile in pattern):
        raise ConfigurationError(f"a pattern is a set of tiles 1 to {board.cells - 1} ({pattern})")
    if len(pattern) > TILES_MAX:
        raise ConfigurationError(f"a pattern has at most {TILES_MAX} tiles ({pattern})")
    content = {"rows": board.rows, "columns": board.columns, "goal": board.goal, "tiles": list(pattern), "form": 1}
    size = (perm(board.cells, len(pattern)) + 1) // 2
    kept = load_table(_KIND, content, "uint8", (size,))
    if kept is not None:
        return Database(pattern, kept[0], kept[1].seconds)
    made = build_database(board, pattern, budget=budget, progress=progress, threads=threads)
    if made is not None and made.seconds >= 0.2:
        name = f"sliding-tile {board.rows}x{board.columns} {board.goal} " + "-".join(map(str, pattern))
        store_table(_KIND, name, content, made.packed, made.seconds)
    return made


def build_database(
    board: Geometry,
    pattern: tuple[int, ...],
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    threads: int = 1,
) -> Database | None:
    """Search backwards from the goal, level by level.

    The table does not depend on `threads`. See `bytes_needed` for the memory. None if the budget ended first; the next
    call in this process goes on from there, unless the table is very large.
    """
    building = _unfinished.pop((board, pattern), None) or _Building(board, pattern)
    building.threads, building.budget = threads, budget
    name = "pattern " + "-".join(map(str, pattern))
    while building.alive and building.level():
        if progress is not None:
            progress(name, min(1.0, building.placed / building.table.size))
    packed = None if building.alive else building.packed()
    if packed is None:
        if building.table.size <= _UNFINISHED:
            _unfinished[board, pattern] = building
        return None
    if building.largest > UNSEEN:
        _log.info("%s: values are cut off at 30 more than the taxicab distance (largest %d)", name, building.largest)
    return Database(pattern, packed, time.perf_counter() - building.begun)


class _Building:
    """A table under way. Each step goes on with the slices that it had not done when the budget ended."""

    def __init__(self, board: Geometry, pattern: tuple[int, ...]) -> None:
        self.threads: int = 1
        self.budget: Budget | None = None
        self.begun = time.perf_counter()
        cells, tiles = board.cells, len(pattern)
        self.one = placements(board, tiles)
        row, column = np.divmod(np.arange(cells), board.columns)
        self.dark = np.uint64(sum(1 << int(cell) for cell in np.flatnonzero((row + column) % 2)))
        self.distance = np.ascontiguousarray(board.distance[list(pattern)])
        self.weights = np.array([perm(cells - 1 - i, tiles - 1 - i) for i in range(tiles)], dtype=np.int64)
        # What the tiles before a tile take off its digit: those on lower cells.
        place_of = np.argsort(self.one.orders, axis=1)
        self.shifts = np.zeros(len(place_of), dtype=np.int64)
        for i in range(tiles):
            self.shifts += self.weights[i] * (place_of[:, :i] < place_of[:, i : i + 1]).sum(axis=1)
        self.table = np.full(perm(cells, tiles), UNSEEN, dtype=np.uint8)
        self.waiting, self.seen = (np.zeros((self.one.rows, self.one.words), dtype=np.uint64) for _ in range(2))
        self.active = np.zeros(self.one.rows, dtype=np.uint8)
        home = board.home[list(pattern)]
        occupied = sum(1 << int(cell) for cell in home)
        first = self.one.row_of(occupied, int(board.home[0]))
        order = int(rank_of(np.argsort(home), tiles))
        self.waiting[first, order // 64] = np.uint64(1 << order % 64)
        self.active[first] = 1
        self.parity = (occupied & int(self.dark)).bit_count() % 2
        self.slices = _slices(len(self.one.sets), _SLICES if self.waiting.size > 1 << 12 else 1)
        self.depth = self.placed = self.largest = 0
        self.alive = True
        self.spreading = False
        self.counts = [(-1, 0)] * len(self.slices)
        self.packed_slices = _slices((self.table.size + 1) // 2, _SLICES)
        self.packing = np.empty((self.table.size + 1) // 2, dtype=np.uint8)
        self.left: list[int] = []

    def level(self) -> bool:
        """One level; False if the budget ended."""
        if not self.spreading:
            if not self._settle():
                return False
            self.placed += sum(max(0, placed) for placed, _ in self.counts)
            self.largest = max(self.largest, *(largest for _, largest in self.counts))
            self.alive = any(placed >= 0 for placed, _ in self.counts)
            self.depth += 1
            self.spreading = self.alive
        if self.spreading and not self._spread():
            return False
        self.spreading = False
        return True

    def _settle(self) -> bool:
        one, parity = self.one, (self.depth + self.parity) % 2

        def settled(number: int) -> None:
            fresh = np.empty(one.words, dtype=np.uint64)
            placed, largest = settle(
                *self.slices[number], self.depth, self.dark, parity, one.sets, one.bounds, one.orders, self.weights,
                self.shifts, self.distance, self.waiting, self.seen, self.active, self.table, fresh,
            )  # fmt: skip
            self.counts[number] = int(placed), int(largest)

        return self._each(len(self.slices), settled)

    def _spread(self) -> bool:
        one, parity = self.one, (self.depth - 1 + self.parity) % 2

        def spread_out(number: int) -> None:
            spread(
                *self.slices[number], self.dark, 1 - parity, one.sets, one.bounds, one.begins, one.sources, one.rotated,
                one.map_of, one.maps, self.waiting, self.active,
            )  # fmt: skip

        return self._each(len(self.slices), spread_out)

    def packed(self) -> NDArray[np.uint8] | None:
        """Two entries a byte; None if the budget ended."""
        slices = self.packed_slices
        whole = self._each(len(slices), lambda number: pack(*slices[number], self.table, self.packing))
        return self.packing if whole else None

    def _each(self, tasks: int, call: Callable[[int], None]) -> bool:
        """All tasks of a step, by the threads; False if the budget ended, and `left` says which are not done."""
        budget, todo = self.budget, self.left or list(range(tasks))
        done = [False] * len(todo)

        def one(_thread: int, place: int, _stopped: Callable[[], bool]) -> None:
            call(todo[place])
            done[place] = True

        run_tasks(len(todo), self.threads, one, lambda: budget is not None and budget.out_of_time)
        self.left = [task for task, through in zip(todo, done, strict=True) if not through]
        return not self.left


_unfinished: dict[tuple[Geometry, tuple[int, ...]], _Building] = {}


def _slices(size: int, most: int) -> list[tuple[int, int]]:
    """At most so many ranges that cover 0 .. size - 1."""
    bounds = np.unique(np.linspace(0, size, most + 1).astype(np.int64)).tolist()
    return [*pairwise(bounds)]
