"""Tables of exact distances of parts of a cube, kept in the user's cache.

- `corners`: all 88,179,840 positions of the corners (Korf 1997), 44 MB.
- `phase1`: twists of the corners, flips of the edges, and places of the edges of the slice between U and D, up to
  symmetry: 140,908,410 entries, 70 MB. It is looked up for each of the three axes, and for the inverse cube.

Both in quarter turns or half turns, four bits an entry.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import has_table, load_table, store_table
from matheur.errors import ConfigurationError
from matheur.problems.rubik.instance import METRICS, Metric
from matheur.statespace.rubik.classes import KEPT, classes
from matheur.statespace.rubik.coordinates import TWISTS, corner_moves, twist_moves
from matheur.statespace.rubik.table_kernels import UNSEEN, backward, close, forward, nibbles
from matheur.statespace.slices import Builds, Steps

__all__ = ["KIND", "NAMES", "DistanceTable", "build_table", "distance_table", "is_kept", "kept_table", "moves_of"]

KIND = "rubik"
"""Folder inside the cache."""

NAMES = ("corners", "phase1")
_FORM = 1
_CHUNKS = 64

Progress = Callable[[str, float], None]
"""Called with a name and a share of the work from 0 to 1."""

_kept: dict[tuple[str, str], DistanceTable] = {}
_builds: Builds[DistanceTable] = Builds()


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """A table of distances.

    Attributes
    ----------
    name, metric
        Which one.
    packed
        uint8[(entries + 1) // 2]: two entries a byte, the first one in the lower half.
    largest
        The largest entry.
    seconds
        How long it took to build.
    """

    name: str
    metric: Metric
    packed: NDArray[np.uint8]
    largest: int
    seconds: float

    def histogram(self) -> NDArray[np.int64]:
        """Number of entries of each distance."""
        entries = _entries(self.name)
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


def kept_table(name: str, metric: Metric) -> DistanceTable | None:
    """The table if it is in memory or in the user's cache, else None."""
    if (name, metric) not in _kept:
        size = (_entries(name) + 1) // 2
        found = load_table(KIND, _content(name, metric), "uint8", (size,))
        if found is None:
            return None
        packed = found[0]
        _kept[name, metric] = DistanceTable(name, metric, packed, _largest(packed), found[1].seconds)
    return _kept[name, metric]


def is_kept(name: str, metric: Metric) -> bool:
    """Whether the table is in memory, or there is a file of it in the user's cache, which is not looked into."""
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
    found = kept_table(name, metric)
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

    None if the budget ended first; the next call in this process goes on from there.
    """
    return _builds.run((name, metric), lambda: _steps(name, metric, progress), budget)


def _steps(name: str, metric: Metric, progress: Progress | None) -> Steps[DistanceTable]:
    begun = time.perf_counter()
    moves = moves_of(metric)
    if name == "corners":
        neighbours = corner_moves() * KEPT
        stabiliser, images = np.ones(len(neighbours), dtype=np.uint16), np.empty((1, TWISTS), dtype=np.int16)
        maps = np.ascontiguousarray(twist_moves()[:, None])
        home = 0
    else:
        known = classes()
        neighbours, stabiliser, images = known.neighbours, known.stabiliser, known.twist_image
        maps = np.ascontiguousarray(images[:, twist_moves()].transpose(1, 0, 2))
        home = int(known.class_of[_SOLVED_PLACING * 2048]) // KEPT * TWISTS
    rows = len(neighbours)
    table = np.full(rows * TWISTS, UNSEEN, dtype=np.uint8)
    table[home] = 0
    bounds = np.linspace(0, rows, _CHUNKS + 1).astype(np.int64).tolist()
    chunks = list(pairwise(bounds))
    depth, left, frontier = 0, table.size - 1, 1
    while frontier and left:
        step = backward if frontier > left else forward
        fresh_before = left
        for begin, end in chunks:
            step(depth, begin, end, moves, neighbours, maps, table)
            yield
        left = 0
        for begin, end in chunks:
            close(depth + 1, begin, end, stabiliser, images, table)
            yield
        for begin, end in chunks:
            left += int(np.count_nonzero(table[begin * TWISTS : end * TWISTS] == UNSEEN))
            yield
        frontier = fresh_before - left
        depth += 1
        if progress is not None:
            progress(f"table {name} ({metric} turns)", 1 - left / table.size)
    packed = np.empty((table.size + 1) // 2, dtype=np.uint8)
    for begin, end in pairwise(np.linspace(0, packed.size, _CHUNKS + 1).astype(np.int64).tolist()):
        nibbles(begin, end, table, packed)
        yield
    return DistanceTable(name, metric, packed, _largest(packed), time.perf_counter() - begun)


_SOLVED_PLACING = 494
"""Places 8 to 11 are the last set of four places."""


def _entries(name: str) -> int:
    return TWISTS * (40320 if name == "corners" else 64430)


def _content(name: str, metric: str) -> dict[str, object]:
    return {"table": name, "metric": metric, "form": _FORM}


def _largest(packed: NDArray[np.uint8]) -> int:
    return max(int((packed & 15).max()), int((packed >> 4).max()))
