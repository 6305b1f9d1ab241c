"""Construction `push-astar`: an optimal plan by A* over pushes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.operators.plans.searching import Plan, bytes_of, outcome_of, run_search
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.sokoban.push_search import WEIGHT_MAX, PushSearch

__all__ = ["PushAStar"]

_GREEDY = (16, 8, 4, 2)
_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class PushAStar:
    """A* whose edges walk to a box and push it, optimal in the level's own cost. Work: nodes expanded.

    The estimate is the cheapest assignment of the boxes to the goals by push distances; boxes on squares from which no
    goal can be reached, and boxes that hold each other off the goals for ever, end a branch.

    A level that is not solved within `nodes` gets greedier searches in between, so that there is a plan if the exact
    one cannot be finished.

    Attributes
    ----------
    weight
        1 for an optimal plan; a larger factor of the estimate is one greedier search alone, whose plan costs at most
        so many times the optimum.
    memory
        MiB for the nodes.
    nodes
        Nodes that the exact search expands before the greedier ones, and the limit of each of these; 0 for none. In a
        timed run each of them also ends after a tenth of the time.
    """

    weight: int = 1
    memory: int = 4096
    nodes: int = 200_000

    def __post_init__(self) -> None:
        bytes_of(self.memory)
        if not 1 <= self.weight <= WEIGHT_MAX:
            raise ConfigurationError(f"weight must be 1 to {WEIGHT_MAX} ({self.weight})")
        if self.nodes < 0:
            raise ConfigurationError(f"nodes must not be negative ({self.nodes})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search by cost plus estimate."""
        del rng
        answer = run_search(lambda: self._search(problem, budget))
        outcome = outcome_of(answer, "push-astar", budget)
        if answer.unreachable and answer.expanded == 0:
            frozen = "boxes hold each other off the goals for ever, as the level begins"
            return replace(outcome, reason=problem.infeasible_reason() or frozen)
        return outcome

    def _search(self, problem: Any, budget: Budget) -> SearchAnswer:
        memory = bytes_of(self.memory)
        exact = PushSearch(problem.instance, weight=self.weight, memory=memory)
        if self.weight > 1 or self.nodes == 0:
            return exact.run(budget)
        seconds = _SHARE * budget.seconds_left if budget.timed else None
        answer = exact.run(budget.child(work=self.nodes, seconds=seconds))
        if answer.limit not in ("work", "time") or budget.exhausted:
            return answer
        best: SearchAnswer | None = None
        # A plan with few pushes first: there are fewer nodes if the player's cell does not matter.
        pushes = replace(problem.instance, cost="pushes")
        for level, weight in ((pushes, WEIGHT_MAX), *((problem.instance, weight) for weight in _GREEDY)):
            greedy = PushSearch(level, weight=weight, memory=memory)
            found = greedy.run(budget.child(work=self.nodes, seconds=seconds))
            if found.unreachable:
                return found
            if found.plan is not None and problem.instance.cost == "moves":
                found = replace(found, cost=len(found.plan))
            if found.cost is not None and (best is None or best.cost is None or found.cost < best.cost):
                best = found
                budget.offer(found.plan, found.cost)
            if budget.exhausted or (best is not None and budget.reached(best.cost)):
                break
        done = budget.exhausted or (best is not None and budget.reached(best.cost))
        if not done:
            answer = exact.run(budget)
        if answer.plan is None and not answer.unreachable and best is not None:
            answer = replace(answer, plan=best.plan, cost=best.cost, bound=max(answer.bound, best.bound))
        return answer
