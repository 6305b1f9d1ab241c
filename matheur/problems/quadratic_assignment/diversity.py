"""How permutations are compared when several different ones are requested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.running.diversity.differences import Differences

__all__ = ["permutation_differences"]

Rows = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _First(Differences):
    """Differences that ignore the facilities added for empty locations, which come last."""

    def key(self, solution: Rows) -> bytes:
        return Differences.key(self, np.asarray(solution)[: self.places])

    def between(self, rows: Rows, one: Rows) -> NDArray[np.int64]:
        return Differences.between(self, rows[:, : self.places], one[: self.places])


def permutation_differences(problem: QuadraticAssignment, by_slot: bool) -> Differences:
    """Differences of permutations, always counted place by place: `by_slot` has no effect."""
    given = problem.instance.given
    if given is None:
        return Differences(problem.instance.n, True)
    return _First(int((given.restriction.facilities < given.facilities).sum()), True)
