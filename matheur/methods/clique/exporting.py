"""Graphs whose cliques are solutions of a problem.

A problem with such a graph names a function as the tool `graph` of its registration. The function takes the problem,
the name of the instance and a `Region` or None, and returns an `ExportedGraph`. The class of its table of vertices is
the tool `nodes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["ExportedGraph", "Region", "VertexTable"]


class VertexTable(Protocol):
    """Table of the objects that the vertices of a graph represent."""

    def save(self, path: Path) -> None:
        """Write the table (CSV)."""
        ...


@dataclass(frozen=True, slots=True)
class Region:
    """Part of a board: the numbers of its cells, and the solution around them."""

    cells: Sequence[int]
    solution: Any


@dataclass(frozen=True, slots=True)
class ExportedGraph:
    """A graph for other programs.

    Attributes
    ----------
    graph
        Graph whose largest cliques are the solutions.
    comment
        Lines for the head of a file.
    target
        Size of a clique that is a perfect solution; None if unknown.
    nodes
        Objects that the vertices represent; None if the vertices themselves are the solution.
    weights
        Weight of each vertex, as written to a file; None without weights.
    """

    graph: AnyGraph
    comment: str
    target: int | None = None
    nodes: VertexTable | None = None
    weights: Sequence[str] | None = None
