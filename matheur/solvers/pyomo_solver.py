"""`pyomo:NAME`: any other solver of Pyomo's factory, such as CBC, GLPK or a commercial one."""

from __future__ import annotations

import logging
import math
import re
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import highspy
import numpy as np
import pyomo.environ as pyo
import pyomo.version
from pyomo.common.modeling import unique_component_name
from pyomo.common.tempfiles import TempfileManager
from pyomo.core.expr import identify_variables
from pyomo.opt import SolverStatus, TerminationCondition
from pyomo.opt.solver import SystemCallSolver
from pyomo.repn import generate_standard_repn

from matheur.errors import ConfigurationError, SolverError, nearest
from matheur.solvers.answers import Goal, answer, goal_of, resting_value, without_trivial_rows
from matheur.solvers.banner import swallow_banner
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.port import Capabilities, MilpSolution, MilpStatus, SolveRequest
from matheur.solvers.program_version import said_version

__all__ = ["PyomoBackend"]

TOLERANCE = 1e-5
_CRASHED = re.compile(r"return code \(-\d+\)")  # Pyomo's log message for a program that a signal ended
_UNDECIDED = "infeasible or unbounded"
_LIBRARIES = ("highs", "direct", "persistent")  # in the names of interfaces that start no program
NODES_MAX = 2**31 - 1  # CBC and HiGHS take no larger limit


@dataclass(frozen=True, slots=True)
class _Dialect:
    """A solver's names for the fields of a request; empty for unsupported fields."""

    relative_gap: str = ""
    absolute_gap: str = ""
    seed: str = ""
    nodes: str = ""
    threads: str = ""
    complaint: str = ""  # log message for an unknown option
    whole_seconds: bool = False
    linear: bool = False  # whether it accepts only linear rows and objectives
    tolerance: float = 1e-7  # as in `Capabilities`
    version: tuple[str, ...] = ()  # arguments that make the program print its version and end
    stopped: str = ""  # log message if a limit ended the solve
    guesses: str = ""  # log message if it mistook a time limit, or no limit, for a proof
    unbounded: str = ""  # log message if the relaxation is unbounded, which Pyomo does not report
    impossible: str = ""  # log message if the relaxation has no solution, which Pyomo does not report
    doubts: str = ""  # log message if its presolver has lost the answer
    plainly: tuple[str, str] = ("", "")  # option and value that switch this presolver off


_DIALECTS: Mapping[str, _Dialect] = {
    "cbc": _Dialect(
        "ratioGap",
        "allowableGap",
        "randomCbcSeed",
        "maxNodes",
        complaint="No match for",
        linear=True,
        version=("-stop",),
        guesses="infeasible or unbounded",
        stopped="Result - Stopped on",
        doubts="Postprocessing changed objective",
        plainly=("preprocess", "off"),
    ),
    "glpk": _Dialect(
        "mipgap",
        seed="seed",
        complaint="Invalid option",
        whole_seconds=True,
        linear=True,
        tolerance=2e-7,
        stopped="TIME LIMIT EXCEEDED",
        unbounded="LP HAS UNBOUNDED PRIMAL SOLUTION",
        impossible="LP HAS NO PRIMAL FEASIBLE SOLUTION",
        plainly=("nointopt", ""),
        version=("--version",),
    ),
    "appsi_highs": _Dialect(
        "mip_rel_gap", "mip_abs_gap", "random_seed", "mip_max_nodes", "threads", linear=True, tolerance=1e-9
    ),
    "gurobi": _Dialect("MIPGap", "MIPGapAbs", "Seed", "NodeLimit", "Threads"),
    "cplex": _Dialect("mip_tolerances_mipgap", "mip_tolerances_absmipgap", "randomseed", "mip_limits_nodes", "threads"),
    "scip": _Dialect("limits/gap", "limits/absgap", "randomization/randomseedshift", "limits/nodes"),
}
_NO_SOLUTION = {
    TerminationCondition.infeasible: MilpStatus.INFEASIBLE,
    TerminationCondition.unbounded: MilpStatus.UNBOUNDED,
}


@dataclass(frozen=True, slots=True)
class _Tried:
    """The outcome of a call of a solver: Pyomo's results or exception, the solver's log, and Pyomo's log messages."""

    results: Any
    failure: Exception | None
    said: list[str]
    heard: list[str]

    def line_with(self, words: str) -> str:
        """The first line of the log with these words; empty if there is none, or if the words are empty."""
        return next((line for line in self.said if words in line), "") if words else ""

    def says(self, words: str) -> bool:
        """Whether these words are in the log."""
        return bool(self.line_with(words))

    @property
    def crashed(self) -> bool:
        """Whether a signal ended the program."""
        return any(_CRASHED.search(line) for line in self.heard)


