"""Export of a graph for other programs."""

from __future__ import annotations

from fractions import Fraction

from matheur.errors import ConfigurationError
from matheur.methods.clique.exporting import ExportedGraph, Region
from matheur.methods.clique.formats.names import spoken
from matheur.problems.decimals import written
from matheur.problems.max_clique.problem import MaxClique

__all__ = ["graph_of", "said_weights"]


def graph_of(problem: MaxClique, name: str, region: Region | None = None) -> ExportedGraph:
    """The graph and its weights, with a comment of the title and of vertex names that differ from their numbers."""
    if region is not None:
        raise ConfigurationError("--region and --start go with a board, not with a graph")
    names = [] if problem.names is None else [spoken(problem.name_of(v)) for v in range(problem.graph.n)]
    renamed = (f"vertex {v} is {name}" for v, name in enumerate(names, start=1))
    comment = "\n".join((problem.title, *renamed))
    return ExportedGraph(problem.graph, comment, weights=None if problem.weights is None else said_weights(problem))


def said_weights(problem: MaxClique) -> list[str]:
    """The weights in units of the file."""
    weights = [] if problem.weights is None else problem.weights.tolist()
    return [written(Fraction(weight, 10**problem.decimals)) or str(weight) for weight in weights]
