"""Construction `portfolio`: the MILP solver in turns with searches without a tree."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from matheur.problems.milp.operators.solver import Solver
from matheur.problems.milp.operators.stall import Stall
from matheur.problems.milp.operators.walk import Walk
from matheur.problems.milp.operators.whole import Whole, known_start, whole_of
from matheur.problems.milp.problem import Milp

__all__ = ["Portfolio"]

Values = NDArray[np.float64]

_POOR = 0.5  # gap from which another solver is asked
_MORE = 3.0  # of the walk: how much more there may be of it
_GAIN = 0.01  # what each call has to gain, relative
_TRIAL = 2.0  # seconds of the first turn at least: what is easy ends in it
_TRIAL_PART = 0.5  # if they are no more than this part of the time
_FIRST = 20.0  # seconds of which the others get parts in their first turn at least, where they are needed
_NEAR = 0.02  # gap of a solve that goes on: nothing is expected of the others
_MADE, _FAILED = "milp portfolio", "milp portfolio: solver failed"  # in the memory of the run


@dataclass(frozen=True, slots=True)
class Portfolio:
    """The MILP solver, in turns with searches without a tree: `fix-and-propagate`, `jump`, others where they fail.

    The solver has the first turn, which ends what is easy. Then the others have some time, and the solver goes on where
    it was, with their best solution, until it has had as much time as all have taken so far; and so on. Near to a proof
    it goes on without them. As long as there is no solution `dive`, `feasibility-pump` and `other-solver` are asked as
    well, the last also where the solution of the first turn is poor. Each gets a part of the time that has passed, so
    that they cost little where the solver does well alone.

    Called again, when the neighbourhoods find nothing any more, the solver goes on alone. Under a limit of work the
    others come first, and without any limit the solver alone is asked. Work: that of all.

    Attributes
    ----------
    trial
        Part of the time of the construction that the first turn gets; two seconds, if these are at most half of it.
    dives, walk
        Parts of the time so far, or of the work, for `fix-and-propagate` and for `jump`; that of `jump` is doubled
        where no column is continuous. The walk goes on as long as it gains, up to three times as long.
    relaxed
        The same for each of `dive` and `feasibility-pump`, where there is no solution yet.
    patience
        Part of the rest without a better solution after which the solver leaves the time to the neighbourhoods, if it
        is not near to a proof; three times that where it has found little. 0: once there is a solution it is not asked
        again.
    other
        Part of the time so far for `other-solver`, where there is no solution or a poor one.
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
        """Let them search, until one of them has a proof.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        if budget.timed:
            return self._in_turns(problem, budget, rng)
        if budget.work is None:
            return Solver(solver=self.solver).build(problem, budget, rng)
        return self._by_work(problem, budget, rng)

    def _by_work(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """The others, then the solver, which begins with their best solution."""
        best, work = _known(budget), budget.work_left
        if _MADE in budget.memory:
            budget.spend(work=1)
            return best
        budget.memory[_MADE] = 1.0
        for share, search, always in self._others(problem):
            if _ends(best, budget):
                return best
            if always or best.solution is None:
                part = budget.child(work=None if work is None else max(1, int(share * work)))
                best = search.build(problem, part, rng).after(best)
        if _ends(best, budget):
            return best
        start = problem.hint if best.solution is None else best.solution
        with Whole(problem, self.solver, budget, rng, start) as whole:
            return whole.run(budget).after(best)

    def _in_turns(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """The solver and the others in turns, or the solver alone where this was made before."""
        best, began, total = _known(budget), budget.clock(), budget.seconds_left
        alone, impatient = _MADE in budget.memory, budget.leaves_time and not self.patience
        if alone and impatient and best.solution is not None:
            return best
        budget.memory[_MADE] = 1.0
        seconds = total if alone else max(self.trial * total, min(_TRIAL, _TRIAL_PART * total))
        watched, first = budget.leaves_time and self.patience > 0, True
        stall: Stall | None = None
        while True:
            whole = whole_of(problem, self.solver, budget, rng, known_start(problem, budget))
            if watched and (alone or not first) and (stall is None or not whole.begun):
                stall = Stall(self.patience * budget.seconds_left, whole)
            best, failed = self._solved(whole, best, budget, seconds, _never if stall is None else stall.over)
            over = not failed and not whole.unfinished
            if _ends(best, budget) or (stall is not None and stall.over()):
                return best
            if not alone and _gap(best) > _NEAR and (first or not over):
                part = budget.clock() - began
                if first and _gap(best) > _POOR:
                    part = max(part, min(total, _FIRST))
                best = self._turn(problem, best, budget, rng, part, everything=first)
                if _ends(best, budget) or (impatient and best.solution is not None):
                    return best
            if over:
                return best
            seconds, first = budget.clock() - began, False

    def _solved(
        self, whole: Whole, best: Outcome[Values], budget: Budget, seconds: float, pause: Callable[[], bool]
    ) -> tuple[Outcome[Values], bool]:
        """The best after a turn of the solver, and whether it failed for the first time.

        Raises
        ------
        SolverError
            If it failed again, and there is no solution.
        """
        if best.solution is not None and best.objective is not None:
            whole.give(best.solution, best.objective)
        try:
            return whole.run(budget, seconds=seconds, pause=pause).after(best), False
        except FailedSolveError:
            again = _FAILED in budget.memory
            if again and best.solution is None:
                raise
            budget.memory[_FAILED] = 1.0
            return best, not again

    def _turn(
        self, problem: Milp, best: Outcome[Values], budget: Budget, rng: Generator, seconds: float, *, everything: bool
    ) -> Outcome[Values]:
        """The best after a turn of the others, each with its part of some seconds.

        Parameters
        ----------
        everything
            Whether searches that begin from nothing are made where there is a solution; else it is only improved.
        """
        for share, search, always in self._others(problem):
            if best.solution is None or (everything and always):
                best = search.build(problem, budget.child(seconds=share * seconds), rng).after(best)
                if _ends(best, budget):
                    return best
        if best.solution is not None:
            best = self._walked_on(problem, best, budget, rng, self.walk * seconds)
        if not _ends(best, budget) and (best.solution is None or (everything and _gap(best) > _POOR)):
            other = OtherSolver(solver=self.solver)
            best = other.build(problem, budget.child(seconds=self.other * seconds), rng).after(best)
        return best

    def _walked_on(
        self, problem: Milp, best: Outcome[Values], budget: Budget, rng: Generator, seconds: float
    ) -> Outcome[Values]:
        """The best after more of the local search, from there, as long as it gains in each call."""
        end = budget.clock() + _MORE * seconds
        walk = Walk(seconds=math.inf, solver=self.solver)  # of what is left it takes a tenth in each call
        while budget.clock() < end and best.solution is not None and best.objective is not None:
            found = walk.explore(problem, best.solution, budget.child(seconds=end - budget.clock()), rng)
            known, best = best.objective, replace(found, status=Status.EXHAUSTED).after(best)
            if best.objective is None or known - best.objective <= _GAIN * abs(known):
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


def _never() -> bool:
    return False


def _known(budget: Budget) -> Outcome[Values]:
    """The best solution of the run so far."""
    for elite in budget.elites.entries()[:1]:
        return Outcome(Status.EXHAUSTED, elite.solution, elite.objective)
    return Outcome(Status.EXHAUSTED)


def _ends(best: Outcome[Values], budget: Budget) -> bool:
    return best.status is Status.INFEASIBLE or best.optimal or budget.exhausted or budget.reached(best.objective)


def _gap(best: Outcome[Values]) -> float:
    """The relative gap; infinite where there is no solution, or no bound."""
    gap = optimality_gap(best.objective, best.bound)
    return math.inf if gap is None else gap
