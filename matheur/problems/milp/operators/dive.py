"""Construction `dive`: integer columns are fixed step by step, with a linear program after each step."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import FailedSolveError
from matheur.linear.propagation import Propagation
from matheur.methods.milp import SolverOptions, node_limit, solve_arrays
from matheur.problems.milp.operators.finder import LP_SHARE, Finder
from matheur.problems.milp.operators.fix_and_propagate import POINT
from matheur.problems.milp.operators.jump import ended
from matheur.problems.milp.operators.parts import for_parts
from matheur.problems.milp.operators.relaxation import relaxation_of, relaxed_again
from matheur.problems.milp.problem import Milp
from matheur.solvers.linear_task import Restriction

__all__ = ["Dive"]

Values = NDArray[np.float64]
Columns = NDArray[np.intp]

_log = logging.getLogger(__name__)
_WHOLE = 1e-6
_RULES = ("coefficient", "fractional", "guided")
_GAP = 0.05  # relative gap at which the solver stops
_SHARE = 0.3  # share of the remaining time for the solver at the end of a dive


@dataclass(frozen=True, slots=True)
class Dive:
    """Some integer columns are fixed near the point of the relaxation, bounds are propagated, and the point is renewed.

    Dives alternate between rules that choose the next columns and their values: *coefficient*, the direction with fewer
    locks (rows that may be violated); *fractional*, the nearest integer; *guided*, the value in the known solution or
    hint, if there is one. A step that makes the relaxation infeasible is undone once and replaced by half of it. When
    few columns are left, or a step fails again, the solver searches the remaining problem with a node limit. The
    construction ends with its first solution. Work: one unit for each linear program, each node of the solver, and each
    100,000 coefficients examined.

    Attributes
    ----------
    steps
        Approximate number of steps in a dive.
    rest
        Number of integer columns left to the solver.
    nodes
        Node limit of that solve. In a run without a time limit, the solver must support node limits.
    solver
        The MILP solver, also for linear programs.
    """

    steps: int = option(8, minimum=1)
    rest: int = option(100, minimum=0)
    nodes: int = option(200, minimum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Dive with one rule after another until there is a solution, or the budget is used up.

        Raises
        ------
        SolverError
            If the solver fails.
        """
        if budget.exhausted:
            return Outcome(Status.EXHAUSTED)
        finder = Finder(problem, self.solver, budget, rng)
        limited = budget.timed or budget.work is not None
        turn = 0
        while finder.conflict is None and finder.best is None and not budget.exhausted:
            relaxed = relaxation_of(problem.model, self.solver, budget, LP_SHARE)
            if relaxed is None or (turn >= len(_RULES) and not limited):
                break
            _Dive(self, finder, _RULES[turn % len(_RULES)]).run(relaxed.values)
            turn += 1
        return ended(finder)


class _Dive:
    """One dive."""

    def __init__(self, options: Dive, finder: Finder, rule: str) -> None:
        self._options, self._finder, self._rule = options, finder, rule
        model = finder.problem.model
        self._now, self._before = Propagation(model), Propagation(model)

    def run(self, point: Values) -> None:
        """Fix columns until the point is integral, or few are left."""
        finder, model = self._finder, self._finder.problem.model
        finder.bounds.copy_to(self._now)
        free = int((model.integral & (self._now.lower < self._now.upper)).sum())
        least, part = max(1, free // (2 * self._options.steps)), 1.0
        while not finder.budget.exhausted:
            open_ = np.flatnonzero(model.integral & (self._now.lower < self._now.upper))
            if np.all(np.abs(point - np.rint(point))[model.integral] <= _WHOLE):
                whole = np.where(model.integral, np.rint(point), point)
                if finder.completed(whole) is not None:
                    return
                break
            if len(open_) <= self._options.rest:
                break
            order, target = self._next(open_, point)
            size = max(least, len(open_) // self._options.steps)
            self._now.copy_to(self._before)
            renewed = self._stepped(order[: max(1, int(part * size))], target)
            if renewed is None:
                self._before.copy_to(self._now)
                if part < 1:
                    break
                part = 0.5
                continue
            point, part = renewed, 1.0
        self._solve()

    def _stepped(self, columns: Columns, target: Values) -> Values | None:
        """Fix columns; return the new point, None if there is none."""
        finder = self._finder
        if not finder.fixed(self._now, columns.astype(np.int32), POINT, target) or self._now.conflicts:
            return None
        return relaxed_again(
            finder.problem.model, self._restriction(), finder.solver, finder.budget, finder.rng, LP_SHARE
        )

    def _restriction(self) -> Restriction:
        model = self._finder.problem.model
        return Restriction(
            lower=np.where(model.integral, self._now.lower, model.lower),
            upper=np.where(model.integral, self._now.upper, model.upper),
        )

    def _next(self, columns: Columns, point: Values) -> tuple[Columns, Values]:
        """Columns in the order in which they are fixed, and values for them.

        Columns that are integral and above their lower bound come first: they make up the point.
        """
        finder = self._finder
        target = np.rint(point)
        away = np.abs(point - target)[columns]
        given = self._known()
        if self._rule == "guided" and given is not None:
            target = np.where(np.isnan(given), target, np.clip(given, self._now.lower, self._now.upper))
            key = np.abs(point - target)[columns]
        elif self._rule == "coefficient":
            up, down = (locks[columns] for locks in self._now.locks)
            fraction = away > _WHOLE
            side = np.where(up < down, np.ceil(point[columns]), np.floor(point[columns]))
            target[columns] = np.where(fraction & (up != down), side, target[columns])
            key = np.minimum(up, down) + away
        else:
            key = away
        used = (away <= _WHOLE) & (point[columns] > self._now.lower[columns] + 0.5)
        idle = (away <= _WHOLE) & ~used
        order = np.lexsort((finder.rng.random(len(columns)), key, idle, ~used))
        return columns[order], target

    def _known(self) -> Values | None:
        best = self._finder.budget.elites.entries()
        return best[0].solution if best else self._finder.problem.hint

    def _solve(self) -> None:
        """Solve the remaining problem."""
        finder, budget = self._finder, self._finder.budget
        if budget.exhausted:
            return
        try:
            answer = solve_arrays(
                finder.problem.model, for_parts(finder.solver), budget, finder.rng, restriction=self._restriction(),
                seconds=_SHARE * budget.seconds_left, nodes=node_limit(finder.solver, budget, self._options.nodes),
                relative_gap=_GAP,
            )  # fmt: skip
        except FailedSolveError as error:  # the solver may fail on one part of many
            _log.warning("the rest of a dive was not solved: %s", error)
            return
        if answer.values is not None:
            finder.offer(answer.values)
