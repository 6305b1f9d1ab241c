"""Construction `portfolio`: small puzzles by branch and bound, others by annealing, and by the MILP if that fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.methods.milp import SolverOptions
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.branch_and_bound import BranchAndBound
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.problems.party.operators.tables import Tables

__all__ = ["Portfolio"]

_LEAST_SECONDS, _LEAST_SHARE = 1.0, 2 / 3
_HURRY = 3.0  # seconds left; with more, branch and bound follows, and annealing need not find the best party
_SMALL = 1000  # candidates of all slots together
# Least shares of the annealing: where the objective is no sum it anneals for one demand after another, and where the
# Lagrangian bounds do not know the demands, what follows is a MILP that seldom finds more.
_RAISING, _RULED = 0.6, 0.4
_TRIAL, _TRIAL_SHARE = 1.0, 0.4  # seconds, and part of the time, at most, for branch and bound on small puzzles


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Simulated annealing for a share of the time; then, if there is no party yet, the MILP.

    The latter finds one or proves that there is none, with the demands that contradict each other. Under a clock,
    branch and bound tries small puzzles first if it knows their demands, and annealing ends once it stagnates if more
    than some seconds are left.
    Work: that of all.

    Attributes
    ----------
    steps, patience
        Options of the annealing.
    share
        Part of the time that is left, after which the annealing ends; it has one second at least, or two thirds of
        what is left if that is less. More where branch and bound does not know the demands, or the objective is
        synergy or chemistry.
    solver
        MILP solver and its options.
    """

    steps: int = option(60_000, minimum=1)
    patience: int = option(3, minimum=1)
    share: float = option(0.1, above=0, maximum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """One after the other; the better party and the bound of the trial are kept."""
        priced, plain = problem.instance.additive, problem.instance.plain
        small = Tables.of_any(problem.instance).starts[-1] <= _SMALL
        if not priced and (small or not budget.timed):
            return MilpFull(solver=self.solver).build(problem, budget, rng)
        if priced and plain and budget.timed and small and not budget.elites.entries():
            seconds = min(_TRIAL, _TRIAL_SHARE * budget.seconds_left)
            trial = BranchAndBound().build(problem, budget.child(seconds=seconds), rng)
            if trial.reason is not None or trial.optimal or budget.exhausted or budget.reached(trial.objective):
                return trial
            return self._search(problem, budget, rng).after(trial)
        return self._search(problem, budget, rng)

    def _search(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Annealing, and the MILP if that finds nothing."""
        left = budget.seconds_left
        least = 0.0 if problem.instance.plain else _RULED
        share = max(self.share, least if problem.instance.additive else _RAISING)
        seconds = max(share * left, min(_LEAST_SECONDS, _LEAST_SHARE * left)) if budget.timed else None
        work = None if budget.work_left is None else max(1, budget.work_left // 2)
        annealing = Annealing(
            steps=self.steps, patience=self.patience, stagnation=1.0 if budget.timed and left > _HURRY else None
        )
        first = annealing.build(problem, budget.child(seconds=seconds, work=work), rng)
        if first.solution is not None or first.reason is not None or budget.exhausted:
            return first
        return MilpFull(solver=self.solver).build(problem, budget, rng)
