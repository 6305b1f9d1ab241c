"""Why a puzzle has no solution: a smallest set of demands that cannot hold together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.errors import SolverError
from matheur.models.party import build
from matheur.operators.milp import SolverOptions, solve_model
from matheur.operators.party.annealing import Annealing
from matheur.operators.party.reduction import undominated
from matheur.problems.party.feasibility import infeasible_reason
from matheur.problems.party.instance import Instance
from matheur.problems.party.problem import Party
from matheur.solvers import MilpStatus

__all__ = ["Demand", "demands_of", "explain"]

_SECONDS = 20.0  # of the MILP for one set of demands, in a timed run
_NODES = 5_000  # in one that counts work


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that a party has to meet.

    Attributes
    ----------
    text
        For people.
    without
        The puzzle without this demand.
    """

    text: str
    without: Callable[[Instance], Instance]


def demands_of(instance: Instance) -> list[Demand]:
    """All demands that can be given up: constraints, synergy, each fixed item, the excluded ones together."""
    found = [
        Demand(str(one), lambda i, one=one: replace(i, constraints=tuple(c for c in i.constraints if c is not one)))
        for one in instance.constraints
    ]
    if instance.synergy is not None and instance.synergy.minimum is not None:
        least = float(instance.synergy.minimum)
        found.append(Demand(f"synergy >= {least:g}", _without_synergy))
    for slot, item in instance.fixed.items():
        text = f"item '{instance.catalogue.ids[item]}' fixed in slot '{instance.slots[slot]}'"
        found.append(Demand(text, lambda i, s=slot: replace(i, fixed={k: v for k, v in i.fixed.items() if k != s})))
    if instance.excluded:
        ids = sorted(instance.catalogue.ids[item] for item in instance.excluded)
        shown = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
        found.append(Demand(f"excluded: {shown}", lambda i: replace(i, excluded=frozenset())))
    return found


def explain(problem: Any, budget: Budget, solver: SolverOptions, rng: Generator) -> str:
    """A sentence for a puzzle that is known to have no solution: demands none of which can be left out.

    Demands are given up one after the other; one whose absence leaves the puzzle without solution was not needed. What
    is left contradicts itself, and ceases to do so without any one of them (a deletion filter; Chinneck and Dravnieks
    1991). Where the budget, or a limit of one question, ends first, the sentence says that fewer may do.
    """
    instance: Instance = problem.instance
    plain = infeasible_reason(instance)
    if plain is not None:
        return plain
    kept, sure = demands_of(instance), True
    if not kept:
        return "the slots cannot all have an item of their own"
    for demand in list(kept):
        others = [one for one in kept if one is not demand]
        verdict = _solvable(_only(instance, others), budget, solver, rng)
        if verdict is False:
            kept = others
        elif verdict is None:
            sure = False
    texts = "; ".join(one.text for one in kept)
    if not kept:
        return "the slots cannot all have an item of their own"
    if len(kept) == 1:
        return f"this demand cannot be met: {texts}"
    return f"these demands cannot hold together: {texts}" + (
        "" if sure else " (fewer may contradict each other already)"
    )


def _without_synergy(instance: Instance) -> Instance:
    assert instance.synergy is not None
    return replace(instance, synergy=replace(instance.synergy, minimum=None))


def _only(instance: Instance, demands: list[Demand]) -> Instance:
    """The puzzle with these demands alone."""
    kept = {one.text for one in demands}
    for demand in demands_of(instance):
        if demand.text not in kept:
            instance = demand.without(instance)
    return instance


def _solvable(instance: Instance, budget: Budget, solver: SolverOptions, rng: Generator) -> bool | None:
    """Whether the puzzle has a solution; None if that could not be found out."""
    if infeasible_reason(instance) is not None:
        return False
    if budget.exhausted:
        return None
    problem = Party(instance)
    seconds = 2.0 if budget.timed else None
    found: list[np.int64] = []
    quick = Budget(seconds=seconds, work=20_000, interrupt=lambda: bool(found) or budget.exhausted)
    outcome = Annealing(steps=10_000, patience=2).build(problem, quick, rng)
    if outcome.solution is not None:
        return True
    candidates = undominated(instance)
    if any(not len(items) for items in candidates):
        return False
    built = build(instance, candidates)
    built.model.price.deactivate()
    built.model.nothing = _constant()
    try:
        answer = solve_model(built.model, solver, budget, rng, seconds=_SECONDS, nodes=_NODES)
    except SolverError:
        return None
    if answer.status is MilpStatus.INFEASIBLE:
        return False
    return True if answer.has_solution else None


def _constant() -> Any:
    """An objective for a question of yes or no."""
    from pyomo.environ import Objective

    return Objective(expr=0.0)
