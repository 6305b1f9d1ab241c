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

    Each iteration makes the best exchange of two facilities that is not tabu: at least one of them may go to its new
    location. An exchanged facility must not return to its old location for a random number of iterations. Each call
    starts with an empty tabu list and returns the best permutation found, never one worse than the incumbent. Work:
    iterations.

    Attributes
    ----------
    iterations
        Iterations per call.
    tenure
        Tabu tenure: a facility must not return to its last location for tenure * n * u^3 iterations, u uniform in [0,
        1].
    aspiration
        Aspiration: an exchange that takes a facility to a location where it has not been for aspiration * n^2
        iterations has priority.
    """

    iterations: int = option(500_000, minimum=1)
    tenure: float = option(8.0, above=0, maximum=1_000_000)
    aspiration: float = option(5.0, above=0, maximum=1_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(
        self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator
    ) -> Outcome[NDArray[np.int32]]:
        """Run the iterations and offer every improvement."""
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
