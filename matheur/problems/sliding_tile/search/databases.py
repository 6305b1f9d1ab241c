"""Additive pattern databases of sliding tiles (Korf and Felner 2002, doi:10.1016/S0004-3702(01)00092-3).

Tiles are partitioned into patterns; for each pattern, a table holds the smallest number of slides of its own tiles that
brings them home, whatever the other tiles do. Slides of different patterns are distinct, so the values may be added.
The tables ignore the blank's cell (they keep the minimum over all of its cells), which makes them small and the
estimate slightly inconsistent. They store half the excess of each value over the taxicab distance, in four bits.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.cache import load_table, store_table
from matheur.engine.stored import Stored
from matheur.engine.unfinished import Unfinished
from matheur.errors import ConfigurationError, InputError
from matheur.methods.statespace.crew import run_tasks
from matheur.methods.statespace.slices import Builds, Kept, Steps, enough_of
from matheur.problems.sliding_tile.search.database_kernels import UNSEEN, pack, rank_of, settle, spread
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.placements import TILES_MAX, placements, regions_of

__all__ = ["Database", "build_database", "bytes_needed", "database"]

_KIND = "sliding-tile"
_SLICES = 64
_AT_ONCE = 4  # slices per thread between two checks of the budget, with several threads
_RATE = 40e6  # approximate number of entries settled per second
_NUMBERS = "depth", "placed", "largest", "task"
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
        uint8[(ranks + 1) // 2]: half the excess over the taxicab distance, see `settle` and `pack`.
    seconds
        Construction time.
    """

    tiles: tuple[int, ...]
    packed: NDArray[np.uint8]
    seconds: float


def bytes_needed(cells: int, tiles: int) -> int:
    """Approximate memory to build a table of this many tiles."""
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
    """The table of a pattern, from the user's cache if available; None if the budget ended first.

    Raises
    ------
    ConfigurationError
        If the pattern is invalid.
    """
    pattern = tuple(int(tile) for tile in tiles)
    if not pattern or len(set(pattern)) < len(pattern) or not all(0 < tile < board.cells for tile in pattern):
        raise ConfigurationError(f"a pattern is a set of tiles 1 to {board.cells - 1} ({pattern})")
    if len(pattern) > TILES_MAX:
        raise ConfigurationError(f"a pattern has at most {TILES_MAX} tiles ({pattern})")
    content = _content(board, pattern)
    size = (perm(board.cells, len(pattern)) + 1) // 2
    try:
        kept = load_table(_KIND, content, "uint8", (size,), enough=enough_of(budget))
    except OutOfBudgetError:
        return None
    if kept is not None:
        return Database(pattern, kept[0], kept[1].seconds)
    made = build_database(board, pattern, budget=budget, progress=progress, threads=threads)
    if made is not None and made.seconds >= 0.2:
        name = f"sliding-tile {board.rows}x{board.columns} {board.goal} " + "-".join(map(str, pattern))
        store_table(_KIND, name, content, made.packed, made.seconds)
    return made


def _content(board: Geometry, pattern: tuple[int, ...]) -> dict[str, Any]:
    return {"rows": board.rows, "columns": board.columns, "goal": board.goal, "tiles": list(pattern), "form": 1}


_builds: Builds[Database] = Builds()


