"""Maximisation of synergy or chemistry by searches for any party that meets an increasing demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.catalogue import UNBUYABLE
from matheur.problems.party.instance import Instance
from matheur.problems.party.problem import Party

__all__ = ["demanding_points", "raised"]

_SHARE = 3  # a search for a demand gets at most the remaining time divided by this number

Solution = NDArray[np.int32]
Search = Callable[[Party, Budget], Outcome[Solution]]


def demanding_points(instance: Instance, points: int) -> Party:
    """Return the puzzle of finding any party with this many points that meets all other demands: each item costs 1."""
    prices = np.where(instance.catalogue.prices == UNBUYABLE, UNBUYABLE, 1).astype(np.int64)
    asked = replace(instance, catalogue=replace(instance.catalogue, prices=prices), objective="price")
    if instance.objective == "chemistry":
        more = replace(instance.chemistry, op=">=", value=Fraction(points))
        return Party(replace(asked, constraints=(*instance.constraints, more)))
    if instance.synergy is None or instance.points is None:
        return Party(asked)
    least = Fraction(max(points, instance.points.demand), instance.points.unit)
    return Party(replace(asked, synergy=replace(instance.synergy, minimum=least)))


def raised(problem: Party, budget: Budget, search: Search, best: Solution | None = None) -> Outcome[Solution]:
    """Find the party of greatest synergy or chemistry by bisection of the demand.

    If no party is known, the first search is for the puzzle's own demands. After that, the demand is halfway between
    the points of the best party and the lowest number of points that no party has or that no search has reached.

    Parameters
    ----------
    problem
        Puzzle whose objective is the synergy or the chemistry.
    search
        Function that searches for any party of a puzzle whose items all cost 1; a proof that there is none gives a
        bound.
    best
        Known feasible party, if any.

    Returns
    -------
    Outcome
        Best party, with a bound and the facts of its proof if one is proved.
    """
    unit = problem.instance.points_top
    objective = None if best is None else int(problem.evaluate(best).objective)
    found: Solution | None = None
    facts: Mapping[str, Any] | None = None
    bound, open_ = 0, 0  # lower bound of the missing points, and the least number of them that is still sought
    while (objective is None or open_ < objective) and not budget.exhausted and not budget.reached(objective):
        tried = unit if objective is None else (open_ + objective - 1) // 2
        share = 1 if objective is None else _SHARE
        answer = _asked(demanding_points(problem.instance, unit - tried), budget, share, search)
        if answer.solution is not None and problem.evaluate(answer.solution).feasible:
            found = answer.solution
            objective = int(problem.evaluate(found).objective)
            budget.offer(found, objective)
        elif objective is None:
            impossible = answer.status is Status.INFEASIBLE
            return replace(answer, bound=None) if impossible else Outcome(Status.EXHAUSTED)
        else:
            open_ = tried + 1
            if answer.status is Status.INFEASIBLE:
                bound, facts = open_, answer.certificate
    proved = None if facts is None else bound
    if found is not None:
        return Outcome(Status.IMPROVED, found, objective, bound=proved, certificate=facts)
    status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
    if objective is not None and bound >= objective:
        status = Status.LOCAL_OPTIMUM
    return Outcome(status, bound=proved, certificate=facts)


def _asked(question: Party, budget: Budget, share: int, search: Search) -> Outcome[Solution]:
    """Search with a share of the budget; the first party ends the search and is not offered to the caller."""
    left = budget.work_left
    inner = Budget(
        seconds=budget.seconds_left / share if budget.timed else None,
        work=None if left is None else -(-left // share),
        target=len(question.instance.slots),
        interrupt=lambda: budget.exhausted,
    )
    answer = search(question, inner)
    budget.spend(work=max(1, inner.spent_work))
    return answer
