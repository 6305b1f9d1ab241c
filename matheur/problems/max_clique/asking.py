"""Maximum cliques of graphs of other libraries in one call, given as nodes of those graphs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
    """A clique, given as nodes of the graph.

    Attributes
    ----------
    nodes
        Nodes of a networkx graph, indices (from 0) of a matrix, or names in a file.
    value
        Number of nodes, or their total weight.
    bound
        Upper bound on the value of any clique; None if nothing is proved.
    optimal
        Whether the value is proved to be the largest.
    result
        Result of the run, see `matheur.Result`.
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
        Cliques as lists of nodes, see `BestClique`; at most `keep` of them.
    value
        Their size or weight.
    count
        Number of such cliques, or of those found before a limit ended the search.
    complete
        Whether all cliques have been counted and the value is proved.
    """

    cliques: list[list[Any]]
    value: int | float
    count: int
    complete: bool


def max_clique(graph: Any, *, weights: Any = None, complement: bool = False, **limits: Any) -> BestClique:
    """A clique with the largest number of nodes, or of maximum weight if there are weights.

    Parameters
    ----------
    graph
        A networkx graph with nodes of any type, a square matrix (a SciPy sparse matrix or an array), a `MaxClique`, or
        the name of a file or of a built-in graph, as for `matheur.solve`.
    weights
        Name of a node attribute, a mapping from nodes to weights, or a number for each vertex. None for the attribute
        `weight` if a node has it, or for the weights in the file. False to maximise the number of nodes.
    complement
        Whether edges are conflicts, so that the nodes are an independent set of the graph.
    **limits
        Further arguments of `matheur.solve`: `seconds`, `work`, `target`, `seed`, `jobs`, `construction`, ... Without a
        limit, the search ends with a proof or after a minute.

    Raises
    ------
    ConfigurationError
        If the type of the graph or of an option is not supported.
    InputError
        If a matrix is not symmetric, a weight is not a number, or a file cannot be read.

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
    """All cliques of maximum size or weight: proved, counted, and listed up to a limit.

    Parameters
    ----------
    graph, weights, complement
        As in `max_clique`. Vertices without positive weight are in no clique.
    keep
        Largest number of cliques that are listed.
    seconds, work
        Limits on time and on branchings; without a limit, the search runs to completion.

    Raises
    ------
    ConfigurationError
        If the type of the graph or of an option is not supported.
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
    """The problem of a graph of any supported type."""
    if isinstance(graph, MaxClique):
        if weights is not None or complement:
            raise ConfigurationError("weights and complement are part of a MaxClique. Maybe give it the graph itself?")
        return graph
    options = {} if weights is None else {"weights": weights}
    options |= {} if complement is False else {"complement": complement}
    if isinstance(graph, str | Path):
        from matheur.running.loading import load_instance

        read: MaxClique = load_instance(str(graph), TYPE.name, options)[1]
        return read
    if isinstance(graph, np.ndarray):
        return of_matrix(graph, **options)
    found = adopt(graph, options)
    if found is None:
        kind = f"{type(graph).__module__}.{type(graph).__qualname__}"
        raise ConfigurationError(f"a graph must be a networkx graph, a matrix, a MaxClique or a file, not {kind}")
    problem: MaxClique = found.problem
    return problem
