"""What is left of a sparse graph once a clique is known: the vertices of larger ones, few enough for the dense form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import SparseGraph

__all__ = ["Reduction", "reduced"]

_VERTICES_MAX = 10_000  # of the dense form: 0.4 GB


@dataclass(frozen=True, eq=False, slots=True)
class Reduction:
    """The vertices that may belong to a clique of more than `size` vertices, and the graph of them.

    Attributes
    ----------
    size
        Of the clique that is known.
    vertices
        Their numbers in the whole graph, ascending: vertex i of `graph` is `vertices[i]`. There may be none.
    graph
        The subgraph, in the dense form.
    """

    size: int
    vertices: NDArray[np.int32]
    graph: Graph

    def lifted(self, members: NDArray[np.integer]) -> NDArray[np.int32]:
        """A clique of `graph` as one of the whole graph."""
        return np.sort(self.vertices[members])

    def inside(self, members: NDArray[np.integer]) -> NDArray[np.int32]:
        """The part of a clique of the whole graph that lies in `graph`, as vertices of that."""
        return np.flatnonzero(np.isin(self.vertices, members)).astype(np.int32)


def reduced(graph: SparseGraph, size: int) -> Reduction:
    """The reduction by a clique of `size` vertices: by cores and by the colours of the later neighbours.

    Raises
    ------
    MatheurError
        If too many vertices are left.

    Examples
    --------
    >>> kite = SparseGraph.from_edges(6, [0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 5])
    >>> reduced(kite, 2).vertices.tolist()
    [0, 1, 2]
    """
    vertices, part = np.arange(graph.n, dtype=np.int32), graph
    while len(vertices):
        kept = _promising(part, size)
        if len(kept) == part.n:
            break
        vertices = vertices[kept]
        part = SparseGraph.from_edges(len(kept), *part.edges_among(kept))
    if len(vertices) > _VERTICES_MAX:
        raise MatheurError(
            f"{len(vertices):,} vertices may belong to a clique of more than {size}, and this search takes "
            f"{_VERTICES_MAX:,} of a sparse graph. Maybe the exact search?"
        )
    return Reduction(size, vertices, part.dense())


def _promising(graph: SparseGraph, size: int) -> NDArray[np.int64]:
    """The vertices of neighbourhoods that have `size` vertices of as many colours, ascending."""
    cores = graph.cores
    counts = np.diff(cores.begins)
    counts[: cores.first_of(size)] = 0
    first = np.flatnonzero(counts >= size)
    own = np.repeat(first, counts[first])
    at = np.arange(len(own)) + np.repeat(
        cores.begins[first] - (np.cumsum(counts[first]) - counts[first]), counts[first]
    )
    members = cores.later[at]
    different = np.unique(own * cores.colours + cores.colour[members]) // max(1, cores.colours)
    enough = np.bincount(different, minlength=graph.n) >= size
    kept = np.zeros(graph.n, dtype=bool)
    kept[members[enough[own]]] = True
    kept[first[enough[first]]] = True
    return np.sort(cores.order[kept]).astype(np.int64)
