"""The large table for exact search: distances of cosets (see `ordered`) with two bits per entry, 845 MB.

An entry tells how much the distance exceeds `BASES[metric]`: not at all, by one, by two, or by more. If it does not,
the phase-1 table is nearly as good. The large table is built once, by breadth-first search with one byte per entry (3.4
GB), and kept in the user's cache.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import load_table, store_table
from matheur.methods.statespace.crew import run_tasks
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search.classes import classes
from matheur.problems.rubik.search.coordinates import TWISTS
from matheur.problems.rubik.search.coset_kernels import close, count, pack
from matheur.problems.rubik.search.ordered import ENTRIES, ORDERS, home, row_moves, row_symmetries, twist_maps
from matheur.problems.rubik.search.table_kernels import UNSEEN, backward, forward
from matheur.problems.rubik.search.tables import KIND, Progress, moves_of

__all__ = ["BASES", "BYTES", "CosetTable", "build_coset_table", "coset_table", "kept_coset_table"]

BASES = {"quarter": 10, "half": 8}

BYTES = ENTRIES // 4
"""Size of the table in bytes."""

_FORM = 2
_CHUNKS = 256
_log = logging.getLogger(__name__)
_kept: dict[str, CosetTable] = {}


@dataclass(frozen=True, eq=False)
class CosetTable:
    """The table of a metric.

    Attributes
    ----------
    metric
        `quarter` or `half`.
    base
        Distances up to `base` are not distinguished, nor are distances above `base` + 2.
    packed
        uint8[BYTES]: four entries per byte, the first in the lowest bits.
    counts
        Number of entries by distance; empty if the table comes from the cache.
    seconds
        Time that it took to build.
    """

    metric: Metric
    base: int
    packed: NDArray[np.uint8]
    counts: tuple[int, ...]
    seconds: float

    def bound(self, place: int) -> int:
        """Lower bound on the distance of a coset; 0 if the distance is at most `base`."""
        entry = int(self.packed[place // 4]) >> 2 * (place % 4) & 3
        return self.base + entry if entry else 0


def kept_coset_table(metric: Metric) -> CosetTable | None:
    """The table if it is in memory or in the user's cache, else None."""
    if metric not in _kept:
        found = load_table(KIND, _content(metric), "uint8", (BYTES,))
        if found is None:
            return None
        _kept[metric] = CosetTable(metric, BASES[metric], found[0], (), found[1].seconds)
    return _kept[metric]


def coset_table(
    metric: Metric, *, budget: Budget | None = None, threads: int = 1, progress: Progress | None = None
) -> CosetTable | None:
    """The table from memory, the user's cache, or built (and kept in both); None if the budget ended first."""
    found = kept_coset_table(metric)
    if found is None:
        found = build_coset_table(metric, budget=budget, threads=threads, progress=progress)
        if found is not None:
            store_table(KIND, f"rubik cosets {metric}", _content(metric), found.packed, found.seconds)
            _kept[metric] = found
    return found


def build_coset_table(
    metric: Metric, *, budget: Budget | None = None, threads: int = 1, progress: Progress | None = None
) -> CosetTable | None:
    """Search from the solved cube: forwards, and from the unseen entries once these are fewer.

    Takes two to three minutes of one core and 3.6 GB. The table does not depend on the number of threads: if two
    threads write the same entry, they write the same value.
    """
    budget = budget or Budget()
    return None if budget.out_of_time else _Building(metric, budget, threads, progress).run()


class _Building:
    """State of the construction of a table, with one byte per entry."""

    def __init__(self, metric: Metric, budget: Budget, threads: int, progress: Progress | None) -> None:
        self.metric, self.budget, self.threads, self.progress = metric, budget, threads, progress
        self.name = f"table of cosets ({metric} turns)"
        known = classes()
        bounds = np.linspace(0, len(known.representative), _CHUNKS + 1).astype(np.int64).tolist()
        self.chunks = list(pairwise(bounds))
        self.counts = [1]

    def run(self) -> CosetTable | None:
        """Build the table level by level."""
        begun, known, moves = time.perf_counter(), classes(), moves_of(self.metric)
        neighbours, maps = row_moves(moves), twist_maps(known)
        orders = np.ascontiguousarray(row_symmetries(known))
        table = np.full(ENTRIES, UNSEEN, dtype=np.uint8)
        table[home()] = 0
        unseen = np.zeros(_CHUNKS, dtype=np.int64)
        depth, left = 0, ENTRIES - 1
        _log.info("%s: building, %d entries", self.name, ENTRIES)

        def expand(_thread: int, chunk: int, _stopped: Callable[[], bool]) -> None:
            begin, end = self.chunks[chunk]
            step(depth, begin * ORDERS, end * ORDERS, moves, neighbours, maps, table)
            if self.progress is not None and self.threads == 1 and chunk % 16 == 0:
                self.progress(f"{self.name}, distance {depth + 1}", 1 - left / ENTRIES)

        def finish(_thread: int, chunk: int, _stopped: Callable[[], bool]) -> None:
            close(depth + 1, *self.chunks[chunk], known.stabiliser, orders, known.twist_image, table)

        def look(_thread: int, chunk: int, _stopped: Callable[[], bool]) -> None:
            begin, end = self.chunks[chunk]
            unseen[chunk] = count(begin * ORDERS * TWISTS, end * ORDERS * TWISTS, UNSEEN, table)

        while left:
            step = backward if self.counts[-1] > left else forward
            for part in (expand, finish, look):
                if not run_tasks(_CHUNKS, self.threads, part, lambda: self.budget.out_of_time):
                    return None
            now = int(unseen.sum())
            if now == left:
                raise AssertionError("the search for the table of cosets does not reach all of them")
            self.counts.append(left - now)
            depth, left = depth + 1, now
            _log.info("%s: %d at distance %d, %d left", self.name, self.counts[-1], depth, left)
            if self.progress is not None:
                self.progress(self.name, 1 - left / ENTRIES)
        for begin in range(0, BYTES, 1 << 24):
            if self.budget.out_of_time:
                return None
            pack(begin, min(begin + (1 << 24), BYTES), BASES[self.metric], table)
        table.resize(BYTES, refcheck=False)
        return CosetTable(self.metric, BASES[self.metric], table, tuple(self.counts), time.perf_counter() - begun)


def _content(metric: str) -> dict[str, object]:
    return {"table": "cosets", "metric": metric, "base": BASES[metric], "form": _FORM}
