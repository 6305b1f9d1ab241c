"""Neighbourhood `refill`: some slots are set free and filled again by a beam, which is exact if it is wide enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.statespace.best_first.beam import beam
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.placing import Placing, PlacingDomain
from matheur.problems.placements.searching import Solution
from matheur.problems.plans.searching import AUTO, bytes_of, heuristic_of

__all__ = ["Refill"]


@dataclass(frozen=True, slots=True)
class Refill:
    """Set some slots free and fill them by a beam over partial assignments that must get better. Work: states expanded.

    Half of the sets consist of consecutive slots in the order of the problem (neighbouring cells or slots, facilities
    with large flows); the other half are drawn from all slots.

    Attributes
    ----------
    slots
        Maximum number of slots set free.
    width
        States kept per layer. If no layer is cut, the filling is optimal.
    tries
        Sets of slots per call.
    heuristic
        Name of a bound of the problem; `auto` for the first bound.
    memory
        Memory limit for the states, in MiB.
    """

    slots: int = option(5, minimum=1)
    width: int = option(100, minimum=1)
    tries: int = option(5, minimum=1)
    heuristic: str = AUTO
    memory: int = option(1024, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Solution, budget: Budget, rng: Generator) -> Outcome[Solution]:
        """Refill one set after another, keeping every gain."""
        placing = domain_of(problem).placing
        row = placing.row(incumbent)
        if (row < 0).any():
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)  # empty slots would have to be filled first
        before = objective = int(problem.evaluate(incumbent).objective)
        for _ in range(self.tries):
            if budget.exhausted or budget.reached(objective):
                break
            gain = self._refilled(placing, row, budget, rng)
            if gain > 0:
                objective -= gain
                budget.offer(placing.solution(row), objective)
        if objective < before:
            return Outcome(Status.IMPROVED, placing.solution(row), objective)
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)

    def _refilled(self, placing: Placing, row: NDArray[np.int64], budget: Budget, rng: Generator) -> int:
        """Refill some slots of the row in place if that is better; return the decrease of the objective."""
        budget.spend(work=1)
        freed = self._freed(placing.slots, rng)
        kept = np.setdiff1d(np.arange(placing.slots), freed)
        domain = PlacingDomain(placing.reordered(np.concatenate([kept, freed])))
        start = domain.key(row[kept])
        cost = _cost(domain, start, row[freed])
        if cost == 0:
            return 0
        rest = domain.between(domain.packing.unpack(start)[0], domain.goal)
        memory = bytes_of(self.memory)
        heuristic = heuristic_of(rest, self.heuristic, memory=memory, budget=budget)
        answer = beam(rest, heuristic, width=self.width, rng=rng, budget=budget, memory=memory, cost_max=cost - 1)
        if answer.plan is None or answer.cost is None:
            return 0
        row[freed] = answer.plan
        return (cost - answer.cost) * domain.placing.scale

    def _freed(self, slots: int, rng: Generator) -> NDArray[np.int64]:
        """Slots to refill, ascending."""
        count = min(self.slots, slots)
        if rng.random() < 0.5:
            return np.sort(rng.choice(slots, count, replace=False)).astype(np.int64)
        return int(rng.integers(slots - count + 1)) + np.arange(count)


def _cost(domain: PlacingDomain, key: NDArray[np.uint64], values: NDArray[np.int64]) -> int:
    """Cost of these values for the next slots."""
    total = 0
    for value in values.tolist():
        found = domain.expand(key)
        (chosen,) = np.flatnonzero(found.moves == value)
        key, total = found.keys[chosen : chosen + 1], total + int(found.costs[chosen])
    return total
