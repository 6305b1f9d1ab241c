"""Neighbourhood `three-cycle` for quadratic assignment."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from matheur.engine import Budget, Outcome, Status, check_options, option

__all__ = ["ThreeCycle"]


@dataclass(frozen=True, slots=True)
class ThreeCycle:
    """Rotate the locations of three facilities: the first improvement in a random order. Work: rotations tried.

    Attributes
    ----------
    tries
        Maximum number of rotations. A local optimum is proved only if all rotations are tried.
    """

    tries: int = option(20_000, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: np.random.Generator) -> Outcome[Any]:
        """Return the first rotation, in either direction, that improves the solution."""
        before = problem.evaluate(incumbent).objective
        rings = [ring for a, b, c in combinations(range(problem.instance.n), 3) for ring in ((a, b, c), (a, c, b))]
        for number in rng.permutation(len(rings))[: self.tries]:
            if budget.exhausted:
                return Outcome(Status.EXHAUSTED)
            budget.spend(work=1)
            ring, found = list(rings[number]), incumbent.copy()
            found[ring] = incumbent[[*ring[1:], ring[0]]]
            objective = problem.evaluate(found).objective
            if objective < before:
                budget.offer(found, objective)
                return Outcome(Status.IMPROVED, found, objective)
        status = Status.LOCAL_OPTIMUM if len(rings) <= self.tries else Status.NO_IMPROVEMENT
        return Outcome(status)
