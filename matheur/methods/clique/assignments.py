"""Assignments of one vertex to every class, laid out for a kernel: as rows of conflicts, or as a full table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.graph import Graph

__all__ = ["Assignment", "assign"]

_BLOCK = 16_000_000  # entries of the complement at a time
_TABLE_MAX = 100_000_000  # bytes
_SPARSE = 64  # slots per conflict of a vertex above which rows are faster than a table


@dataclass(frozen=True, slots=True)
class Assignment:
    """One vertex of every class and all conflicts, laid out for the kernels of a module.

    Attributes
    ----------
    kernels, state
        The module, and the state of its search.
    chosen, fewest
        Places by class of the vertices in the current assignment, and in the assignment with the fewest conflicts.
    vertices
        The graph's vertex at each place.
    arrays
        Arguments of the kernel `run` after its limits.
    """

    kernels: Any
    state: NDArray[np.int64]
    chosen: NDArray[np.int32]
    fewest: NDArray[np.int32]
    vertices: NDArray[np.int32]
    arrays: tuple[NDArray[Any], ...]

    def run(self, limit: int, tenure: int, spread: int) -> None:
        """Continue until this many steps are made, or no conflict remains."""
        self.kernels.run(limit, tenure, spread, *self.arrays)

    @property
    def present(self) -> NDArray[np.int32]:
        """The vertices of the graph in the current assignment, by class."""
        return self.vertices[self.chosen]

    @property
    def best(self) -> NDArray[np.int32]:
        """The vertices of the graph in the assignment with the fewest conflicts, by class."""
        return self.vertices[self.fewest]


@dataclass(frozen=True, slots=True)
class _Classes:
    """A graph whose vertices are numbered class by class.

    Attributes
    ----------
    ptr, idx
        Rows of conflicts: non-adjacent vertices of other classes.
    first, label
        First number of each class, class of each number.
    members
        The graph's vertex of each number.
    """

    ptr: NDArray[np.int64]
    idx: NDArray[Any]
    first: NDArray[np.int64]
    label: NDArray[np.int32]
    members: NDArray[np.int32]


def _as_rows(graph: _Classes, chosen: NDArray[np.int32], random: NDArray[np.uint64]) -> Assignment:
    """Layout with a list of conflicts for each vertex; it takes as much memory as the complement."""
    from matheur.methods.clique import partition_kernels as kernels

    state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
    conflicts = np.zeros(len(graph.label), dtype=np.int32)
    hot, place = np.zeros(len(chosen), dtype=np.int32), np.zeros(len(chosen), dtype=np.int32)
    kernels.prepare(graph.ptr, graph.idx, chosen, conflicts, hot, place, state)
    state[kernels.BEST] = state[kernels.TOTAL]
    tabu, best = np.zeros(len(graph.label), dtype=np.int64), chosen.copy()
    arrays = (
        graph.ptr, graph.idx, graph.first, graph.label, chosen, conflicts, tabu, hot, place, state, random, best,
    )  # fmt: skip
    return Assignment(kernels, state, chosen, best, graph.members, arrays)


def _as_table(graph: _Classes, chosen: NDArray[np.int32], random: NDArray[np.uint64]) -> Assignment:
    """Layout with a byte for each vertex and slot; every class has as many slots as the largest class has vertices."""
    from matheur.methods.clique import partition_table_kernels as kernels

    state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
    width, slots = _measures(graph.first)
    n = len(graph.label)
    place = (np.arange(n) - graph.first[graph.label]) * width + graph.label
    rows = np.zeros((n, slots), dtype=np.int8)
    for v in range(n):
        rows[v, place[graph.idx[graph.ptr[v] : graph.ptr[v + 1]]]] = 1
    number = np.full(slots, -1, dtype=np.int32)
    number[place] = np.arange(n)
    counts = np.full(slots, kernels.NONE, dtype=np.int16)
    counts[place] = 0
    own, least = np.zeros(width, dtype=np.int16), np.zeros(width, dtype=np.int16)
    slot = place[chosen].astype(np.int32)
    kernels.prepare(rows, number, slot, counts, own, state)
    state[kernels.BEST] = state[kernels.TOTAL]
    until, held, ties = (np.zeros(slots, dtype=one) for one in (np.int64, np.int32, np.int32))
    best = slot.copy()
    arrays = (rows, number, slot, counts, until, held, own, least, ties, state, random, best)
    return Assignment(kernels, state, slot, best, graph.members[number], arrays)


def _measures(first: NDArray[np.int64]) -> tuple[int, int]:
    """Columns and slots of the table for classes that begin at `first`."""
    from matheur.methods.clique.partition_table_kernels import LANES

    width = -(-(len(first) - 1) // LANES) * LANES
    return width, width * int(np.diff(first).max(initial=0))


def assign(
    graph: Graph, label: NDArray[np.int32], rng: Generator, start: NDArray[np.int32], *, table: bool | None = None
) -> Assignment:
    """Draw a vertex of every class that `start` has no vertex of, and choose the faster layout.

    Parameters
    ----------
    label
        The class of each vertex, from 0.
    table
        Whether to use a table; None: if it is small and not nearly empty.

    Raises
    ------
    ConfigurationError
        If there are too many classes for a table.
    ValueError
        If two vertices of a class are adjacent, or a class is empty.
    """
    from matheur.methods.clique.partition_table_kernels import CLASSES_MAX

    count = int(label.max()) + 1 if len(label) else 0
    members = np.argsort(label, kind="stable").astype(np.int32)
    first = np.searchsorted(label[members], np.arange(count + 1)).astype(np.int64)
    sizes = np.diff(first)
    if len(label) != graph.n or (sizes == 0).any():
        raise ValueError("every vertex needs a class, and every class a vertex")
    if table and count > CLASSES_MAX:
        raise ConfigurationError(f"a table of conflicts takes up to {CLASSES_MAX:,} classes ({count:,})")
    number = np.empty(graph.n, dtype=np.int32)
    number[members] = np.arange(graph.n)
    ptr, idx = _rows_across(graph, label, members, number)
    chosen = (first[:-1] + rng.integers(0, np.maximum(sizes, 1))).astype(np.int32)
    chosen[label[start]] = number[start]
    random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
    if table is None:
        size = _measures(first)[1] * graph.n
        table = count <= CLASSES_MAX and size <= min(_TABLE_MAX, _SPARSE * len(idx))
    classes = _Classes(ptr, idx, first, label[members], members)
    return (_as_table if table else _as_rows)(classes, chosen, random)


def _rows_across(
    graph: Graph, label: NDArray[np.int32], order: NDArray[np.int32], number: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Rows of the complement, reordered and renumbered, without pairs of a class; in blocks, to save memory."""
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
