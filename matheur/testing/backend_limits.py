"""Contracts on a backend's limits, cutoffs, targets and starts."""

from __future__ import annotations

from dataclasses import replace

import pyomo.environ as pyo

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest
from matheur.testing import models
from matheur.testing.backend_case import LONG, BackendCase, near, require_optimum
from matheur.testing.contract import Contract, NotPromisedError, raises, require

__all__ = ["LIMITS"]


def limit_before_an_incumbent_is_unknown(case: BackendCase) -> None:
    """A time-out without a solution is neither infeasible nor an error."""
    answer = case.solve(models.market_split(), SolveRequest(seconds=0.4))
    require(answer.status is MilpStatus.UNKNOWN, f"the status is '{answer.status.value}', not 'unknown'")
    require(not answer.has_solution and not len(answer.values), "there is a solution of a model that has none")


def limit_keeps_the_incumbent(case: BackendCase) -> None:
    """A time-out returns the best solution so far, without a claim; its bound does not exceed it."""
    model = models.market_split(slack=True)
    answer = case.solve(model, SolveRequest(seconds=case.seconds))
    require(answer.status is MilpStatus.FEASIBLE, f"the status is '{answer.status.value}', not 'feasible'")
    misses = sum(answer.values[v] for v in (*model.over.values(), *model.under.values()))
    require(near(answer.objective, misses, 1e-4), f"the objective is {answer.objective}, and of the values {misses}")
    below = answer.bound is None or answer.objective is None or answer.bound <= answer.objective + 1e-6
    require(below, f"the bound {answer.bound} is above the objective {answer.objective}")


def cutoff_asks_for_better(case: BackendCase) -> None:
    """At the optimum nothing is better, and above it the optimum is found; of a maximisation the other way round."""
    case.needs("cutoff")
    bound = 14 if case.backend.capabilities.bound else None
    require_optimum(case.solve(models.odd_cycle_cover(), SolveRequest(cutoff=15)), 14, bound)
    require_optimum(case.solve(models.knapsack(), SolveRequest(cutoff=8)), 9)
    constant = pyo.ConcreteModel()
    constant.cost = pyo.Objective(expr=5.0)
    require_optimum(case.solve(constant, SolveRequest(cutoff=6.0)), 5.0)
    for model, cutoff in ((models.odd_cycle_cover(), 14.0), (models.knapsack(), 9.0), (constant, 5.0)):
        answer = case.solve(model, SolveRequest(cutoff=cutoff))
        status = answer.status.value
        require(status == "infeasible", f"with the optimum {cutoff} as cutoff the status is '{status}'")
        require(near(answer.bound, cutoff), f"with the cutoff {cutoff}, which is proved, the bound is {answer.bound}")


def cutoff_of_whole_numbers_is_exact(case: BackendCase) -> None:
    """A difference of one counts; where it drowns in a solver's relative tolerance, nothing is claimed."""
    case.needs("cutoff")
    for sense in (pyo.minimize, pyo.maximize):
        for size in (500_000, 500_000_000):
            model = pyo.ConcreteModel()
            model.x = pyo.Var(range(3), domain=pyo.Binary)
            model.row = pyo.Constraint(expr=sum(model.x.values()) == 1)
            model.cost = pyo.Objective(expr=sum((size + i) * model.x[i] for i in range(3)), sense=sense)
            best = size if sense == pyo.minimize else size + 2
            answer = case.solve(model, SolveRequest(cutoff=size + 1))
            exact = (answer.status, answer.objective) == (MilpStatus.OPTIMAL, best)
            require(exact, f"with the cutoff {size + 1} the answer is '{answer.status.value}' {answer.objective}")
            status = case.solve(model, SolveRequest(cutoff=best)).status
            refused = status is MilpStatus.INFEASIBLE or (size > 10**6 and status is MilpStatus.UNKNOWN)
            require(refused, f"with the cutoff {best}, which is the optimum, the answer is '{status.value}'")
            if case.backend.capabilities.target:
                found = case.solve(model, SolveRequest(target=best)).objective
                require(found == best, f"with the target {best} the objective is {found}")


