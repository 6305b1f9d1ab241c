"""Neighbourhood `shortcut`: needless moves, cycles, and shorter ways through the plan's vicinity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.plans.elimination import eliminate
from matheur.problems.plans.searching import Plan
from matheur.problems.plans.trajectory import Trajectory
from matheur.problems.plans.vicinity import Vicinity

__all__ = ["Shortcut"]


@dataclass(frozen=True, slots=True)
class Shortcut:
    """Shorten the plan without leaving its surroundings (Nakhost and Müller 2010: ARAS).

    Two steps alternate until neither improves the plan, which is then a local optimum. The *plan neighbourhood graph*
    contains the states up to `radius` moves away from the plan; the cheapest path through it is the new plan. This also
    removes cycles. *Action elimination* leaves out a move together with all moves that this makes impossible, if the
    goal is still reached. It is skipped for plans so long that it would take many seconds. If the graph turns out to be
    the whole state space, the plan is proved optimal.

    Attributes
    ----------
    radius
        Largest distance from the plan in moves; 0 for the plan's own states only. Moves between two states of the
        outermost layer are not considered.
    edges
        Approximate limit on the edges of the graph; states nearest to the plan are expanded first.
    """

    radius: int = option(2, minimum=0)
    edges: int = option(1_000_000, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Plan, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Shorten to a local optimum. Work: states expanded."""
        del rng
        path = Trajectory.through(problem, incumbent)
        before, settled, bound, certificate = path.cost, False, None, None
        while not settled and not budget.exhausted and not budget.reached(path.cost):
            vicinity = Vicinity.around(path, budget, radius=self.radius, edges=self.edges)
            if vicinity is None:
                break
            found = vicinity.shortest()
            if vicinity.complete:
                settled, bound = True, path.cost if found is None else found.cost
                certificate = {"backend": "bfs", "states": len(vicinity.table)}
            elif found is None:
                found = eliminate(path, budget)
                settled = found is None and not budget.exhausted
            if found is not None:
                path = found
                budget.offer(path.plan.copy(), path.cost)
        improved = path.cost < before
        unsettled = Status.IMPROVED if improved else Status.EXHAUSTED
        return Outcome(
            Status.LOCAL_OPTIMUM if settled else unsettled,
            path.plan if improved else None,
            path.cost if improved else None,
            bound=bound,
            certificate=certificate,
        )
