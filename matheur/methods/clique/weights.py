"""Vertex weights for the clique searches: whole numbers, of which only positive ones contribute."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.graph import Graph

__all__ = ["TOTAL_MAX", "checked_weights", "positive_part", "weighted_colouring"]

TOTAL_MAX = 1 << 62
"""No sum of absolute weights reaches this, so that sums fit in 64 bits with room to add one more."""


def checked_weights(n: int, weights: ArrayLike) -> NDArray[np.int64]:
    """The weights as a read-only array.

    Raises
    ------
    MatheurError
        If their sum is too large.
    ValueError
        If they are not whole numbers, one for each of n vertices.
    """
    found = np.asarray(weights)
    if found.shape != (n,) or (n and not np.issubdtype(found.dtype, np.integer)):
        raise ValueError(f"weights are whole numbers, one for each of the {n} vertices "
                         f"(these have shape {found.shape} and type {found.dtype})")  # fmt: skip
    if sum(map(abs, found.tolist())) >= TOTAL_MAX:
        raise MatheurError("the sum of the weights does not fit in 62 bits. Maybe smaller weights?")
    found = np.ascontiguousarray(found, dtype=np.int64).view()
    found.setflags(write=False)
    return found


def positive_part(vertices: NDArray[np.int32], weights: NDArray[np.int64]) -> NDArray[np.int32]:
    """The vertices of positive weight."""
    return vertices[weights[vertices] > 0]


def weighted_colouring(graph: Graph, weights: NDArray[np.int64]) -> int:
    """Upper bound: the sum of the largest weights of the classes of a greedy colouring, heavy vertices first."""
    label = np.full(graph.n, -1, dtype=np.int64)
    heaviest: list[int] = []
    order = np.argsort(-weights, kind="stable")
    order = order[weights[order] > 0]
    sizes: list[int] = []
    for vertex in order.tolist():
        row = label[graph.non_neighbours(vertex)]
        counts = np.bincount(row[row >= 0], minlength=len(sizes))
        fitting = np.flatnonzero(counts == sizes)
        place = int(fitting[0]) if len(fitting) else len(sizes)
        if place == len(sizes):
            sizes.append(0)
            heaviest.append(int(weights[vertex]))
        sizes[place] += 1
        label[vertex] = place
    return sum(heaviest)
