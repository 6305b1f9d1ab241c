"""Conversion of networkx graphs and SciPy sparse matrices to problems, and back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from matheur.errors import ConfigurationError, InputError, printable
from matheur.methods.clique.formats.names import Names
from matheur.methods.clique.sparse_graph import AnyGraph, edge_pairs, graph_of_pairs
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.max_clique.weights import weights_of_numbers
from matheur.problems.type_options import check_known
from matheur.running.adopting import Adopted

__all__ = ["adopt", "of_matrix", "of_networkx", "to_networkx", "to_scipy"]

_ATTRIBUTE = "weight"


def adopt(instance: Any, options: Mapping[str, Any]) -> Adopted | None:
    """The problem of a networkx graph or a SciPy sparse matrix; None for other objects.

    Options are `complement` and `weights`: an attribute of the nodes (by default `weight`, if a node has it), a number
    for each vertex, or `none`.

    Raises
    ------
    ConfigurationError
        If an option is unknown, the graph is directed, or no node has the attribute.
    InputError
        If the matrix is neither symmetric nor triangular, or a weight is not a number.
    """
    networkx, sparse = sys.modules.get("networkx"), sys.modules.get("scipy.sparse")
    make: Callable[..., MaxClique]
    if networkx is not None and isinstance(instance, networkx.Graph):
        make = of_networkx
    elif sparse is not None and sparse.issparse(instance):
        make = of_matrix
    else:
        return None
    check_known(options, ("complement", "weights"), "graphs of other libraries")
    problem = make(instance, weights=options.get("weights"), complement=options.get("complement") or False)
    return Adopted(problem, problem.title or "graph")


def of_networkx(graph: Any, *, weights: Any = None, complement: bool = False) -> MaxClique:
    """The problem of a networkx graph, whose nodes may be any objects; see `adopt`.

    Parameters
    ----------
    weights
        Name of a node attribute, a mapping from nodes to weights, or a sequence in the order of the nodes. None for the
        attribute `weight` if a node has it; `none` or False to maximise the number of nodes. Nodes without a weight
        have weight 1.
    complement
        Whether edges are conflicts, so that solutions are independent sets of the graph.
    """
    _check_complement(complement)
    if graph.is_directed():
        raise ConfigurationError("a directed graph. Maybe graph.to_undirected()?")
    nodes, names = _nodes(graph)
    place = {node: vertex for vertex, node in enumerate(nodes)}
    ends = np.fromiter((place[end] for edge in graph.edges() for end in edge[:2]), dtype=np.int64).reshape(-1, 2)
    notes: list[str] = []
    found = _numbers(graph, list(graph.nodes), weights, notes)
    if isinstance(found, Mapping):
        found = [found.get(node, 1) for node in nodes]
    elif found is not None:
        by_node = dict(zip(graph.nodes, found, strict=True))
        found = [by_node[node] for node in nodes]
    title = printable(str(getattr(graph, "name", "") or ""))
    return _problem(graph_of_pairs(len(nodes), ends[:, 0], ends[:, 1], complement=complement), title, names, found,
                    notes, tuple(nodes))  # fmt: skip


def of_matrix(matrix: Any, *, weights: Any = None, complement: bool = False) -> MaxClique:
    """The problem of a square matrix, sparse or dense: nonzero entries are edges, and vertices are numbered from 0.

    The matrix may be triangular; the diagonal is ignored. `weights` is a sequence, or a mapping from vertices to
    weights; see `of_networkx`.
    """
    import scipy.sparse

    _check_complement(complement)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"the matrix of a graph is square (this one has shape {matrix.shape})")
    try:
        table = scipy.sparse.coo_array(matrix)
    except ValueError:
        raise InputError(f"the matrix of a graph holds numbers (this one is of type {matrix.dtype})") from None
    if np.isnan(table.data).any():
        raise InputError("the matrix has entries that are not numbers (nan). Maybe 0 where there is no edge?")
    n, real = int(table.shape[0]), (table.data != 0) & (table.row != table.col)
    u, v = table.row[real].astype(np.int64), table.col[real].astype(np.int64)
    lower, upper = bool((u > v).any()), bool((u < v).any())
    if lower and upper:
        one, other = np.unique(u * n + v), np.unique(v * n + u)
        if not np.array_equal(one, other):
            row, column = divmod(int(np.setdiff1d(one, other)[0]), n)
            raise InputError(f"the matrix is not symmetric: row {row}, column {column} joins, but not row {column}, "
                             f"column {row}. Maybe matrix + matrix.T?")  # fmt: skip
    if isinstance(weights, str) and weights != "none":
        raise ConfigurationError(f"a matrix has no attribute {weights!r}. Maybe a list of weights?")
    notes = [f"the matrix is its {'lower' if lower else 'upper'} triangle"] if lower != upper else []
    found: Sequence[Any] | None = None
    if isinstance(weights, Mapping):
        _check_mapping(weights, range(n), n, notes)
        found = [weights.get(vertex, 1) for vertex in range(n)]
    elif weights is not None and not _refused(weights):
        found = _given(weights, n)
    names = Names(np.arange(n, dtype=np.int64))
    return _problem(graph_of_pairs(n, u, v, complement=complement), "", names, found, notes)


def _problem(
    graph: AnyGraph,
    title: str,
    names: Names | None,
    numbers: Sequence[Any] | None,
    notes: list[str],
    nodes: tuple[Any, ...] | None = None,
) -> MaxClique:
    found = None if numbers is None else weights_of_numbers(numbers, notes)
    values, decimals = (None, 0) if found is None else (found.values, found.decimals)
    return MaxClique(graph, title, tuple(notes), names, values, decimals, nodes)


def _nodes(graph: Any) -> tuple[list[Any], Names | None]:
    """The nodes in the order of the vertices, and the names of the vertices in files."""
    nodes = list(graph.nodes)
    if all(type(node) is int and -(1 << 62) < node < 1 << 62 for node in nodes):
        nodes.sort()
        labels = np.array(nodes, dtype=np.int64)
        return nodes, None if np.array_equal(labels, np.arange(1, len(nodes) + 1)) else Names(labels)
    words = tuple(str(node) for node in nodes)
    return nodes, Names(words) if len(set(words)) == len(words) else None


def _numbers(graph: Any, nodes: list[Any], weights: Any, notes: list[str]) -> Any:
    """Weights by node or in the order of the nodes; None for no weights."""
    if _refused(weights):
        return None
    if isinstance(weights, Mapping):
        _check_mapping(weights, graph, len(nodes), notes)
        return weights
    if weights is not None and not isinstance(weights, str):
        return _given(weights, len(nodes))
    attribute = _ATTRIBUTE if weights is None else weights
    found = {node: data[attribute] for node, data in graph.nodes(data=True) if data.get(attribute) is not None}
    if not found:
        if weights is None:
            return None
        known = sorted({str(key) for _, data in graph.nodes(data=True) for key in data})
        raise ConfigurationError(f"no node has the attribute {weights!r}. {_there(known)}")
    if weights is None and all(weight == 1 for weight in found.values()):
        return None
    _note_missing(len(nodes) - len(found), notes)
    if weights is None:
        notes.append("nodes have the weights of their attribute 'weight' (weights=none for a clique of most nodes)")
    return found


def _refused(weights: Any) -> bool:
    return weights is False or (isinstance(weights, str) and weights == "none")


def _there(known: list[str]) -> str:
    return f"They have {', '.join(known[:5])}" if known else "They have none"


def _check_complement(complement: Any) -> None:
    if not isinstance(complement, bool | np.bool_):
        raise ConfigurationError(f"complement is true or false ({complement!r})")


def _check_mapping(weights: Mapping[Any, Any], nodes: Container[Any], count: int, notes: list[str]) -> None:
    strange = next((node for node in weights if node not in nodes), None)
    if strange is not None:
        raise InputError(f"a weight of {printable(repr(strange)[:60])}, which is not a node")
    _note_missing(count - len(weights), notes)


def _note_missing(count: int, notes: list[str]) -> None:
    if count:
        notes.append(f"{count:,} nodes without a weight have weight 1")


def _given(weights: Any, n: int) -> list[Any]:
    if not isinstance(weights, Iterable) or isinstance(weights, Set):  # a set has no order
        raise ConfigurationError(f"weights are an attribute, 'none', or a number for each vertex ({weights!r})")
    found = list(weights)
    if len(found) != n:
        raise ConfigurationError(f"{len(found)} weights for {n} vertices")
    return found


def to_networkx(problem: MaxClique) -> Any:
    """The graph as a `networkx.Graph` on the problem's own nodes or the names in the file, with weights if any.

    Each edge becomes an object, so use it for small graphs only.
    """
    import networkx

    nodes = [problem.name_of(vertex) for vertex in range(problem.graph.n)] if problem.nodes is None else problem.nodes
    found = networkx.Graph(name=problem.title)
    found.add_nodes_from(nodes)
    if problem.weights is not None:
        for node, weight in zip(nodes, problem.weights.tolist(), strict=True):
            found.nodes[node][_ATTRIBUTE] = problem.score(-weight)
    u, v = edge_pairs(problem.graph)
    found.add_edges_from((nodes[a], nodes[b]) for a, b in zip(u.tolist(), v.tolist(), strict=True))
    return found


def to_scipy(problem: MaxClique) -> Any:
    """The symmetric 0-1 adjacency matrix as a `scipy.sparse.csr_array`, with vertices numbered from 0."""
    import scipy.sparse

    u, v = edge_pairs(problem.graph)
    ends = np.concatenate((u, v)), np.concatenate((v, u))
    return scipy.sparse.csr_array((np.ones(2 * len(u), dtype=np.int8), ends), shape=(problem.graph.n,) * 2)
