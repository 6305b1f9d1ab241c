"""The clique that a search begins with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["starting_clique"]


def starting_clique(graph: AnyGraph, start: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int32]:
    """Its vertices, none for None.

    Raises
    ------
    ValueError
        If they are no clique.
    """
    members = np.array([] if start is None else start, dtype=np.int32)
    clash = graph.conflict(members)
    if clash is not None:
        raise ValueError(f"the start is not a clique: vertices {clash[0]} and {clash[1]} are not joined")
    return members
