"""CP-SAT of OR-tools: bounded integer variables and exact arithmetic only."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyomo.version
from pyomo.common.errors import InfeasibleConstraintException

from matheur.errors import ConfigurationError, SolverError
from matheur.solvers import cp_sat_worker
from matheur.solvers.answers import Goal, answer, goal_of, without_trivial_rows
from matheur.solvers.integer_form import IntegerForm
from matheur.solvers.isolated import Ended, IsolatedSolve, Line, run_isolated
from matheur.solvers.last_words import LastWords, how_it_died
from matheur.solvers.linear_task import LinearTask
from matheur.solvers.options import closest
from matheur.solvers.port import (
    IMPLIED_INTEGRAL,
    Capabilities,
    MilpSolution,
    MilpStatus,
    SolveRequest,
)

__all__ = ["CpSatBackend"]

INTEGRAL = "integral"  # our own option
_REFUSED = {
    "log_search_progress": "output is captured",
    "catch_sigint_signal": "Ctrl-C belongs to the caller",
    "enumerate_all_solutions": "a solve looks for one solution",
}


@cache
def _version() -> str:
    return f"ortools {package_version('ortools')}, pyomo {pyomo.version.version}"


class CpSatBackend:
    """CP-SAT: all variables are bounded integers.

    Continuous variables are treated as integers if the model declares with `implied_integral = True` that some optimum
    is integral there, or if the option `integral` is set; else they are refused. Coefficients are read as their nearest
    fractions and multiplied to integers, row by row; after that nothing is rounded.

    The node limit is a limit of conflicts; with it the search is deterministic for any number of threads. Each solve
    starts an interpreter (0.2 s): see `matheur.solvers.cp_sat_worker`.
    """

    name = "cp-sat"
    capabilities: Capabilities = Capabilities(
        warm_start=True,
        bound=True,
        seed=True,
        node_limit=True,
        target=True,
        cutoff=True,
        interrupt=True,
        trace=True,
        options=True,
        integers_only=True,
        tolerance=1e-12,  # it reports its exact bound as a floating-point number
    )

    def available(self) -> bool:
        """Whether OR-tools is installed; it is never imported here."""
        return find_spec("ortools") is not None

    def version(self) -> str:
        """Version of the library and of the layer above it."""
        if not self.available():
            raise SolverError("the solver 'cp-sat' is not installed here. Maybe: pip install 'matheur[cp]'")
        return _version()

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a model; see `matheur.solvers.port.Backend`."""
        started = time.perf_counter()
        goal = goal_of(model)
        integral, options = _options(request, integral=getattr(model, IMPLIED_INTEGRAL, False))
        with without_trivial_rows(model) as impossible:
            try:
                form = IntegerForm.of(model, integral=integral) if impossible is None else None
            except InfeasibleConstraintException as error:
                said = str(error).rpartition(" ")[2].strip("'")
                form, impossible = None, said
        reason = f"the row {impossible} can never hold" if form is None else form.impossible
        if form is None or reason:
            return answer(self, model, goal, request, Ended(MilpStatus.INFEASIBLE, message=reason), (), started)
        most = None if request.cutoff is None else _most(form, goal, request.cutoff)
        if most is not None and most < 0 and not form.columns:
            ended = Ended(MilpStatus.INFEASIBLE, message="the objective is constant")
            return answer(self, model, goal, request, ended, (), started)
        enough = None if request.target is None else form.as_good(request.target)
        start = [variable.value for variable in form.variables[: len(form.lower)]] if request.warm_start else []
        asked = _asked(form, most, enough, start)
        asked["parameters"] = {**_limits(request), **options}
        ended = run_isolated(
            lambda line: _optimise(asked, form, request, started, line),
            request,
            name=self.name,
            started=started,
            variables=form.variables,
            programs=True,
        )
        return answer(self, model, goal, request, ended, form.variables, started)

    def begin_task(self, task: LinearTask, request: SolveRequest, started: float) -> IsolatedSolve | Ended:
        """Begin to solve arrays; see `matheur.solvers.linear.ArrayBackend`."""
        integral, options = _options(request, integral=False)
        form = IntegerForm.of_task(task, integral=integral)
        if form.impossible:
            return Ended(MilpStatus.INFEASIBLE, message=form.impossible)
        most = None if request.cutoff is None else form.as_good(task.better(request.cutoff))
        target = task.as_good(request.target)
        start = [] if task.start is None else [None if math.isnan(one) else one for one in task.start.tolist()]
        asked = _asked(form, most, None if target is None else form.as_good(target), start)
        asked["parameters"] = {**_limits(request), **options}
        return IsolatedSolve(
            lambda line: _optimise(asked, form, request, started, line), name=self.name, started=started, programs=True
        )


