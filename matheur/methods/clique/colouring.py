"""Colourings that bound the clique from above: the Python side of the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.graph import Graph

__all__ = ["largest_first_classes"]

_ENTRIES_MAX = 300_000_000  # about a second


def largest_first_classes(graph: Graph, *, entries_max: int = _ENTRIES_MAX) -> NDArray[np.int32] | None:
    """A colouring by recursive largest first (Leighton 1979): the class of each vertex, from 0.

    No clique is larger than the number of classes. Slower than `matheur.problems.max_clique.colour_classes` and far
    better on structured graphs: its bound equals the clique number of `hamming8-4` and `gen400_p0.9_55`.

    Parameters
    ----------
    entries_max
        Most entries of the complement to read; None is returned if more are needed.

    Examples
    --------
    >>> largest_first_classes(Graph.from_edges(4, [0, 1, 2, 3], [1, 2, 3, 0])).tolist()
    [0, 1, 0, 1]
    """
    # Numba is imported where it is used: importing the package must stay cheap.
    from matheur.methods.clique import colouring_kernels as kernels

    label = np.zeros(graph.n, dtype=np.int32)
    return label if kernels.largest_first(entries_max, graph.ptr, graph.idx, label) >= 0 else None
