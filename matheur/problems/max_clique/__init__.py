"""Maximum clique: graphs, their files, generators and pictures, and the problem for the engine."""

from matheur.methods.clique.formats import FORMATS, READ_FORMATS, load_graph, parse_graph, read_graph, save_graph
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.graph import Graph, colour_classes
from matheur.problems.max_clique.asking import BestClique, BestCliques, all_max_cliques, max_clique
from matheur.problems.max_clique.builtin import BUILTINS, builtin
from matheur.problems.max_clique.generator import KINDS
from matheur.problems.max_clique.objects import of_matrix, of_networkx, to_networkx, to_scipy
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.max_clique.problem_type import TYPE, MaxCliqueType

__all__ = [
    "BUILTINS",
    "FORMATS",
    "KINDS",
    "READ_FORMATS",
    "TYPE",
    "BestClique",
    "BestCliques",
    "Graph",
    "GraphFile",
    "MaxClique",
    "MaxCliqueType",
    "Names",
    "all_max_cliques",
    "builtin",
    "colour_classes",
    "load",
    "load_graph",
    "max_clique",
    "of_matrix",
    "of_networkx",
    "parse_graph",
    "read_graph",
    "save_graph",
    "to_networkx",
    "to_scipy",
]

load = TYPE.load
