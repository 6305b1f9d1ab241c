"""Construction `portfolio`: exact search where it is quick, else beams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.operators.plans.anytime import Beam
from matheur.operators.plans.exact import AStar, IdaStar
from matheur.operators.plans.searching import AUTO, Plan

__all__ = ["Portfolio"]


@dataclass(frozen=True, slots=True)
class Portfolio:
    """An exact search within a limit, then beams of doubling width, which leave time to the neighbourhoods.

    Work: states expanded.

    Attributes
    ----------
    heuristic
        As for `astar`.
    memory
        MiB for the states, and as many for the heuristic's tables.
    exact
        The exact search: `astar`, or `ida-star` where memory is short or the puzzle brings a fast one of its own.
    nodes
        States that it may expand.
    seconds
        Its limit in a timed run, None for none.
    width, width_max
        As for `beam`.
    share
        Part of the time that is left, after which the beams end if they have found a plan.
    """

    heuristic: str = AUTO
    memory: int = 4096
    exact: Literal["astar", "ida-star"] = "astar"
    nodes: int = 300_000
    seconds: float | None = 2.0
    width: int = 16
    width_max: int | None = 1 << 16
    share: float = 0.4

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ConfigurationError(f"share must be more than 0 and at most 1 ({self.share})")
        if self.nodes < 1 or (self.seconds is not None and self.seconds <= 0):
            raise ConfigurationError(f"nodes and seconds must be positive ({self.nodes}, {self.seconds})")
        self._searches()

    def _searches(self) -> tuple[AStar | IdaStar, Beam]:
        beam = Beam(heuristic=self.heuristic, memory=self.memory, width=self.width, width_max=self.width_max)
        exact = AStar if self.exact == "astar" else IdaStar
        return exact(heuristic=self.heuristic, memory=self.memory), beam

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """One search after the other; the better of their bounds is kept."""
        exact, beam = self._searches()
        share = budget.child(work=self.nodes, seconds=self.seconds if budget.timed else None)
        first = _within(exact, problem, share, rng)
        if first.solution is not None or first.reason is not None or budget.exhausted:
            return replace(first, work=budget.spent_work, seconds=budget.elapsed)
        part = self.share * budget.seconds_left if budget.timed else None
        second = _within(beam, problem, budget.child(seconds=part), rng)
        if second.solution is None and second.reason is None and not budget.exhausted:
            second = _within(beam, problem, budget, rng)
        second = replace(second, work=budget.spent_work, seconds=budget.elapsed)
        if second.reason is None and (first.bound or 0) > (second.bound or 0):
            return replace(second, bound=first.bound, certificate=first.certificate)
        return second


def _within(search: AStar | IdaStar | Beam, problem: Any, share: Budget, rng: Generator) -> Outcome[Plan]:
    """What a search finds in its share, nothing if that ended while tables were built."""
    try:
        return search.build(problem, share, rng)
    except OutOfBudgetError:
        return Outcome(Status.EXHAUSTED)
