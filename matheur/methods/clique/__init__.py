"""Maximum clique solvers: local search, exact search, external commands, and edge-matching puzzles as cliques.

Importing this package compiles nothing; kernels are loaded by the first search.
"""

from matheur.clique.adapters import Adapter, adapter, adapters
from matheur.clique.answers import Answer, read_answer
from matheur.clique.colouring import largest_first_classes
from matheur.clique.edge_matching import PlacementGraph, build, to_board
from matheur.clique.exact import ExactResult, ExactSearch, solve_exact
from matheur.clique.external import ExternalResult, solve_external
from matheur.clique.hubs import HubSearch, cluster_labels
from matheur.clique.local_search import CliqueResult, LocalSearch, search
from matheur.clique.node_table import NodeTable
from matheur.clique.partition import PartitionSearch
from matheur.clique.portfolio import Portfolio
from matheur.clique.vertex_cover import VertexCover

__all__ = [
    "Adapter",
    "Answer",
    "CliqueResult",
    "ExactResult",
    "ExactSearch",
    "ExternalResult",
    "HubSearch",
    "LocalSearch",
    "NodeTable",
    "PartitionSearch",
    "PlacementGraph",
    "Portfolio",
    "VertexCover",
    "adapter",
    "adapters",
    "build",
    "cluster_labels",
    "largest_first_classes",
    "read_answer",
    "search",
    "solve_exact",
    "solve_external",
    "to_board",
]
