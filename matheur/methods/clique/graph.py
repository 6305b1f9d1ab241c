"""Undirected graphs for clique search on dense graphs, stored as the *complement* in compressed rows.

At density 0.9 a vertex has about ten times fewer non-neighbours than neighbours, and a graph of 6,000 placements has 15
million edges but 4 million non-edges in both directions. Nothing here creates an object per edge or an n x n integer
matrix; operations on whole rows work in blocks of a few megabytes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.errors import MatheurError

__all__ = [
    "BLOCK_CELLS",
    "ENTRIES_MAX",
    "CompressedRows",
    "Graph",
    "check_size",
    "colour_classes",
    "distinct",
    "distinct_pairs",
    "places_of",
]

ENTRIES_MAX = 1_000_000_000  # complement entries: 4 GB of int32
BLOCK_CELLS = 16_000_000  # of a dense block of rows
_TOGETHER = 1_000_000  # entries of the complement that are processed together


def check_size(n: int, entries: int, *, entries_max: int = ENTRIES_MAX, counted: bool = True) -> None:
    """Reject a graph whose complement does not fit in memory, before anything is allocated.

    Parameters
    ----------
    n
        Number of vertices.
    entries
        Entries of the complement, each non-edge counted in both directions.
    counted
        Whether `entries` is the exact number; else it is a lower bound.

    Raises
    ------
    MatheurError
        If there are more than `entries_max`; the message says how much memory they would take.
    """
    if entries > entries_max or n > entries_max:
        least = "" if counted else "at least "
        raise MatheurError(
            f"a graph of {n:,} vertices with {least}{entries // 2:,} non-edges needs "
            f"{least}{(4 * entries + 8 * n) / 1e9:,.1f} GB "
            f"(the limit is {4 * entries_max / 1e9:,.1f} GB). Maybe take a smaller part"
        )


class CompressedRows(ABC):
    """Base of both forms of a graph: a frozen dataclass of two arrays, the beginnings of the rows and their entries.

    The arrays become int64 and int32, and read-only.
    """

    def __post_init__(self) -> None:
        for field, dtype in zip(fields(self), (np.int64, np.int32), strict=True):  # type: ignore[arg-type]
            array = np.ascontiguousarray(getattr(self, field.name), dtype=dtype).view()
            array.setflags(write=False)
            object.__setattr__(self, field.name, array)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(n={self.n}, edges={self.edges})"

    @property
    @abstractmethod
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Both arrays: two graphs in the same form are equal if their arrays are."""

    @property
    def n(self) -> int:
        """Number of vertices."""
        return len(self.arrays[0]) - 1

    @property
    @abstractmethod
    def edges(self) -> int:
        """Number of edges."""

    @property
    def density(self) -> float:
        """Number of edges divided by the number of pairs of vertices; 1 for a graph of fewer than two vertices."""
        pairs = self.n * (self.n - 1) // 2
        return self.edges / pairs if pairs else 1.0

    @abstractmethod
    def clashes(self, vertices: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
        """All pairs of `vertices` (ascending, distinct) that are not joined, in order."""

    def conflict(self, vertices: Sequence[int] | NDArray[np.integer[Any]]) -> tuple[int, int] | None:
        """A pair of `vertices` that is not joined (or the same vertex twice); None if they are a clique.

        Raises
        ------
        ValueError
            If a number is not a vertex.
        """
        members = np.sort(np.asarray(vertices, dtype=np.int64))
        if members.size and not (members[0] >= 0 and members[-1] < self.n):
            wrong = members[0] if members[0] < 0 else members[-1]
            raise ValueError(f"no such vertex ({wrong}); they are 0 to {self.n - 1}")
        twice = members[1:][members[1:] == members[:-1]]
        if twice.size:
            return int(twice[0]), int(twice[0])
        return next(self.clashes(members), None)

    def is_clique(self, vertices: Sequence[int] | NDArray[np.integer[Any]]) -> bool:
        """Whether the vertices are distinct and pairwise adjacent, checked against the whole rows."""
        return self.conflict(vertices) is None

    @classmethod
    @abstractmethod
    def from_edges(cls, n: int, sources: ArrayLike, targets: ArrayLike) -> Self:
        """A graph from two arrays of end points, 0-based, in any order; doubled edges count once, loops not at all."""

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """A graph from a `networkx.Graph`; vertices are numbered in the order of its nodes."""
        number = {node: position for position, node in enumerate(graph.nodes)}
        numbers = (number[end] for edge in graph.edges() for end in edge)
        ends = np.fromiter(numbers, dtype=np.int64).reshape(-1, 2)
        return cls.from_edges(len(number), ends[:, 0], ends[:, 1])


@dataclass(frozen=True, eq=False, repr=False)
class Graph(CompressedRows):
    """An undirected graph without loops, vertices 0 to n-1.

    Attributes
    ----------
    ptr
        int64, shape (n + 1,): row v of the complement is `idx[ptr[v]:ptr[v + 1]]`.
    idx
        int32: the vertices *not* adjacent to v, without v itself, ascending. Both arrays are read-only.

    Notes
    -----
    The constructor does not check its arguments, which kernels make; `from_edges`, `from_complement` and
    `from_networkx` sort their arguments and remove duplicates.

    Examples
    --------
    >>> path = Graph.from_edges(3, [0, 1], [1, 2])
    >>> path.edges, path.adjacent(0, 2), path.is_clique([1, 2])
    (2, False, True)
    """

    ptr: NDArray[np.int64]
    idx: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return self.ptr, self.idx

    @property
    def edges(self) -> int:
        """Number of edges."""
        return (self.n * (self.n - 1) - len(self.idx)) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each vertex."""
        return self.n - 1 - np.diff(self.ptr)

    def non_neighbours(self, vertex: int) -> NDArray[np.int32]:
        """The vertices not adjacent to `vertex`, ascending, without `vertex` itself (a read-only view)."""
        return self.idx[self.ptr[vertex] : self.ptr[vertex + 1]]

    def adjacent(self, u: int, v: int) -> bool:
        """Whether two vertices are joined by an edge (never, if they are the same)."""
        row = self.non_neighbours(u)
        place = int(np.searchsorted(row, v))
        return u != v and not (place < len(row) and row[place] == v)

    def clashes(self, vertices: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
        """All pairs of `vertices` (ascending, distinct) that are not joined, in order; needs memory for a few rows."""
        inside = np.zeros(self.n, dtype=bool)
        inside[vertices] = True
        lengths = self.ptr[vertices + 1] - self.ptr[vertices]
        kept = lengths > 0  # most rows of a sparse conflict graph are empty
        vertices, lengths = vertices[kept], lengths[kept]
        ends = np.cumsum(lengths)
        at = 0
        while at < len(vertices):
            last = max(at + 1, int(np.searchsorted(ends, (ends[at - 1] if at else 0) + _TOGETHER, side="right")))
            part = vertices[at:last]
            row, other = np.repeat(part, lengths[at:last]), self.idx[places_of(self.ptr, part)]
            clash = inside[other] & (other > row)
            yield from zip(row[clash].tolist(), other[clash].tolist(), strict=True)
            at = last

    def blocks(self, *, cells: int = BLOCK_CELLS) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """The adjacency matrix in blocks of whole rows: first row, and a bool array (rows, n).

        A block has about `cells` cells, so memory does not depend on n.
        """
        step = max(1, cells // max(1, self.n))
        for first in range(0, self.n, step):
            last = min(self.n, first + step)
            block = np.ones((last - first, self.n), dtype=bool)
            counts = np.diff(self.ptr[first : last + 1])
            block[np.repeat(np.arange(last - first), counts), self.idx[self.ptr[first] : self.ptr[last]]] = False
            block[np.arange(last - first), np.arange(first, last)] = False
            yield first, block

    def complement(self) -> Graph:
        """The complement of the graph.

        Raises
        ------
        MatheurError
            If it would not fit in memory.
        """
        check_size(self.n, 2 * self.edges)
        ptr = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(self.degrees, out=ptr[1:])
        idx = np.empty(ptr[-1], dtype=np.int32)
        for first, block in self.blocks():
            idx[ptr[first] : ptr[first + len(block)]] = np.nonzero(block)[1]
        return Graph(ptr, idx)

    def bits(self) -> NDArray[np.uint64]:
        """The adjacency matrix as bits, shape (n, ceil(n / 64)): bit j % 64 of word j // 64 of row i is edge (i, j)."""
        words = (self.n + 63) // 64
        matrix = np.zeros((self.n, words * 8), dtype=np.uint8)
        for first, block in self.blocks():
            packed = np.packbits(block, axis=1, bitorder="little")
            matrix[first : first + len(block), : packed.shape[1]] = packed
        return matrix.view("<u8").astype(np.uint64, copy=False)

    @classmethod
    def from_edges(cls, n: int, sources: ArrayLike, targets: ArrayLike) -> Graph:
        """A graph from two arrays of end points, 0-based, in any order; doubled edges count once, loops not at all.

        Raises
        ------
        MatheurError
            If the complement would not fit in memory.
        ValueError
            If an end point is not a vertex.
        """
        keys = distinct_pairs(n, sources, targets, entries=lambda pairs: n * (n - 1) - 2 * pairs)

        def lower() -> Iterator[tuple[int, NDArray[np.bool_]]]:
            step = max(1, BLOCK_CELLS // max(1, n))
            for first in range(0, n, step):
                last = min(n, first + step)
                block = np.tri(last - first, last, first - 1, dtype=bool)
                begin, end = np.searchsorted(keys, [first * n, last * n])
                row, column = np.divmod(keys[begin:end], n)
                block[row - first, column] = False
                yield first, block

        return cls.from_lower_blocks(n, lower)

    @classmethod
    def from_lower_blocks(cls, n: int, blocks: Callable[[], Iterator[tuple[int, NDArray[np.bool_]]]]) -> Graph:
        """A graph from the lower triangle of its complement, in blocks of rows; needs only the memory of the result.

        Parameters
        ----------
        blocks
            Called twice, to count and to fill: yields the first row of each block and a bool array (rows, at most
            n columns) that is True at (i, j), j < i, if i and j are *not* joined, and False from the diagonal on.

        Raises
        ------
        MatheurError
            If the complement would not fit in memory.
        """
        below, above = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for first, block in blocks():
            below[first : first + len(block)] = np.count_nonzero(block, axis=1)
            above[: block.shape[1]] += np.count_nonzero(block, axis=0)
        ptr = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(below + above, out=ptr[1:])
        check_size(n, int(ptr[-1]))
        idx = np.empty(ptr[-1], dtype=np.int32)
        cursor = ptr[:-1] + below
        for first, block in blocks():
            row, column = np.nonzero(block)
            starts = np.cumsum(below[first : first + len(block)]) - below[first : first + len(block)]
            idx[np.arange(len(row)) + (ptr[first : first + len(block)] - starts)[row]] = column
            column, row = np.nonzero(block.T)
            counts = np.count_nonzero(block, axis=0)
            idx[np.arange(len(row)) + (cursor[: len(counts)] - (np.cumsum(counts) - counts))[column]] = row + first
            cursor[: len(counts)] += counts
        return cls(ptr, idx)

    @classmethod
    def from_complement(cls, n: int, sources: ArrayLike, targets: ArrayLike) -> Graph:
        """A graph from the pairs that are *not* joined; parameters as in `from_edges`."""
        return cls.from_pairs(n, distinct_pairs(n, sources, targets, entries=lambda pairs: 2 * pairs))

    @classmethod
    def from_pairs(cls, n: int, keys: NDArray[np.int64]) -> Graph:
        """A graph from the pairs that are *not* joined, in the form that `distinct_pairs` returns."""
        high, low = np.divmod(keys, max(n, 1))
        keys = np.concatenate((keys, low * n + high))
        keys.sort()
        ptr = np.searchsorted(keys, np.arange(n + 1) * n).astype(np.int64)
        return cls(ptr, (keys % max(n, 1)).astype(np.int32))

    def to_networkx(self) -> Any:
        """The graph as a `networkx.Graph` with nodes 0 to n-1; creates an object per edge, so for small graphs only."""
        import networkx  # takes longer to import than most graphs to read

        found = networkx.Graph()
        found.add_nodes_from(range(self.n))
        for first, block in self.blocks():
            row, column = np.nonzero(block)
            above = column > row + first
            found.add_edges_from(zip((row[above] + first).tolist(), column[above].tolist(), strict=True))
        return found


def distinct_pairs(
    n: int, sources: ArrayLike, targets: ArrayLike, *, entries: Callable[[int], int]
) -> NDArray[np.int64]:
    """Pairs as ascending distinct numbers `larger * n + smaller`, without loops.

    Parameters
    ----------
    entries
        Function from a number of pairs to the number of entries of their compressed rows, for `check_size`.
    """
    u, v = np.asarray(sources).ravel(), np.asarray(targets).ravel()
    if len(u) != len(v):
        raise ValueError(f"as many sources as targets are needed ({len(u)} and {len(v)})")
    if n < 0:
        raise ValueError(f"a graph cannot have {n} vertices")
    # Before arrays of length n are made: a few pairs cannot justify a huge n.
    check_size(n, entries(len(u)))
    if not len(u):
        return np.zeros(0, dtype=np.int64)
    least, most = min(u.min(), v.min()), max(u.max(), v.max())
    if least < 0 or most >= n:
        raise ValueError(f"no such vertex ({least if least < 0 else most}); they are 0 to {n - 1}")
    keys = np.maximum(u, v).astype(np.int64) * n
    keys += np.minimum(u, v)
    keys = keys[u != v]
    return distinct(keys)


def places_of(ptr: NDArray[np.int64], rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Positions of the entries of some compressed rows, row by row.

    Examples
    --------
    >>> places_of(np.array([0, 2, 5, 6]), np.array([2, 0])).tolist()
    [5, 0, 1]
    """
    counts = ptr[rows + 1] - ptr[rows]
    starts = np.repeat(ptr[rows] - (np.cumsum(counts) - counts), counts)
    places: NDArray[np.int64] = starts + np.arange(len(starts))
    return places


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Distinct numbers, ascending: as `np.unique`, but several times as fast for millions; sorts its argument."""
    keys.sort()
    fresh = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=fresh[1:])
    return keys[fresh]


def colour_classes(graph: Graph) -> NDArray[np.int32]:
    """A greedy colouring, class by class in the order of the vertices: the class of each vertex, from 0.

    Vertices of a class are pairwise non-adjacent, so no clique is larger than the number of classes.

    Examples
    --------
    >>> colour_classes(Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3])).tolist()
    [0, 1, 2, 0]
    """
    n = graph.n
    leader = np.arange(n, dtype=np.int32)  # the first vertex of the class of each
    # A vertex that is joined to all others is a class of its own.
    waiting = np.diff(graph.ptr) > 0
    mine = np.zeros(n, dtype=bool)
    for first in np.flatnonzero(waiting).tolist():
        if not waiting[first]:
            continue
        # The row of the first vertex of a class contains all other vertices of the class.
        others = graph.non_neighbours(first)
        others = others[waiting[others]]
        waiting[first] = False
        while len(others):
            vertex = int(others[0])
            leader[vertex], waiting[vertex] = first, False
            row = graph.non_neighbours(vertex)
            mine[row] = True
            kept = others[mine[others]]
            mine[row] = False
            others = kept
    begins = leader == np.arange(n)
    number = np.cumsum(begins, dtype=np.int32) - 1
    return number[leader].astype(np.int32)
