"""Construction `greedy`: jobs in a random order, each to the best agent that has room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from matheur.engine import Budget, Outcome, Status, check_options, option

__all__ = ["Greedy"]


@dataclass(frozen=True, slots=True)
class Greedy:
    """Jobs in a random order, each to the best agent that has room; again where a job finds none. Work: orders.

    The best agent has the least sum of cost and need, which counts more or less from order to order.

    Attributes
    ----------
    tries
        Orders that are tried at most.
    """

    tries: int = option(1000, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: np.random.Generator) -> Outcome[Any]:
        """The first assignment that fits."""
        for _ in range(self.tries):
            if budget.exhausted:
                break
            budget.spend(work=1)
            agents = _assigned(problem, rng)
            if agents is not None:
                return Outcome(Status.IMPROVED, agents, problem.objective(agents))
        return Outcome(Status.EXHAUSTED)


def _assigned(problem: Any, rng: np.random.Generator) -> Any:
    """The agents of all jobs; None if one finds no room."""
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
