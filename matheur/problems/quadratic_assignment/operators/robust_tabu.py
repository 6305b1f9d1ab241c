"""Neighbourhood `robust-tabu`: robust tabu search over exchanges of two facilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.operators.exchange_state import objective
from matheur.problems.quadratic_assignment.operators.tabu_search import tabu_search

__all__ = ["RobustTabu"]


@dataclass(frozen=True, slots=True)
class RobustTabu:
    """Robust tabu search from the incumbent (Taillard 1991).

    In each iteration the best exchange of two facilities is made that takes at least one of them to a location that
    it may go to; it must not go back there for a random time. Work: iterations. Each call begins with an empty
    memory. It returns the best permutation that it saw, a worse one never.

    Attributes
    ----------
    iterations
        Iterations of one call.
    tenure
        A facility is kept from its last location for tenure * n * u^3 iterations, u uniform between 0 and 1.
    aspiration
        Where a facility was not for aspiration * n^2 iterations, it has to go now.
    """

    iterations: int = option(500_000, minimum=1)
    tenure: float = option(8.0, above=0, maximum=1_000_000)
    aspiration: float = option(5.0, above=0, maximum=1_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Run the iterations; hand out every improvement."""
        instance: Instance = problem.instance
        start = objective(instance, incumbent)
        with budget.watched():
            search = tabu_search(instance, rng, tenure=self.tenure, aspiration=self.aspiration)
            search.start(incumbent)
        done = search.run(self.iterations, budget, start)
        if search.objective < start:
            status = Status.IMPROVED
        else:
            status = Status.NO_IMPROVEMENT if done == self.iterations else Status.EXHAUSTED
        return Outcome(status, search.best, search.objective)
