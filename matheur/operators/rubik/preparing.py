"""What the constructions for the cube begin with."""

from __future__ import annotations

from typing import Any

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.operators.plans.searching import Plan
from matheur.statespace.rubik.deepening import CubeTables, cube_tables

__all__ = ["nothing", "prepared"]


def prepared(problem: Any, budget: Budget) -> tuple[str | None, CubeTables | None]:
    """The tables, or the reason why no plan exists."""
    reason = problem.infeasible_reason()
    return reason, None if reason is not None else cube_tables(problem.instance.metric, budget=budget)


def nothing(reason: str | None, budget: Budget) -> Outcome[Plan]:
    """No plan exists, or there was no time for the tables."""
    spent: dict[str, Any] = {"work": budget.spent_work, "seconds": budget.elapsed}
    if reason is None:
        return Outcome(Status.EXHAUSTED, **spent)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "parity and orientation"}, **spent)
