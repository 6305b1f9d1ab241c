"""The clique graph of a board or of a region, for other programs."""

from __future__ import annotations

from matheur.methods.clique.exporting import ExportedGraph, Region
from matheur.problems.edge_matching.clique_graph import build
from matheur.problems.edge_matching.clique_nodes import NodeTable
from matheur.problems.edge_matching.problem import EdgeMatching

__all__ = ["graph_of"]


def graph_of(problem: EdgeMatching, name: str, region: Region | None = None) -> ExportedGraph:
    """The clique graph: a vertex is a piece in a cell in a rotation; a clique of all cells is a perfect filling."""
    one = problem.instance
    cells, board = (None, None) if region is None else (region.cells, region.solution)
    placements = build(one, cells=cells, board=board)
    target = len(placements.cells)
    comment = f"edge matching {one.name or name}: a clique of {target} is a perfect filling"
    return ExportedGraph(placements.graph, comment, target, NodeTable.of(placements, one.columns))
