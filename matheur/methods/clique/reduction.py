"""Reduction of a sparse graph by a known clique, to the vertices that larger cliques may have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.graph import Graph, distinct, places_of
from matheur.methods.clique.sparse_graph import SparseGraph

__all__ = ["Reduction", "heavy_clique", "reduced", "weighted_reduced"]

_VERTICES_MAX = 10_000  # of the dense form: 0.4 GB
_STARTS = 100  # vertices from which heavy cliques are grown


@dataclass(frozen=True, eq=False, slots=True)
class Reduction:
    """The vertices that may belong to a clique larger, or heavier, than `size`, and the subgraph that they induce.

    Attributes
    ----------
    size
        Number of vertices of the known clique, or its weight.
    vertices
        Numbers of the vertices in the whole graph, ascending: vertex i of `graph` is `vertices[i]`. May be empty.
    graph
        The subgraph, in the dense form.
    """

    size: int
    vertices: NDArray[np.int32]
    graph: Graph

    def lifted(self, members: NDArray[np.integer]) -> NDArray[np.int32]:
        """A clique of `graph` as a clique of the whole graph."""
        return np.sort(self.vertices[members])

    def inside(self, members: NDArray[np.integer]) -> NDArray[np.int32]:
        """The part of a clique of the whole graph that lies in `graph`, as vertices of `graph`."""
        return np.flatnonzero(np.isin(self.vertices, members)).astype(np.int32)


def reduced(graph: SparseGraph, size: int) -> Reduction:
    """The reduction by a clique of `size` vertices: by cores and by the colours of the later neighbours.

    Raises
    ------
    MatheurError
        If too many vertices remain.

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
        part = _part(part, kept)
    _check_count(len(vertices), f"more than {size}", "Maybe the exact search?")
    return Reduction(size, vertices, part.dense())


def weighted_reduced(graph: SparseGraph, weights: NDArray[np.int64], value: int) -> Reduction:
    """The reduction by a clique of weight `value`: by weights of neighbours, and by colours of later neighbours.

    Raises
    ------
    MatheurError
        If too many vertices remain.
    """
    vertices = np.flatnonzero(weights > 0).astype(np.int32)
    part = _part(graph, vertices)
    while len(vertices):
        kept = _heavily_surrounded(part, weights[vertices], value)
        if len(kept) == part.n:
            kept = _heavy_enough(part, weights[vertices], value)
        if len(kept) == part.n:
            break
        vertices, part = vertices[kept], _part(part, kept)
    _check_count(len(vertices), f"a weight of more than {value:,}", "Maybe begin with a heavier clique?")
    return Reduction(value, vertices, part.dense())


def heavy_clique(graph: SparseGraph, weights: NDArray[np.int64]) -> NDArray[np.int32]:
    """A clique of large weight, ascending: the heaviest of several grown from vertices with heavy neighbourhoods.

    Examples
    --------
    >>> kite = SparseGraph.from_edges(6, [0, 1, 2, 2, 3, 4], [1, 2, 0, 3, 4, 5])
    >>> heavy_clique(kite, np.array([1, 1, 1, 1, 3, 2])).tolist()
    [4, 5]
    """
    worth = np.maximum(weights, 0)
    around = np.where(worth > 0, _with_neighbours(graph, worth), 0)
    starts = [*np.argsort(-around, kind="stable")[:_STARTS], *np.argsort(-worth, kind="stable")[:_STARTS],
              *graph.cores.order[::-1][:_STARTS]]  # fmt: skip
    best, most = np.zeros(0, dtype=np.int32), 0
    for start in dict.fromkeys(map(int, starts)):
        if worth[start] == 0 or around[start] <= most:
            continue
        members, value = [start], int(worth[start])
        rest = graph.neighbours(start)
        rest = rest[worth[rest] > 0]
        while len(rest) and value + int(worth[rest].sum()) > most:
            vertex = int(rest[np.lexsort((-around[rest], -worth[rest]))[0]])
            members.append(vertex)
            value += int(worth[vertex])
            rest = np.intersect1d(rest, graph.neighbours(vertex), assume_unique=True)
        if value > most:
            best, most = np.sort(np.array(members, dtype=np.int32)), value
    return best


def _check_count(left: int, than: str, advice: str) -> None:
    if left > _VERTICES_MAX:
        raise MatheurError(
            f"{left:,} vertices may belong to a clique of {than}, and this search takes "
            f"{_VERTICES_MAX:,} of a sparse graph. {advice}"
        )


def _part(graph: SparseGraph, vertices: NDArray[np.integer]) -> SparseGraph:
    return SparseGraph.from_edges(len(vertices), *graph.edges_among(vertices))


def _with_neighbours(graph: SparseGraph, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Total weight of each vertex and its neighbours; without negative weights, no clique with it weighs more."""
    sums = np.concatenate(([0], np.cumsum(weights[graph.indices])))
    found: NDArray[np.int64] = weights + sums[graph.indptr[1:]] - sums[graph.indptr[:-1]]
    return found


def _heavily_surrounded(graph: SparseGraph, weights: NDArray[np.int64], value: int) -> NDArray[np.int64]:
    """The vertices, ascending, that weigh more than `value` with their neighbours after all others are removed.

    Each edge is processed once, for any number of rounds.
    """
    sums, left = _with_neighbours(graph, weights), np.ones(graph.n, dtype=bool)
    light = np.flatnonzero(sums <= value)
    while len(light):
        left[light] = False
        near = graph.indices[places_of(graph.indptr, light)]
        np.subtract.at(sums, near, np.repeat(weights[light], graph.degrees[light]))
        light = np.unique(near[left[near] & (sums[near] <= value)])
    return np.flatnonzero(left)


def _heavy_enough(graph: SparseGraph, weights: NDArray[np.int64], value: int) -> NDArray[np.int64]:
    """The vertices of all neighbourhoods that are heavy enough, ascending.

    A neighbourhood is a vertex with its later neighbours. Its weight is the vertex's weight plus, for each colour, the
    largest weight of a later neighbour of that colour.
    """
    cores = graph.cores
    own, weight = np.repeat(np.arange(graph.n), np.diff(cores.begins)), weights[cores.order]
    key = own * np.int64(cores.colours) + cores.colour[cores.later]
    order = np.lexsort((weight[cores.later], key))
    heaviest = order[np.diff(key[order], append=-1) != 0]
    most = weight.copy()
    np.add.at(most, own[heaviest], weight[cores.later[heaviest]])
    kept = most > value
    kept[cores.later[(most > value)[own]]] = True
    return np.sort(cores.order[kept]).astype(np.int64)


def _promising(graph: SparseGraph, size: int) -> NDArray[np.int64]:
    """The vertices of neighbourhoods whose later neighbours have at least `size` colours, ascending."""
    cores = graph.cores
    counts = np.diff(cores.begins)
    counts[: cores.first_of(size)] = 0
    first = np.flatnonzero(counts >= size)
    own = np.repeat(first, counts[first])
    members = cores.later[places_of(cores.begins, first)]
    different = distinct(own * cores.colours + cores.colour[members]) // max(1, cores.colours)
    enough = np.bincount(different, minlength=graph.n) >= size
    kept = np.zeros(graph.n, dtype=bool)
    kept[members[enough[own]]] = True
    kept[first[enough[first]]] = True
    return np.sort(cores.order[kept]).astype(np.int64)
