"""How permutations are compared when different ones are asked for."""

from __future__ import annotations

from matheur.problems.quadratic_assignment.problem import QuadraticAssignment
from matheur.running.diversity.differences import Differences

__all__ = ["permutation_differences"]


def permutation_differences(problem: QuadraticAssignment, by_slot: bool) -> Differences:
    """Permutations differ place by place, whatever `by_slot` says."""
    return Differences(problem.instance.n, True)
