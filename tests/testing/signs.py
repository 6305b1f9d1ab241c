"""A small problem for the checks: split numbers into two sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import ArrayProblem, Budget, Outcome, Status, option


@dataclass(frozen=True)
class Signs(ArrayProblem):
    """The difference of two sums; a solution is an array of signs."""

    numbers: tuple[int, ...] = (3, 1, 2, 5, 4)
    name = "signs"

    def objective(self, solution: NDArray[Any]) -> int | float:
        """Absolute value of the sum with signs."""
        return abs(int(solution @ np.array(self.numbers)))

    def violations(self, solution: NDArray[Any]) -> Iterator[str]:
        """Another length, and numbers that are no sign."""
        if len(solution) != len(self.numbers) or not set(solution.tolist()) <= {-1, 1}:
            yield "a solution has a sign for each number"

    @property
    def trivial_bound(self) -> int | float | None:
        """Nothing differs by less than nothing."""
        return 0


SOLUTIONS = [np.array(signs, dtype=np.int32) for signs in ([1, 1, 1, 1, 1], [1, -1, 1, -1, 1], [1, 1, -1, -1, 1])]
WRONG = [np.array([1, 1]), np.array([1, 1, 1, 1, 2])]


@dataclass(frozen=True)
class Random:
    """Signs by chance. Work: solutions drawn.

    Attributes
    ----------
    tries
        How many are drawn; the best one is kept.
    """

    tries: int = option(3, minimum=1)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Any]:
        """The best of them."""
        drawn = [rng.choice(np.array([-1, 1], dtype=np.int32), len(problem.numbers)) for _ in range(self.tries)]
        budget.spend(work=self.tries)
        best = min(drawn, key=problem.objective)
        return Outcome(Status.IMPROVED, best, problem.objective(best))


@dataclass(frozen=True)
class Flip:
    """Turn the first sign that gains. Work: signs tried."""

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: Generator) -> Outcome[Any]:
        """All of them in a random order."""
        before = problem.objective(incumbent)
        for place in rng.permutation(len(incumbent)):
            if budget.exhausted:
                return Outcome(Status.EXHAUSTED)
            budget.spend(work=1)
            turned = incumbent.copy()
            turned[place] *= -1
            if problem.objective(turned) < before:
                budget.offer(turned, problem.objective(turned))
                return Outcome(Status.IMPROVED, turned, problem.objective(turned))
        return Outcome(Status.LOCAL_OPTIMUM)