def _options(request: SolveRequest, *, integral: bool) -> tuple[bool, dict[str, Any]]:
    """The backend's own option, and the options of the solver."""
    options = dict(request.options)
    integral = options.pop(INTEGRAL, integral)
    if not isinstance(integral, bool):
        raise SolverError(f"cp-sat refuses the option {INTEGRAL} = {integral!r}: it is true or false")
    for name in _REFUSED.keys() & options.keys():
        raise ConfigurationError(f"the option {name!r} of cp-sat cannot be set: {_REFUSED[name]}")
    return integral, options


def _most(form: IntegerForm, goal: Goal, cutoff: float) -> int:
    if goal.component is None:
        raise SolverError("a cutoff needs an objective")
    return form.better(cutoff)


def _asked(form: IntegerForm, most: int | None, enough: int | None, start: Sequence[float | None]) -> dict[str, Any]:
    """The model in the input format of the worker, with a start by column."""
    hint: tuple[list[int], list[int]] = ([], [])
    for column, shown in enumerate(start):
        if shown is not None and form.lower[column] <= round(shown) <= form.upper[column]:
            hint[0].append(column)
            hint[1].append(round(shown))
    return {
        "lower": form.lower,
        "upper": form.upper,
        "rows": [(row.columns, row.weights, row.lower, row.upper) for row in form.rows],
        "columns": form.columns,
        "weights": form.weights,
        "offset": float(form.offset),
        "factor": form.sense / form.scale,
        "most": most,
        "enough": enough,
        "hint": hint,
    }


def _limits(request: SolveRequest) -> dict[str, Any]:
    limits: dict[str, Any] = {
        "num_workers": request.threads,
        "linearization_level": 2,  # all rows in the LP: these are MILPs, and one worker has no portfolio that tries it
        "random_seed": request.seed % 2**31,
        "relative_gap_limit": request.relative_gap,
        "absolute_gap_limit": request.absolute_gap,
    }
    if request.nodes is not None:
        limits["max_number_of_conflicts"] = request.nodes
        limits["interleave_search"] = request.threads > 1
    return limits


def _optimise(asked: dict[str, Any], form: IntegerForm, request: SolveRequest, started: float, line: Line) -> Ended:
    """Run the worker to its end, in the child."""
    if request.seconds is not None:
        left = max(0.0, request.seconds - (time.perf_counter() - started))
        asked["parameters"] = {"max_time_in_seconds": left, **asked["parameters"]}
    command = [sys.executable, "-P", "-W", "ignore", str(Path(cp_sat_worker.__file__))]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as worker,
    ):
        assert worker.stdin is not None
        assert worker.stdout is not None
        with suppress(BrokenPipeError), worker.stdin:
            worker.stdin.write(json.dumps(asked).encode())
        for text in worker.stdout:
            said = json.loads(text)
            if "unknown" in said:
                raise SolverError(
                    f"cp-sat has no option {said['unknown']!r}. {closest(said['unknown'], said['known'])}"
                )
            if "error" in said:
                raise SolverError(f"cp-sat failed: {said['error']}")
            if "status" in said:
                return _ending(said, form, request)
            if "values" in said:
                line.incumbent(form.objective(said["values"]), form.bound(said["bound"]), form.values(said["values"]))
            else:
                line.progress(form.bound(said["bound"]), 0)
        how = how_it_died(worker.wait())
        errors.seek(0)
        words = LastWords(errors.fileno())
        words.read()
        raise SolverError(f"cp-sat died without an answer ({words.after(how)})")


_STATUS = {"infeasible": MilpStatus.INFEASIBLE, "unknown": MilpStatus.UNKNOWN}


def _ending(said: dict[str, Any], form: IntegerForm, request: SolveRequest) -> Ended:
    message, nodes, bound = said["status"], said["conflicts"], form.bound(said["bound"])
    if message in _STATUS:
        return Ended(_STATUS[message], bound=bound, nodes=nodes, message=message)
    objective = form.objective(said["values"])
    bound = objective if not form.columns else bound
    gap = abs(objective - bound)
    closed = gap <= max(request.absolute_gap, request.relative_gap * abs(objective)) + 1e-9 * abs(objective)
    return Ended(
        MilpStatus.OPTIMAL if message == "optimal" and closed else MilpStatus.FEASIBLE,
        objective=objective,
        bound=bound,
        nodes=nodes,
        message=message,
        values=form.values(said["values"]),
    )
