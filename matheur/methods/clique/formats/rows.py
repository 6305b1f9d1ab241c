"""Edges of a graph as lines of text, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from matheur.methods.clique.graph import Graph

__all__ = ["edge_count", "lower_rows"]


def edge_count(graph: Graph, complement: bool) -> int:
    """Edges of the graph, or of its complement."""
    return len(graph.idx) // 2 if complement else graph.edges


def lower_rows(graph: Graph, complement: bool, *, before: bytes = b"", smaller_first: bool = False) -> Iterator[bytes]:
    """Each edge of the graph (or its complement) once, a line `before U V` each, counted from 1.

    Lines go by the larger end, which stands first unless `smaller_first`.
    """
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
