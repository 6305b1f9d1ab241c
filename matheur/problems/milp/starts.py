"""Starts of linear programs: used as they are, completed, repaired, or refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.options import configure
from matheur.engine.source import Source
from matheur.errors import FailedSolveError, InputError, printable, shown
from matheur.linear.evaluation import rounded
from matheur.linear.propagation import Conflict, Propagation
from matheur.linear.solutions import read_solution, values_of
from matheur.methods.milp import SolverOptions, node_limit, solve_arrays
from matheur.problems.milp.operators.finder import Finder
from matheur.problems.milp.operators.fix_and_propagate import CHEAP, SAFE, dives
from matheur.problems.milp.operators.state import fixed_at
from matheur.problems.milp.problem import Milp
from matheur.running.starting import Begun
from matheur.solvers import MilpStatus

__all__ = ["STARTS", "Partial"]

Values = NDArray[np.float64]

_CHANGED = 1e-6  # values that differ by more count as different
_REPAIR = 200  # passes of a walk over the whole model
_NODES = 500  # nodes of the backend's tree
_SHARE = 0.3  # share of the limits for a start, and share of this for the backend if there is already a solution


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """Values of some columns.

    Attributes
    ----------
    values
        Value of each column, NaN where unknown.
    zeros
        Whether a column without a value is probably 0, as in files that leave out zeros: zeros are tried first.
    """

    values: Values
    zeros: bool = False


class _Starts:
    """Implements `matheur.running.starting.Starts`."""

    def read(self, problem: Milp, source: Source) -> Partial:
        """Values in JSON or in a `.sol` file."""
        try:
            if source.text.lstrip()[:1] == "{":
                data = source.json
                return self.decode(problem, data.get("solution", data) if isinstance(data, dict) else data)
            return _of_names(problem, _present(problem, read_solution(source.lines, problem.model).named))
        except InputError as error:
            raise error.located(source.name) from None

    def decode(self, problem: Milp, data: Any) -> Partial:
        """Values from an object of names and numbers."""
        if isinstance(data, Mapping):
            data = _present(problem, data)
        problem.decode(data)  # refuses other objects
        return _of_names(problem, {str(name): float(value) for name, value in data.items()})

    def begin(self, problem: Milp, start: Any, solver: Mapping[str, Any], budget: Budget, rng: Generator) -> Begun:
        """A solution from an array of values (NaN: unknown), an object of names and numbers, or a `Partial`."""
        given = _given(problem, start)
        return _Attempt(problem, given, configure(SolverOptions, solver, "solver"), budget, rng).made()


def _present(problem: Milp, named: Mapping[Any, Any]) -> dict[Any, Any]:
    """The values without those of variables that are no columns."""
    return {name: value for name, value in named.items() if str(name) not in problem.absent}


def _of_names(problem: Milp, named: dict[str, float]) -> Partial:
    values, known = values_of(problem.model, named)
    return Partial(np.where(known, values, np.nan), zeros=True)


def _given(problem: Milp, start: Any) -> Partial:
    """A start in any accepted form, with nearly integral values of integer columns rounded."""
    if isinstance(start, Mapping):
        start = replace(STARTS.decode(problem, start), zeros=False)
    one = start if isinstance(start, Partial) else Partial(np.asarray(start))
    values, width = one.values, problem.model.width
    if values.shape != (width,) or values.dtype.kind not in "fiu":
        raise InputError(f"a start is an array of {width} numbers, or an object of names and numbers")
    values = values.astype(np.float64)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise InputError(f"the value of {shown(problem.model.column_names[infinite[0]])} in the start is not a number")
    return replace(one, values=rounded(problem.model, values))


class _Attempt:
    """One start on its way to a solution."""

    def __init__(self, problem: Milp, given: Partial, solver: SolverOptions, budget: Budget, rng: Generator) -> None:
        self._problem, self._given, self._solver, self._budget, self._rng = problem, given, solver, budget, rng
        self._known = ~np.isnan(given.values)

    def made(self) -> Begun:
        """The outcome of the attempt."""
        problem, values, known = self._problem, self._given.values, self._known
        if problem.infeasible_reason() is not None:
            return self._ended("refused", str(problem.infeasible_reason()))
        if not known.any() and not self._given.zeros:
            return self._ended("refused", "it has no values")
        first = problem.evaluate(np.where(known, values, 0.0))
        if first.feasible and (known.all() or self._given.zeros):
            return self._ended("used", "all columns have values" if known.all() else "columns without a value are 0",
                               np.where(known, values, 0.0))  # fmt: skip
        if not known.any():
            return self._ended("refused", "it has no values")
        conflict = Propagation(problem.model).all_rows()
        if conflict is not None:
            return self._ended("refused", str(conflict))
        budget = self._budget  # after the first propagation: loading the kernels does not count against the start
        self._budget = budget.child(
            seconds=_SHARE * budget.seconds_left if budget.timed else None,
            work=None if budget.work is None else int(_SHARE * budget.work),
        )
        if known.all():
            return self._repaired(first.violations[0])
        finder, reason = self._completing()
        if finder is not None:
            if first.feasible:
                finder.offer(np.where(known, values, 0.0))
            self._dive(finder)
            reason = self._solve(finder)
        if finder is not None and finder.best is not None:
            if first.feasible and np.array_equal(finder.best, np.where(known, values, 0.0)):
                return self._ended("used", "columns without a value are 0", finder.best)
            kept = int((np.abs(finder.best - values)[known] <= _CHANGED).sum())
            text = f"values of {kept} of {len(known)} columns are as given, the others were found"
            return self._ended("completed", text, finder.best)
        return self._repaired(reason)

    def _completing(self) -> tuple[Finder | None, str]:
        """A finder with the given values fixed, all if possible, else the integers; or the reason why there is none."""
        model = self._problem.model
        conflict: Conflict | None = None
        for columns in (np.flatnonzero(self._known), np.flatnonzero(self._known & model.integral)):
            bounds = Propagation(model)
            conflict = bounds.all_rows() or bounds.fix(columns, self._given.values[columns])
            if conflict is None:
                return Finder(self._problem, self._solver, self._budget, self._rng, bounds), ""
        return None, str(conflict)

    def _dive(self, finder: Finder) -> None:
        """A few dives from the given values."""
        for rank, mode in (("locks", SAFE), ("type", CHEAP), ("cost", CHEAP)):
            if self._budget.exhausted:
                return
            dives(finder, rank, mode, None, _REPAIR if finder.best is None else 0)

    def _solve(self, finder: Finder) -> str:
        """Solve with the given integers fixed, for less time if dives found something; why nothing was found."""
        if self._budget.exhausted:
            return "the limits were too tight to complete it"
        model, known = self._problem.model, finder.objective
        try:
            answer = solve_arrays(
                model, self._solver, self._budget, self._rng, nodes=node_limit(self._solver, self._budget, _NODES),
                restriction=fixed_at(model, self._given.values, self._known & model.integral), start=finder.best,
                cutoff=None if known is None else float(self._problem.score(known)),
                seconds=self._budget.seconds_left * (1 if known is None else _SHARE),
            )  # fmt: skip
        except FailedSolveError as error:
            return f"nothing was found that completes it: {error}"
        if answer.values is not None:
            finder.offer(answer.values)
        if answer.status is MilpStatus.INFEASIBLE:
            return f"no solution has these values, says '{answer.backend}'"
        return "nothing was found that completes it"

    def _repaired(self, reason: str) -> Begun:
        """A solution near the given values, by a walk from there."""
        problem, model = self._problem, self._problem.model
        if self._budget.exhausted:
            return self._ended("refused", reason)
        finder = Finder(problem, self._solver, self._budget, self._rng)
        values = np.where(self._known, self._given.values, 0.0)
        if not self._known.all():
            dive = finder.dived(finder.order("locks"), SAFE)
            values = values if dive is None else np.where(self._known, values, dive)
        if not model.integral.all():
            finder.completed(np.where(model.integral, np.clip(np.rint(values), model.lower, model.upper), values))
        if finder.best is None:
            finder.walk.restart(values)
            finder.walked(_REPAIR, first=True)
            if not model.integral.all():
                finder.completed(finder.walk.near if finder.best is None else finder.best)
        if finder.best is None:
            return self._ended("refused", reason)
        changed = np.abs(finder.best - self._given.values)[self._known] > _CHANGED
        text = f"{reason}; {int(changed.sum())} of {int(self._known.sum())} given values were changed"
        return self._ended("repaired", text, finder.best)

    def _ended(self, outcome: str, text: str, solution: Values | None = None) -> Begun:
        """The outcome; the solver gets the solution, else the values, as a hint."""
        report: dict[str, Any] = {"outcome": outcome, "text": printable(text), "given": int(self._known.sum())}
        if solution is not None:
            report["objective"] = self._problem.score(self._problem.evaluate(solution).objective)
        hint = self._given.values if solution is None else solution
        return Begun(replace(self._problem, hint=hint), solution, report)


STARTS = _Starts()
"""Reads starts of linear programs, and makes solutions of them."""
