"""Construction `local-mip`: the local search Local-MIP, from a package of its authors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions
from matheur.problems.milp.operators.finder import Finder
from matheur.problems.milp.operators.jump import ended
from matheur.problems.milp.problem import Milp
from matheur.solvers.local_mip import LocalSearch, need_local_mip
from matheur.solvers.port import SolveRequest, TracePoint

__all__ = ["LocalMip"]

Values = NDArray[np.float64]

_STEPS = 10_000  # steps in a unit of work
_SHARE = 0.8  # share of the time for the search if some columns are continuous; the rest is for linear programs


@dataclass(frozen=True, slots=True)
class LocalMip:
    """Local-MIP in its own process, and a linear program for the continuous columns of its solutions.

    If it ends without a solution, it restarts with another seed. Its solutions count once they are checked. It needs
    the package `localmip`, the extra `matheur[localmip]`. After Lin, Zou, Cai and Lin (CP 2024). Work: one unit for
    each 10,000 steps, counted when a search ends, and one for each linear program.

    Attributes
    ----------
    patience
        Number of steps without a better solution after which a search ends.
    solver
        The MILP solver, for linear programs.
    """

    patience: int = option(1_000_000, minimum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Search until nothing better has been found for long, or the budget is used up.

        Raises
        ------
        ConfigurationError
            If the package is missing.
        SolverError
            If it fails.
        """
        need_local_mip()
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        finder = Finder(problem, self.solver, budget, rng)
        if finder.conflict is not None:
            return ended(finder)
        if not problem.model.integral.any():  # a linear program: if unbounded, the search would never end
            finder.completed(np.zeros(problem.model.width))
            return ended(finder)
        limited = budget.timed or budget.work is not None
        start = problem.hint
        while not budget.exhausted:
            self._search(finder, start)
            if finder.best is not None or not limited:
                break
            start = self._elsewhere(finder)
        return ended(finder)

    def _search(self, finder: Finder, start: Values | None) -> None:
        """Run the search once, then solve the linear program."""
        budget, model = finder.budget, finder.problem.model
        bounds = finder.bounds
        lower = np.where(model.integral, bounds.lower, model.lower)
        upper = np.maximum(lower, np.where(model.integral, bounds.upper, model.upper))  # they cross by rounding errors
        if start is not None:
            start = np.clip(np.where(np.isnan(start), 0.0, start), lower, upper)
        work = budget.work_left
        search = LocalSearch(model, lower, upper, start, self.patience, None if work is None else work * _STEPS)
        share = 1.0 if model.integral.all() else _SHARE
        request = SolveRequest(
            seconds=share * budget.seconds_left if budget.timed else None,
            seed=int(finder.rng.integers(1 << 31)),
            interrupt=lambda: budget.exhausted,
        )

        def hand_out(_point: TracePoint, values: Values) -> None:
            self._offered(finder, values)

        answer = search.run(request, hand_out)
        steps = -(-answer.nodes // _STEPS)
        budget.spend(work=max(1, steps if work is None else min(work, steps)))
        if answer.values is not None:
            values = self._offered(finder, answer.values)
            if not model.integral.all():
                finder.completed(values)

    def _offered(self, finder: Finder, values: Values) -> Values:
        """Round the integer columns and report the values if they are a solution; return the rounded values."""
        whole = settled(finder.problem.model, values)
        finder.offer(whole)
        return whole

    def _elsewhere(self, finder: Finder) -> Values:
        """Random values for integer columns with few values; 0 for the others."""
        model, bounds = finder.problem.model, finder.bounds
        few = model.integral & (bounds.upper - bounds.lower <= 1e6)
        values = np.zeros(model.width)
        values[few] = np.floor(finder.rng.uniform(bounds.lower[few], bounds.upper[few] + 1))
        return values
