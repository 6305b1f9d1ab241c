"""Maximum clique: graphs, their files, and the problem that the engine sees."""

from matheur.problems.max_clique.formats import load_graph, parse_graph, save_graph
from matheur.problems.max_clique.graph import Graph
from matheur.problems.max_clique.problem import MaxClique

__all__ = ["Graph", "MaxClique", "load_graph", "parse_graph", "save_graph"]
