"""Construction `portfolio`: the MILP solver, after searches without a tree where it does not end at once."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.gap import optimality_gap
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.dive import Dive
from matheur.problems.milp.operators.feasibility_pump import FeasibilityPump
from matheur.problems.milp.operators.fix_and_propagate import FixAndPropagate
from matheur.problems.milp.operators.jump import Jump
from matheur.problems.milp.operators.other_solver import OtherSolver
from matheur.problems.milp.operators.solver import Solver, known_start
from matheur.problems.milp.operators.stall import Stall, Trial
from matheur.problems.milp.operators.walk import Walk
from matheur.problems.milp.problem import Milp

__all__ = ["Portfolio"]

Values = NDArray[np.float64]

_POOR = 0.5  # gap from which another solver is asked
_MORE = 3.0  # of the walk: how much more there may be of it
_GAIN = 0.01  # what each call has to gain, relative
_TRIAL = 2.0  # seconds of the trial at least: what is easy ends in it
_TRIAL_PART = 0.5  # if they are no more than this part of the time
_NEAR = 0.02  # gap of a trial that goes on: nothing is expected of the others


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The MILP solver on trial, which proves what is easy; then `fix-and-propagate` and `jump`; then the solver again.

    Where the trial has come near to a proof it goes on, and there are no others. The second time the solver begins with
    the best solution of the others. Where there is no solution yet, `dive` and `feasibility-pump` are asked before it.
    Under a limit of work there is no trial, and without any limit the solver alone is asked. Work: that of all.

    Attributes
    ----------
    trial
        Part of the time of the construction that the trial gets; two seconds, if these are at most half of it.
    dives, walk
        Parts of the time, or of the work, for `fix-and-propagate` and for `jump`; that of `jump` is doubled where no
        column is continuous. The walk goes on as long as it gains, up to three times as long.
    relaxed
        The same for each of `dive` and `feasibility-pump`, where there is no solution yet.
    patience
        Part of the rest without a better solution after which the solver leaves the time to the neighbourhoods, if it
        is not near to a proof; three times that where it has found little. 0: once there is a solution it is not asked
        again.
    other
        Part of the time for `other-solver`, before the solver is asked again, where there is no solution or a poor one.
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    trial: float = option(0.06, above=0, maximum=1)
    dives: float = option(0.05, minimum=0, maximum=1)
    walk: float = option(0.1, minimum=0, maximum=1)
    relaxed: float = option(0.1, minimum=0, maximum=1)
    patience: float = option(0.25, minimum=0, maximum=1)
    other: float = option(0.15, minimum=0, maximum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """One after the other, until one of them has a proof.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        solver = Solver(solver=self.solver)
        if not budget.timed and budget.work is None:
            return solver.build(problem, budget, rng)
        seconds, work = budget.seconds_left, budget.work_left
        best: Outcome[Values] = Outcome(Status.EXHAUSTED)
        if budget.timed:
            trial = self._trial(budget)
            with suppress(FailedSolveError):  # it is asked again after the others
                best = solver.solve(problem, budget, rng, known_start(problem, budget), stall=trial)
            if trial.passed and best.solution is not None:
                return best
        gap = optimality_gap(best.objective, best.bound)
        for share, search, always in self._others(problem) if gap is None or gap > _NEAR else ():
            if _ends(best, budget):
                return best
            if always or best.solution is None:
                part = budget.child(
                    seconds=share * seconds if budget.timed else None,
                    work=None if work is None else max(1, int(share * work)),
                )
                best = search.build(problem, part, rng).after(best)
        if budget.timed and best.solution is not None and (gap is None or gap > _NEAR):
            best = self._walked_on(problem, best, budget, rng)
        if _ends(best, budget):
            return best
        start = problem.hint if best.solution is None else best.solution
        if budget.timed and _poor(best):
            other = OtherSolver(solver=self.solver)
            best = other.build(problem, budget.child(seconds=self.other * seconds), rng).after(best)
            if _ends(best, budget):
                return best
            start = start if best.solution is None else best.solution
        stall = None
        if budget.leaves_time and best.solution is not None:
            if not self.patience:
                return best
            stall = Stall(self.patience * budget.seconds_left, best.objective, budget.clock)
        try:
            return solver.solve(problem, budget, rng, start, stall=stall).after(best)
        except FailedSolveError:
            if best.solution is None:
                raise
            return best

    def _trial(self, budget: Budget) -> Trial:
        """How long the solver is tried; near to a proof it has the time that it would get after the others."""
        seconds = budget.seconds_left
        trial = max(self.trial * seconds, min(_TRIAL, _TRIAL_PART * seconds))
        if not budget.leaves_time:
            return Trial(trial, _NEAR, None, budget.clock)
        return Trial(trial, _NEAR if self.patience else None, self.patience * (seconds - trial), budget.clock)

    def _walked_on(self, problem: Milp, best: Outcome[Values], budget: Budget, rng: Generator) -> Outcome[Values]:
        """The best after more of the local search, from there, as long as it gains in each call."""
        seconds = self.walk * budget.seconds_left
        end = budget.clock() + _MORE * seconds
        walk = Walk(seconds=math.inf, solver=self.solver)  # of what is left it takes a tenth in each call
        while budget.clock() < end and best.solution is not None and best.objective is not None:
            found = walk.explore(problem, best.solution, budget.child(seconds=end - budget.clock()), rng)
            known, best = best.objective, replace(found, status=Status.EXHAUSTED).after(best)
            if best.objective is None or known - best.objective < _GAIN * abs(known):
                break
        return best

    def _others(self, problem: Milp) -> tuple[tuple[float, Any, bool], ...]:
        """Searches without a tree: part of the limits, the search, and whether it is made where there is a solution."""
        own: dict[str, Any] = {"solver": self.solver}
        walk = min(1.0, 2 * self.walk) if problem.model.integral.all() else self.walk
        return (
            (self.dives, FixAndPropagate(**own), True),
            (walk, Jump(**own), True),
            (self.relaxed, Dive(**own), False),
            (self.relaxed, FeasibilityPump(**own), False),
        )


def _ends(best: Outcome[Values], budget: Budget) -> bool:
    return best.status is Status.INFEASIBLE or best.optimal or budget.exhausted or budget.reached(best.objective)


def _poor(best: Outcome[Values]) -> bool:
    gap = optimality_gap(best.objective, best.bound)
    return best.solution is None or (gap is not None and gap > _POOR)