def build_database(
    board: Geometry,
    pattern: tuple[int, ...],
    *,
    budget: Budget | None = None,
    progress: Progress | None = None,
    threads: int = 1,
) -> Database | None:
    """Search backwards from the goal, level by level.

    The table does not depend on `threads`. See `bytes_needed` for the memory. Returns None if the budget ended first;
    the next call continues from there, even in another process.
    """
    name = f"sliding-tile {board.rows}x{board.columns} " + "-".join(map(str, pattern))
    kept = Kept(name, _content(board, pattern), perm(board.cells, len(pattern)) * 7 // 8)
    return _builds.run(
        (board, pattern), lambda state: _Building(board, pattern, threads, progress, state).steps(), budget, kept
    )


class _Building:
    """A table under construction. A level has two steps: settling states, and spreading from the new ones."""

    def __init__(
        self,
        board: Geometry,
        pattern: tuple[int, ...],
        threads: int,
        progress: Progress | None,
        state: Unfinished | None,
    ) -> None:
        self.pattern, self.threads, self.progress = pattern, threads, progress
        self.begun = time.perf_counter() - (0.0 if state is None else state.seconds)
        cells, tiles = board.cells, len(pattern)
        self.one = placements(board, tiles)
        row, column = np.divmod(np.arange(cells), board.columns)
        self.dark = np.uint64(sum(1 << int(cell) for cell in np.flatnonzero((row + column) % 2)))
        self.distance = np.ascontiguousarray(board.distance[list(pattern)])
        self.weights = np.array([perm(cells - 1 - i, tiles - 1 - i) for i in range(tiles)], dtype=np.int64)
        # Reduction of a tile's digit by the tiles before it that are on lower cells.
        place_of = np.argsort(self.one.orders, axis=1)
        self.shifts = np.zeros(len(place_of), dtype=np.int64)
        for i in range(tiles):
            self.shifts += self.weights[i] * (place_of[:, :i] < place_of[:, i : i + 1]).sum(axis=1)
        self.table = np.full(perm(cells, tiles), UNSEEN, dtype=np.uint8)
        self.waiting, self.seen = (np.zeros((self.one.rows, self.one.words), dtype=np.uint64) for _ in range(2))
        self.active = np.zeros(self.one.rows, dtype=np.uint8)
        home = board.home[list(pattern)]
        occupied = sum(1 << int(cell) for cell in home)
        self.parity = (occupied & int(self.dark)).bit_count() % 2
        self.slices = _slices(len(self.one.sets), _SLICES if self.waiting.size > 1 << 12 else 1)
        self.depth = self.placed = self.largest = self.task = 0
        self.alive, self.spreading = True, False
        self.counts = [(-1, 0)] * len(self.slices)
        if state is None:
            first = self.one.row_of(occupied, int(board.home[0]))
            order = int(rank_of(np.argsort(home), tiles))
            self.waiting[first, order // 64] = np.uint64(1 << order % 64)
            self.active[first] = 1
        else:
            self._restore(state)

    def _restore(self, state: Unfinished) -> None:
        """Continue from the state that another process saved."""
        numbers = Stored(state.numbers)
        self.depth, self.placed, self.largest, self.task = (numbers.count(key) for key in _NUMBERS)
        self.alive, self.spreading = (numbers.flag(key, missing=True) for key in ("alive", "spreading"))
        counts = numbers.rows("counts", least=-1)
        self.waiting, self.seen = (state.array(key, np.uint64, self.seen.shape) for key in ("waiting", "seen"))
        self.active = state.array("active", np.uint8, self.active.shape)
        packed = state.array("packed", np.uint8, ((self.table.size + 1) // 2,))
        orders = len(self.one.orders) % 64
        beyond = np.uint64(0) if orders == 0 else ~np.uint64((1 << orders) - 1)
        if (
            len(counts) != len(self.slices)
            or any(len(row) != 2 for row in counts)
            or self.task > len(self.slices)
            or ((self.waiting[:, -1] | self.seen[:, -1]) & beyond).any()
        ):
            raise InputError("the stored state is damaged (impossible placements)")
        self.counts = [(int(placed), int(largest)) for placed, largest in counts]
        pairs = np.arange(256)
        both = np.stack([pairs & 15, pairs >> 4], axis=1).astype(np.uint8)
        self.table = both.view(np.uint16).ravel()[packed].view(np.uint8)[: self.table.size]

    def _snapshot(self) -> Unfinished:
        packed = np.empty((self.table.size + 1) // 2, dtype=np.uint8)
        pack(0, packed.size, self.table, packed)
        numbers = {key: getattr(self, key) for key in (*_NUMBERS, "alive", "spreading")}
        arrays: dict[str, NDArray[Any]] = {
            "packed": packed,
            "waiting": self.waiting,
            "seen": self.seen,
            "active": self.active,
        }
        return Unfinished(
            {**numbers, "counts": [list(row) for row in self.counts]}, arrays, time.perf_counter() - self.begun
        )

    def steps(self) -> Steps[Database]:
        """The search, in slices."""
        name = "-".join(map(str, self.pattern))
        about = max(1, round(self.table.size / _RATE))
        told = f"tables of the board: pattern {name} (about {about} s, kept)"
        if self.progress is not None:
            self.progress(told, min(1.0, self.placed / self.table.size))
        while self.alive:
            if not self.spreading:
                yield from self._each(len(self.slices), self._settle)
                self.placed += sum(max(0, placed) for placed, _ in self.counts)
                self.largest = max(self.largest, *(largest for _, largest in self.counts))
                self.alive = any(placed >= 0 for placed, _ in self.counts)
                self.depth, self.task = self.depth + 1, 0
                self.spreading = self.alive
            if self.spreading:
                yield from self._each(len(self.slices), self._spread)
                self.spreading, self.task = False, 0
            if self.progress is not None:
                self.progress(told, min(1.0, self.placed / self.table.size))
        packed = np.empty((self.table.size + 1) // 2, dtype=np.uint8)
        for begin, end in _slices(packed.size, _SLICES):
            pack(begin, end, self.table, packed)
            yield self._snapshot
        if self.largest > UNSEEN:
            _log.info("%s: values are cut off at 30 more than the taxicab distance (largest %d)", told, self.largest)
        return Database(self.pattern, packed, time.perf_counter() - self.begun)

    def _settle(self, number: int) -> None:
        one, parity = self.one, (self.depth + self.parity) % 2
        fresh = np.empty(one.words, dtype=np.uint64)
        placed, largest = settle(
            *self.slices[number], self.depth, self.dark, parity, one.sets, one.bounds, one.orders, self.weights,
            self.shifts, self.distance, self.waiting, self.seen, self.active, self.table, fresh,
        )  # fmt: skip
        self.counts[number] = int(placed), int(largest)

    def _spread(self, number: int) -> None:
        one, parity = self.one, (self.depth - 1 + self.parity) % 2
        spread(
            *self.slices[number], self.dark, 1 - parity, one.sets, one.bounds, one.begins, one.sources, one.rotated,
            one.map_of, one.maps, self.waiting, self.active,
        )  # fmt: skip

    def _each(self, tasks: int, call: Callable[[int], None]) -> Steps[None]:
        """Run the remaining tasks of a step with the threads, some at a time."""
        while self.task < tasks:
            first = self.task
            some = min(1 if self.threads == 1 else _AT_ONCE * self.threads, tasks - first)

            def one(_thread: int, place: int, _stopped: Callable[[], bool], first: int = first) -> None:
                call(first + place)

            run_tasks(some, self.threads, one, lambda: False)
            self.task += some
            yield self._snapshot


def _slices(size: int, most: int) -> list[tuple[int, int]]:
    """At most `most` ranges that cover 0 .. size - 1."""
    bounds = np.unique(np.linspace(0, size, most + 1).astype(np.int64)).tolist()
    return [*pairwise(bounds)]
