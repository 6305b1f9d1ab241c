"""How the constructions for the cube begin: with a proof that there is no plan, or with a plan at once."""

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
"""Part of the time, and the seconds, that a two-phase search takes at most before something better begins."""

_PROVED = 300_000  # states looked at for the proof that a short plan is a shortest one: a hundredth of a second


def nothing(reason: str | None) -> Outcome[Plan]:
    """No plan exists, or the user did not wait for one."""
    if reason is None:
        return Outcome(Status.EXHAUSTED)
    return Outcome(Status.INFEASIBLE, reason=reason, certificate={"backend": "parity and orientation"})


def plan_at_once(metric: Metric, state: NDArray[np.uint8], budget: Budget) -> SearchAnswer:
    """A plan of two phases by small tables, offered, in a few tenths of a second, whatever time is left.

    A cube near the solved one gets a shortest plan, with the proof. Where the large tables are yet to be built, some
    time goes into shorter plans first. A limit of work is for what comes after: where that is the only limit, the large
    tables are built without haste, and there is no plan before.

    Parameters
    ----------
    state
        A cube that turns can solve.
    budget
        Its interrupt counts; its time once there is a plan.

    Returns
    -------
    SearchAnswer
        Without a plan only after an interrupt, or under a limit of work alone.
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
    """The answer that has the plan, with the bound of both."""
    if second.plan is not None:
        return replace(second, bound=max(first.bound, second.bound))
    bound = min(max(first.bound, second.bound), first.cost or 0)
    return replace(
        first, bound=bound, limit=second.limit, expanded=first.expanded + second.expanded, memory=second.memory,
        seconds=first.seconds + second.seconds,
    )  # fmt: skip
