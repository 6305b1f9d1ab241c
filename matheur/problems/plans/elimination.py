"""Action elimination: moves that a plan does not need (Nakhost and Müller 2010)."""

from __future__ import annotations

import numpy as np

from matheur.engine.budget import Budget
from matheur.problems.plans.trajectory import Trajectory, matching_edges

__all__ = ["eliminate"]

_STEPS_MAX = 8000
_SUCCESSORS_MAX = 50_000_000


def eliminate(path: Trajectory, budget: Budget) -> Trajectory | None:
    """The cheapest plan that results from leaving out one move and then every move that has become impossible.

    All n variants of a plan of n moves are played in parallel: n (n - 1) / 2 states are expanded, and booked as work.

    Returns
    -------
    Trajectory or None
        None if no such plan reaches the goal at a lower cost, if the budget ended first, or if there would be more than
        50 million successors. If a variant reaches the goal before its last move, the remaining moves are left out,
        too.
    """
    steps = len(path)
    domain, keys = path.domain, path.keys[:-1].copy()
    if not 0 < steps <= _STEPS_MAX or steps * steps // 2 * domain.branching > _SUCCESSORS_MAX:
        return None
    kept = np.tri(steps, k=-1, dtype=bool)  # row i makes the moves before i
    costs = path.spent[:-1].copy()
    best, cheapest, upto = None, path.cost, 0
    for step in range(1, steps + 1):
        # Rows 0 .. step - 1 have left out their move; they stand before move `step`.
        at_goal = np.flatnonzero(domain.is_goal(keys[:step]) & (costs[:step] < cheapest))
        if at_goal.size:
            best = int(at_goal[np.argmin(costs[at_goal])])
            cheapest, upto = int(costs[best]), step
            chosen = path.plan[:upto][kept[best, :upto]]
        if step == steps:
            break
        if budget.exhausted or budget.affordable(step) < step:
            return None if best is None else Trajectory.of(domain, chosen)
        rows, after, paid = matching_edges(domain, keys[:step], np.full(step, path.plan[step], dtype=np.int32))
        budget.spend(work=step)
        keys[rows], kept[rows, step] = after, True
        costs[rows] += paid
    return None if best is None else Trajectory.of(domain, chosen)
