"""What branch and bound on bit matrices begins with: an order of the vertices, their rows in it, and room for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError
from matheur.methods.clique.graph import Graph

__all__ = ["check_memory", "degeneracy", "reordered"]

_MEMORY_MAX = 4_000_000_000


def check_memory(what: str, size: int, advice: str) -> None:
    """Refuse what takes too much memory, before it is allocated.

    Parameters
    ----------
    what
        Such as `exact search on 100,000 vertices`.
    size
        Bytes.
    advice
        What to do instead.

    Raises
    ------
    MatheurError
        If it does; the message says how much.
    """
    if size > _MEMORY_MAX:
        raise MatheurError(f"{what} needs {size / 1e9:,.1f} GB. Maybe {advice}")


def degeneracy(graph: Graph) -> tuple[NDArray[np.int64], int]:
    """Vertices, the one removed last first (always one of least remaining degree), and the degeneracy."""
    from matheur.methods.clique import colouring_kernels

    order = np.empty(graph.n, dtype=np.int64)
    return order, int(colouring_kernels.degeneracy(graph.ptr, graph.idx, order))


def reordered(graph: Graph, order: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Adjacency bits with row and column i standing for vertex `order[i]`."""
    words = (graph.n + 63) // 64
    matrix = np.zeros((graph.n, 8 * words), dtype=np.uint8)
    position = np.empty(graph.n, dtype=np.int64)
    position[order] = np.arange(graph.n)
    for first, block in graph.blocks():
        packed = np.packbits(block[:, order], axis=1, bitorder="little")
        matrix[position[first : first + len(block)], : packed.shape[1]] = packed
    return matrix.view("<u8").astype(np.uint64, copy=False)
