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
from matheur.statespace.sokoban.feature_pair import FeaturePair
from matheur.statespace.sokoban.plan_windows import shortened
from matheur.statespace.sokoban.push_search import WEIGHT_MAX, PushSearch

__all__ = ["PushAStar"]

_GREEDY = (16, 8, 4, 2)
_SHARE = 0.1
_FEATURE_SHARE, _FEATURE_MEMORY, _LATER = 0.4, 4, 20
_WINDOW, _WINDOW_SHARES, _WINDOW_TIME = 5000, (0.25, 1.5), 0.2


@dataclass(frozen=True, slots=True)
class PushAStar:
    """A* whose edges walk to a box and push it, optimal in the level's own cost. Work: nodes expanded.

    The estimate is the cheapest assignment of the boxes to the goals by push distances; boxes on squares from which no
    goal can be reached, and boxes that hold each other off the goals for ever, end a branch.

    A level that is not solved within `nodes` gets other searches in between, so that there is a plan if the exact one
    cannot be finished: feature space search, whose plan is shortened, and greedier weights.

    Attributes
    ----------
    weight
        1 for an optimal plan; a larger factor of the estimate is one greedier search alone, whose plan costs at most
        so many times the optimum.
    memory
        MiB for the nodes.
    nodes
        Nodes that the exact search expands before the others, and the limit of each of these; 0 for none. In a timed
        run the exact search also ends after a tenth of the time, the feature search after four tenths of what is left,
        each greedy one after a tenth of what is left then. If there is still no plan, the feature search goes on for
        half of the rest; if there is one, larger windows of it get up to a fifth of the rest, twice.
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
        answer = exact.run(self._share(budget, _SHARE))
        if answer.limit not in ("work", "time") or budget.exhausted:
            return answer
        features = self._features(problem, memory)
        best = self._with_features(features, problem, self._share(budget, _FEATURE_SHARE))
        # A plan with few pushes first: there are fewer nodes if the player's cell does not matter.
        pushes = replace(problem.instance, cost="pushes")
        share = _SHARE * budget.seconds_left if budget.timed else None
        for level, weight in ((pushes, WEIGHT_MAX), *((problem.instance, weight) for weight in _GREEDY)):
            if budget.exhausted or (best is not None and budget.reached(best.cost)):
                break
            found = PushSearch(level, weight=weight, memory=memory).run(budget.child(work=self.nodes, seconds=share))
            if found.unreachable:
                return found
            if found.plan is not None and problem.instance.cost == "moves":
                found = replace(found, cost=len(found.plan))
            best = _better(best, found, budget)
        if best is None and not budget.exhausted:
            seconds = budget.seconds_left / 2 if budget.timed else None
            best = self._with_features(features, problem, budget.child(work=_LATER * self.nodes, seconds=seconds))
        for share in _WINDOW_SHARES:
            if best is not None and not budget.exhausted and not budget.reached(best.cost):
                seconds = _WINDOW_TIME * budget.seconds_left if budget.timed else None
                within = budget.child(work=_LATER * self.nodes, seconds=seconds)
                wide = shortened(problem.instance, best, within, nodes=int(share * self.nodes))
                best = _better(best, wide, budget)
        if not budget.exhausted and (best is None or not budget.reached(best.cost)):
            answer = exact.run(budget)
        if answer.plan is None and not answer.unreachable and best is not None:
            answer = replace(answer, plan=best.plan, cost=best.cost, bound=max(answer.bound, best.bound))
        return answer

    def _share(self, budget: Budget, share: float) -> Budget:
        """The first part of a budget."""
        return budget.child(work=self.nodes, seconds=share * budget.seconds_left if budget.timed else None)

    @staticmethod
    def _features(problem: Any, memory: int) -> FeaturePair | None:
        """The feature search; None if the level is too large for it."""
        try:
            return FeaturePair(problem.instance, memory=memory // _FEATURE_MEMORY)
        except ValueError:
            return None

    @staticmethod
    def _with_features(features: FeaturePair | None, problem: Any, budget: Budget) -> SearchAnswer | None:
        """A plan by feature search, shortened; None if there is none."""
        if features is None or budget.exhausted:
            return None
        best = _better(None, features.run(budget), budget)
        if best is None:
            return None
        return _better(best, shortened(problem.instance, best, budget, nodes=_WINDOW), budget)


def _better(best: SearchAnswer | None, found: SearchAnswer, budget: Budget) -> SearchAnswer | None:
    """The better answer; a new one is offered."""
    if found.cost is None or (best is not None and best.cost is not None and best.cost <= found.cost):
        return best
    budget.offer(found.plan, found.cost)
    return found
