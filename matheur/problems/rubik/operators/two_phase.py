"""Construction `two-phase`: plans for Rubik's cube at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.problems.plans.searching import Plan, outcome_of
from matheur.problems.rubik.operators.beginning import better, nothing, plan_at_once
from matheur.problems.rubik.search.deepening import cube_tables
from matheur.problems.rubik.search.pieces import state_of
from matheur.problems.rubik.search.two_phase import two_phase

__all__ = ["TwoPhase"]


@dataclass(frozen=True, slots=True)
class TwoPhase:
    """Kociemba's two-phase search. Work: states examined.

    Small tables give a first plan at once. The large tables (114 MB) are built in about ten seconds and kept in the
    user's cache; a build interrupted by the time limit continues in the next run.

    Attributes
    ----------
    until
        When to stop: `first` at the first plan, `exhausted` when the budget ends or no shorter plan is left.
    """

    until: Literal["first", "exhausted"] = option("exhausted", choices=("first", "exhausted"))

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Search from the cube and its inverse, along three axes in turn."""
        del rng
        state = state_of(problem.instance.cubies)
        reason = problem.infeasible_reason()
        if reason is not None:
            return nothing(reason)
        metric = problem.instance.metric
        first = plan_at_once(metric, state, budget)
        found = self.until == "first" and first.cost is not None
        tables = None
        if not (found or first.proved or budget.exhausted or budget.reached(first.cost)):
            tables = cube_tables(metric, budget=budget)
        if tables is None:
            return outcome_of(first, "two-phase")
        most = None if first.cost is None else first.cost - (2 if metric == "quarter" else 1)
        answer = two_phase(tables, state, most=most, budget=budget, on_plan=budget.offer, until=self.until)
        return outcome_of(better(first, answer), "two-phase")
