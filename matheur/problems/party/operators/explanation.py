"""Why a puzzle has no solution: a smallest set of demands that cannot hold together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.party.constraints import Constraint
from matheur.problems.party.feasibility import infeasible_reason
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.cheapest import find
from matheur.problems.party.operators.modelling import party_model
from matheur.problems.party.problem import Party
from matheur.solvers import MilpStatus

__all__ = ["Demand", "demands_of", "explain"]

_SECONDS = 20.0  # for the question whether some demands can hold together, in a timed run
_NODES = 10_000  # of the MILP for it
_SUBPROBLEMS = 20  # of the branch and bound, which soon sees plain contradictions
_PAIRED = 6  # demands up to which all pairs are looked at
_MOVES = 20_000  # of the annealing, which answers most questions with yes


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
    found = [Demand(str(one), partial(_without_constraint, constraint=one)) for one in instance.constraints]
    if instance.synergy is not None and instance.synergy.minimum is not None:
        least = float(instance.synergy.minimum)
        found.append(Demand(f"synergy >= {least:g}", _without_synergy))
    for slot, item in instance.fixed.items():
        text = f"item '{instance.catalogue.ids[item]}' fixed in slot '{instance.slots[slot]}'"
        found.append(Demand(text, partial(_without_fixed, slot=slot)))
    if instance.excluded:
        ids = sorted(instance.catalogue.ids[item] for item in instance.excluded)
        shown = ", ".join(ids[:5]) + (", ..." if len(ids) > 5 else "")
        found.append(Demand(f"excluded: {shown}", lambda i: replace(i, excluded=frozenset())))
    return found


def explain(problem: Any, budget: Budget, rng: Generator, solver: SolverOptions | None = None) -> str:
    """A sentence for a puzzle that is known to have no solution: demands none of which can be left out.

    Pairs that contradict each other are looked for first. Else, or if one of such a pair may do, demands are given up
    one after the other; one whose absence leaves the puzzle without solution was not needed. What is left contradicts
    itself, and ceases to do so without any one of them (a deletion filter; Chinneck and Dravnieks 1991). Where the
    budget, or the limit of one question, ends first, the sentence says that fewer may do.

    Parameters
    ----------
    problem
        A `Party`.
    budget
        Work is a question, a subproblem or a node.
    rng
        For annealing and solver.
    solver
        The MILP backend that says no; the default one if None.
    """
    instance: Instance = problem.instance.priced
    plain = infeasible_reason(instance)
    if plain is not None:
        return plain
    ask = partial(_solvable, budget=budget, rng=rng, solver=SolverOptions() if solver is None else solver)
    kept, sure = demands_of(instance), True
    for pair in combinations(kept, 2) if 2 < len(kept) <= _PAIRED else ():
        if ask(_only(instance, list(pair))) is False:
            kept = list(pair)
            break
    for demand in list(kept):
        others = [one for one in kept if one is not demand]
        verdict = ask(_only(instance, others))
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


def _without_constraint(instance: Instance, constraint: Constraint) -> Instance:
    return replace(instance, constraints=tuple(one for one in instance.constraints if one is not constraint))


def _without_fixed(instance: Instance, slot: int) -> Instance:
    return replace(instance, fixed={key: item for key, item in instance.fixed.items() if key != slot})


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


def _solvable(instance: Instance, budget: Budget, rng: Generator, solver: SolverOptions) -> bool | None:
    """Whether the puzzle has a solution; None if that could not be found out within the limits of a question."""
    if infeasible_reason(instance) is not None:
        return False
    problem, met = Party(instance), [False]

    def meet(_party: Any, _price: int | float) -> None:
        met[0] = True

    def limited(work: int) -> Budget:
        """Parties of this puzzle are none of the caller's, so that they are not offered to it; the first is enough."""
        return Budget(
            seconds=min(_SECONDS, budget.seconds_left) if budget.timed else None,
            work=work,
            interrupt=lambda: met[0] or budget.interrupt(),
            on_incumbent=meet,
        )

    Annealing(steps=_MOVES, patience=1).build(problem, limited(_MOVES), rng)
    budget.spend(work=1)
    if any(met):
        return True
    quick = limited(_SUBPROBLEMS)
    if instance.plain:
        found = find(problem, quick, None)
        budget.spend(work=quick.spent_work)
        if any(met) or found.complete:
            return any(met)
    thorough = limited(_NODES)
    try:
        model = party_model(instance, thorough, reduce=True, priced=False).model
    except OutOfBudgetError:
        return None
    answer = solve_model(model, solver, thorough, rng, target=0.0)
    budget.spend(work=thorough.spent_work)
    return False if answer.status is MilpStatus.INFEASIBLE else True if answer.has_solution else None
