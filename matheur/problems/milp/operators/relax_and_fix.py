"""Construction `relax-and-fix`: along the groups of a family, a window of integers at a time."""

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
from matheur.methods.milp import SolverOptions, node_limit, solve_arrays
from matheur.problems.milp.operators.gaps import facts_of
from matheur.problems.milp.operators.solver import Solver
from matheur.problems.milp.operators.state import fixed_at
from matheur.problems.milp.operators.whole import best_known
from matheur.problems.milp.problem import Milp
from matheur.solvers import MilpStatus
from matheur.solvers.linear import LinearAnswer

__all__ = ["RelaxAndFix"]

Values = NDArray[np.float64]

_log = logging.getLogger(__name__)

_WINDOWS = 5  # minimum number of windows, without their overlaps


@dataclass(frozen=True, slots=True)
class RelaxAndFix:
    """Rolling horizon: the integer columns of a window are whole, those of later groups relaxed, earlier ones fixed.

    The window moves along the groups of a family: the first family whose groups follow each other as periods do, else
    the first family. Consecutive windows overlap. Integer columns of no group belong to the first window. If the fixed
    columns leave no solution, the groups fixed last are freed, then more of them if necessary. If the solver finds
    nothing within the limits of a window, it gets the whole model, as in the construction `solver`. The bound of the
    first window holds for the whole model. Relax-and-fix (Pochet and Wolsey 2006, section 3.6).

    Work: one unit for each node of the solver's tree, at least one for each window.

    Attributes
    ----------
    window
        Number of integer columns in a window, at most a fifth of all; a window has at least one group.
    overlap
        Share of the window that is also integer in the next window.
    gap
        Relative gap at which the solve of a window stops.
    nodes
        Node limit for a window. In a run without a time limit, the solver must support node limits.
    share
        Maximum share of the remaining time for all windows together.
    solver
        The MILP solver.
    """

    window: int = option(300, minimum=1)
    overlap: float = option(0.3, minimum=0, below=1)
    gap: float = option(1e-3, minimum=0)
    nodes: int = option(500, minimum=1)
    share: float = option(0.5, above=0, maximum=1)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def build(self, problem: Milp, budget: Budget, rng: Generator) -> Outcome[Values]:
        """Move the window from the first group to the last.

        Raises
        ------
        SolverError
            If the solver fails, or the model is unbounded.
        """
        if not problem.model.integral.any():
            return Solver(solver=self.solver).build(problem, budget, rng)
        windows = _Windows(problem, self.window, self.overlap)
        watch = budget.child(seconds=self.share * budget.seconds_left if budget.timed else None)
        values: Values = np.zeros(problem.model.width)
        bound, facts = None, None
        while not budget.exhausted:
            try:
                answer = self._solved(problem, windows, values, watch, rng)
            except FailedSolveError as error:  # the whole model may be easier for the solver than a window
                _log.warning("a window of the model was not solved: %s", error)
                budget.spend(work=1)
                break
            if not windows.fixed.any():
                said = f"integers up to group {windows.last_name} whole, the others relaxed"
                facts = {**facts_of(answer, said), "relative_gap": self.gap}
                if answer.status is MilpStatus.INFEASIBLE:
                    if best_known(budget).solution is not None:  # it holds within the tolerance
                        break
                    reason = f"{answer.backend} proved that it has none"
                    return Outcome(Status.INFEASIBLE, reason=reason, certificate=facts)
                bound = answer.bound if bound is None else bound
            if answer.values is not None:
                values = answer.values
                if windows.at_the_end:
                    found = problem.evaluate(values)
                    best = problem.bound_of(bound, found.objective)
                    return Outcome(Status.IMPROVED, values, found.objective, bound=best, certificate=facts)
                windows.advance()
            elif answer.status is MilpStatus.INFEASIBLE:
                windows.widen()
            else:
                break
        if budget.exhausted:
            best = problem.bound_of(bound, None)
            return Outcome(Status.EXHAUSTED, bound=best, certificate=facts)
        return Solver(solver=self.solver).build(problem, budget, rng)

    def _solved(self, problem: Milp, windows: _Windows, values: Values, watch: Budget, rng: Generator) -> LinearAnswer:
        restriction = fixed_at(problem.model, values, windows.fixed, relaxed=windows.relaxed)
        seconds = watch.seconds_left / windows.left if watch.timed else None
        return solve_arrays(
            problem.model, self.solver, watch, rng,
            restriction=restriction, seconds=seconds, nodes=node_limit(self.solver, watch, self.nodes),
            relative_gap=self.gap,
        )  # fmt: skip


class _Windows:
    """Position of the window: groups before `first` are fixed, those from `last` on relaxed."""

    def __init__(self, problem: Milp, size: int, overlap: float) -> None:
        structure = next((one for one in problem.structures if one.time_like), problem.structures[0])
        self._integral = problem.model.integral
        self._place = np.maximum(0, structure.family.of)
        self._names = structure.family.values
        inside = np.bincount(self._place[self._integral], minlength=len(self._names))
        self._until = np.cumsum(inside)  # integer columns up to a group's end
        self._size = min(size, -(-int(self._until[-1]) // _WINDOWS))
        self._overlap = overlap
        self._back = 1
        self.first = 0
        self.last = self._end(0)

    def _before(self, group: int) -> int:
        return int(self._until[group - 1]) if group else 0

    def _end(self, first: int) -> int:
        """The end of a window that begins with the given group."""
        end = int(np.searchsorted(self._until, self._before(first) + self._size, side="right"))
        return min(len(self._until), max(first + 1, end))

    @property
    def fixed(self) -> NDArray[np.bool_]:
        return self._integral & (self._place < self.first)

    @property
    def relaxed(self) -> NDArray[np.bool_]:
        return self._integral & (self._place >= self.last)

    @property
    def last_name(self) -> str:
        return self._names[self.last - 1]

    @property
    def at_the_end(self) -> bool:
        return self.last == len(self._until)

    @property
    def left(self) -> int:
        """Estimated number of remaining windows, including this one."""
        rest = int(self._until[-1]) - self._before(self.last)
        return 1 + int(np.ceil(rest / max(1.0, self._size * (1 - self._overlap))))

    def advance(self) -> None:
        """Move to the next window, which overlaps the end of this one."""
        kept = self._before(self.last) - self._overlap * self._size
        self.first = max(self.first, int(np.searchsorted(self._until, kept, side="left")) + 1)
        self.first = min(self.first, self.last)
        self.last = max(self.last + 1, self._end(self.first))
        self._back = 1

    def widen(self) -> None:
        """Free groups before the window: one, then two more, then four more, and so on."""
        self.first = max(0, self.first - self._back)
        self._back *= 2
