"""Distances to the goal of a whole (small) domain in one table: backward search from its goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import pattern_kernels
from matheur.methods.statespace.heuristics.base import UNREACHED

__all__ = ["BITS_MAX", "DistanceTable", "Progress", "count_values", "distance_table"]

BITS_MAX = 36
"""Largest table that is ever built, in bits of its index: 64 GiB."""

Progress = Callable[[int, int], None]
"""Called with the current distance and the number of entries reached so far."""

_FARTHEST = 254
_SLICE = 20_000  # expansions, 10 to 50 ms
_SCAN = 1 << 24  # entries scanned, about 10 ms
_STACK = 1 << 16
_BATCH = 1 << 14
_COUNTED = 1 << 16
_CUT_MAX = 1 << 26  # most entries of a table that is capped when the budget ends, which takes a tenth of a second


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """Distances to the goal, by key.

    Attributes
    ----------
    values
        uint8[2**bits], read-only: the distance, at most 254 (larger ones are stored as 254), `UNREACHED` if the goal
        cannot be reached.
    counts
        int64[256]: number of entries of each value.
    complete
        False if the budget ended first: values are then capped at a number, which unreached entries get as well, so
        that all are lower bounds.
    seconds
        Time to build the table.
    cached
        Whether the table was read from disk.
    """

    values: NDArray[np.uint8]
    counts: NDArray[np.int64]
    complete: bool
    seconds: float
    cached: bool = False

    @property
    def reached(self) -> int:
        """Number of entries from which the goal can be reached, or might be reached if the table is incomplete."""
        return int(self.counts[:UNREACHED].sum())

    @property
    def mean(self) -> float:
        """Mean value of these entries."""
        return float(self.counts[:UNREACHED] @ np.arange(UNREACHED)) / max(self.reached, 1)


def distance_table(domain: Domain, *, budget: Budget | None = None, progress: Progress | None = None) -> DistanceTable:
    """Distance to the goal of every state, by backward search from all goal states.

    Costs may be any number from 0 (Dial 1969: one bucket per distance). If the goal leaves components open, the goal
    states are the matching states among those connected with the domain's start, and the table contains only connected
    states. The interrupt and the time limit of the budget apply. The work limit does not: a table may also come from
    disk, and the same work must give the same search.

    Raises
    ------
    OutOfBudgetError
        If the budget ended during the build of a table that is too large to cap in time.
    ValueError
        If the domain is not reversible, its key has more than `BITS_MAX` bits, or a move contradicts the domain.
    """
    if not domain.reversible:
        raise ValueError(f"'{domain.name}' is not reversible, so that it cannot be searched from its goal")
    if domain.packing.words > 1 or domain.packing.bits > BITS_MAX:
        raise ValueError(f"a table of {domain.packing.bits} bits is too large, the limit is {BITS_MAX}")
    began = perf_counter()
    building = _Building(domain, budget, progress)
    values, counts, complete = building.run()
    values.flags.writeable = False
    return DistanceTable(values, counts, complete, perf_counter() - began)


def count_values(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Number of entries of each value, int64[256]; in pieces, since NumPy makes copies of 8 bytes per entry."""
    counts = np.zeros(256, dtype=np.int64)
    for at in range(0, len(values), _COUNTED):
        counts += np.bincount(values[at : at + _COUNTED], minlength=256)
    return counts


