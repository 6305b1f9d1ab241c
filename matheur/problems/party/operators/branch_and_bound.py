"""Operators `branch-and-bound`: the whole puzzle by Lagrangian bounds, as construction and below an incumbent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.operators.cheapest import SearchOptions, find
from matheur.problems.party.operators.explanation import explain
from matheur.problems.party.operators.milp_full import cheaper
from matheur.problems.party.operators.raising import raised

__all__ = ["BelowIncumbent", "BranchAndBound"]

Party = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class BranchAndBound(SearchOptions):
    """The cheapest party, or the proof that there is none. Work: subproblems bounded.

    Dominated candidates are left out. Each subproblem is bounded by the Lagrangian dual of all demands, searched for
    parties near the dual point, and split by the values of a trait.

    The options are described in `matheur.problems.party.operators.cheapest.SearchOptions`.
    """

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Party]:
        """Search all parties; explain the infeasibility if the puzzle has no solution."""
        if not problem.instance.additive:
            best = raised(problem, budget, lambda question, inner: _any(question, inner, self))
            hopeless = best.status is Status.INFEASIBLE
            return replace(best, reason=explain(problem, budget, rng)) if hopeless else best
        found = find(problem, budget, None, self)
        proof = found.facts if found.bound is not None or found.complete else None
        if found.complete and found.party is None:
            status, reason = Status.INFEASIBLE, explain(problem, budget, rng)
        else:
            status, reason = Status.EXHAUSTED if found.party is None else Status.IMPROVED, None
        return Outcome(status, found.party, found.price, bound=found.bound, reason=reason, certificate=proof)


@dataclass(frozen=True, slots=True)
class BelowIncumbent(SearchOptions):
    """Search below the incumbent's price: a cheaper party, or the proof that there is none.

    A call runs until the proof is complete or its budget ends; `call_seconds` limits it. If the bounds do not support a
    demand (`min_same`, `squad_rating`, `chemistry`, or a demand on some of the slots), a MILP is solved instead.

    The options are described in `matheur.problems.party.operators.cheapest.SearchOptions`.
    """

    def explore(self, problem: Any, incumbent: Party, budget: Budget, rng: Generator) -> Outcome[Party]:
        """Search below the price of the incumbent."""
        if not problem.instance.plain:
            return cheaper(problem, incumbent, budget, rng)
        if not problem.instance.additive:
            return raised(problem, budget, lambda question, inner: _any(question, inner, self), incumbent)
        found = find(problem, budget, int(problem.evaluate(incumbent).objective), self)
        if found.party is not None:
            status = Status.IMPROVED
        else:
            status = Status.LOCAL_OPTIMUM if found.complete else Status.EXHAUSTED
        proof = None if found.bound is None else found.facts
        return Outcome(status, found.party, found.price, bound=found.bound, certificate=proof)


def _any(question: Any, budget: Budget, options: SearchOptions) -> Outcome[Party]:
    """Find any party of a puzzle, or prove that there is none."""
    found = find(question, budget, None, options)
    if found.party is not None:
        return Outcome(Status.IMPROVED, found.party, found.price)
    status = Status.INFEASIBLE if found.complete else Status.EXHAUSTED
    return Outcome(status, certificate=found.facts if found.complete else None)
