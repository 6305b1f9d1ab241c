"""How the constructions for the cube end before they have begun."""

from __future__ import annotations

from typing import Any

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.operators.plans.searching import Plan

__all__ = ["nothing"]


def nothing(reason: str | None, budget: Budget) -> Outcome[Plan]:
    """No plan exists, or there was no time for the tables."""
    spent: dict[str, Any] = {"work": budget.spent_work, "seconds": budget.elapsed}
    if reason is None:
        return Outcome(Status.EXHAUSTED, **spent)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "parity and orientation"}, **spent)
