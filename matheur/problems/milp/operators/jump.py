"""Construction `jump`: a weighted local search that changes one column at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.finder import Finder
from matheur.problems.milp.problem import Milp

__all__ = ["Jump", "ended"]

Values = NDArray[np.float64]

_LOOKS = 100  # at what has been found, before it begins again
_CHANGED = 20  # the most columns that are changed in the best solution


@dataclass(frozen=True, slots=True)
class Jump:
    """A walk with weights: tight moves where rows are broken, lift moves where all rows hold (Local-MIP).

    It begins with zeros, or with a start that is no solution yet; where it is stuck it goes on from a dive (see
    `fix-and-propagate`) or from its best solution. A linear program chooses the continuous columns of what it finds.
    After Luteberget and Sartor (Mathematical Programming Computation, 2023) and Lin, Zou, Cai and Lin (CP 2024).
    Work: one unit for 100,000 coefficients that are looked at, and one for each linear program.

    Attributes
    ----------
    patience
        Passes over the whole model without a better solution after which it ends.
    restart
        Passes without a better solution after which it begins again.
    solver
        The MILP solver, for linear programs.
    """

    patience: int = option(20_000, minimum=1)
    restart: int = option(10_000, minimum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search until nothing better has been found for long, or the budget ends."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        finder = Finder(problem, self.solver, budget, rng)
        if finder.conflict is None:
            _Walk(self, finder).run()
        return ended(finder)


def ended(finder: Finder) -> Outcome[Values]:
    """What a construction answers that has worked with a finder."""
    if finder.conflict is not None and finder.best is None:
        facts = {"method": "bound propagation"}
        return Outcome(Status.INFEASIBLE, reason=str(finder.conflict), certificate=facts)
    if finder.best is None:
        return Outcome(Status.EXHAUSTED)
    return Outcome(Status.IMPROVED, finder.best, finder.objective)


class _Walk:
    """One call: slices of the local search, with linear programs and restarts between them."""

    def __init__(self, options: Jump, finder: Finder) -> None:
        self._options, self._finder = options, finder
        self._mixed = not finder.problem.model.integral.all()
        self._wait, self._waited = 1, 1  # looks between two linear programs: twice as many after one without gain
        self._restarts = 0

    def run(self) -> None:
        """Search."""
        finder, options = self._finder, self._options
        walk, budget = finder.walk, finder.budget
        limited = budget.timed or budget.work is not None
        patience = options.patience * finder.effort_of_a_pass
        self._take_hint()
        last, since = finder.objective, walk.effort
        while not budget.exhausted:
            finder.walked(max(1, options.restart // _LOOKS))
            if self._mixed:
                self._solve_the_rest()
            if finder.objective != last:
                last, since = finder.objective, walk.effort
                if not finder.problem.model.cost.any():
                    return
            idle = walk.effort - since
            if idle > patience and (finder.best is not None or not limited):
                return
            if walk.idle > options.restart * finder.effort_of_a_pass:
                self._restart()

    def _take_hint(self) -> None:
        """Begin with the values that the problem knows."""
        hint, walk = self._finder.problem.hint, self._finder.walk
        if hint is None:
            return
        values = np.where(np.isnan(hint), walk.values, hint)
        if not np.isnan(hint).any() and self._finder.offer(values):
            walk.accept(values)
        else:
            walk.restart(values)

    def _solve_the_rest(self) -> None:
        """A linear program at the best solution, or at the point that breaks the fewest rows, if it is time for one."""
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
        """From the best solution with some columns changed, or from a dive, in turn."""
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
