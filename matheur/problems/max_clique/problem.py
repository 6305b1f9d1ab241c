"""Maximum clique as a problem of the engine: the objective is minus the size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.outcome import Evaluation
from matheur.errors import InputError
from matheur.problems.max_clique.graph import Graph, colour_classes
from matheur.problems.rows import row_fault

__all__ = ["MaxClique"]

_REPORTED = 10
_COLOURED_MAX = 20_000


@dataclass(frozen=True, eq=False)
class MaxClique:
    """Find a largest set of pairwise adjacent vertices.

    Solutions are int32 arrays of distinct 0-based vertices; as JSON they are ascending lists of 1-based ones.

    Attributes
    ----------
    graph
        The instance.
    title
        For people.
    assumptions
        What the reader took for granted, a phrase each.
    """

    graph: Graph
    title: str = ""
    assumptions: tuple[str, ...] = ()
    name = "max-clique"

    @cached_property
    def fingerprint(self) -> str:
        """Names the instance by its content."""
        digest = blake2b(b"max-clique", digest_size=16)
        digest.update(self.graph.ptr.tobytes())
        digest.update(self.graph.idx.tobytes())
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
            violations.append(f"vertex {vertex + 1} is named twice")
        for position, vertex in enumerate(vertices.tolist()):
            later = vertices[position + 1 :]
            for other in later[np.isin(later, self.graph.non_neighbours(vertex))].tolist():
                violations.append(f"vertices {vertex + 1} and {other + 1} are not joined")
            if len(violations) > _REPORTED:
                violations[_REPORTED:] = ["and more"]
                break
        return Evaluation(-len(chosen), not violations, tuple(violations))

    def score(self, objective: int | float) -> int:
        """The size of the clique."""
        return -int(objective)

    @property
    def score_max(self) -> None:
        """None: the largest size is what is asked for."""
        return None

    @cached_property
    def trivial_bound(self) -> int:
        """Minus the least of: one more than the largest degree, and the classes of a greedy colouring in file order.

        Where the vertices of a file come class by class (the cells of a board, the variables of Model RB), this
        colouring finds the classes, and the bound is their number.
        """
        if not self.graph.n:
            return 0
        bound = int(self.graph.degrees.max()) + 1
        if self.graph.n <= _COLOURED_MAX:
            bound = min(bound, int(colour_classes(self.graph).max()) + 1)
        return -bound

    def infeasible_reason(self) -> str | None:
        """Never: the empty set is a clique."""
        return None

    def encode(self, solution: NDArray[np.int32]) -> list[int]:
        """1-based vertices, ascending."""
        return [int(vertex) + 1 for vertex in sorted(solution)]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """An array from a list of 1-based vertices; whether it is a clique is for `evaluate` to say.

        Raises
        ------
        InputError
            If it is not a list of whole numbers from 1 to n.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a clique is a list of vertices, not {type(data).__name__}")
        for vertex in data:
            if isinstance(vertex, bool) or not isinstance(vertex, int) or not 1 <= vertex <= self.graph.n:
                raise InputError(f"no such vertex ({str(vertex)[:40]}); they are 1 to {self.graph.n}")
        return np.array(data, dtype=np.int32) - 1

    def digest(self, solution: NDArray[np.int32]) -> bytes:
        """The same for the same set of vertices."""
        return blake2b(np.sort(np.asarray(solution, dtype=np.int32)).tobytes(), digest_size=16).digest()

    def difference(self, first: NDArray[np.int32], second: NDArray[np.int32]) -> int:
        """Vertices of the larger clique that are not in the other one."""
        return max(len(first), len(second)) - int(np.intersect1d(first, second).size)
