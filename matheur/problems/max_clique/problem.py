"""Maximum clique as a problem of the engine: the objective is the negated size or weight."""

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
from matheur.engine.outcome import Evaluation, plain_number
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

    Solutions are int32 arrays of distinct 0-based vertices. In JSON, they are lists of the vertices' names in the file,
    in ascending order. Names are 1 to n, unless the file is an edge list or similar with its own names.

    Attributes
    ----------
    graph
        The graph.
    title
        Title for display.
    assumptions
        Assumptions made by the reader, one phrase each.
    names
        Names of the vertices in the file; None if they are 1 to n.
    weights
        An integer weight for each vertex, of which only positive ones count; None to maximise the number of vertices.
    decimals
        Number of decimals by which the weights were scaled to integers; the score is in units of the file.
    nodes
        Objects that the vertices represent in a program, such as the nodes of a networkx graph; None if these are their
        names.

    Raises
    ------
    MatheurError
        If the sum of the weights does not fit in 62 bits.
    ValueError
        If `weights` does not have one integer per vertex.
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
        """Hash of the instance's content."""
        digest = blake2b(b"max-clique", digest_size=16)
        if isinstance(self.graph, SparseGraph):
            digest.update(b"neighbours")  # in the dense form, the same rows would describe the complement
        for array in self.graph.arrays:
            digest.update(array.tobytes())
        if self.names is not None:
            digest.update(self.names.digest())
        if self.weights is not None:
            digest.update(b"weights" + self.decimals.to_bytes(2, "little") + self.weights.tobytes())
        return digest.hexdigest()

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Check every pair of the solution against the adjacency rows."""
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
        """Value of a clique: its size, or its weight in scaled units."""
        return len(vertices) if self.weights is None else int(self.weights[vertices].sum())

    @property
    def value_max(self) -> int:
        """Upper bound on the value of any set of vertices."""
        return self.graph.n if self.weights is None else int(self.weights[self.weights > 0].sum())

    def report(self, solution: NDArray[np.int32]) -> Mapping[str, Any]:
        """The number of vertices of a weighted clique, whose score is its weight."""
        return {} if self.weights is None else {"size": len(solution)}

    def remark(self, solution: NDArray[np.int32]) -> str | None:
        """The number of vertices of a weighted clique."""
        return None if self.weights is None else f"{len(solution)} vertices"

    def name_of(self, vertex: int) -> int | str:
        """The name of a vertex: its number from 1 unless the file has other names."""
        return int(vertex) + 1 if self.names is None else self.names.name(vertex)

    def vertex_of(self, word: str) -> int | None:
        """The vertex with a name as typed by a user; None if there is none."""
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
        """Minus the smaller of the largest degree plus 1 and the number of classes of a greedy colouring in file order.

        If vertices have weights, minus the sum of the largest weights in the classes of a colouring.

        If the vertices of a file come class by class (the cells of a board, the variables of Model RB), this colouring
        finds the classes, and the bound is their number. A sparse graph is coloured in smallest-last order.
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
        """Names of the vertices in ascending order: numbers from 1, unless the file has other names."""
        return [self.name_of(vertex) for vertex in np.sort(np.asarray(solution, dtype=np.int64)).tolist()]

    def named(self, solution: NDArray[np.int32]) -> list[Any]:
        """The nodes that the vertices represent, or else their names, in the order of the vertices."""
        if self.nodes is None:
            return self.encode(solution)
        return [self.nodes[vertex] for vertex in np.sort(np.asarray(solution, dtype=np.int64)).tolist()]

    def from_named(self, data: Any) -> NDArray[np.int32]:
        """The inverse of `named`.

        Raises
        ------
        InputError
            If `data` is not a list of nodes.
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
        """Convert a list of names to an array of vertices; `evaluate` checks whether they are a clique.

        Raises
        ------
        InputError
            If `data` is not a list of names, which are integers from 1 to n unless the file has other names.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a clique is a list of vertices, not {type(data).__name__}")
        n, names, data = self.graph.n, self.names, list(map(plain_number, data))
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
        """Hash of the set of vertices, independent of their order."""
        return blake2b(np.sort(np.asarray(solution, dtype=np.int32)).tobytes(), digest_size=16).digest()

    def difference(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> int:
        """Number of vertices of the larger clique that are not in the other one."""
        return max(len(first), len(second)) - int(np.intersect1d(first, second).size)
