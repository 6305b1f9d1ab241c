"""Construction `feature-search`: a plan of a level with many boxes, soon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.plans.searching import Plan, bytes_of, outcome_of, run_search
from matheur.problems.sokoban.search.feature_pair import FeaturePair
from matheur.problems.sokoban.search.plan_windows import shortened

__all__ = ["FeatureSearch"]


@dataclass(frozen=True, slots=True)
class FeatureSearch:
    """Feature space search over moves of one box, then windows of its plan by A*. Work: nodes expanded.

    It handles levels with many boxes. It gives no lower bound on the length of a plan and cannot prove that there is
    none.

    Attributes
    ----------
    memory
        Memory for the nodes, in MiB.
    nodes
        Nodes that A* expands for each window of the plan; 0 leaves the plan as found.
    """

    memory: int = option(1024, minimum=1)
    nodes: int = option(5000, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search for a plan and shorten it."""
        del rng
        return outcome_of(run_search(lambda: self._search(problem, budget)), "feature-search")

    def _search(self, problem: Any, budget: Budget) -> SearchAnswer:
        answer = FeaturePair(problem.instance, memory=bytes_of(self.memory)).run(budget)
        if answer.cost is not None:
            budget.offer(answer.plan, answer.cost)
        return shortened(problem.instance, answer, budget, nodes=self.nodes)