def nothing_beyond_the_cutoff_is_returned(case: BackendCase) -> None:
    """Solutions that are not better than the cutoff are no incumbents, even if a limit comes first."""
    case.needs("cutoff")
    answer = case.solve(models.market_split(slack=True), SolveRequest(seconds=0.5, cutoff=3.0))
    open_ = answer.status in (MilpStatus.UNKNOWN, MilpStatus.FEASIBLE)
    require(open_, f"the status is '{answer.status.value}' after half a second")
    shown = [point.objective for point in answer.trace] + ([] if answer.objective is None else [answer.objective])
    require(all(objective < 3.0 for objective in shown), f"with the cutoff 3 there are incumbents of {shown}")
    require(answer.bound is None or answer.bound <= 3.0, f"with the cutoff 3 the bound is {answer.bound}")


def warm_start_is_accepted(case: BackendCase) -> None:
    """From a start the answer is no worse, and a backend that traces starts with it.

    Targets end both solves early where the backend keeps them: the second one only at a solution better than the start.
    """
    case.needs("warm_start")
    model = models.market_split(slack=True)
    first = case.solve(model, case.aiming(SolveRequest(seconds=case.seconds), 400.0))
    for variable, shown in first.values.items():
        variable.value = round(shown)
    better = None if first.objective is None else first.objective - 1.0
    request = SolveRequest(seconds=1.0 + case.seconds, warm_start=True, seed=5)
    again = case.solve(model, case.aiming(request, better))
    kept = first.objective is not None and again.objective is not None and again.objective <= first.objective + 1e-4
    require(kept, f"from a start of {first.objective} the objective is {again.objective}")
    if case.backend.capabilities.trace and first.objective is not None:
        began = again.trace[0].objective if again.trace else None
        require(near(began, first.objective, 1e-4), f"from {first.objective} the trace begins with {began}")


def partial_warm_start_is_accepted(case: BackendCase) -> None:
    """A start that leaves variables open is completed, or ignored."""
    case.needs("warm_start")
    model = models.odd_cycle_cover()
    model.x[0].value, model.x[2].value = 1, 1
    require_optimum(case.solve(model, SolveRequest(warm_start=True)), 14)


def target_stops_the_search(case: BackendCase) -> None:
    """An incumbent as good as the target ends the solve before any proof."""
    case.needs("target")
    answer = case.solve(models.market_split(slack=True), replace(LONG, target=400.0))
    require(answer.status is MilpStatus.FEASIBLE, f"the status is '{answer.status.value}', not 'feasible'")
    reached = answer.objective is not None and answer.objective <= 400.0 + 1e-3
    require(reached, f"the objective {answer.objective} is not the target 400, or better")
    require(answer.seconds < 30, f"an easy target stops the search after {answer.seconds:.0f} seconds")


def node_limit_is_deterministic(case: BackendCase) -> None:
    """With a node limit and no clock, equal seeds give equal answers."""
    case.needs("node_limit")
    request = SolveRequest(nodes=60, seed=3)
    first, second = (case.solve(models.market_split(slack=True), request) for _ in range(2))
    require(first.status is MilpStatus.FEASIBLE, f"the status is '{first.status.value}', not 'feasible'")
    one, two = ((answer.objective, answer.bound, answer.nodes) for answer in (first, second))
    require(one == two, f"objective, bound and nodes are {one}, and then {two}")
    require(list(first.values.values()) == list(second.values.values()), "the values are others the second time")


def node_limit_is_never_ignored(case: BackendCase) -> None:
    """A backend without node limits says so instead of running on."""
    if case.backend.capabilities.node_limit:
        raise NotPromisedError(f"{case.backend.name} has node limits")
    error = raises(SolverError, lambda: case.solve(models.knapsack(), SolveRequest(nodes=5)), "a node limit is ignored")
    require("node limit" in str(error), f"the error does not say that there is no node limit: {error}")


LIMITS: tuple[Contract, ...] = (
    limit_before_an_incumbent_is_unknown, limit_keeps_the_incumbent, cutoff_asks_for_better,
    cutoff_of_whole_numbers_is_exact, nothing_beyond_the_cutoff_is_returned, warm_start_is_accepted,
    partial_warm_start_is_accepted, target_stops_the_search, node_limit_is_deterministic, node_limit_is_never_ignored,
)  # fmt: skip
"""Contracts about limits."""
