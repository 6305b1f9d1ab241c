"""Construction `portfolio`: several searches share the budget according to their results, up to a proof if possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.clique.portfolio import Portfolio as Members
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.methods.clique.sparse_portfolio import SparsePortfolio
from matheur.problems.max_clique.operators.driving import goal_of, limit_of
from matheur.problems.max_clique.operators.on_core import builds_on_core
from matheur.version import __version__

__all__ = ["Portfolio"]

_FIRST = 500


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Local search by chance and by penalties, vertex cover, assignment of classes, hubs, branch and bound, in turn.

    Each member gets time according to the type of the graph and to how close its best clique is to the overall best.
    The bound comes from a colouring or from branch and bound; the search ends with a proof when a clique reaches it. On
    a sparse graph, branch and bound runs first; if it does not finish, it gets half of the time and the other members
    share the other half. If vertices have weights, the members are two tabu searches, one search for many vertices, and
    branch and bound. Work: selections, exchanges, steps and nodes.

    Attributes
    ----------
    selections
        Units of work per call; None for the whole budget.
    exact
        Whether branch and bound takes part (on graphs of up to 5,000 vertices, and on sparse ones).
    """

    selections: int | None = option(None, minimum=1)
    exact: bool = True

    def __post_init__(self) -> None:
        check_options(self)

    @builds_on_core(weights_only=True)
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Search until the proof, the limit, the target or the end of the budget."""
        graph = problem.graph
        members: SparsePortfolio | Members
        if isinstance(graph, SparseGraph):
            members = SparsePortfolio(
                graph, rng, timed=budget.timed, exact=self.exact, clock=budget.clock, left=lambda: budget.seconds_left
            )
        else:
            members = Members(
                graph, rng, timed=budget.timed, weights=problem.weights, exact=self.exact, clock=budget.clock,
                left=lambda: budget.seconds_left,
            )  # fmt: skip
        limit, goal, booked = limit_of(self.selections, budget), goal_of(budget, problem), 0
        members.advance(_FIRST if limit is None else min(_FIRST, limit), goal)  # kernels are compiled: gives an answer
        budget.offer(members.vertices, -members.value)
        best = members.value
        while members.value < min(goal, members.bound) and not budget.exhausted:
            left = None if limit is None else limit - booked
            if left is not None and left <= 0:
                break
            members.advance(left, goal)
            done = members.selections
            budget.spend(work=done - booked)
            booked = done
            if members.value > best:
                best = members.value
                budget.offer(members.vertices, -best)
        if booked == 0:
            budget.spend(work=1)
        proved = members.value >= members.bound
        return Outcome(
            Status.IMPROVED if proved or not budget.exhausted else Status.EXHAUSTED,
            members.vertices,
            -members.value,
            bound=-members.bound,
            certificate={
                "backend": members.proved_by or "trivial",
                "version": __version__,
                "arithmetic": "exact integers",
                "nodes": members.nodes,
            },
        )
