"""The linear relaxation of a model: made once for a model and a solver."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import FailedSolveError
from matheur.linear.model import LinearModel
from matheur.methods.milp import SolverOptions, solve_arrays
from matheur.solvers import MilpStatus, get_backend
from matheur.solvers.linear import LinearAnswer
from matheur.solvers.linear_task import Restriction

__all__ = ["Relaxation", "known_relaxation", "relaxation_of", "relaxed_again"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)
_LINEAR = SolverOptions("highs")
_SHARE = 0.25  # share of the remaining seconds
_AGAIN = 2.0  # an unfinished relaxation is tried again when this multiple of its seconds is available
_known: WeakKeyDictionary[LinearModel, dict[str, tuple[Relaxation | None, float]]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class Relaxation:
    """An optimal solution of the model without integrality.

    Attributes
    ----------
    values
        An optimal point; read-only.
    objective
        Objective in the model's own sense: a bound.
    seconds
        Solution time.
    reduced_costs
        Reduced costs by column; None if the solver does not return them.
    """

    values: Values
    objective: float
    seconds: float
    reduced_costs: Values | None


def relaxation_of(
    model: LinearModel, solver: SolverOptions, budget: Budget, share: float = _SHARE
) -> Relaxation | None:
    """The relaxation, by HiGHS if it is installed, else by the solver; None if it could not be solved.

    Work: one unit, even if it is already known, so that runs limited by work are reproducible.

    Parameters
    ----------
    share
        Maximum share of the remaining seconds in a timed run. If they were too few, it is tried again when more are
        available.
    """
    budget.spend(work=1)
    known = _known.setdefault(model, {})
    key = repr(solver)
    seconds = share * budget.seconds_left if budget.timed else math.inf
    relaxed, tried = known.get(key, (None, 0.0))
    if relaxed is None and (key not in known or seconds > _AGAIN * tried):
        answer = _solved(model, Restriction(relaxed=True), solver, budget, default_rng(0), share)
        if (answer is None or answer.status is not MilpStatus.OPTIMAL) and budget.interrupt():
            return None
        relaxed = _taken(answer)
        known[key] = relaxed, seconds
    return relaxed


def known_relaxation(model: LinearModel, solver: SolverOptions) -> Relaxation | None:
    """The relaxation if it has been solved before."""
    return _known.get(model, {}).get(repr(solver), (None, 0.0))[0]


def relaxed_again(
    model: LinearModel,
    restriction: Restriction,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    share: float = _SHARE,
) -> Values | None:
    """An optimal point of the relaxation with other costs, rows or bounds; None if there is none. Work: one unit."""
    budget.spend(work=1)
    found = _taken(_solved(model, replace(restriction, relaxed=True), solver, budget, rng, share))
    return None if found is None else found.values


def _solved(
    model: LinearModel,
    restriction: Restriction,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    share: float,
) -> LinearAnswer | None:
    if solver.name != _LINEAR.name and get_backend(_LINEAR.name).available():
        solver = _LINEAR  # others are slower, or return no reduced costs
    own = Budget(seconds=share * budget.seconds_left if budget.timed else None, interrupt=budget.interrupt)
    try:
        return solve_arrays(model, solver, own, rng, restriction=restriction)
    except FailedSolveError as error:
        _log.warning("the linear relaxation was not solved: %s", error)
        return None


def _taken(answer: LinearAnswer | None) -> Relaxation | None:
    if answer is None or answer.status is not MilpStatus.OPTIMAL or answer.values is None or answer.objective is None:
        return None
    for array in (answer.values, answer.reduced_costs):
        if array is not None:
            array.setflags(write=False)
    return Relaxation(answer.values, answer.objective, answer.seconds, answer.reduced_costs)
