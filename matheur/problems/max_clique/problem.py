"""Maximum clique as a problem of the engine: the objective is minus the size, or the weight."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem, row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, printable
from matheur.methods.clique.formats.names import GraphFile, Names, spoken
from matheur.methods.clique.graph import colour_classes
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph
from matheur.methods.clique.weights import checked_weights, weighted_colouring

__all__ = ["MaxClique"]

_REPORTED = 10
_COLOURED_MAX = 20_000


@dataclass(frozen=True, eq=False)
class MaxClique(ArrayProblem):
    """Find a largest set of pairwise adjacent vertices, or a heaviest one if vertices have weights.

    Solutions are int32 arrays of distinct 0-based vertices; as JSON they are lists in ascending order of the
    names that the file gives them, which are 1 to n unless it is an edge list, or the like, with names of its own.

    Attributes
    ----------
    graph
        The instance.
    title
        For people.
    assumptions
        What the reader took for granted, a phrase each.
    names
        Names of the vertices in the file; None if they are 1 to n.
    weights
        A whole number for each vertex, of which positive ones count; None for a clique of many vertices.
    decimals
        Decimals by which the weights were scaled to become whole numbers: the score is in units of the file.
    nodes
        Objects that the vertices stand for in a program, such as the nodes of a networkx graph; None if they are their
        names.

    Raises
    ------
    MatheurError
        If the sum of the weights does not fit in 62 bits.
    ValueError
        If there is not one whole number for each vertex.
    """

    graph: AnyGraph
    title: str = ""
    assumptions: tuple[str, ...] = ()
    names: Names | None = None
    weights: NDArray[np.int64] | None = None
    decimals: int = 0
    nodes: tuple[Any, ...] | None = None
    name = "max-clique"

    def __post_init__(self) -> None:
        if self.weights is not None:
            object.__setattr__(self, "weights", checked_weights(self.graph.n, self.weights))

    @cached_property
    def fingerprint(self) -> str:
        """Names the instance by its content."""
        digest = blake2b(b"max-clique", digest_size=16)
        if isinstance(self.graph, SparseGraph):
            digest.update(b"neighbours")  # the same rows in the dense form are those of the complement
        for array in self.graph.arrays:
            digest.update(array.tobytes())
        if self.names is not None:
            digest.update(self.names.digest())
        if self.weights is not None:
            digest.update(b"weights" + self.decimals.to_bytes(2, "little") + self.weights.tobytes())
        return digest.hexdigest()

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Recheck every pair of the solution against the adjacency rows."""
        fault = row_fault(solution, "a clique")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        violations = []
        chosen = np.asarray(solution, dtype=np.int64).ravel()
        valid = chosen[(chosen >= 0) & (chosen < self.graph.n)]
        for vertex in np.unique(chosen[(chosen < 0) | (chosen >= self.graph.n)]).tolist():
            violations.append(f"there is no vertex {vertex + 1}")
        vertices, counts = np.unique(valid, return_counts=True)
        for vertex in vertices[counts > 1].tolist():
            violations.append(f"vertex {self._said(vertex)} is named twice")
        for vertex, other in self.graph.clashes(vertices):
            violations.append(f"vertices {self._said(vertex)} and {self._said(other)} are not joined")
            if len(violations) > _REPORTED:
                violations[_REPORTED:] = ["and more"]
                break
        worth = len(chosen) if self.weights is None else self.value(valid)
        return Evaluation(-worth, not violations, tuple(violations))

    def value(self, vertices: NDArray[np.integer[Any]]) -> int:
        """What a clique is worth: its size, or its weight in scaled units."""
        return len(vertices) if self.weights is None else int(self.weights[vertices].sum())

    @property
    def value_max(self) -> int:
        """No set of vertices is worth more."""
        return self.graph.n if self.weights is None else int(self.weights[self.weights > 0].sum())

    def report(self, solution: NDArray[np.int32]) -> Mapping[str, Any]:
        """The number of vertices, where the score is another: that of a weighted clique."""
        return {} if self.weights is None else {"size": len(solution)}

    def remark(self, solution: NDArray[np.int32]) -> str | None:
        """The number of vertices of a weighted clique."""
        return None if self.weights is None else f"{len(solution)} vertices"

    def name_of(self, vertex: int) -> int | str:
        """The name of a vertex: its number from 1 unless the file has other names."""
        return int(vertex) + 1 if self.names is None else self.names.name(vertex)

    def vertex_of(self, word: str) -> int | None:
        """The vertex of a name that somebody typed; None if there is none."""
        return GraphFile(self.graph, self.names).vertex(word)

    def _said(self, vertex: int) -> str:
        return spoken(self.name_of(vertex))

    def score(self, objective: int | float) -> int | float:
        """The size of the clique, or its weight in units of the file."""
        if not self.decimals:
            return -int(objective)
        weight = Fraction(-objective) / 10**self.decimals
        return int(weight) if weight.denominator == 1 else float(weight)

    @cached_property
    def trivial_bound(self) -> int:
        """Minus the least of: one more than the largest degree, and the classes of a greedy colouring in file order.

        Where vertices have weights, minus the sum of the heaviest vertices of the classes of a colouring.

        Where the vertices of a file come class by class (the cells of a board, the variables of Model RB), this
        colouring finds the classes, and the bound is their number. A sparse graph is coloured in the order of least
        degree, last vertex first.
        """
        if not self.graph.n:
            return 0
        if isinstance(self.graph, SparseGraph):
            return -self.graph.cores.colours if self.weights is None else -self.value_max
        if self.weights is not None:
            coloured = self.graph.n <= _COLOURED_MAX
            return -(weighted_colouring(self.graph, self.weights) if coloured else self.value_max)
        bound = int(self.graph.degrees.max()) + 1
        if self.graph.n <= _COLOURED_MAX:
            bound = min(bound, int(colour_classes(self.graph).max()) + 1)
        return -bound

    def encode(self, solution: NDArray[np.int32]) -> list[Any]:
        """Names of the vertices, ascending: numbers from 1 unless the file has others."""
        return [self.name_of(vertex) for vertex in np.sort(np.asarray(solution, dtype=np.int64)).tolist()]

    def named(self, solution: NDArray[np.int32]) -> list[Any]:
        """The nodes that the vertices stand for, else their names; in the order of the vertices."""
        if self.nodes is None:
            return self.encode(solution)
        return [self.nodes[vertex] for vertex in np.sort(np.asarray(solution, dtype=np.int64)).tolist()]

    def from_named(self, data: Any) -> NDArray[np.int32]:
        """The vertices of what `named` says.

        Raises
        ------
        InputError
            If it is not a list of nodes.
        """
        if self.nodes is None:
            return self.decode(data)
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a clique is a list of nodes, not {type(data).__name__}")
        places = {node: vertex for vertex, node in enumerate(self.nodes)}
        for node in data:
            if not isinstance(node, Hashable) or node not in places:
                raise InputError(f"no such node ({printable(str(node)[:40])})")
        return np.array([places[node] for node in data], dtype=np.int32)

    def decode(self, data: Any) -> NDArray[np.int32]:
        """An array from a list of names of vertices; whether it is a clique is for `evaluate` to say.

        Raises
        ------
        InputError
            If it is not a list of names: of whole numbers from 1 to n, unless the file has others.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a clique is a list of vertices, not {type(data).__name__}")
        n, names = self.graph.n, self.names
        if names is None:
            for vertex in data:
                if isinstance(vertex, bool) or not isinstance(vertex, int) or not 1 <= vertex <= n:
                    raise InputError(f"no such vertex ({printable(str(vertex)[:40])}); they are 1 to {n}")
            return np.array(data, dtype=np.int32) - np.int32(1)
        found = [names.vertex(name) for name in data]
        for name, place in zip(data, found, strict=True):
            if place is None:
                raise InputError(f"no such vertex ({printable(str(name)[:40])}); {names.hint(name)}")
        return np.array(found, dtype=np.int32)

    def digest(self, solution: NDArray[np.int32]) -> bytes:
        """The same for the same set of vertices."""
        return blake2b(np.sort(np.asarray(solution, dtype=np.int32)).tobytes(), digest_size=16).digest()

    def difference(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> int:
        """Vertices of the larger clique that are not in the other one."""
        return max(len(first), len(second)) - int(np.intersect1d(first, second).size)
