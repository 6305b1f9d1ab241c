"""Walking distance of sliding tiles (Takahashi 2001), for boards of any size.

For vertical moves, only the number of tiles of each goal row in each row and the row of the blank are considered. The
smallest number of vertical slides in this reduced puzzle bounds the vertical slides of the board; columns likewise, and
the two bounds may be added. A 4 x 4 board has 24,964 such arrangements. On larger boards, goal lines are divided into
groups: a slide counts only in the group of its tile, so the distances of groups may be added as well. A group of one
line gives taxicab distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.domain import Kernel
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.problems.sliding_tile.search.walking_kernels import FULL, grow, key_of, lookup, repack, walking_distance

__all__ = ["WalkingTable", "groups_of", "tables_of", "walking_distance_of", "walking_table"]

_STATES = 2_100_000  # largest number of arrangements in a table
_KEY_BITS = 55
_KEPT = 32  # tables kept in memory


@dataclass(frozen=True, eq=False)
class WalkingTable:
    """Distances of a group of goal lines.

    Attributes
    ----------
    first, kinds
        The goal lines `first` to `first + kinds - 1`.
    bits
        Bits per count in the key.
    slots
        uint64[power of two]: hash table of keys and distances, see `walking_kernels`.
    """

    first: int
    kinds: int
    bits: int
    slots: NDArray[np.uint64]

    @property
    def arrangements(self) -> int:
        """Number of reachable arrangements."""
        return int(np.count_nonzero(self.slots))

    @property
    def largest(self) -> int:
        """The largest distance."""
        return int((self.slots & np.uint64(255)).max())


def groups_of(totals: Sequence[int], length: int) -> list[tuple[int, int]]:
    """Goal lines in groups (first, number), as large as the table size allows.

    Parameters
    ----------
    totals
        Number of tiles with their goal in each line.
    length
        Number of cells in a line.
    """
    lines, groups, first = len(totals), [], 0
    while first < lines:
        kinds = 1
        while first + kinds < lines and _fits(totals[first : first + kinds + 1], lines, length):
            kinds += 1
        groups.append((first, kinds))
        first += kinds
    return groups


def _arrangements(totals: Sequence[int], lines: int) -> int:
    """Upper bound on the number of ways to distribute tiles over lines."""
    return prod(comb(int(total) + lines - 1, lines - 1) for total in totals)


def _fits(totals: Sequence[int], lines: int, length: int) -> bool:
    bits = (lines - 1) * len(totals) * length.bit_length() + 3  # 3 bits for the blank's line
    return bits <= _KEY_BITS and _arrangements(totals, lines) <= _STATES


def tables_of(totals: Sequence[int], length: int, blank: int, *, budget: Budget | None = None) -> list[WalkingTable]:
    """The tables of all groups of lines; `blank` is the blank's goal line. See `walking_table`."""
    return [walking_table(tuple(totals), length, blank, *group, budget=budget) for group in groups_of(totals, length)]


_kept: dict[tuple[tuple[int, ...], int, int, int, int], WalkingTable] = {}


def walking_table(
    totals: tuple[int, ...], length: int, blank: int, first: int, kinds: int, *, budget: Budget | None = None
) -> WalkingTable:
    """The table of one group of goal lines, kept in memory.

    Raises
    ------
    OutOfBudgetError
        If the budget ended first.
    """
    key = totals, length, blank, first, kinds
    if key not in _kept:
        while len(_kept) >= _KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = _build(*key, Budget() if budget is None else budget)
    return _kept[key]


def _build(totals: tuple[int, ...], length: int, blank: int, first: int, kinds: int, budget: Budget) -> WalkingTable:
    lines, bits = len(totals), length.bit_length()
    own = np.array(totals[first : first + kinds], dtype=np.int64)
    states = _arrangements(own.tolist(), lines)
    queue = np.empty(2 * states + 64, dtype=np.uint64)
    slots = np.zeros(1 << int(4 * states + 64).bit_length(), dtype=np.uint64)
    counts = np.zeros((lines, kinds), dtype=np.int64)
    counts[np.arange(first, first + kinds), np.arange(kinds)] = own
    goal = np.uint64(key_of(counts, blank, length, bits))
    queue[0] = goal
    slots[lookup(goal, slots)] = (goal + np.uint64(1)) << np.uint64(8)
    count = int(grow(0, 1, 1, length, bits, own, lines, queue, slots))
    begin = 1
    while begin < count:
        budget.check()
        end = min(count, begin + (1 << 16))
        begin, count = end, int(grow(begin, end, count, length, bits, own, lines, queue, slots))
        if count == FULL:
            raise AssertionError("a table of walking distances has more arrangements than expected")
    compact = np.zeros(1 << int(2 * count).bit_length(), dtype=np.uint64)
    repack(queue, count, slots, compact)
    return WalkingTable(first, kinds, bits, compact)


def walking_distance_of(
    rows: int, columns: int, goal: NDArray[np.uint8], layout: Sequence[int], *, budget: Budget | None = None
) -> Heuristic:
    """The heuristic for a goal, given row by row; `layout` holds words, bits per tile and tiles per word of the keys.

    Raises
    ------
    OutOfBudgetError
        If the budget ended before the tables were built.
    """
    home = np.empty(goal.size, dtype=np.uint8)
    home[goal] = np.arange(goal.size)
    numbers: list[int] = []
    parts: list[NDArray[np.uint64]] = []
    for across, (lines, length) in enumerate(((rows, columns), (columns, rows))):
        line_of = home[1:] % columns if across else home[1:] // columns
        blank = int(home[0] % columns if across else home[0] // columns)
        for table in tables_of(np.bincount(line_of, minlength=lines).tolist(), length, blank, budget=budget):
            begin = sum(len(part) for part in parts)
            numbers += [across, table.first, table.kinds, table.bits, begin, len(table.slots) - 1]
            parts.append(table.slots)
    slots = np.concatenate(parts)
    fields = np.array([rows, columns, *layout, len(parts)], dtype=np.int64)
    kernel = Kernel(walking_distance, fields, (home, slots, np.array(numbers, dtype=np.uint64)))
    return Heuristic("walking-distance", True, True, kernel, memory=slots.nbytes)
