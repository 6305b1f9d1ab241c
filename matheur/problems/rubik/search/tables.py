"""Tables of exact distances of parts of a cube, kept in the user's cache.

- `corners`: all 88,179,840 positions of the corners (Korf 1997), 44 MB.
- `phase1`: twists of the corners, flips of the edges, and places of the edges of the slice between U and D, up to
  symmetry: 140,908,410 entries, 70 MB. It is read for each of the three axes, and for the inverse cube.
- `edges`: places and flips of six of the twelve edges (Korf 1997): 42,577,920 entries, 21 MB. It is read for these
  edges and for the other six.

All tables exist for quarter turns and for half turns, with four bits per entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.cache import has_table, load_table, store_table
from matheur.engine.stored import Stored
from matheur.engine.unfinished import Unfinished
from matheur.errors import ConfigurationError, InputError
from matheur.methods.statespace.slices import Builds, Kept, Steps, enough_of
from matheur.problems.rubik.instance import METRICS, Metric
from matheur.problems.rubik.search.table_kernels import UNSEEN, nibbles
from matheur.problems.rubik.search.table_rows import rows_of

__all__ = ["KIND", "NAMES", "DistanceTable", "build_table", "distance_table", "is_kept", "kept_table", "moves_of"]

KIND = "rubik"
"""Folder in the cache."""

_ENTRIES = {"corners": 40320 * 3**7, "phase1": 64430 * 3**7, "edges": 665_280 * 2**6}

NAMES = tuple(_ENTRIES)
_FORM = 1
_CHUNKS = 64
_DEEPEST = 15  # larger than all distances
_SECONDS = {"corners": 4, "phase1": 6, "edges": 3}  # on an idle machine

Progress = Callable[[str, float], None]
"""Callback that gets a name and the completed fraction of the work, from 0 to 1."""

_kept: dict[tuple[str, str], DistanceTable] = {}
_builds: Builds[DistanceTable] = Builds()


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """A table of distances.

    Attributes
    ----------
    name, metric
        Name and metric of the table.
    packed
        uint8[(entries + 1) // 2]: two entries per byte, the first in the lower half.
    largest
        The largest entry.
    seconds
        Time that it took to build.
    """

    name: str
    metric: Metric
    packed: NDArray[np.uint8]
    largest: int
    seconds: float

    def histogram(self) -> NDArray[np.int64]:
        """Number of entries of each distance."""
        entries = _ENTRIES[self.name]
        counts = np.zeros((16, 16), dtype=np.int64)
        for begin in range(0, self.packed.size, 1 << 20):
            counts += np.bincount(self.packed[begin : begin + (1 << 20)], minlength=256).reshape(16, 16)
        found = counts.sum(axis=0) + counts.sum(axis=1)
        if entries % 2:
            found[self.packed[-1] >> 4] -= 1
        return np.trim_zeros(found, "b").astype(np.int64)


def moves_of(metric: str) -> int:
    """Number of moves of a metric."""
    return 18 if metric == "half" else 12


def kept_table(name: str, metric: Metric, *, budget: Budget | None = None) -> DistanceTable | None:
    """The table if it is in memory or in the user's cache, else None.

    Raises
    ------
    OutOfBudgetError
        If the budget ended while the table was being read.
    """
    if (name, metric) not in _kept:
        size = (_ENTRIES[name] + 1) // 2
        found = load_table(KIND, _content(name, metric), "uint8", (size,), enough=enough_of(budget))
        if found is None:
            return None
        packed = found[0]
        _kept[name, metric] = DistanceTable(name, metric, packed, _largest(packed), found[1].seconds)
    return _kept[name, metric]


def is_kept(name: str, metric: Metric) -> bool:
    """Whether the table is in memory or has a file in the user's cache; the file is not opened."""
    return (name, metric) in _kept or has_table(KIND, _content(name, metric))


def distance_table(
    name: str, metric: Metric, *, budget: Budget | None = None, progress: Progress | None = None
) -> DistanceTable | None:
    """The table from memory, the user's cache, or built (and kept in both); None if the budget ended first.

    Raises
    ------
    ConfigurationError
        If there is no such table.
    """
    if name not in NAMES or metric not in METRICS:
        raise ConfigurationError(f"no table '{name}' for metric '{metric}'. Known: {', '.join(NAMES)}")
    try:
        found = kept_table(name, metric, budget=budget)
    except OutOfBudgetError:
        return None
    if found is None:
        found = build_table(name, metric, budget=budget, progress=progress)
        if found is not None:
            store_table(KIND, f"rubik {name} {metric}", _content(name, metric), found.packed, found.seconds)
            _kept[name, metric] = found
    return found


def build_table(
    name: str, metric: Metric, *, budget: Budget | None = None, progress: Progress | None = None
) -> DistanceTable | None:
    """Search from the solved cube: forwards, and from the unseen entries once these are fewer.

    Returns None if the budget ended first; the next call continues from there, even in another process.
    """
    kept = Kept(f"rubik {name} {metric}", _content(name, metric), (_ENTRIES[name] + 1) // 2)
    return _builds.run((name, metric), lambda state: _Search(name, metric, progress, state).steps(), budget, kept)


class _Search:
    """State of a breadth-first search: each level is expanded, closed under symmetries and counted in chunks."""

    def __init__(self, name: str, metric: Metric, progress: Progress | None, state: Unfinished | None) -> None:
        self.begun = time.perf_counter() - (0.0 if state is None else state.seconds)
        self.name, self.metric, self.progress = name, metric, progress
        self.rows = rows_of(name, moves_of(metric))
        self.chunks = list(pairwise(np.linspace(0, self.rows.rows, _CHUNKS + 1).astype(np.int64).tolist()))
        self.depth, self.stage, self.chunk, self.unseen = 0, 0, 0, 0
        if state is None:
            self.table = np.full(_ENTRIES[name], UNSEEN, dtype=np.uint8)
            self.table[self.rows.home] = 0
            self.left, self.frontier = self.table.size - 1, 1
        else:
            self._restore(state)

    def _restore(self, state: Unfinished) -> None:
        """Continue where another process stopped."""
        numbers = Stored(state.numbers)
        self.depth, self.left, self.frontier = (numbers.count(key) for key in ("depth", "left", "frontier"))
        self.stage, self.chunk, self.unseen = (numbers.count(key) for key in ("stage", "chunk", "unseen"))
        packed = state.array("packed", np.uint8, ((_ENTRIES[self.name] + 1) // 2,))
        if self.depth >= _DEEPEST or self.stage > 2 or self.chunk > _CHUNKS:
            raise InputError("the stored state is damaged (a level that no cube has)")
        pairs = np.arange(256)
        both = np.stack([pairs & 15, pairs >> 4], axis=1).astype(np.uint8)
        both[both == _DEEPEST] = UNSEEN
        self.table = both.view(np.uint16).ravel()[packed].view(np.uint8)[: _ENTRIES[self.name]]

    def _snapshot(self) -> Unfinished:
        keys = ("depth", "left", "frontier", "stage", "chunk", "unseen")
        packed = np.empty((self.table.size + 1) // 2, dtype=np.uint8)
        nibbles(0, packed.size, self.table, packed)
        return Unfinished(
            {key: getattr(self, key) for key in keys}, {"packed": packed}, time.perf_counter() - self.begun
        )

    def steps(self) -> Steps[DistanceTable]:
        """Run the search in slices."""
        self._tell()
        table, width = self.table, self.rows.width
        while self.frontier and self.left:
            forwards = self.frontier <= self.left
            while self.stage < 3:
                while self.chunk < len(self.chunks):
                    begin, end = self.chunks[self.chunk]
                    if self.stage == 0:
                        self.rows.expand(forwards, self.depth, begin, end, table)
                    elif self.stage == 1:
                        self.rows.close(self.depth + 1, begin, end, table)
                    else:
                        self.unseen += int(np.count_nonzero(table[begin * width : end * width] == UNSEEN))
                    self.chunk += 1
                    yield self._snapshot
                self.stage, self.chunk = self.stage + 1, 0
            self.left, self.frontier = self.unseen, self.left - self.unseen
            self.depth, self.stage, self.unseen = self.depth + 1, 0, 0
            self._tell()
        packed = np.empty((table.size + 1) // 2, dtype=np.uint8)
        for begin, end in pairwise(np.linspace(0, packed.size, _CHUNKS + 1).astype(np.int64).tolist()):
            nibbles(begin, end, table, packed)
            yield self._snapshot
        return DistanceTable(self.name, self.metric, packed, _largest(packed), time.perf_counter() - self.begun)

    def _tell(self) -> None:
        if self.progress is not None:
            about = _SECONDS[self.name]
            self.progress(f"tables of the cube: {self.name} (about {about} s, kept)", 1 - self.left / self.table.size)


def _content(name: str, metric: str) -> dict[str, object]:
    return {"table": name, "metric": metric, "form": _FORM}


def _largest(packed: NDArray[np.uint8]) -> int:
    return max(int((packed & 15).max()), int((packed >> 4).max()))
