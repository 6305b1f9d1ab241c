"""Construction `fix-and-propagate`: dives that fix one integer column after the other."""

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
from matheur.problems.milp.operators.jump import ended
from matheur.problems.milp.operators.relaxation import relaxation_of
from matheur.problems.milp.problem import Milp

__all__ = ["FixAndPropagate", "dives"]

Values = NDArray[np.float64]

UP, DOWN, RANDOM, CHEAP, SAFE, POINT, DEAR = range(7)  # as in `matheur.linear.propagation_kernels`, which imports numba
_PORTFOLIO = (
    ("locks", SAFE),
    ("type", CHEAP),
    ("point", POINT),
    ("locks", UP),
    ("file", DOWN),
    ("cost", CHEAP),
    ("random", RANDOM),
    ("degree", DEAR),
)
"""Order of the columns and choice of the values, one dive after the other."""


@dataclass(frozen=True, slots=True)
class FixAndPropagate:
    """A portfolio of dives, each with a rank of the integer columns and a rule for their values.

    After each column the bounds of the others are propagated; a value that leads to a conflict is replaced by another.
    A walk, the local search of `jump`, repairs rows that are still violated after a dive, and improves a point that is
    already a solution; a linear program chooses the continuous columns. After Salvagnin, Roberti and Fischetti (2025).
    Work: one unit for each 100,000 coefficients examined, and one for each linear program.

    Attributes
    ----------
    dives
        Number of dives after which it ends, if there is a solution. After the first eight, every other dive follows the
        relaxation, and the others use random ranks and values.
    repair
        Length of the walk after a dive, in passes over the whole model.
    relaxation
        Whether dives may follow the linear relaxation, which must then be solved.
    solver
        The MILP solver, for linear programs.
    """

    dives: int = option(8, minimum=1)
    repair: int = option(300, minimum=0)
    relaxation: bool = True
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Dive until all dives are done and there is a solution, or the budget is used up."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        finder = Finder(problem, self.solver, budget, rng)
        if finder.conflict is None:
            self._dive(finder)
        return ended(finder)

    def _dive(self, finder: Finder) -> None:
        limited = finder.budget.timed or finder.budget.work is not None
        number = 0
        while not finder.budget.exhausted:
            if number >= self.dives and (finder.best is not None or not limited):
                return
            rank, mode = self._strategy(finder, number)
            number += 1
            relaxed = None
            if mode == POINT:
                relaxed = relaxation_of(finder.problem.model, self.solver, finder.budget)
                if relaxed is None:
                    continue
            dives(finder, rank, mode, None if relaxed is None else relaxed.values, self.repair)
            if finder.best is not None and not finder.problem.model.cost.any():
                return

    def _strategy(self, finder: Finder, number: int) -> tuple[str, int]:
        if number < len(_PORTFOLIO):
            rank, mode = _PORTFOLIO[number]
            return (rank, mode) if mode != POINT or self.relaxation else ("random", SAFE)
        if self.relaxation and number % 2:
            return "point", POINT
        ranks = ("locks", "type", "cost", "degree", "file", "random", "random")
        modes = (UP, DOWN, RANDOM, CHEAP, SAFE, DEAR)
        return ranks[int(finder.rng.integers(len(ranks)))], modes[int(finder.rng.integers(len(modes)))]


def dives(finder: Finder, rank: str, mode: int, point: Values | None, repair: int) -> None:
    """Dive, then repair or improve the result by a walk; report the solutions found."""
    values = finder.dived(finder.order(rank, point), mode, point)
    if values is None:
        return
    found = finder.completed(values)
    unimprovable = found is not None and not finder.problem.model.cost.any()
    if not repair or unimprovable or finder.budget.exhausted:
        return
    walk = finder.walk
    before = walk.found
    if found is None:
        walk.restart(values)
        finder.walked(repair, first=True)
    else:
        walk.accept(found)
        finder.walked(repair)
    if finder.problem.model.integral.all():
        return
    if found is None:
        finder.completed(walk.values if walk.found > before else walk.near)
    elif walk.best is not None:
        finder.completed(walk.best)
