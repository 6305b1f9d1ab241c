"""Construction `portfolio`: small puzzles by branch and bound, others by annealing, and by the MILP if that fails."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.operators.milp import SolverOptions
from matheur.operators.party.annealing import Annealing
from matheur.operators.party.branch_and_bound import BranchAndBound
from matheur.operators.party.milp_full import MilpFull
from matheur.operators.party.tables import Tables

__all__ = ["Portfolio"]

_LEAST_SECONDS, _LEAST_SHARE = 1.0, 2 / 3
_HURRY = 3.0  # seconds left; with more, branch and bound follows, and annealing need not find the best party
_SMALL = 1000  # candidates of all slots together
_TRIAL, _TRIAL_SHARE = 1.0, 0.4  # seconds, and part of the time, at most, for branch and bound on small puzzles


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Simulated annealing for a share of the time; then, if there is no party yet, the MILP.

    The latter finds one or proves that there is none, with the demands that contradict each other. Under a clock,
    branch and bound tries small puzzles first, and annealing ends once it stagnates if more than some seconds are left.
    Work: that of all.

    Attributes
    ----------
    steps, patience
        Of the annealing.
    share
        Part of the time that is left, after which the annealing ends; it has one second at least, or two thirds of
        what is left if that is less.
    solver
        The MILP backend.
    """

    steps: int = option(60_000, minimum=1)
    patience: int = option(3, minimum=1)
    share: float = option(0.1, above=0, maximum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def _annealing(self, stagnation: float | None = None) -> Annealing:
        return Annealing(steps=self.steps, patience=self.patience, stagnation=stagnation)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """One after the other."""
        if budget.timed and Tables.of(problem.instance).starts[-1] <= _SMALL:
            trial = BranchAndBound().build(
                problem, budget.child(seconds=min(_TRIAL, _TRIAL_SHARE * budget.seconds_left)), rng
            )
            if trial.reason is not None or _proved(trial) or budget.exhausted or budget.reached(trial.objective):
                return trial
        left = budget.seconds_left
        seconds = max(self.share * left, min(_LEAST_SECONDS, _LEAST_SHARE * left)) if budget.timed else None
        work = None if budget.work_left is None else max(1, budget.work_left // 2)
        stagnation = 1.0 if budget.timed and left > _HURRY else None
        first = self._annealing(stagnation).build(problem, budget.child(seconds=seconds, work=work), rng)
        if first.solution is not None or first.reason is not None or budget.exhausted:
            return replace(first, work=budget.spent_work, seconds=budget.elapsed)
        second = MilpFull(solver=self.solver).build(problem, budget, rng)
        return replace(second, work=budget.spent_work, seconds=budget.elapsed)


def _proved(found: Outcome[NDArray[np.int32]]) -> bool:
    return found.objective is not None and found.bound is not None and found.bound >= found.objective
