"""Undirected graphs with few edges, stored as their neighbours in compressed rows: memory is linear in the edges.

`matheur.methods.clique.graph.Graph` stores the pairs that are *not* joined; a social network of a million vertices has
10^12 such pairs. The sparse form is used until few enough vertices remain for the dense form.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.methods.clique.cores import Cores, cores_of
from matheur.methods.clique.graph import BLOCK_CELLS, CompressedRows, Graph, distinct_pairs, places_of

__all__ = ["AnyGraph", "SparseGraph", "edge_pairs", "graph_of_pairs", "induced", "is_sparse"]

_NON_EDGES = 2_000_000  # 16 MB: the dense form is used below
_SHARE = 10  # sparse: at most one pair in this many is joined


def is_sparse(n: int, edges: int) -> bool:
    """Whether a graph of this size is stored as a `SparseGraph`: large, with at most a tenth of the pairs joined.

    Examples
    --------
    >>> is_sparse(100_000, 1_000_000), is_sparse(1_000, 10), is_sparse(4_000, 4_000_000)
    (True, False, False)
    """
    pairs = n * (n - 1) // 2
    return pairs - edges > _NON_EDGES and edges * _SHARE <= pairs


@dataclass(frozen=True, eq=False, repr=False)
class SparseGraph(CompressedRows):
    """An undirected graph without loops, vertices 0 to n-1.

    Attributes
    ----------
    indptr
        int64, shape (n + 1,): the neighbours of v are `indices[indptr[v]:indptr[v + 1]]`.
    indices
        int32: the vertices adjacent to v, ascending; each edge is stored twice. Both arrays are read-only.

    Notes
    -----
    The arrays have the names of SciPy's compressed rows, not those of `Graph`, whose arrays store the complement. The
    constructor does not check its arguments; `from_edges` and `from_networkx` sort them and remove duplicates.

    Examples
    --------
    >>> path = SparseGraph.from_edges(3, [0, 1], [1, 2])
    >>> path.edges, path.adjacent(0, 2), path.is_clique([1, 2]), path.neighbours(1).tolist()
    (2, False, True, [0, 2])
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return self.indptr, self.indices

    @property
    def edges(self) -> int:
        """Number of edges."""
        return len(self.indices) // 2

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each vertex."""
        return np.diff(self.indptr)

    @cached_property
    def cores(self) -> Cores:
        """Core numbers and the order of least degree; the first call compiles or loads kernels."""
        return cores_of(self.indptr, self.indices)

    def neighbours(self, vertex: int) -> NDArray[np.int32]:
        """The vertices adjacent to `vertex`, ascending (a read-only view)."""
        return self.indices[self.indptr[vertex] : self.indptr[vertex + 1]]

    def non_neighbours(self, vertex: int) -> NDArray[np.int32]:
        """The vertices not adjacent to `vertex`, ascending, without `vertex` itself; an array of nearly n numbers."""
        apart = np.ones(self.n, dtype=bool)
        apart[self.neighbours(vertex)] = False
        apart[vertex] = False
        return np.flatnonzero(apart).astype(np.int32)

    def adjacent(self, u: int, v: int) -> bool:
        """Whether two vertices are joined by an edge (never, if they are the same)."""
        return len(_missing(self.neighbours(u), np.array([v]))) == 0

    def clashes(self, vertices: NDArray[np.integer[Any]]) -> Iterator[tuple[int, int]]:
        """All pairs of `vertices` (ascending, distinct) that are not joined, in order."""
        for at, vertex in enumerate(vertices.tolist(), 1):
            for other in _missing(self.neighbours(vertex), vertices[at:]).tolist():
                yield vertex, other

    def edges_among(self, vertices: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges between these distinct vertices, each once, as two arrays of positions in `vertices`."""
        place = np.full(self.n, -1, dtype=np.int64)
        place[vertices] = np.arange(len(vertices))
        own = np.repeat(np.arange(len(vertices)), self.degrees[vertices])
        other = place[self.indices[places_of(self.indptr, vertices)]]
        kept = other > own
        return own[kept], other[kept]

    def dense(self, vertices: NDArray[np.integer[Any]] | None = None) -> Graph:
        """The subgraph of some vertices (None: all) in the dense form, with the vertices in the given order.

        Raises
        ------
        MatheurError
            If it would not fit in memory.
        """
        if vertices is None:
            return self.complement().complement()
        return Graph.from_edges(len(vertices), *self.edges_among(vertices))

    def complement(self) -> Graph:
        """The complement of the graph; it shares the memory of this one."""
        return Graph(self.indptr, self.indices)

    def blocks(self, *, cells: int = BLOCK_CELLS) -> Iterator[tuple[int, NDArray[np.bool_]]]:
        """The adjacency matrix in blocks of whole rows: first row, and a bool array (rows, n)."""
        step = max(1, cells // max(1, self.n))
        for first in range(0, self.n, step):
            last = min(self.n, first + step)
            block = np.zeros((last - first, self.n), dtype=bool)
            rows = np.repeat(np.arange(last - first), self.degrees[first:last])
            block[rows, self.indices[self.indptr[first] : self.indptr[last]]] = True
            yield first, block

    @classmethod
    def from_edges(cls, n: int, sources: ArrayLike, targets: ArrayLike) -> SparseGraph:
        """A graph from two arrays of end points, 0-based, in any order; doubled edges count once, loops not at all.

        Raises
        ------
        MatheurError
            If it would not fit in memory.
        ValueError
            If an end point is not a vertex.
        """
        keys = distinct_pairs(n, sources, targets, entries=lambda pairs: 2 * pairs)
        both = Graph.from_pairs(n, keys)
        return cls(both.ptr, both.idx)

    def to_networkx(self) -> Any:
        """The graph as a `networkx.Graph` with nodes 0 to n-1: an object for each edge."""
        import networkx  # takes longer to import than most graphs to read

        found = networkx.Graph()
        found.add_nodes_from(range(self.n))
        own = np.repeat(np.arange(self.n), self.degrees)
        above = self.indices > own
        found.add_edges_from(zip(own[above].tolist(), self.indices[above].tolist(), strict=True))
        return found


AnyGraph: TypeAlias = Graph | SparseGraph
"""A graph in either form."""


def graph_of_pairs(n: int, sources: ArrayLike, targets: ArrayLike, *, complement: bool = False) -> AnyGraph:
    """The graph of pairs, or its complement, in the form that suits its size.

    Raises
    ------
    MatheurError
        If it does not fit in memory.
    ValueError
        If an end point is not a vertex.

    Examples
    --------
    >>> graph_of_pairs(3, [0, 1], [1, 2]), graph_of_pairs(3, [0, 1], [1, 2], complement=True).edges
    (Graph(n=3, edges=2), 1)
    """
    if complement:
        return Graph.from_complement(n, sources, targets)
    if is_sparse(n, np.size(sources) // 2):  # an edge may be given in both directions
        sparse = SparseGraph.from_edges(n, sources, targets)
        return sparse if is_sparse(n, sparse.edges) else sparse.dense()
    return Graph.from_edges(n, sources, targets)


def edge_pairs(graph: AnyGraph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each edge once, the smaller end first."""
    if isinstance(graph, SparseGraph):
        u = np.repeat(np.arange(graph.n), graph.degrees)
        once = graph.indices > u
        return u[once], graph.indices[once].astype(np.int64)
    rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for first, block in graph.blocks():
        row, column = np.nonzero(block)
        above = column > row + first
        rows.append(row[above] + first)
        columns.append(column[above])
    return np.concatenate(rows), np.concatenate(columns)


def induced(graph: AnyGraph, vertices: NDArray[np.integer[Any]]) -> AnyGraph:
    """The subgraph of some vertices (ascending, distinct), in the same form.

    Examples
    --------
    >>> induced(Graph.from_edges(4, [0, 1, 2], [1, 2, 3]), np.array([0, 2, 3])).is_clique([1, 2])
    True
    """
    if isinstance(graph, SparseGraph):
        return SparseGraph.from_edges(len(vertices), *graph.edges_among(vertices))
    place = np.full(graph.n, -1, dtype=np.int64)
    place[vertices] = np.arange(len(vertices))
    own, other = np.repeat(place, np.diff(graph.ptr)), place[graph.idx]
    kept = (other >= 0) & (own > other)
    return Graph.from_complement(len(vertices), own[kept], other[kept])


def _missing(row: NDArray[np.int32], vertices: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """The vertices that are not in an ascending row."""
    if not len(row):
        return vertices
    place = np.searchsorted(row, vertices)
    return vertices[row[np.minimum(place, len(row) - 1)] != vertices]
