"""Maximum clique solvers: local search, exact search, external commands.

Importing this package compiles nothing; kernels are loaded by the first search.
"""

from matheur.methods.clique.adapters import Adapter, adapter, adapters
from matheur.methods.clique.answers import Answer, read_answer
from matheur.methods.clique.colouring import largest_first_classes
from matheur.methods.clique.enumeration import AllCliques, all_cliques
from matheur.methods.clique.exact import ExactResult, ExactSearch, exact_search, solve_exact
from matheur.methods.clique.external import ExternalResult, solve_external
from matheur.methods.clique.hubs import HubSearch, cluster_labels
from matheur.methods.clique.local_search import CliqueResult, LocalSearch, search
from matheur.methods.clique.partition import PartitionSearch
from matheur.methods.clique.portfolio import Portfolio
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.methods.clique.vertex_cover import VertexCover
from matheur.methods.clique.weighted_exact import WeightedExactSearch
from matheur.methods.clique.weighted_search import WeightedSearch

__all__ = [
    "Adapter",
    "AllCliques",
    "Answer",
    "CliqueResult",
    "ExactResult",
    "ExactSearch",
    "ExternalResult",
    "HubSearch",
    "LocalSearch",
    "PartitionSearch",
    "Portfolio",
    "SparseExact",
    "SparseGraph",
    "VertexCover",
    "WeightedExactSearch",
    "WeightedSearch",
    "adapter",
    "adapters",
    "all_cliques",
    "cluster_labels",
    "exact_search",
    "largest_first_classes",
    "read_answer",
    "search",
    "solve_exact",
    "solve_external",
]
