"""From the plans of a search over partial assignments to solutions: objectives, bounds, statuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.methods.statespace.best_first.beam import beam
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.placing import PlacingDomain
from matheur.problems.plans.searching import Plan, heuristic_of

__all__ = ["Solution", "Subject", "dive", "placed"]

Solution = NDArray[np.int32]

_DIVE_MEMORY = 1 << 28
_DOUBLINGS = 5


class Subject:
    """A problem's domain, built once, in the form of a problem for planners that call `domain`."""

    def __init__(self, problem: Any) -> None:
        self._domain: PlacingDomain = domain_of(problem)

    def domain(self) -> PlacingDomain:
        """The partial assignments of the problem."""
        return self._domain


def placed(subject: Subject, budget: Budget, search: Callable[[Budget], Outcome[Plan]]) -> Outcome[Solution]:
    """The outcome of a search that offers plans and their costs to the budget passed to it.

    If the search ends without a plan, the best plan that it has offered is returned.
    """
    domain = subject.domain()
    best: tuple[Solution, int] | None = None

    def offer(plan: Plan, cost: int | float) -> None:
        nonlocal best
        found = domain.solution(plan), domain.objective(int(cost))
        if best is None or found[1] < best[1]:
            best = found
            budget.offer(*found)

    scale, offset = domain.placing.scale, domain.placing.offset
    outcome = search(budget.translated(offer, lambda target: (target - offset) / scale))
    proof = outcome.certificate
    if proof is not None and "search_bound" in proof:
        proof = {**proof, "search_bound": domain.objective(int(proof["search_bound"]))}
    if outcome.status is Status.INFEASIBLE:
        reason = "all partial assignments were tried: none can be completed"
        return Outcome(Status.INFEASIBLE, reason=reason, certificate=proof)
    if outcome.solution is not None and outcome.objective is not None:
        offer(outcome.solution, outcome.objective)
    bound = None if outcome.bound is None else domain.objective(int(outcome.bound))
    if best is None:
        return Outcome(Status.EXHAUSTED, bound=bound, certificate=proof)
    return Outcome(Status.IMPROVED, *best, bound=bound, certificate=proof)


def dive(subject: Subject, heuristic: str, width: int, budget: Budget, rng: Generator) -> bool:
    """Run beams of doubling width until one finds a plan, and offer it as a first solution for a long search.

    Returns
    -------
    bool
        True if the plan reaches the target, so that no further search is needed.
    """
    if width > 0:
        domain = subject.domain()
        known = heuristic_of(domain, heuristic, memory=_DIVE_MEMORY, budget=budget)
        for more in range(_DOUBLINGS + 1):
            answer = beam(domain, known, width=width << more, rng=rng, budget=budget, memory=_DIVE_MEMORY)
            if answer.plan is not None and answer.cost is not None:
                budget.offer(answer.plan, answer.cost)
            if answer.plan is not None or answer.unreachable or answer.limit is not None:
                return budget.reached(answer.cost)
    return False
