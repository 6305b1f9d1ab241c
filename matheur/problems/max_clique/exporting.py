"""A graph as other programs take it."""

from __future__ import annotations

from matheur.errors import ConfigurationError
from matheur.methods.clique.exporting import ExportedGraph, Region
from matheur.methods.clique.formats.names import spoken
from matheur.problems.max_clique.problem import MaxClique

__all__ = ["graph_of"]


def graph_of(problem: MaxClique, name: str, region: Region | None = None) -> ExportedGraph:
    """The graph itself; its comment has the title, and the names of vertices where they are not their numbers."""
    if region is not None:
        raise ConfigurationError("--region and --start go with a board, not with a graph")
    names = [] if problem.names is None else [spoken(problem.name_of(v)) for v in range(problem.graph.n)]
    renamed = (f"vertex {v} is {name}" for v, name in enumerate(names, start=1))
    return ExportedGraph(problem.graph, "\n".join((problem.title, *renamed)))
