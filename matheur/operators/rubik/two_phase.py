"""Constructions `two-phase` and `guided-beam`: plans for Rubik's cube at once, near-optimal ones in seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.operators.plans.searching import Plan, outcome_of
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.rubik.beam import Guide, anytime_beam_cube
from matheur.statespace.rubik.deepening import CubeTables, cube_tables
from matheur.statespace.rubik.perimeter import DEPTHS, perimeter
from matheur.statespace.rubik.pieces import state_of
from matheur.statespace.rubik.two_phase import two_phase

__all__ = ["GuidedBeam", "TwoPhase"]

_SHARE, _LONGEST = 0.3, 0.5
"""Part of the time, and the seconds, that the two-phase search before the beams takes at most."""


@dataclass(frozen=True, slots=True)
class TwoPhase:
    """Kociemba's two-phase search. Work: states looked at.

    The tables (114 MB, built in about ten seconds, then kept in the user's cache) come first.

    Attributes
    ----------
    until
        `first` plan, or `exhausted`: go on with shorter plans until the budget ends, or none is left.
    """

    until: Literal["first", "exhausted"] = "exhausted"

    def __post_init__(self) -> None:
        if self.until not in ("first", "exhausted"):
            raise ConfigurationError(f"until is 'first' or 'exhausted' ({self.until!r})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search from the cube and its inverse, along three axes in turn."""
        del rng
        state = state_of(problem.instance.cubies)
        reason, tables = _ready(problem, budget)
        if tables is None:
            return _nothing(reason, budget)
        answer = two_phase(tables, state, budget=budget, on_plan=budget.offer, until=self.until)
        return outcome_of(answer, "two-phase", budget)


@dataclass(frozen=True, slots=True)
class GuidedBeam:
    """A first plan by two-phase search, then beams guided by exact distances of parts. Work: states looked at.

    Attributes
    ----------
    width, width_max
        States of a layer of the first and of the widest beam (some 400 bytes each). With a deadline beams are as wide
        as the time that is left allows.
    corners
        Weight of the distance of the corners against those of the first phase.
    share
        Part of the time that is left, after which the beams end; the rest is for neighbourhoods.
    """

    width: int = 1 << 12
    width_max: int = 1 << 20
    corners: int = 1
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 1 <= self.width <= self.width_max:
            raise ConfigurationError(
                f"width must be at least 1 and width_max at least width ({self.width}, {self.width_max})"
            )
        if not 0 <= self.corners <= 8:
            raise ConfigurationError(f"the weight of the corners is 0 to 8 ({self.corners})")
        if not 0 < self.share <= 1:
            raise ConfigurationError(f"share must be more than 0 and at most 1 ({self.share})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """One beam after the other."""
        del rng
        state = state_of(problem.instance.cubies)
        reason, tables = _ready(problem, budget)
        if tables is None:
            return _nothing(reason, budget)
        step = 2 if tables.metric == "quarter" else 1
        first = two_phase(tables, state, budget=budget, on_plan=budget.offer, until="first")
        if budget.timed and first.cost is not None and not first.proved:
            inner = budget.child(seconds=min(_LONGEST, _SHARE * budget.seconds_left))
            first = _better(first, two_phase(tables, state, most=first.cost - step, budget=inner, on_plan=budget.offer))
        if first.cost is None or first.proved or budget.exhausted or budget.reached(first.cost):
            return outcome_of(first, "two-phase", budget)
        part = budget.child(seconds=self.share * budget.seconds_left) if budget.timed else budget
        ends = perimeter(tables.metric, DEPTHS[tables.metric], budget=part)
        if ends is None:
            return outcome_of(first, "two-phase", budget)
        answer = anytime_beam_cube(
            tables, ends, state, width=self.width, width_max=self.width_max, most=first.cost - step, budget=part,
            guide=Guide(self.corners), on_plan=budget.offer,
        )  # fmt: skip
        return outcome_of(_better(first, answer), "guided-beam", budget)


def _better(first: SearchAnswer, second: SearchAnswer) -> SearchAnswer:
    """The answer that has the plan, with the bound of both."""
    if second.plan is not None:
        return second
    bound = min(max(first.bound, second.bound), first.cost or 0)
    plan: NDArray[np.int32] | None = first.plan
    return SearchAnswer(
        plan, first.cost, bound, limit=second.limit, expanded=first.expanded + second.expanded, memory=second.memory,
        seconds=first.seconds + second.seconds,
    )  # fmt: skip


def _ready(problem: Any, budget: Budget) -> tuple[str | None, CubeTables | None]:
    """The tables, or the reason why no plan exists."""
    reason = problem.infeasible_reason()
    return reason, None if reason is not None else cube_tables(problem.instance.metric, budget=budget)


def _nothing(reason: str | None, budget: Budget) -> Outcome[Plan]:
    """No plan exists, or there was no time for the tables."""
    spent: dict[str, Any] = {"work": budget.spent_work, "seconds": budget.elapsed}
    if reason is None:
        return Outcome(Status.EXHAUSTED, **spent)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "parity and orientation"}, **spent)
