"""Construction `push-astar`: an optimal plan by A* over pushes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome
from matheur.operators.plans.searching import Plan, bytes_of, outcome_of, run_search
from matheur.statespace.sokoban.push_search import push_astar

__all__ = ["PushAStar"]


@dataclass(frozen=True, slots=True)
class PushAStar:
    """A* whose edges walk to a box and push it, optimal in the level's own cost. Work: nodes expanded.

    The estimate is the cheapest assignment of the boxes to the goals by push distances; boxes on squares from which no
    goal can be reached, and blocks of 2 x 2 that can never move again, end a branch.

    Attributes
    ----------
    memory
        MiB for the nodes.
    """

    memory: int = 4096

    def __post_init__(self) -> None:
        bytes_of(self.memory)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search by cost plus estimate."""
        del rng
        memory = bytes_of(self.memory)
        answer = run_search(lambda: push_astar(problem.instance, budget=budget, memory=memory))
        return outcome_of(answer, "push-astar", budget)
