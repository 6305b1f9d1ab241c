"""How permutations are compared when different ones are asked for."""

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
    """Of facilities that were added for empty locations, which come last, nobody asks where they are."""

    def key(self, solution: Rows) -> bytes:
        return Differences.key(self, np.asarray(solution)[: self.places])

    def between(self, rows: Rows, one: Rows) -> NDArray[np.int64]:
        return Differences.between(self, rows[:, : self.places], one[: self.places])


def permutation_differences(problem: QuadraticAssignment, by_slot: bool) -> Differences:
    """Permutations differ place by place, whatever `by_slot` says."""
    given = problem.instance.given
    if given is None:
        return Differences(problem.instance.n, True)
    return _First(int((given.restriction.facilities < given.facilities).sum()), True)
