"""The clique from which a search starts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["checked_clique", "starting_clique"]


def starting_clique(graph: Graph, start: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int32]:
    """The vertices of a starting clique, empty for None, for a search of dense graphs.

    Raises
    ------
    TypeError
        If the graph has the sparse form, whose rows are the neighbours.
    ValueError
        If they are not a clique.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"this search takes the dense form of a graph (not {graph!r}). Maybe graph.dense()?")
    return checked_clique(graph, start)


def checked_clique(graph: AnyGraph, start: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int32]:
    """The same for a graph in either form.

    Raises
    ------
    ValueError
        If they are not a clique.
    """
    members = np.array([] if start is None else start, dtype=np.int32)
    clash = graph.conflict(members)
    if clash is not None:
        raise ValueError(f"the start is not a clique: vertices {clash[0]} and {clash[1]} are not joined")
    return members
