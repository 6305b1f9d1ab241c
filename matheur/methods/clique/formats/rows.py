"""Edges of a graph as lines of text, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph

__all__ = ["edge_count", "lower_rows"]

_ROWS = 10_000  # rows of a sparse graph in a block


def edge_count(graph: AnyGraph, complement: bool) -> int:
    """Number of edges of the graph, or of its complement."""
    return graph.n * (graph.n - 1) // 2 - graph.edges if complement else graph.edges


def lower_rows(
    graph: AnyGraph, complement: bool, *, before: bytes = b"", smaller_first: bool = False
) -> Iterator[bytes]:
    """Each edge of the graph (or its complement) once, as a line `before U V`, counted from 1.

    Lines are sorted by the larger end, which comes first unless `smaller_first`.
    """
    if isinstance(graph, SparseGraph) and not complement:
        yield from _few(graph, before, smaller_first)
        return
    names = np.array([b"%d" % vertex for vertex in range(1, graph.n + 1)], dtype=object)
    for first, block in graph.blocks():
        rows = []
        for vertex, row in enumerate(block, first):
            lower = ~row[:vertex] if complement else row[:vertex]
            others = names[:vertex][lower].tolist()
            if not others:
                continue
            own = b"%d" % (vertex + 1)
            start, end = (before, b" " + own + b"\n") if smaller_first else (before + own + b" ", b"\n")
            rows.append(start + (end + start).join(others) + end)
        yield b"".join(rows)


def _few(graph: SparseGraph, before: bytes, smaller_first: bool) -> Iterator[bytes]:
    """As `lower_rows`, for a sparse graph, whose rows are short."""
    for first in range(0, graph.n, _ROWS):
        last = min(graph.n, first + _ROWS)
        own = np.repeat(np.arange(first, last), graph.degrees[first:last])
        other = graph.indices[graph.indptr[first] : graph.indptr[last]]
        kept = other < own
        pairs = (other[kept], own[kept]) if smaller_first else (own[kept], other[kept])
        line = before + b"%d %d\n"
        yield b"".join([line % pair for pair in zip(*((ends + 1).tolist() for ends in pairs), strict=True)])
