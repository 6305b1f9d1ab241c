"""Neighbourhood `milp-window`: an optimal plan between two states of the plan, by a time-expanded MILP."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.models.planning import PlanModel, Relocation, build
from matheur.problems.plans.relocations import Regions, regions_of
from matheur.problems.plans.searching import Plan
from matheur.problems.plans.segments import Replanned, Segment, improve_windows
from matheur.problems.plans.trajectory import Trajectory
from matheur.solvers import MilpSolution, MilpStatus
from matheur.solvers.proving import proved_bound

__all__ = ["MilpWindow"]


@dataclass(frozen=True, slots=True)
class MilpWindow:
    """Replace windows of the plan by shorter plans that a MILP finds (windows as in `window`).

    For puzzles in which pieces move over vertices, each move costs 1, and there is one goal state. This neighbourhood
    and `window` share their proofs, so neither repeats the other's work.

    Attributes
    ----------
    length
        Length of the shortest windows in moves.
    longest
        Length of the longest windows in moves; None for the whole plan.
    order
        Order of windows of the same length: `random`, or `sweep` from the start of the plan to its end.
    iterations
        Number of windows per call.
    seconds, nodes
        Limits of one window: seconds (in timed runs only) and branch-and-bound nodes.
    solver
        The MILP backend.
    """

    length: int = option(5, minimum=1)
    longest: int | None = 10
    order: Literal["random", "sweep"] = "random"
    iterations: int = option(5, minimum=1)
    seconds: float | None = option(10.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "length", "longest")

    def explore(self, problem: Any, incumbent: Plan, budget: Budget, rng: Generator) -> Outcome[Plan]:
        """Replan windows and keep every improvement. Work: branch-and-bound nodes, at least one per window."""
        domain = domain_of(problem)
        if not domain.unit_costs or not domain.goal_mask.all():
            raise ConfigurationError(f"'milp-window' needs moves of cost 1 and one goal state ({domain.name})")
        return improve_windows(
            problem,
            incumbent,
            _ByMilp(self, regions_of(problem)),
            budget,
            rng,
            length=self.length,
            longest=self.longest,
            iterations=self.iterations,
            sweep=self.order == "sweep",
        )


@dataclass(frozen=True, slots=True)
class _ByMilp:
    """A `Replanner` that uses the regions of one puzzle."""

    options: MilpWindow
    regions: Regions

    @property
    def limits(self) -> str:
        o = self.options
        return f"milp-window {o.solver.name} {sorted(o.solver.options.items())} {o.seconds} {o.nodes}"

    def replan(self, segment: Segment, budget: Budget, rng: Generator) -> Replanned:
        """Solve the MILP for a plan of at most `segment.cost - 1` moves."""
        places = [self.regions.places(state) for state in (segment.domain.start, segment.domain.goal)]
        relocation = Relocation(self.regions.vertices, self.regions.regions, places[0], places[1])
        least = relocation.moves_min
        if segment.cost <= least or least == 0:
            budget.spend(work=1)
            shorter = np.empty(0, dtype=np.int32) if segment.cost > least else None
            return Replanned(shorter, least, False, {"backend": "milp-window", "moves_min": least})
        with budget.watched():
            built = build(relocation, segment.cost - 1)
        o = self.options
        answer = solve_model(built.model, o.solver, budget, rng, seconds=o.seconds, nodes=o.nodes)
        limited = answer.status not in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE)
        hard = limited and not budget.exhausted  # the end of the run says nothing about the window
        plan = self._plan(segment.domain, built, answer) if answer.has_solution else None
        return Replanned(plan, self._bound(answer, segment.cost, least), hard, certificate_of(answer))

    @staticmethod
    def _bound(answer: MilpSolution, cost: int, least: int) -> int:
        if answer.status is MilpStatus.INFEASIBLE:
            return cost
        bound = proved_bound(answer)
        return least if bound is None else max(least, min(cost, bound))

    def _plan(self, domain: Domain, built: PlanModel, answer: MilpSolution) -> Plan:
        """Move numbers of the model's plan; each step is identified by the state that it leads to."""
        places, keys = list(built.relocation.start), [domain.packing.pack(domain.start[None])]
        plan = []
        for piece, _, there in built.read(answer.values):
            places[piece] = there
            keys.append(domain.packing.pack(self.regions.state(tuple(places))[None]))
            found = domain.expand(keys[-2])
            fitting = np.flatnonzero((found.keys == keys[-1]).all(axis=1))
            if not fitting.size:
                raise AssertionError(f"the model of '{domain.name}' allows a move that the domain does not know")
            plan.append(int(found.moves[fitting[0]]))
        return Trajectory.of(domain, plan).plan
