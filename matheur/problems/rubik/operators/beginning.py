"""Common beginning of the constructions for the cube: a proof that there is no plan, or a plan at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.plans.searching import Plan
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search.deepening import cube_tables_kept
from matheur.problems.rubik.search.small import small_tables
from matheur.problems.rubik.search.two_phase import two_phase

__all__ = ["LONGEST", "SHARE", "better", "nothing", "plan_at_once"]

SHARE, LONGEST = 0.3, 0.5
"""Largest fraction of the time, and largest number of seconds, for a two-phase search before better methods begin."""

_PROVED = 300_000  # states visited to prove that a short plan is optimal: a hundredth of a second


def nothing(reason: str | None) -> Outcome[Plan]:
    """The outcome without a plan: there is none for this reason, or the run ended first (None)."""
    if reason is None:
        return Outcome(Status.EXHAUSTED)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "parity and orientation"})


def plan_at_once(metric: Metric, state: NDArray[np.uint8], budget: Budget) -> SearchAnswer:
    """Find and offer a two-phase plan by small tables in a few tenths of a second, regardless of the time left.

    A cube near the solved one gets an optimal plan with a proof. If the large tables are still to be built, some time
    is spent on shorter plans first. A work limit applies to the search that follows: if it is the only limit, the large
    tables are built first, and there is no plan before that.

    Parameters
    ----------
    state
        A solvable cube.
    budget
        Budget whose interrupt always applies; its time applies once there is a plan.

    Returns
    -------
    SearchAnswer
        The answer; it lacks a plan only after an interrupt, or if there is only a work limit.
    """
    limited = budget.work_left is not None
    if budget.interrupt() or (limited and not budget.timed):
        return SearchAnswer()
    tables = small_tables(metric)
    patient = Budget(interrupt=budget.interrupt, clock=budget.clock)
    first = two_phase(tables, state, budget=patient, on_plan=budget.offer, until="first")
    if first.cost is None or first.proved or limited or budget.reached(first.cost):
        return first
    budget.spend(work=first.expanded)
    building = budget.timed and not cube_tables_kept(metric)
    inner = budget.child(
        work=None if building else _PROVED, seconds=min(LONGEST, SHARE * budget.seconds_left) if building else None
    )
    step = 2 if metric == "quarter" else 1
    second = two_phase(tables, state, most=first.cost - step, budget=inner, on_plan=budget.offer)
    return better(first, second)


def better(first: SearchAnswer, second: SearchAnswer) -> SearchAnswer:
    """The second answer if it has a plan, else the first, with the better bound."""
    if second.plan is not None:
        return replace(second, bound=max(first.bound, second.bound))
    bound = min(max(first.bound, second.bound), first.cost or 0)
    return replace(
        first, bound=bound, limit=second.limit, expanded=first.expanded + second.expanded, memory=second.memory,
        seconds=first.seconds + second.seconds,
    )  # fmt: skip
