"""The cubical sliding puzzle as a problem of the engine: solutions are plans, the objective is the number of moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, nearest
from matheur.problems.cubical.instance import Instance
from matheur.problems.cubical.solvability import unsolvable_reason
from matheur.problems.plan_problem import PlanProblem

__all__ = ["Cubical"]

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class Cubical(PlanProblem):
    """Bring every ring to its target vertex with as few moves as possible.

    Solutions are int32 arrays of move numbers; move `ring * 2**d + vertex` puts the ring on that vertex. In JSON, they
    are lists of `"ring:vertex"`.

    Attributes
    ----------
    instance
        The puzzle.
    assumptions
        Assumptions made by the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "cubical"

    @property
    def content(self) -> tuple[Any, ...]:
        """The data from which the fingerprint of the puzzle is computed."""
        one = self.instance
        return (one.dimension, one.k, one.rings, one.start, one.target)

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Play the plan move by move; each needs a k-face that contains both vertices and no other ring."""
        fault = row_fault(solution, "a plan")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        places = list(one.start)
        violations = []
        for step, move in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            ring, vertex = divmod(int(move), one.vertices)
            if not 0 <= ring < len(one.rings):
                violations.append(f"move {step}: there is no ring number {ring}")
            elif places[ring] == vertex:
                violations.append(f"move {step}: ring '{one.rings[ring]}' is on vertex {vertex} already")
            else:
                others = [place for other, place in enumerate(places) if other != ring]
                if not self._joined(places[ring], vertex, others):
                    violations.append(
                        f"move {step}: no face of dimension {one.k} with vertices {places[ring]} and {vertex} "
                        f"is free for ring '{one.rings[ring]}'"
                    )
                places[ring] = vertex
            if len(violations) > _REPORTED:
                return Evaluation(len(solution), False, (*violations[:_REPORTED], "and more"))
        for name, place, target in zip(one.rings, places, one.target, strict=True):
            if place != target:
                violations.append(f"at the end ring '{name}' is on vertex {place}, not {target}")
        return Evaluation(len(solution), not violations, tuple(violations))

    def _joined(self, here: int, there: int, others: list[int]) -> bool:
        d = self.instance.dimension
        differ = {i for i in range(d) if (here ^ there) >> i & 1}
        for free in combinations(range(d), self.instance.k):
            fixed = [i for i in range(d) if i not in free]
            if differ <= set(free) and not any(all((v ^ here) >> i & 1 == 0 for i in fixed) for v in others):
                return True
        return False

    @property
    def trivial_bound(self) -> int:
        """Sum over the rings of ceil(Hamming distance / k) (Definition 2 of the paper)."""
        one = self.instance
        return sum(-(-(a ^ b).bit_count() // one.k) for a, b in zip(one.start, one.target, strict=True))

    def infeasible_reason(self) -> str | None:
        """A sentence if a simple argument shows that the target cannot be reached."""
        return unsolvable_reason(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> list[str]:
        """Convert each move to `"ring:vertex"`."""
        moves = np.asarray(solution).ravel().tolist()
        pairs = [divmod(int(move), self.instance.vertices) for move in moves]
        return [f"{self.instance.rings[ring]}:{vertex}" for ring, vertex in pairs]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Move numbers of a list of `"ring:vertex"`; `evaluate` checks whether the moves are legal.

        Raises
        ------
        InputError
            If `data` is not such a list, or names an unknown ring or vertex.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"a plan is a list of 'ring:vertex', not {type(data).__name__}")
        return np.array([self._move(step, text) for step, text in enumerate(data, start=1)], dtype=np.int32)

    def _move(self, step: int, text: Any) -> int:
        one = self.instance
        if not isinstance(text, str) or ":" not in text:
            shown = repr(text[:40]) if isinstance(text, str) else type(text).__name__
            raise InputError(f"move {step} must be 'ring:vertex' ({shown})")
        name, _, vertex = text.rpartition(":")
        if name not in one.rings:
            raise InputError(f"move {step}: no ring is called {name[:40]!r}. {nearest(name[:40], one.rings)}")
        if not (vertex.isascii() and vertex.isdigit() and len(vertex) <= 4 and int(vertex) < one.vertices):
            raise InputError(f"move {step}: no such vertex ({vertex[:40]!r}); they are 0 to {one.vertices - 1}")
        return one.rings.index(name) * one.vertices + int(vertex)
