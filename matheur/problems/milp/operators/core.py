"""Construction `core`: the MILP solver on the integer columns that cost the linear relaxation least."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions, begin_arrays, run_arrays
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap
from matheur.problems.milp.operators.relaxation import relaxation_of
from matheur.problems.milp.operators.state import fixed_at
from matheur.problems.milp.operators.stopwatch import Stopwatch
from matheur.problems.milp.operators.whole import best_known
from matheur.problems.milp.problem import Milp
from matheur.solvers.linear import LinearSolve

__all__ = ["Core", "CoreSearch", "core_of"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)
_MOST = 0.4  # part of the integer columns; a larger core is hardly easier than the model
_GROWTH = 2.0
_ZERO = 1e-9
_CLEAR = 0.01  # relative improvement that counts as clearly better


@dataclass(frozen=True, slots=True)
class Core:
    """The MILP solver on a core problem: integer columns with the smallest reduced costs, and all continuous ones.

    The other columns keep their values in the linear relaxation, at a bound. Columns in which the best known solution
    differs from the relaxation belong to the core, unless there are too many; the core then contains that solution.
    When a core contains nothing better, the next one is twice as large; the last one has two fifths of the integer
    columns. If the first core would be larger than that, or if more columns have a zero reduced cost or a fractional
    value, nothing is searched. In a timed run, a later call continues the search. It proves nothing about the model.
    After Balas and Zemel (Operations Research, 1980), who use cores of knapsack problems. Work: one unit for each node,
    one for each call, and one for the relaxation.

    Attributes
    ----------
    columns
        Size of the first core, as a multiple of the number of integer columns above their lower bound in the
        relaxation.
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    columns: float = option(4.0, minimum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search until the last core contains nothing better, or the budget is used up."""
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        return core_of(self, problem, budget).run(budget, rng)


def core_of(core: Core, problem: Milp, budget: Budget) -> CoreSearch:
    """The search of the run with these options: the paused one if there is one, else a new one."""
    if not budget.timed:
        return CoreSearch(core, problem, budget.clock)
    kept = budget.kept.get(repr(core))
    if not isinstance(kept, CoreSearch):
        kept = budget.kept[repr(core)] = CoreSearch(core, problem, budget.clock)
    return kept


class CoreSearch:
    """Solves of one core after another; in a timed run it can be paused and continued.

    Attributes
    ----------
    over
        Whether the search is complete.
    found_at, found_much_at
        Values of `seconds` when it last improved on the best known solution, and when it last did so by at least 1 %.
    """

    def __init__(self, core: Core, problem: Milp, clock: Callable[[], float]) -> None:
        self._core, self._problem = core, problem
        self._watch = Stopwatch(clock)
        self._factor = core.columns
        self._solve: LinearSolve | None = None
        self._fixed: tuple[NDArray[np.bool_], Values] | None = None  # columns outside of the core, and all values
        self._nodes = 0
        self._last = False
        self._best: Outcome[Values] = Outcome(Status.EXHAUSTED)
        self.over: bool = not problem.model.integral.any()
        self.found_at: float = 0.0
        self.found_much_at: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds used so far."""
        return self._watch.seconds

    def close(self) -> None:
        """Close the solve."""
        if self._solve is not None:
            self._solve.close()

    def run(self, budget: Budget, rng: Generator, *, pause: Callable[[], bool] = lambda: False) -> Outcome[Values]:
        """Continue until the search is complete or the budget is used up; return the best solution found.

        Parameters
        ----------
        pause
            Called often; returns True to pause the search.
        """
        known = best_known(budget)
        if known.objective is not None and (self._best.objective is None or known.objective < self._best.objective):
            self._best = known
            self._give(known.solution)
        with self._watch:
            try:
                while not self.over and not budget.exhausted and not pause():
                    if self._solve is None:
                        self._solve = self._begun(budget, rng)
                    if self._solve is None or not self._ended(self._solve, budget, pause):
                        break
            except FailedSolveError as error:
                _log.warning("a core problem was not solved: %s", error)
                self.over = True
            finally:
                if self.over or not budget.timed:
                    self.close()
        budget.spend(work=1)
        return Outcome(Status.EXHAUSTED, self._best.solution, self._best.objective)

    def _give(self, values: Values | None) -> None:
        """Pass a solution to the paused solve, if the core contains it."""
        if self._solve is None or self._fixed is None or values is None:
            return
        fixed, point = self._fixed
        if np.array_equal(values[fixed], point[fixed]):
            self._solve.give(values)

    def _begun(self, budget: Budget, rng: Generator) -> LinearSolve | None:
        """A solve of the next core; None if there is none, or no relaxation yet."""
        model = self._problem.model
        root = relaxation_of(model, self._core.solver, budget)
        if root is None or root.reduced_costs is None:
            self.over = root is not None or not budget.timed
            return None
        whole = np.flatnonzero(model.integral)
        values, low, most = root.values[whole], model.lower[whole], int(_MOST * len(whole))
        nearest, prices = np.rint(values), np.abs(root.reduced_costs[whole])
        free = (np.abs(values - nearest) > 1e-6) | (prices < _ZERO)
        used = np.abs(values - np.where(np.isfinite(low), low, 0.0)) > 1e-6
        size = round(self._factor * max(1, int(used.sum())))
        first = self._fixed is None
        if free.sum() > most or (first and size > most):
            self.over = True  # the relaxation does not select a small core
            return None
        size, self._last = min(size, most), size >= most
        start = self._best.solution
        if start is not None:
            changed = start[whole] != nearest
            if changed.sum() <= size:
                free |= changed
            else:
                start = None
        prices[free] = -1.0
        free[np.lexsort((rng.random(len(whole)), prices))[:size]] = True
        fixed, point = model.integral.copy(), root.values.copy()
        fixed[whole[free]] = False
        point[whole] = nearest
        self._fixed = fixed, point
        self._factor, self._nodes = self._factor * _GROWTH, 0
        return begin_arrays(
            model, self._core.solver, rng, restriction=fixed_at(model, point, fixed), start=start,
            nodes=budget.affordable(None), relative_gap=RELATIVE, absolute_gap=absolute_gap(model),
        )  # fmt: skip

    def _ended(self, solve: LinearSolve, budget: Budget, pause: Callable[[], bool]) -> bool:
        """Continue a solve; return True if it has ended and another core may follow."""
        answer = run_arrays(
            solve, budget, seconds=budget.seconds_left if budget.timed else None, pause=pause,
            on_values=lambda values: self._found(values, budget),
        )  # fmt: skip
        budget.spend(work=max(0, answer.nodes - self._nodes))
        self._nodes = answer.nodes
        if answer.values is not None:
            self._found(answer.values, budget)
        if solve.waits:
            return False
        self.close()
        self._solve = None
        self.over = self._last
        return not budget.exhausted

    def _found(self, values: Values, budget: Budget) -> None:
        whole = settled(self._problem.model, values)  # solvers return nearly integral values
        found = self._problem.evaluate(whole)
        known = self._best.objective
        if found.feasible and (known is None or found.objective < known):
            self.found_at = self.seconds
            if known is None or known - found.objective > _CLEAR * abs(known):
                self.found_much_at = self.seconds
            self._best = Outcome(Status.EXHAUSTED, whole, found.objective)
            budget.offer(whole, found.objective)
