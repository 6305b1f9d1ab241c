"""Construction `greedy`: assign jobs in a random order, each to the best agent with room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from matheur.engine import Budget, Outcome, Status, check_options, option

__all__ = ["Greedy"]


@dataclass(frozen=True, slots=True)
class Greedy:
    """Assign jobs in a random order, each to the best agent with room; repeat if a job has none. Work: orders.

    The best agent has the least sum of cost and weighted need; each order draws its own weight.

    Attributes
    ----------
    tries
        Maximum number of orders.
    """

    tries: int = option(1000, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: np.random.Generator) -> Outcome[Any]:
        """Return the first feasible assignment."""
        for _ in range(self.tries):
            if budget.exhausted:
                break
            budget.spend(work=1)
            agents = _assigned(problem, rng)
            if agents is not None:
                return Outcome(Status.IMPROVED, agents, problem.objective(agents))
        return Outcome(Status.EXHAUSTED)


def _assigned(problem: Any, rng: np.random.Generator) -> Any:
    """Agents of all jobs; None if no agent has room for a job."""
    costs, needs, capacities = problem.instance.arrays
    agents, room = np.empty(costs.shape[1], dtype=np.int32), capacities.copy()
    prices = costs + rng.uniform(0, 3) * needs
    for job in rng.permutation(costs.shape[1]):
        open_ = np.flatnonzero(needs[:, job] <= room)
        if not open_.size:
            return None
        agents[job] = open_[prices[open_, job].argmin()]
        room[agents[job]] -= needs[agents[job], job]
    return agents
