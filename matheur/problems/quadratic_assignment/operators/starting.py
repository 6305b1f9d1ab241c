"""Good permutations to start an exact search from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.quadratic_assignment.operators.swap import Swap

__all__ = ["best_local_optimum"]


def best_local_optimum(problem: Any, starts: int, budget: Budget, rng: Generator) -> tuple[NDArray[np.int32], int]:
    """The best of several random local optima of `swap`, with its objective; it is offered, and the work booked."""
    best: NDArray[np.int32] | None = None
    objective = 0
    for _ in range(max(1, starts)):
        places = rng.permutation(problem.instance.n).astype(np.int32)
        found = Swap().explore(problem, places, budget.child(), rng)
        assert found.solution is not None
        assert found.objective is not None
        if best is None or found.objective < objective:
            best, objective = found.solution, int(found.objective)
            budget.offer(best.copy(), objective)
        if budget.exhausted or budget.reached(objective):
            break
    assert best is not None
    return best, objective
