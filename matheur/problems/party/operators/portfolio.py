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
# Minimum shares of the annealing. If the objective is not a sum, it anneals for one demand after another. If the
# Lagrangian bounds do not support the demands, a MILP follows, which seldom finds more.
_RAISING, _RULED = 0.6, 0.4
_TRIAL, _TRIAL_SHARE = 1.0, 0.4  # seconds, and part of the time, at most, for branch and bound on small puzzles


@dataclass(frozen=True, slots=True)
class Portfolio:
    """Simulated annealing for a share of the time; then, if there is no party yet, the MILP.

    The MILP finds a party or proves that there is none, and names the demands that contradict each other. Under a time
    limit, branch and bound tries small puzzles first if it supports their demands, and annealing ends when it stagnates
    if more than three seconds are left.
    Work: the work of all parts.

    Attributes
    ----------
    steps, patience
        Options of the annealing: number of steps per run, and number of full-length runs without an improvement after
        which it ends.
    share
        Share of the remaining time that the annealing may use. It gets at least one second, or two thirds of the
        remaining time if that is less. The share is larger if branch and bound does not support the demands, or if the
        objective is synergy or chemistry.
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
        """Run the parts one after another, and keep the better party and the bound of the trial."""
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
        """Run the annealing, then the MILP if no party is found."""
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
