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
from math import perm

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import load_table, store_table
from matheur.errors import ConfigurationError
from matheur.statespace.sliding_tile.database_kernels import UNSEEN, compress, level, rank_of
from matheur.statespace.sliding_tile.geometry import Geometry

__all__ = ["Database", "build_database", "bytes_needed", "database"]

_KIND = "sliding-tile"
_SLICES = 64
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
        uint8[(ranks + 1) // 2]: half of the excess over the taxicab distance, see `compress`.
    seconds
        How long it took to build.
    """

    tiles: tuple[int, ...]
    packed: NDArray[np.uint8]
    seconds: float


def bytes_needed(cells: int, tiles: int) -> int:
    """Memory while a table of so many tiles is built."""
    return perm(cells, tiles) * (2 * _word(cells).itemsize + 1) + perm(cells, tiles) // 2


def database(
    board: Geometry, tiles: Sequence[int], *, budget: Budget | None = None, progress: Progress | None = None
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
    content = {"rows": board.rows, "columns": board.columns, "goal": board.goal, "tiles": list(pattern), "form": 1}
    size = (perm(board.cells, len(pattern)) + 1) // 2
    kept = load_table(_KIND, content, "uint8", (size,))
    if kept is not None:
        return Database(pattern, kept[0], kept[1].seconds)
    made = build_database(board, pattern, budget=budget, progress=progress)
    if made is not None and made.seconds >= 0.2:
        name = f"sliding-tile {board.rows}x{board.columns} {board.goal} " + "-".join(map(str, pattern))
        store_table(_KIND, name, content, made.packed, made.seconds)
    return made


def build_database(
    board: Geometry, pattern: tuple[int, ...], *, budget: Budget | None = None, progress: Progress | None = None
) -> Database | None:
    """Search backwards from the goal, level by level."""
    begun = time.perf_counter()
    cells, many = board.cells, len(pattern)
    ranks = perm(cells, many)
    seen, waiting = (np.zeros(ranks, dtype=_word(cells)) for _ in range(2))
    table = np.full(ranks, UNSEEN, dtype=np.uint8)
    home = board.home[list(pattern)]
    waiting[rank_of(home, cells)] = 1 << int(board.home[0])
    row, column = np.divmod(np.arange(cells), board.columns)
    dark = (row + column) % 2 == 1
    sets = (column > 0, column < board.columns - 1, dark)
    edges = np.array([sum(1 << int(cell) for cell in np.flatnonzero(one)) for one in sets], dtype=np.uint64)
    parity = int(dark[home].sum()) % 2
    bounds = np.linspace(0, ranks, _SLICES + 1 if ranks > 1 << 16 else 2).astype(np.int64)
    done, depth, looked = 0, 0, 1
    while looked:
        looked = 0
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if budget is not None and budget.exhausted:
                return None
            looked += int(
                level(
                    depth, (depth + parity) % 2, begin, end, cells, board.columns, board.beside, edges, many, seen,
                    waiting, table,
                )
            )  # fmt: skip
        done += looked
        if progress is not None:
            progress("pattern " + "-".join(map(str, pattern)), min(1.0, done / (1.2 * ranks)))
        depth += 1
    packed = np.zeros((ranks + 1) // 2, dtype=np.uint8)
    distance = np.ascontiguousarray(board.distance[list(pattern)])
    largest = int(compress(table, distance, cells, packed))
    if largest > 15:
        _log.info(
            "pattern %s: values are cut off at 30 more than the taxicab distance (largest %d)", pattern, 2 * largest
        )
    return Database(pattern, packed, time.perf_counter() - begun)


def _word(cells: int) -> np.dtype[np.unsignedinteger]:
    return np.dtype(np.uint16 if cells <= 16 else np.uint32 if cells <= 32 else np.uint64)
