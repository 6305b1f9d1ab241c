"""Construction `solver`: the MILP solver itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import UnboundedError
from matheur.linear.evaluation import settled
from matheur.methods.milp import SolverOptions, solve_arrays
from matheur.problems.milp.operators.gaps import RELATIVE, absolute_gap, facts_of
from matheur.problems.milp.operators.stall import Stall
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus

__all__ = ["Solver"]

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Solver:
    """The whole model in the hands of a MILP solver, to a proof or to the limit.

    Attributes
    ----------
    nodes
        Limit of branch-and-bound nodes.
    solver
        The MILP solver.
    """

    continues: ClassVar[bool] = True
    nodes: int | None = None
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Solve the model. Work: one unit for each node.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        return self.solve(problem, budget, rng, known_start(problem, budget))

    def solve(
        self, problem: Milp, budget: Budget, rng: Generator, start: Values | None, *, stall: Stall | None = None
    ) -> Outcome[Values]:
        """`build` from values by column, NaN where there is none.

        Parameters
        ----------
        stall
            Ends the solve where it has found nothing for long; never if None.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """

        watch = budget if stall is None else stall.watching(budget)

        def hand_out(values: Values) -> None:
            whole = settled(problem.model, values)  # solvers show integers that are nearly whole
            found = problem.evaluate(whole)
            if found.feasible:
                budget.offer(whole, found.objective)
                if stall is not None:
                    stall.found(found.objective)

        def told(bound: float) -> None:
            known = problem.bound_of(bound, None)
            budget.tell_bound(known)
            if stall is not None:
                stall.told(known)

        answer = solve_arrays(
            problem.model, self.solver, watch, rng, start=start,
            nodes=self.nodes, target=None if budget.target is None else problem.score(budget.target),
            relative_gap=RELATIVE, absolute_gap=absolute_gap(problem.model), on_values=hand_out,
            on_bound=told,
        )  # fmt: skip
        facts = facts_of(answer, "the whole model")
        if answer.status is MilpStatus.UNBOUNDED:
            raise UnboundedError(f"the model is unbounded, says '{answer.backend}': its objective has no best value")
        if answer.status is MilpStatus.INFEASIBLE:
            return Outcome(Status.INFEASIBLE, reason=f"{answer.backend} proved that it has none", certificate=facts)
        value = None if answer.values is None else problem.evaluate(answer.values).objective
        bound = None if answer.bound is None else problem.bound_of(answer.bound, value)
        if answer.status is MilpStatus.OPTIMAL:
            return Outcome(Status.IMPROVED, answer.values, value, bound=value, certificate=facts)
        return Outcome(Status.EXHAUSTED, answer.values, value, bound=bound, certificate=facts)


def known_start(problem: Milp, budget: Budget) -> Values | None:
    """The best solution of a run that is continued, or shared with others; else what the user knows of one."""
    known = budget.elites.entries()
    return known[0].solution if known else problem.hint
