"""Maximum cliques of graphs of other libraries in one call, in the words of those graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from matheur.engine.source import open_source
from matheur.errors import ConfigurationError
from matheur.methods.clique.enumeration import all_cliques
from matheur.problems.max_clique.objects import adopt, of_matrix
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.max_clique.problem_type import TYPE
from matheur.problems.type_options import check_seed

if TYPE_CHECKING:
    from matheur.running.result import Result

__all__ = ["BestClique", "BestCliques", "all_max_cliques", "max_clique"]


@dataclass(frozen=True, slots=True)
class BestClique:
    """A clique, in the words of the graph.

    Attributes
    ----------
    nodes
        Nodes of a networkx graph, places (from 0) of a matrix, names of a file.
    value
        Their number, or their weight.
    bound
        No clique has more; None if nothing is proved.
    optimal
        Whether the value is proved to be the largest.
    result
        The run, see `matheur.Result`.
    """

    nodes: list[Any]
    value: int | float
    bound: int | float | None
    optimal: bool
    result: Result


@dataclass(frozen=True, slots=True)
class BestCliques:
    """All cliques of maximum size or weight.

    Attributes
    ----------
    cliques
        Each as a list of nodes, see `BestClique`; at most as many as were to be kept.
    value
        Their size or weight.
    count
        How many there are, or were met before a limit.
    complete
        Whether these are all, and the value is proved.
    """

    cliques: list[list[Any]]
    value: int | float
    count: int
    complete: bool


def max_clique(graph: Any, *, weights: Any = None, complement: bool = False, **limits: Any) -> BestClique:
    """A clique of most nodes, or of maximum weight if there are weights.

    Parameters
    ----------
    graph
        A networkx graph of any nodes, a square matrix (SciPy's sparse ones, or an array), a `MaxClique`, or a file.
    weights
        An attribute of the nodes, a mapping of nodes, or a number for each vertex; None for the attribute `weight` if a
        node has it (of a file: for what it says); False for a clique of most nodes.
    complement
        Whether edges are conflicts: the nodes are then an independent set of the graph.
    **limits
        Further arguments of `matheur.solve`: `seconds`, `work`, `target`, `seed`, `jobs`, `construction`, ... Without a
        limit the search ends with a proof, or after a minute.

    Raises
    ------
    ConfigurationError
        If the graph or an option is of no known kind.
    InputError
        If a matrix is not symmetric, a weight is no number, or a file cannot be read.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.Graph([("ann", "bob"), ("bob", "cy"), ("cy", "ann"), ("cy", "dan")])
    >>> max_clique(graph).nodes, max_clique(graph, weights={"dan": 5}).nodes
    (['ann', 'bob', 'cy'], ['cy', 'dan'])
    >>> max_clique(graph, complement=True).value
    2
    """
    from matheur.running.solving import solve  # reading a graph's file needs no solver

    problem = _problem_of(graph, weights, complement)
    result = solve(problem, name=problem.title or "graph", **limits)
    nodes = [] if result.solution is None else problem.named(result.solution)
    score = 0 if result.score is None else result.score
    return BestClique(nodes, score, result.bound_score, result.status == "optimal", result)


def all_max_cliques(
    graph: Any,
    *,
    weights: Any = None,
    complement: bool = False,
    keep: int = 1_000,
    seconds: float | None = None,
    work: int | None = None,
    seed: int = 0,
) -> BestCliques:
    """All cliques of most nodes, or of maximum weight: proved, counted, and listed as far as they are kept.

    Parameters
    ----------
    graph, weights, complement
        See `max_clique`. Vertices without positive weight are in none of the cliques.
    keep
        How many cliques are listed.
    seconds, work
        Limits of time and of branchings; without one the search goes on to its end.

    Raises
    ------
    ConfigurationError
        If the graph or an option is of no known kind.
    InputError
        See `max_clique`.
    MatheurError
        If the graph is too large for bit matrices.

    Examples
    --------
    >>> import networkx as nx
    >>> found = all_max_cliques(nx.cycle_graph(4))
    >>> found.count, found.cliques
    (4, [[0, 1], [0, 3], [1, 2], [2, 3]])
    """
    for name, value in (("keep", keep), ("seconds", seconds), ("work", work)):
        if value is not None and not 0 <= value < math.inf:
            raise ConfigurationError(f"{name} must be a finite number from 0 ({value})")
    problem = _problem_of(graph, weights, complement)
    rng = np.random.default_rng(check_seed(seed))
    found = all_cliques(problem.graph, rng, weights=problem.weights, keep=keep, max_nodes=work, seconds=seconds)
    cliques = [problem.named(clique) for clique in found.cliques]
    return BestCliques(cliques, problem.score(-found.value), found.count, found.complete)


def _problem_of(graph: Any, weights: Any, complement: bool) -> MaxClique:
    """The problem that a graph of any kind is."""
    if isinstance(graph, MaxClique):
        if weights is not None or complement:
            raise ConfigurationError("weights and complement are part of a MaxClique. Maybe give it the graph itself?")
        return graph
    options = {} if weights is None else {"weights": weights}
    options |= {} if complement is False else {"complement": complement}
    if isinstance(graph, str | Path):
        return TYPE.read(open_source(graph), options)
    if isinstance(graph, np.ndarray):
        return of_matrix(graph, **options)
    found = adopt(graph, options)
    if found is None:
        kind = f"{type(graph).__module__}.{type(graph).__qualname__}"
        raise ConfigurationError(f"a graph is one of networkx, a matrix, a MaxClique or a file, not {kind}")
    problem: MaxClique = found.problem
    return problem
