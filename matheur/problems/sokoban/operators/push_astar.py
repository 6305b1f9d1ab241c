"""Construction `push-astar`: an optimal plan by A* over pushes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.plans.searching import Plan, bytes_of, outcome_of, run_search
from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.search.feature_pair import FeaturePair
from matheur.problems.sokoban.search.plan_surroundings import STAGES, Surroundings
from matheur.problems.sokoban.search.plan_windows import shortened
from matheur.problems.sokoban.search.push_search import WEIGHT_MAX, PushSearch

__all__ = ["PushAStar"]

_GREEDY = (16, 8, 4, 2)
_SHARE = 0.1
_FEATURE_SHARE, _FEATURE_MEMORY = 0.5, 4
_GREEDY_SHARE, _LATER, _LATER_SHARE, _NEAR_SHARE = 0.05, 20, 0.9, 0.1
_WINDOW, _WINDOWS, _WINDOW_MAX = 5000, 50, 1 << 24
_LEAST, _AROUND = 1 << 12, 1 << 16


@dataclass(frozen=True, slots=True)
class PushAStar:
    """A* whose edges walk to a box and push it, optimal in the level's own cost. Work: nodes expanded.

    The estimate is the cheapest assignment of the boxes to the goals by push distances. A branch is pruned if a box is
    on a square from which no goal can be reached, or if boxes keep each other off the goals forever.

    If the exact search does not solve a level within `nodes`, feature space search and A* with larger weights follow,
    so that there is a plan even if the exact search cannot finish. Each plan is shortened by a search among similar
    placements of the boxes (`Surroundings`). The best plan of these searches and of the run is then improved further,
    by these surroundings and by windows, in alternation with the exact search, which gets the same work and searches
    for plans below its cost.

    Attributes
    ----------
    weight
        Weight of the estimate. 1 finds an optimal plan; with a larger weight there is only a single greedier search,
        whose plan costs at most this multiple of the optimum.
    memory
        Memory for the nodes, in MiB.
    nodes
        Nodes that the exact search expands before the other searches start, and limit of each of these; 0: exact search
        only. In a timed run the exact search also ends after a tenth of the time, the feature search after half of the
        remaining time, and each greedy search after a twentieth of the time remaining then. If there is no plan after
        the first greedy search, the feature search continues for nine tenths of the rest.
    """

    weight: int = option(1, minimum=1, maximum=WEIGHT_MAX)
    memory: int = option(4096, minimum=1)
    nodes: int = option(200_000, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search by cost plus estimate."""
        del rng
        answer = run_search(lambda: self._search(problem, budget))
        outcome = outcome_of(answer, "push-astar")
        if answer.unreachable and answer.expanded == 0:
            frozen = "boxes keep each other off the goals forever, as the level begins"
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
        surroundings = Surroundings(problem.instance)
        best = _near(surroundings, self._known(budget), None, budget)
        features = self._features(problem, memory)
        found = self._by_features(features, best, self._share(budget, _FEATURE_SHARE))
        best = _near(surroundings, found, best, budget)
        # First a plan with few pushes: there are fewer nodes if the player's cell does not matter.
        pushes = replace(problem.instance, cost="pushes")
        best = self._greedily(problem, [(pushes, WEIGHT_MAX)], surroundings, best, budget)
        if best is None and not budget.exhausted:
            seconds = _LATER_SHARE * budget.seconds_left if budget.timed else None
            later = budget.child(work=_LATER * self.nodes, seconds=seconds)
            best = _near(surroundings, self._by_features(features, None, later), None, budget)
        if best is None or not best.unreachable:
            weights = [(problem.instance, weight) for weight in _GREEDY]
            best = self._greedily(problem, weights, surroundings, best, budget)
        if best is not None and best.unreachable:
            return best
        if best is None:
            return answer if budget.exhausted else exact.run(budget)
        return self._improved(problem, surroundings, exact, best, budget)

    def _greedily(
        self,
        problem: Any,
        searches: Sequence[tuple[Instance, int]],
        surroundings: Surroundings,
        best: SearchAnswer | None,
        budget: Budget,
    ) -> SearchAnswer | None:
        """The best plan after searches with larger weights, or the proof that there is none."""
        share = _GREEDY_SHARE * budget.seconds_left if budget.timed else None
        for level, weight in searches:
            if budget.exhausted or (best is not None and budget.reached(best.cost)):
                break
            search = PushSearch(level, weight=weight, memory=bytes_of(self.memory))
            found = search.run(budget.child(work=self.nodes, seconds=share))
            if found.unreachable:
                return found
            if found.plan is not None and level.cost != problem.instance.cost:
                found = replace(found, cost=len(found.plan), bound=0)
            best = _near(surroundings, found, best, budget)
        return best

    def _improved(
        self, problem: Any, surroundings: Surroundings, exact: PushSearch, best: SearchAnswer, budget: Budget
    ) -> SearchAnswer:
        """Improve the plan until the budget ends, with equal work for its neighbourhood and for the exact search.

        The neighbourhood of the plan grows whenever the search in it finds no improvement.
        """
        stage, work, window, due, limit = 0, max(self.nodes, _AROUND), _WINDOW, 0, None
        while not (budget.exhausted or budget.reached(best.cost)):
            before, spent = best.cost, budget.spent_work
            if stage < len(STAGES):
                near, limit = surroundings.shortened(best, budget.child(work=work), stage=stage)
                best = _better(best, near, budget) or best
                due += budget.spent_work - spent
                if limit == "work":
                    work *= 2
                elif limit == "memory":
                    stage = len(STAGES)
                elif best.cost == before:
                    stage += 1
            else:
                due = _WINDOWS * window
            if best.cost == before and due >= _WINDOWS * window:
                window *= 2
                best = shortened(problem.instance, best, budget.child(work=due), nodes=window)
                due = 0
            assert best.cost is not None
            exact.below(best.cost)
            limit = exact.run(budget.child(work=max(_LEAST, budget.spent_work - spent))).limit
            if limit is None or window > _WINDOW_MAX:
                break
            if best.cost == before and limit == "memory" and stage == len(STAGES) and not budget.timed:
                break
        answer = exact.run(budget.child(work=0))
        if answer.plan is not None:
            return answer
        return replace(best, bound=max(answer.bound, best.bound))

    def _share(self, budget: Budget, share: float) -> Budget:
        """A budget for the first part of the search."""
        return budget.child(work=self.nodes, seconds=share * budget.seconds_left if budget.timed else None)

    @staticmethod
    def _features(problem: Any, memory: int) -> FeaturePair | None:
        """The feature search; None if the level is too large for it."""
        try:
            return FeaturePair(problem.instance, memory=memory // _FEATURE_MEMORY)
        except ValueError:
            return None

    @staticmethod
    def _known(budget: Budget) -> SearchAnswer | None:
        """The best plan of the run so far."""
        elites = budget.elites.entries()
        return (
            SearchAnswer(np.asarray(elites[0].solution, dtype=np.int32), int(elites[0].objective)) if elites else None
        )

    @staticmethod
    def _by_features(features: FeaturePair | None, best: SearchAnswer | None, budget: Budget) -> SearchAnswer | None:
        """A plan by feature search; None if the search does not start."""
        if features is None or budget.exhausted or (best is not None and budget.reached(best.cost)):
            return None
        return features.run(budget)


def _near(
    surroundings: Surroundings, found: SearchAnswer | None, best: SearchAnswer | None, budget: Budget
) -> SearchAnswer | None:
    """The better of the best answer and of another one shortened within its closest surroundings."""
    within = budget.child(seconds=_NEAR_SHARE * budget.seconds_left if budget.timed else None)
    while found is not None and found.cost is not None:
        best, before = _better(best, found, budget), found.cost
        if within.exhausted or budget.reached(before):
            break
        found, _ = surroundings.shortened(found, within, stage=0)
        if found.cost == before:
            break
    return best


def _better(best: SearchAnswer | None, found: SearchAnswer, budget: Budget) -> SearchAnswer | None:
    """The better answer; an improvement is offered."""
    if found.cost is None or (best is not None and best.cost is not None and best.cost <= found.cost):
        return best
    budget.offer(found.plan, found.cost)
    return found
