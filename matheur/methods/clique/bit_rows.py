"""Preparation of branch and bound on bit matrices: vertex order, reordered rows, and a check of the memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.graph import Graph

__all__ = ["check_memory", "degeneracy", "reordered"]

_MEMORY_MAX = 4_000_000_000


def check_memory(what: str, size: int, advice: str) -> None:
    """Check the memory that a search takes, before it is allocated.

    Parameters
    ----------
    what
        Description of the search, such as `exact search on 100,000 vertices`.
    size
        Size in bytes.
    advice
        Alternative to recommend.

    Raises
    ------
    MatheurError
        If the search takes too much memory; the message gives the amount.
    """
    if size > _MEMORY_MAX:
        raise MatheurError(f"{what} needs {size / 1e9:,.1f} GB. Maybe {advice}")


def degeneracy(graph: Graph) -> tuple[NDArray[np.int64], int]:
    """Vertices in reverse order of removal (always of least remaining degree), and the degeneracy."""
    from matheur.methods.clique import colouring_kernels

    order = np.empty(graph.n, dtype=np.int64)
    return order, int(colouring_kernels.degeneracy(graph.ptr, graph.idx, order))


def reordered(graph: Graph, order: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Adjacency bits in which row and column i belong to vertex `order[i]`."""
    words = (graph.n + 63) // 64
    matrix = np.zeros((graph.n, 8 * words), dtype=np.uint8)
    position = np.empty(graph.n, dtype=np.int64)
    position[order] = np.arange(graph.n)
    for first, block in graph.blocks():
        packed = np.packbits(block[:, order], axis=1, bitorder="little")
        matrix[position[first : first + len(block)], : packed.shape[1]] = packed
    return matrix.view("<u8").astype(np.uint64, copy=False)
