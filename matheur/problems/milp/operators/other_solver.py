"""Construction `other-solver`: the first solutions of another MILP solver than the one that is chosen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import SolverError
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions, other_backend, solve_arrays
from matheur.problems.milp.problem import Milp
from matheur.solvers.linear_task import LinearTask

__all__ = ["OtherSolver"]

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OtherSolver:
    """A second MILP solver, up to its first solutions: if one finds nothing for a long time, another may succeed soon.

    It ends when it has a solution and has found nothing better for some seconds; in a run without a time limit, it ends
    with the first solution, if the objective has a worst value. It proves nothing and gives no bound, and finds nothing
    if there is no other solver. Work: one unit for each node.

    Attributes
    ----------
    seconds
        Seconds without a better solution after which it ends.
    solver
        The chosen MILP solver; a different one is used.
    """

    seconds: float = option(1.0, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Run the other solver."""
        model, interrupt = problem.model, budget.interrupt
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        best: list[tuple[int | float, Values]] = []
        last = budget.clock()

        def keep(values: Values) -> None:
            nonlocal last
            whole = settled(model, values)  # solvers return nearly integral values
            found = problem.evaluate(whole)
            if found.feasible and (not best or found.objective < best[-1][0]):
                best.append((found.objective, whole))
                last = budget.clock()
                budget.offer(whole, found.objective)

        def over() -> bool:
            return interrupt() or bool(best and budget.timed and budget.clock() - last > self.seconds)

        part = budget.child()
        part.interrupt = over
        try:
            other = SolverOptions(other_backend(self.solver.name).name)
            first = None if budget.timed else LinearTask(model).worst  # for reproducible runs
            answer = solve_arrays(model, other, part, rng, on_values=keep, target=first)
        except SolverError:  # there is no other solver, or it cannot solve this model
            budget.spend(work=1)
            return Outcome(Status.EXHAUSTED)
        if answer.values is not None:
            keep(answer.values)
        if not best:
            return Outcome(Status.EXHAUSTED)
        objective, values = best[-1]
        return Outcome(Status.IMPROVED, values, objective)
