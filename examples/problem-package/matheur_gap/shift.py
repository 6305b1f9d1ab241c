"""Neighbourhood `shift`: move one job to another agent, or exchange two jobs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from matheur.engine import Budget, Outcome, Status

__all__ = ["Shift"]


@dataclass(frozen=True, slots=True)
class Shift:
    """Descent to a local optimum: move one job to another agent, or exchange two jobs. Work: changes tried."""

    def explore(self, problem: Any, incumbent: Any, budget: Budget, rng: np.random.Generator) -> Outcome[Any]:
        """Try all changes in a random order, apply the first that improves, and repeat."""
        agents, before = incumbent, problem.objective(incumbent)
        objective, gained = before, True
        while gained and not budget.reached(objective):
            gained = False
            for jobs, others in _changes(problem, agents, rng):
                if budget.exhausted:
                    status = Status.IMPROVED if objective < before else Status.EXHAUSTED
                    return Outcome(status, agents, objective)
                budget.spend(work=1)
                changed = agents.copy()
                changed[jobs] = others
                evaluation = problem.evaluate(changed)
                if evaluation.feasible and evaluation.objective < objective:
                    agents, objective, gained = changed, evaluation.objective, True
                    budget.offer(agents, objective)
                    break
        unchanged = Status.NO_IMPROVEMENT if gained else Status.LOCAL_OPTIMUM
        status = Status.IMPROVED if objective < before else unchanged
        return Outcome(status, agents, objective)


def _changes(problem: Any, agents: Any, rng: np.random.Generator) -> Any:
    """Jobs and their new agents, in a random order."""
    count, size = len(agents), len(problem.instance.capacities)
    shifts = [([job], [agent]) for job in range(count) for agent in range(size) if agent != agents[job]]
    swaps = [([a, b], [agents[b], agents[a]]) for a, b in combinations(range(count), 2) if agents[a] != agents[b]]
    changes = shifts + swaps
    return (changes[number] for number in rng.permutation(len(changes)))
