"""Construction `portfolio`: branch and bound for a moment, which proves easy instances, then the memetic algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.problems.quadratic_assignment.operators.branch_and_bound import BranchAndBound, takes
from matheur.problems.quadratic_assignment.operators.genetic import Genetic

__all__ = ["Portfolio"]

_LEAST_SECONDS, _LEAST_SHARE = 0.6, 0.4  # of the trial, whatever its share: enough to prove small instances


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Branch and bound from the best of some local optima, on trial; then `genetic`. Work: the sum of both.

    The trial is made once in a run, on instances that branch and bound accepts.

    Attributes
    ----------
    effort
        Limit of linear assignments in the trial, in thousands.
    share
        Share of the remaining time for the trial, which gets at least 0.6 seconds, or two fifths of the remaining time
        if that is less.
    stagnation
        Option of `genetic`.
    """

    effort: int = option(200, minimum=1)
    share: float = option(0.15, above=0, maximum=1)
    stagnation: int | None = option(3, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def _exact(self) -> BranchAndBound:
        return BranchAndBound(effort=self.effort)

    def _genetic(self) -> Genetic:
        return Genetic(stagnation=self.stagnation)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Run both, one after the other; keep the better permutation and the bound of the trial."""
        if takes(problem.instance) and not budget.elites.entries():
            left = budget.seconds_left
            seconds = max(self.share * left, min(_LEAST_SECONDS, _LEAST_SHARE * left)) if budget.timed else None
            trial = self._exact().build(problem, budget.child(seconds=seconds), rng)
            if budget.exhausted or trial.optimal or budget.reached(trial.objective):
                return trial
            return self._genetic().build(problem, budget, rng).after(trial)
        return self._genetic().build(problem, budget, rng)
