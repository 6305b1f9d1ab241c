"""Construction `jump`: a weighted local search that changes one or two columns at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.finder import Finder
from matheur.problems.milp.operators.stopwatch import Stopwatch
from matheur.problems.milp.problem import Milp

__all__ = ["Jump", "JumpSearch", "ended"]

Values = NDArray[np.float64]

_LOOKS = 100  # checks for new solutions between two restarts
_FEW = 10  # violated rows of a point that is close to a solution
_CLEAR = 0.01  # relative improvement that counts as clearly better
_CHANGED = 20  # maximum number of columns changed in the best solution


@dataclass(frozen=True, slots=True)
class Jump:
    """A walk with weights: tight moves, alone or in pairs, where rows are violated; lift moves where all rows hold.

    It begins with zeros or with the given start; when it is stuck, it continues from a dive (see `fix-and-propagate`)
    or from its best solution with some columns changed. A linear program chooses the continuous columns of its
    solutions. After Luteberget and Sartor (Mathematical Programming Computation, 2023) and Lin, Zou, Cai and Lin
    (Local-MIP, CP 2024). Work: one unit for each 100,000 coefficients examined, and one for each linear program.

    Attributes
    ----------
    patience
        Number of passes over the whole model without a better solution after which it ends.
    restart
        Number of passes without a better solution after which it restarts.
    solver
        The MILP solver, for linear programs.
    """

    patience: int = option(20_000, minimum=1)
    restart: int = option(10_000, minimum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search until nothing better has been found for long, or the budget is used up."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        return JumpSearch(self, problem, budget, rng).run(budget)


def ended(finder: Finder) -> Outcome[Values]:
    """The outcome of a construction that has used a finder."""
    if finder.conflict is not None and finder.best is None:
        facts = {"method": "bound propagation"}
        return Outcome(Status.INFEASIBLE, reason=str(finder.conflict), certificate=facts)
    if finder.best is None:
        return Outcome(Status.EXHAUSTED)
    return Outcome(Status.IMPROVED, finder.best, finder.objective)


class JumpSearch:
    """A search of `jump` that can be paused and continued.

    Parameters
    ----------
    options
        Its options.
    problem, budget, rng
        As passed to an operator; the budget is for the preparation.

    Attributes
    ----------
    found_at
        Value of `seconds` when it last found a clearly better solution: by more than 1 %.
    over
        Whether the search is complete, or has found nothing better for long.
    """

    def __init__(self, options: Jump, problem: Milp, budget: Budget, rng: Generator) -> None:
        self._options = options
        self._finder = Finder(problem, options.solver, budget, rng)
        self._mixed = not problem.model.integral.all()
        self._wait, self._waited = 1, 1  # checks between two linear programs: twice as many after one without a gain
        self._restarts = 0
        self._fewest: float = math.inf  # rows violated by the best point of all restarts
        self._gained_at: int | None = None  # effort of the walk when it found something better; None before it begins
        self._mark: int | float | None = None  # objective at `found_at`
        self._watch = Stopwatch(budget.clock)
        self.found_at: float = 0.0
        self.over: bool = self._finder.conflict is not None

    @property
    def close(self) -> bool:
        """Whether it has no solution, but came to a point that violates only a few rows, and may continue."""
        return not self.over and self._finder.best is None and self._fewest <= _FEW

    @property
    def seconds(self) -> float:
        """Seconds used so far."""
        return self._watch.seconds

    def run(self, budget: Budget, patience: float = math.inf) -> Outcome[Values]:
        """Search until nothing better has been found for long, or the budget is used up.

        Parameters
        ----------
        patience
            Seconds in this call without a clearly better solution after which it pauses.
        """
        self._finder.budget = budget
        before = self.seconds
        if not self.over:
            with self._watch:
                self._search(budget, lambda: self.seconds - max(before, self.found_at) > patience)
        return ended(self._finder)

    def _search(self, budget: Budget, paused: Callable[[], bool]) -> None:
        finder, options = self._finder, self._options
        walk = finder.walk
        limited = budget.timed or budget.work is not None
        if self._gained_at is None:
            self._take_hint()
            self._gained_at = walk.effort
        while not budget.exhausted and not paused():
            last = finder.objective
            finder.walked(max(1, options.restart // _LOOKS))
            self._fewest = min(self._fewest, walk.broken)
            if self._mixed:
                self._solve_the_rest()
            if finder.objective != last:
                self._gained_at = walk.effort
                self._note()
                if not finder.problem.model.cost.any():
                    self.over = True
                    return
            idle = walk.effort - self._gained_at
            if idle > options.patience * finder.effort_of_a_pass and (finder.best is not None or not limited):
                self.over = True
                return
            if walk.idle > options.restart * finder.effort_of_a_pass:
                self._restart()

    def _note(self) -> None:
        """Note when something clearly better was found."""
        now, before = self._finder.objective, self._mark
        assert now is not None
        if before is None or before - now > _CLEAR * abs(before):
            self._mark, self.found_at = now, self.seconds

    def _take_hint(self) -> None:
        """Start from the hint of the problem, if there is one."""
        hint, walk = self._finder.problem.hint, self._finder.walk
        if hint is None:
            return
        values = np.where(np.isnan(hint), walk.values, hint)
        if not np.isnan(hint).any() and self._finder.offer(values):
            walk.accept(values)
        else:
            walk.restart(values)

    def _solve_the_rest(self) -> None:
        """Solve a linear program at the best solution, or at the point that breaks the fewest rows, if one is due."""
        finder, walk = self._finder, self._finder.walk
        self._waited += 1
        if self._waited <= self._wait:
            return
        self._waited = 0
        before = finder.objective
        found = finder.completed(walk.near if walk.best is None else walk.best)
        if found is not None and (before is None or finder.objective != before):
            self._wait = 1
            walk.accept(found)
        else:
            self._wait *= 2

    def _restart(self) -> None:
        """Restart alternately from the best solution with some columns changed and from a dive."""
        finder, walk = self._finder, self._finder.walk
        self._restarts += 1
        if walk.best is not None and self._restarts % 2:
            values = walk.best
            lower, upper = finder.bounds.lower, finder.bounds.upper
            columns = np.flatnonzero(finder.problem.model.integral & (upper - lower <= 1e6))
            chosen = finder.rng.choice(columns, min(len(columns), _CHANGED, 1 + len(columns) // 50), replace=False)
            values[chosen] = np.floor(finder.rng.uniform(lower[chosen], upper[chosen] + 1))
            walk.restart(values)
            return
        mode = self._restarts // 2 % 5
        dive = finder.dived(finder.order("random" if mode == 2 else "locks"), mode)
        if dive is not None:
            walk.restart(dive)
