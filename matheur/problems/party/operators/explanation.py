"""Why a puzzle has no solution: a smallest set of demands that cannot hold together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.methods.milp import SolverOptions, node_limit, solve_model
from matheur.problems.party.constraints import Constraint
from matheur.problems.party.feasibility import infeasible_reason
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.cheapest import find
from matheur.problems.party.operators.modelling import party_model
from matheur.problems.party.problem import Party
from matheur.solvers import MilpStatus

__all__ = ["Demand", "demands_of", "explain"]

_SECONDS = 20.0  # time limit for checking whether some demands can hold together, in a timed run
_NODES = 10_000  # node limit of the MILP for it
_SUBPROBLEMS = 20  # limit of the branch and bound, which quickly detects plain contradictions
_PAIRED = 6  # number of demands up to which all pairs are checked
_MOVES = 20_000  # steps of the annealing, which finds a party in most feasible cases


@dataclass(frozen=True, slots=True)
class Demand:
    """A requirement on parties.

    Attributes
    ----------
    text
        Demand in words.
    without
        Function that returns the puzzle without this demand.
    """

    text: str
    without: Callable[[Instance], Instance]


def demands_of(instance: Instance) -> list[Demand]:
    """List all demands that can be dropped: constraints, synergy, each fixed item, and all excluded items together."""
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
    """Name an irreducible infeasible set of demands of a puzzle that is known to have no solution, in a sentence.

    Pairs of demands are checked first. Then the demands that remain, or those of a contradictory pair, are dropped one
    by one; a demand without which the puzzle is still infeasible is removed for good. The remaining set is infeasible,
    and every proper subset is feasible (a deletion filter; Chinneck and Dravnieks 1991). If the budget or the limit of
    a check ends first, the sentence says that fewer demands may suffice.

    Parameters
    ----------
    problem
        A `Party`.
    budget
        Budget of all checks. One work unit is a check, a subproblem or a node.
    rng
        Random generator for the annealing and the solver.
    solver
        MILP solver that proves infeasibility; the default one if None.
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
    """Return the puzzle with these demands only."""
    kept = {one.text for one in demands}
    for demand in demands_of(instance):
        if demand.text not in kept:
            instance = demand.without(instance)
    return instance


def _solvable(instance: Instance, budget: Budget, rng: Generator, solver: SolverOptions) -> bool | None:
    """Whether the puzzle has a solution; None if the limits of a check do not suffice to decide this."""
    if infeasible_reason(instance) is not None:
        return False
    problem, met = Party(instance), [False]

    def meet(_party: Any, _price: int | float) -> None:
        met[0] = True

    def limited(work: int | None) -> Budget:
        """Return a budget that ends with the first party and does not offer parties of this puzzle to the caller."""
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
    thorough = limited(node_limit(solver, budget, _NODES))
    try:
        model = party_model(instance, thorough, reduce=True, priced=False).model
    except OutOfBudgetError:
        return None
    answer = solve_model(model, solver, thorough, rng, target=0.0)
    budget.spend(work=thorough.spent_work)
    return False if answer.status is MilpStatus.INFEASIBLE else True if answer.has_solution else None