class _Building:
    """One build: the table, and the budget that may stop it."""

    def __init__(self, domain: Domain, budget: Budget | None, progress: Progress | None) -> None:
        self.domain, self.budget, self.progress = domain, budget, progress
        self.size = 1 << domain.packing.bits

    def run(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], bool]:
        """Values, counts, and whether they are complete."""
        domain = self.domain
        if domain.goal_mask.all():
            return self.fill(*self.only(domain.goal))
        values, _, complete = self.fill(*self.only(domain.start))
        if not complete:  # the goals are not known: a bound of 0
            values[:] = 0
            return values, count_values(values), False
        self.keep_goals(values)
        return self.fill(values, count_values(values))

    def only(self, state: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """A table with one source, and its counts."""
        values = np.full(self.size, UNREACHED, dtype=np.uint8)
        values[int(self.domain.packing.pack(state[None])[0, 0])] = 0
        counts = np.zeros(256, dtype=np.int64)
        counts[[0, UNREACHED]] = 1, self.size - 1
        return values, counts

    def keep_goals(self, values: NDArray[np.uint8]) -> None:
        """Turn a table of the states connected with the start into a table whose sources are the goals among them."""
        for at in range(0, self.size, _COUNTED):
            piece = values[at : at + _COUNTED]
            connected = np.flatnonzero(piece != UNREACHED)
            goals = connected[self.domain.is_goal((at + connected)[:, None].astype(np.uint64))]
            piece[:] = UNREACHED
            piece[goals] = 0

    def fill(
        self, values: NDArray[np.uint8], counts: NDArray[np.int64]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], bool]:
        """Compute distances from the entries that are 0; all others are unreached."""
        settle = self.settle_batches if self.domain.expander is None else self.settle_compiled
        for value in range(_FARTHEST + 1):
            if counts[value] == 0:
                continue
            if not settle(values, counts, value):
                if self.size > _CUT_MAX:
                    raise OutOfBudgetError
                # All unsettled entries are at least this far; with unit costs the next value is known as well.
                _cut(values, counts, value + 1 if self.domain.unit_costs else value)
                return values, counts, False
        return values, counts, True

    def settle_compiled(self, values: NDArray[np.uint8], counts: NDArray[np.int64], value: int) -> bool:
        """Expand all entries of a value; False if the budget ended."""
        expander = self.domain.expander
        assert expander is not None
        cursor, stack = np.zeros(4, dtype=np.int64), np.empty(_STACK, dtype=np.int64)
        status = 1
        while status == 1:
            if self.stopped(value, counts):
                return False
            status = pattern_kernels.settle(
                expander.address, expander.data, values, value, cursor, stack, counts, self.domain.branching,
                _SLICE, _SCAN,
            )  # fmt: skip
        if status == pattern_kernels.BAD_MOVE:
            raise ValueError(f"a move of '{self.domain.name}' leaves its states or has a negative cost")
        return True

    def settle_batches(self, values: NDArray[np.uint8], counts: NDArray[np.int64], value: int) -> bool:
        """The same for a domain that expands in batches only."""
        frontier = np.flatnonzero(values == value)
        while frontier.size:
            fresh = []
            for chunk in _chunks(frontier, _BATCH):
                if self.stopped(value, counts):
                    return False
                fresh.append(self.relax(values, counts, value, chunk))
            frontier = np.unique(np.concatenate(fresh))
        return True

    def relax(
        self, values: NDArray[np.uint8], counts: NDArray[np.int64], value: int, chunk: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Expand some entries; returns the entries that now have the same value as these."""
        found = self.domain.expand(chunk[:, None].astype(np.uint64))
        if len(found.keys) and ((found.keys >= self.size).any() or (found.costs < 0).any()):
            raise ValueError(f"a move of '{self.domain.name}' leaves its states or has a negative cost")
        children = found.keys[:, 0].astype(np.int64)
        reached = np.minimum(value + found.costs.astype(np.int64), _FARTHEST)
        better = reached < values[children]
        children, reached = children[better], reached[better]
        unique = np.unique(children)
        counts -= np.bincount(values[unique], minlength=256)
        np.minimum.at(values, children, reached.astype(np.uint8))
        counts += np.bincount(values[unique], minlength=256)
        return unique[values[unique] == value]

    def stopped(self, value: int, counts: NDArray[np.int64]) -> bool:
        """Report progress, and return whether to stop."""
        if self.progress is not None:
            self.progress(value, int(counts[:UNREACHED].sum()))
        return self.budget is not None and self.budget.out_of_time


def _chunks(indices: NDArray[np.int64], size: int) -> list[NDArray[np.int64]]:
    return [indices[at : at + size] for at in range(0, len(indices), size)]


def _cut(values: NDArray[np.uint8], counts: NDArray[np.int64], bound: int) -> None:
    np.minimum(values, np.uint8(min(bound, _FARTHEST)), out=values)
    counts[:] = count_values(values)