def _tried(opt: Any, model: Any, how: dict[str, Any], log: Path) -> _Tried:
    """Call a solver; if Pyomo itself enforces the time limit, the exception is passed on."""
    results, failure = None, None
    if isinstance(opt, SystemCallSolver):
        how = {**how, "logfile": str(log)}
    with _listening() as heard:
        try:
            results = opt.solve(model, **how)
        except subprocess.TimeoutExpired:
            raise
        except Exception as error:  # each interface has its own exceptions
            failure = error
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    said = [line.strip() for line in lines if line.strip() and not line.startswith("Solver command line")]
    return _Tried(results, failure, said, heard)


@cache
def _version(solver: str) -> str:
    with _quiet():
        if "highs" in solver:
            swallow_banner()
        try:
            numbers = pyo.SolverFactory(solver).version()
        except Exception:  # each interface has its own exceptions
            numbers = None
    return f"{solver} {'.'.join(str(number) for number in numbers or ('unknown',))}, pyomo {pyomo.version.version}"


class PyomoBackend:
    """A solver by its name in Pyomo's factory.

    Time limit, gaps, seed, node limit and threads are passed on if the solver is known to support them; an unknown
    solver uses its own gaps. A solver that is stopped from outside loses its incumbent.
    """

    def __init__(self, solver: str) -> None:
        names = [known for known in pyo.SolverFactory if not known.startswith("_")]
        if solver not in names:
            raise ConfigurationError(f"Pyomo knows no solver {solver!r}. {nearest(solver, names)}")
        self.solver = solver
        self.name: str = f"pyomo:{solver}"
        self.dialect: _Dialect = _DIALECTS.get(solver, _Dialect())
        more = not self.dialect.linear  # an unknown solver must reject unsupported components itself
        self.capabilities: Capabilities = Capabilities(
            warm_start=self._can_start(),
            bound=solver in _DIALECTS,
            seed=bool(self.dialect.seed),
            node_limit=bool(self.dialect.nodes),
            target=False,
            cutoff=True,
            interrupt=True,
            trace=False,
            options=bool(self.dialect.complaint),
            quadratic_objective=more,
            quadratic_rows=more,
            nonlinear=more,
            digits=8 if solver == "cbc" else 15,
            sos=more,
            tolerance=self.dialect.tolerance,
        )

    def available(self) -> bool:
        """Whether Pyomo finds the program or library, and the program prints its version; never raises."""
        program = self._program()
        if program is not None and self.dialect.version:
            return bool(said_version(program, self.dialect.version))
        return program is not None or (not self.dialect.version and self._found())

    def version(self) -> str:
        """Version of the solver, and of Pyomo."""
        if self.available():
            program = self._program()
            if program is None or not self.dialect.version:
                return _version(self.solver)
            said = said_version(program, self.dialect.version)
            return f"{self.solver} {said}, pyomo {pyomo.version.version}"
        program = self._program()
        if program is None:
            raise SolverError(f"the solver {self.name!r} is not installed here")
        raise SolverError(f"the program {program} is not a solver: it reports no version")

    def _found(self) -> bool:
        try:
            with _quiet():
                if "highs" in self.solver:
                    swallow_banner()
                return bool(pyo.SolverFactory(self.solver).available(exception_flag=False))
        except Exception:
            return False

    def _program(self) -> str | None:
        """Path of the program, if its version is queried."""
        if not self.dialect.version:
            return None
        try:
            with _quiet():
                path = pyo.SolverFactory(self.solver).executable()
        except Exception:
            return None
        return None if path is None else str(path)

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a model; see `matheur.solvers.port.Backend`."""
        started = time.perf_counter()
        goal = goal_of(model)
        if request.nodes is not None and not self.dialect.nodes:
            raise SolverError(f"{self.name} has no node limit. Maybe limit seconds, or use highs or scip")
        if request.cutoff is not None and goal.component is None:
            raise SolverError("a cutoff needs an objective")
        variables = list(model.component_data_objects(pyo.Var, descend_into=True))
        with without_trivial_rows(model) as impossible, tempfile.TemporaryDirectory(prefix="matheur-") as folder:
            if impossible is not None:
                ended = Ended(MilpStatus.INFEASIBLE, message=f"the row {impossible} can never hold")
            elif _nothing_to_decide(model, goal):
                ended = _undecided(model, goal, variables, request)
            else:
                ended = run_isolated(
                    lambda line: self._optimise(model, goal, variables, request, Path(folder), started, line),
                    request,
                    name=self.name,
                    started=started,
                    variables=variables,
                    late=5.0,  # it answers only after it has ended and its files have been read
                    programs=not any(word in self.solver for word in _LIBRARIES),
                )
        return answer(self, model, goal, request, ended, variables, started)

    def _can_start(self) -> bool:
        if not self.available():
            return False  # for some solvers Pyomo runs the program, and fails if it is missing
        with _quiet():
            capable = getattr(pyo.SolverFactory(self.solver), "warm_start_capable", None)
            return bool(capable is not None and capable())

    def _optimise(
        self,
        model: Any,
        goal: Goal,
        variables: list[Any],
        request: SolveRequest,
        folder: Path,
        started: float,
        _line: Line,
    ) -> Ended:
        """Solve in the child, whose copy of the model may be changed.

        Most solvers call a model unbounded whose relaxation is, and some even one without a solution: a second call,
        without costs, decides.
        """
        ended = self._search(model, goal, variables, request, folder, started)
        if goal.component is None or (ended.status is not MilpStatus.UNBOUNDED and ended.message != _UNDECIDED):
            return ended
        goal.component.deactivate()
        asked = replace(request, cutoff=None, warm_start=False)  # the model already has the row of the cutoff
        free = Goal(None, 1)
        if _nothing_to_decide(model, free):
            found = _undecided(model, free, variables, asked)
        else:
            found = self._search(model, free, variables, asked, folder, started)
        if found.values is not None:
            return Ended(MilpStatus.UNBOUNDED, message="unbounded")
        return found if found.status is MilpStatus.INFEASIBLE else Ended(MilpStatus.UNKNOWN, message=_UNDECIDED)

    def _search(
        self, model: Any, goal: Goal, variables: list[Any], request: SolveRequest, folder: Path, started: float
    ) -> Ended:
        """One search for the best solution, by one or two calls of the solver."""
        TempfileManager.tempdir = str(folder)
        if "highs" in self.solver:  # a scheduler created before the fork has lost its workers
            highspy.Highs.resetGlobalScheduler(False)
        if request.cutoff is not None and goal.constant is not None:
            if not goal.beats(goal.constant, request.cutoff):
                return Ended(MilpStatus.INFEASIBLE, message="the objective is constant")
        elif request.cutoff is not None:
            limit = goal.better(request.cutoff)
            better = goal.component.expr <= limit if goal.sense > 0 else goal.component.expr >= limit
            model.add_component(unique_component_name(model, "cutoff"), pyo.Constraint(expr=better))
        if goal.component is None:
            model.add_component(unique_component_name(model, "nothing"), pyo.Objective(expr=0.0))
        opt = pyo.SolverFactory(self.solver)
        for name, value in self._options(request).items():
            opt.options[name] = value
        how: dict[str, Any] = {"load_solutions": False}
        if request.warm_start and self.capabilities.warm_start:
            how["warmstart"] = True
        began = time.perf_counter()
        (option, value), ways = self.dialect.plainly, self._ways(variables, request)
        for plainly in ways:
            if plainly:
                opt.options[option] = value
            if request.seconds is not None:
                left = max(1e-3, request.seconds - (time.perf_counter() - started))
                how["timelimit"] = math.ceil(left) if self.dialect.whole_seconds else left
            try:
                tried = _tried(opt, model, how, folder / "log")
            except subprocess.TimeoutExpired:  # Pyomo ended a solver that overran its limit
                return Ended(MilpStatus.UNKNOWN, message="killed after the time limit")
            doubted = tried.says(self.dialect.doubts)
            if not doubted and not tried.crashed:
                break
            opt.options.pop(option, None)
        if goal.component is not None and how.get("warmstart") and tried.says("The LP relaxation is infeasible"):
            again = replace(request, warm_start=False, cutoff=None)  # CBC 2.10.8 may have called the start optimal
            return self._search(model, goal, variables, again, folder, started)
        self._raise_failure(tried, says_something=isinstance(opt, SystemCallSolver))
        ended = self._ending(model, goal, variables, tried.results)
        if ended.status is MilpStatus.UNKNOWN and tried.says(self.dialect.unbounded):
            return Ended(MilpStatus.UNKNOWN, message=_UNDECIDED)
        if ended.status is MilpStatus.UNKNOWN and tried.says(self.dialect.impossible):
            return Ended(MilpStatus.INFEASIBLE, message="infeasible")
        if (doubted or (ways[0] and not plainly)) and ended.status is MilpStatus.OPTIMAL:
            ended = replace(
                ended, status=MilpStatus.FEASIBLE, bound=None, message="its presolver may have lost the optimum"
            )
        if tried.says(self.dialect.stopped):
            # Pyomo mistakes the end of a relaxation, or of a phase of the simplex method, for the end of the search.
            if ended.status is MilpStatus.OPTIMAL:
                return replace(ended, status=MilpStatus.FEASIBLE, bound=None, message="stopped by a limit")
            if ended.status in (MilpStatus.INFEASIBLE, MilpStatus.UNBOUNDED):
                return Ended(MilpStatus.UNKNOWN, message="stopped by a limit")
        if ended.status is MilpStatus.INFEASIBLE:
            free = any(None in variable.bounds for variable in variables if not variable.fixed)
            if self.solver == "cbc" and free and goal.constant is None:  # CBC also reports this for unbounded models
                return Ended(MilpStatus.UNKNOWN, message=_UNDECIDED)
            # If a limit is reached during preprocessing, CBC reports that no solution exists.
            limit = how.get("timelimit", math.inf) * (0.25 if tried.says(self.dialect.guesses) else 1.0)
            if time.perf_counter() - began >= limit:
                return Ended(MilpStatus.UNKNOWN, message=f"{ended.message}, but its time was up")
        if self.solver in ("cbc", "glpk") and ended.status is MilpStatus.OPTIMAL and ended.objective is not None:
            # Pyomo reports an objective within the gaps as the bound.
            gap = max(request.absolute_gap, request.relative_gap * abs(ended.objective))
            return replace(ended, bound=ended.objective - goal.sense * gap)
        return ended

    def _raise_failure(self, tried: _Tried, *, says_something: bool) -> None:
        """Raise the error with which a call has ended, as one line."""
        refused = tried.line_with(self.dialect.complaint)
        if refused:
            raise SolverError(f"{self.name} refuses an option: {refused}")
        if tried.failure is not None:
            last = tried.heard[-2:] or tried.said[-2:]
            words = [" ".join(str(tried.failure).split()), *(text[-200:] for text in last)]
            raise SolverError(f"{self.name} failed: {'; '.join(words)}")
        if says_something and not tried.said:
            raise SolverError(f"{self.name} ended without an answer: it said nothing")

    def _ways(self, variables: list[Any], request: SolveRequest) -> tuple[bool, ...]:
        """Whether to switch the presolver off: first, and in a second call if the first crashes or loses the answer."""
        if not self.dialect.plainly[0] or self.dialect.plainly[0] in request.options:
            return (False,)
        # CBC 2.10.8 treats a continuous variable that may be negative as an integer, and cuts off optima.
        below = self.solver == "cbc" and any(
            not v.fixed and v.is_continuous() and (v.lb is None or v.lb < 0) for v in variables
        )
        return (below, not below)

    def _options(self, request: SolveRequest) -> dict[str, Any]:
        known = self.dialect
        ours = {
            known.relative_gap: request.relative_gap,
            known.absolute_gap: request.absolute_gap,
            known.seed: request.seed % 2**31,
            known.nodes: None if request.nodes is None else min(request.nodes, NODES_MAX),
            known.threads: request.threads,
        }
        return {name: value for name, value in ours.items() if name and value is not None} | dict(request.options)

    def _ending(self, model: Any, goal: Goal, variables: list[Any], results: Any) -> Ended:
        condition, status = results.solver.termination_condition, results.solver.status
        message = str(condition)
        if condition in _NO_SOLUTION:
            return Ended(_NO_SOLUTION[condition], message=message)
        if condition == TerminationCondition.infeasibleOrUnbounded:
            return Ended(MilpStatus.UNKNOWN, message=_UNDECIDED)
        solved = condition == TerminationCondition.optimal
        shown = results.problem.lower_bound if goal.sense > 0 else results.problem.upper_bound
        bound = float(shown) if self.capabilities.bound and isinstance(shown, int | float) else None
        if status in (SolverStatus.error, SolverStatus.unknown) and not len(results.solution):
            raise SolverError(f"{self.name} failed: {results.solver.message or message}")
        if not len(results.solution):
            return Ended(MilpStatus.UNKNOWN, bound=bound, message=message)
        for variable in variables:
            if not variable.fixed:
                variable.set_value(None, skip_validation=True)
        model.solutions.load_from(results)
        missing = _without_value(model, variables)
        if missing and condition in (None, TerminationCondition.unknown):
            raise SolverError(
                f"{self.name} ended without an answer: it gives neither a status nor a value for {missing}"
            )
        if missing:
            return Ended(MilpStatus.UNKNOWN, message=f"{message}, without a value for {missing}")
        objective = 0.0 if goal.component is None else float(pyo.value(goal.component))
        if self.solver == "cbc" and goal.sense < 0 and bound is not None and not (solved and _near(bound, objective)):
            bound = -bound  # it minimises the negative objective, and Pyomo passes on that bound unchanged
        if self.solver == "cbc" and bound is not None and not solved:
            bound -= goal.sense * 5e-4  # its log rounds to three decimals, also upwards
        if not solved and not _is_solution(model, variables):  # CBC returns its relaxation at the time limit
            return Ended(MilpStatus.UNKNOWN, bound=bound, message=f"{message}, without a feasible solution")
        values = np.array([resting_value(v) if v.value is None else float(v.value) for v in variables])
        return Ended(
            MilpStatus.OPTIMAL if solved else MilpStatus.FEASIBLE,
            objective=objective,
            bound=bound,
            message=message,
            values=values,
        )


def _near(bound: float, objective: float) -> bool:
    return abs(bound - objective) <= 1e-6 * max(1.0, abs(objective))


def _without_value(model: Any, variables: list[Any]) -> str:
    """The name of a used variable without a value from the solver; empty if there is none."""
    if all(variable.value is not None for variable in variables):
        return ""
    used: set[int] = set()
    for part in model.component_data_objects((pyo.Constraint, pyo.Objective), active=True, descend_into=True):
        form = generate_standard_repn(part.body if part.ctype is pyo.Constraint else part.expr, compute_values=True)
        used.update(id(v) for weight, v in zip(form.linear_coefs, form.linear_vars, strict=True) if weight)
        used.update(id(v) for pair in form.quadratic_vars for v in pair)
        used.update(id(v) for v in form.nonlinear_vars)
    return next((str(v.name) for v in variables if v.value is None and not v.fixed and id(v) in used), "")


def _nothing_to_decide(model: Any, goal: Goal) -> bool:
    """Whether no row and no objective has a variable: not every solver accepts an empty file."""
    if goal.constant is None or any(True for _ in model.component_data_objects(pyo.SOSConstraint, active=True)):
        return False
    rows = model.component_data_objects(pyo.Constraint, active=True, descend_into=True)
    return not any(True for row in rows for _ in identify_variables(row.body, include_fixed=False))


def _undecided(model: Any, goal: Goal, variables: list[Any], request: SolveRequest) -> Ended:
    shown = goal.constant
    assert shown is not None
    for row in model.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        if row.slack() < -1e-9 * max(1.0, abs(pyo.value(row.body))):
            return Ended(MilpStatus.INFEASIBLE, message=f"the row {row.name} can never hold")
    if not goal.beats(shown, request.cutoff):
        return Ended(MilpStatus.INFEASIBLE, message="the objective is constant")
    values = np.array([resting_value(variable) for variable in variables])
    return Ended(MilpStatus.OPTIMAL, shown, shown, message="nothing is left to decide", values=values)


def _is_solution(model: Any, variables: list[Any]) -> bool:
    """Whether the values of a solver that a limit stopped are a solution, not only of a relaxation."""
    for variable in variables:
        shown = variable.value
        if shown is None or variable.fixed:
            continue
        lower, upper = variable.bounds
        if (lower is not None and shown < lower - TOLERANCE) or (upper is not None and shown > upper + TOLERANCE):
            return False
        if variable.is_integer() and abs(shown - round(shown)) > TOLERANCE:
            return False
    for row in model.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        if row.slack() < -TOLERANCE * max(1.0, abs(pyo.value(row.body))):
            return False
    return True


@contextmanager
def _listening() -> Iterator[list[str]]:
    """Collect Pyomo's log messages on a failure: the exit code and the output of a program."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(" ".join(record.getMessage().split()))

    ear, logger = Ear(logging.WARNING), logging.getLogger("pyomo")
    logger.addHandler(ear)
    try:
        yield heard
    finally:
        logger.removeHandler(ear)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress Pyomo's warning for each solver that it does not find."""
    logger = logging.getLogger("pyomo")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
