"""Assignments of a vertex to every class, laid out for a kernel: as rows of conflicts, or as a table of all."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.max_clique.graph import Graph

__all__ = ["Assignment", "RowAssignment", "TableAssignment", "assign"]

_BLOCK = 16_000_000  # entries of the complement at a time
_TABLE_MAX = 100_000_000  # bytes
_SPARSE = 64  # slots for one conflict of a vertex, above which rows are faster than a table


class Assignment(ABC):
    """One vertex of every class and the conflicts of all; vertices are numbered class by class.

    Attributes
    ----------
    members
        The graph's vertex of each number.
    kernels, state
        The module whose kernels work on it, and their state.
    """

    kernels: Any
    members: NDArray[np.int32]
    state: NDArray[np.int64]

    @abstractmethod
    def run(self, limit: int, tenure: int, spread: int) -> None:
        """Go on until so many steps are made, or nothing is in conflict."""

    @property
    @abstractmethod
    def present(self) -> NDArray[np.int32]:
        """The vertices of the graph in the present assignment, by class."""

    @property
    @abstractmethod
    def best(self) -> NDArray[np.int32]:
        """Those in the one of fewest conflicts."""


class RowAssignment(Assignment):
    """The conflicts of each vertex as a list: memory of the complement's size."""

    def __init__(
        self, ptr: NDArray[np.int64], idx: NDArray[Any], first: NDArray[np.int64], label: NDArray[np.int32],
        members: NDArray[np.int32], chosen: NDArray[np.int32], random: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        from matheur.clique import partition_kernels as kernels

        self.kernels: Any = kernels
        self.members: NDArray[np.int32] = members
        self.state: NDArray[np.int64] = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        conflicts = np.zeros(len(label), dtype=np.int32)
        hot, place = np.zeros(len(chosen), dtype=np.int32), np.zeros(len(chosen), dtype=np.int32)
        kernels.prepare(ptr, idx, chosen, conflicts, hot, place, self.state)
        tabu = np.zeros(len(label), dtype=np.int64)
        self._present, self._best = chosen, chosen.copy()
        self._arrays = (ptr, idx, first, label, chosen, conflicts, tabu, hot, place, self.state, random, self._best)
        self.state[kernels.BEST] = self.state[kernels.TOTAL]

    def run(self, limit: int, tenure: int, spread: int) -> None:
        self.kernels.run(limit, tenure, spread, *self._arrays)

    @property
    def present(self) -> NDArray[np.int32]:
        return self.members[self._present]

    @property
    def best(self) -> NDArray[np.int32]:
        return self.members[self._best]


class TableAssignment(Assignment):
    """A byte for each vertex and slot, where every class has as many slots as the largest has vertices."""

    def __init__(
        self, ptr: NDArray[np.int64], idx: NDArray[Any], first: NDArray[np.int64], label: NDArray[np.int32],
        members: NDArray[np.int32], chosen: NDArray[np.int32], random: NDArray[np.uint64],
    ) -> None:  # fmt: skip
        from matheur.clique import partition_table_kernels as kernels

        self.kernels: Any = kernels
        self.members: NDArray[np.int32] = members
        self.state: NDArray[np.int64] = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        width, slots = self.measures(first)
        n = len(label)
        place = (np.arange(n) - first[label]) * width + label
        rows = np.zeros((n, slots), dtype=np.int8)
        for v in range(n):
            rows[v, place[idx[ptr[v] : ptr[v + 1]]]] = 1
        self._number = np.full(slots, -1, dtype=np.int32)
        self._number[place] = np.arange(n)
        counts = np.full(slots, kernels.NONE, dtype=np.int16)
        counts[place] = 0
        own, least = np.zeros(width, dtype=np.int16), np.zeros(width, dtype=np.int16)
        slot = place[chosen].astype(np.int32)
        kernels.prepare(rows, self._number, slot, counts, own, self.state)
        until, held = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int32)
        self._present, self._best = slot, slot.copy()
        self._arrays = (
            rows, self._number, slot, counts, until, held, own, least, np.zeros(slots, dtype=np.int32), self.state,
            random, self._best,
        )  # fmt: skip
        self.state[kernels.BEST] = self.state[kernels.TOTAL]

    @staticmethod
    def measures(first: NDArray[np.int64]) -> tuple[int, int]:
        """Columns and slots of the table for classes that begin at `first`."""
        from matheur.clique.partition_table_kernels import LANES

        width = -(-(len(first) - 1) // LANES) * LANES
        return width, width * int(np.diff(first).max(initial=0))

    def run(self, limit: int, tenure: int, spread: int) -> None:
        self.kernels.run(limit, tenure, spread, *self._arrays)

    @property
    def present(self) -> NDArray[np.int32]:
        return self.members[self._number[self._present]]

    @property
    def best(self) -> NDArray[np.int32]:
        return self.members[self._number[self._best]]


def assign(
    graph: Graph, label: NDArray[np.int32], rng: Generator, start: NDArray[np.int32], *, table: bool | None = None
) -> Assignment:
    """Draw a vertex of every class, but take those in `start`; laid out as what is faster.

    Parameters
    ----------
    label
        The class of each vertex, from 0.
    table
        Whether it is laid out as a table; None: if that is small, and not nearly empty.

    Raises
    ------
    ValueError
        If two vertices of a class are joined, or a class is empty.
    """
    from matheur.clique.partition_table_kernels import CLASSES_MAX

    count = int(label.max()) + 1 if len(label) else 0
    members = np.argsort(label, kind="stable").astype(np.int32)
    first = np.searchsorted(label[members], np.arange(count + 1)).astype(np.int64)
    sizes = np.diff(first)
    if len(label) != graph.n or (sizes == 0).any():
        raise ValueError("every vertex needs a class, and every class a vertex")
    number = np.empty(graph.n, dtype=np.int32)
    number[members] = np.arange(graph.n)
    ptr, idx = _rows_across(graph, label, members, number)
    chosen = (first[:-1] + rng.integers(0, np.maximum(sizes, 1))).astype(np.int32)
    chosen[label[start]] = number[start]
    random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
    if table is None:
        size = TableAssignment.measures(first)[1] * graph.n
        table = count <= CLASSES_MAX and size <= min(_TABLE_MAX, _SPARSE * len(idx))
    layout = TableAssignment if table else RowAssignment
    return layout(ptr, idx, first, label[members], members, chosen, random)


def _rows_across(
    graph: Graph, label: NDArray[np.int32], order: NDArray[np.int32], number: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rows of the complement in another order and numbering, without pairs of a class; in blocks, to save memory."""
    lengths = np.diff(graph.ptr)[order]
    sizes = np.bincount(label)
    ptr = np.concatenate(([0], np.cumsum(lengths - sizes[label[order]] + 1)))
    if (np.diff(ptr) < 0).any():
        raise ValueError("two vertices of a class are joined")
    idx = np.empty(int(ptr[-1]), dtype=np.uint16 if graph.n < 1 << 16 else np.int32)
    ends = np.cumsum(lengths)
    first = 0
    while first < len(order):
        done = int(ends[first] - lengths[first])
        last = max(first + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
        rows, many = order[first:last], lengths[first:last]
        begins = graph.ptr[rows] - (ends[first:last] - many - done)
        other = graph.idx[np.repeat(begins, many) + np.arange(int(many.sum()))]
        across = label[other] != np.repeat(label[rows], many)
        if int(np.count_nonzero(across)) != int(ptr[last] - ptr[first]):
            raise ValueError("two vertices of a class are joined")
        idx[ptr[first] : ptr[last]] = number[other[across]]
        first = last
    return ptr, idx
