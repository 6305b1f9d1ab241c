"""`pyomo:NAME`: any other solver of Pyomo's factory, such as CBC, GLPK or a commercial one."""

from __future__ import annotations

import logging
import math
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pyomo.version
from pyomo.common.modeling import unique_component_name
from pyomo.common.tempfiles import TempfileManager
from pyomo.opt import SolverStatus, TerminationCondition
from pyomo.opt.solver import SystemCallSolver

from matheur.errors import ConfigurationError, SolverError, nearest
from matheur.solvers.answers import Goal, answer, goal_of, resting_value, without_trivial_rows
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.port import Capabilities, MilpSolution, MilpStatus, SolveRequest

__all__ = ["PyomoBackend"]

TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a solver calls the fields of a request; what it cannot do is left empty."""

    relative_gap: str = ""
    absolute_gap: str = ""
    seed: str = ""
    nodes: str = ""
    threads: str = ""
    complaint: str = ""  # what its log says of an unknown option
    whole_seconds: bool = False


_DIALECTS: Mapping[str, _Dialect] = {
    "cbc": _Dialect("ratioGap", "allowableGap", "randomCbcSeed", "maxNodes", complaint="No match for"),
    "glpk": _Dialect("mipgap", seed="seed", complaint="Invalid option", whole_seconds=True),
    "appsi_highs": _Dialect("mip_rel_gap", "mip_abs_gap", "random_seed", "mip_max_nodes", "threads"),
    "gurobi": _Dialect("MIPGap", "MIPGapAbs", "Seed", "NodeLimit", "Threads"),
    "cplex": _Dialect("mip_tolerances_mipgap", "mip_tolerances_absmipgap", "randomseed", "mip_limits_nodes", "threads"),
    "scip": _Dialect("limits/gap", "limits/absgap", "randomization/randomseedshift", "limits/nodes"),
}
_NO_SOLUTION = {
    TerminationCondition.infeasible: MilpStatus.INFEASIBLE,
    TerminationCondition.unbounded: MilpStatus.UNBOUNDED,
}


@cache
def _version(solver: str) -> str:
    with _quiet():
        numbers = pyo.SolverFactory(solver).version() or ("unknown",)
    return f"{solver} {'.'.join(str(number) for number in numbers)}, pyomo {pyomo.version.version}"


class PyomoBackend:
    """A solver by its name in Pyomo's factory.

    Time limit, gaps, seed, node limit and threads are passed on where the solver is known to have them; the gaps of
    an unknown solver are its own. A solver that is stopped from outside loses its incumbent.
    """

    def __init__(self, solver: str) -> None:
        names = [known for known in pyo.SolverFactory if not known.startswith("_")]
        if solver not in names:
            raise ConfigurationError(f"Pyomo knows no solver {solver!r}. {nearest(solver, names)}")
        self.solver = solver
        self.name: str = f"pyomo:{solver}"
        self.dialect: _Dialect = _DIALECTS.get(solver, _Dialect())
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
        )

    def available(self) -> bool:
        """Whether Pyomo finds the program or library; never raises."""
        try:
            with _quiet():
                return bool(pyo.SolverFactory(self.solver).available(exception_flag=False))
        except Exception:
            return False

    def version(self) -> str:
        """Version of the solver as Pyomo reads it, and of Pyomo."""
        if not self.available():
            raise SolverError(f"the solver {self.name!r} is not installed here")
        return _version(self.solver)

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
            elif not variables:
                ended = _without_variables(goal, request)
            else:
                ended = run_isolated(
                    lambda line: self._optimise(model, goal, variables, request, Path(folder), started, line),
                    request,
                    name=self.name,
                    started=started,
                    variables=variables,
                    late=5.0,  # it answers only once it has ended and its files are read
                )
        return answer(self, model, goal, request, ended, variables, started)

    def _can_start(self) -> bool:
        if not self.available():
            return False  # for some solvers Pyomo asks the program, and fails where it is missing
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
        """Solve in the child, whose copy of the model may be changed at will."""
        TempfileManager.tempdir = str(folder)
        if request.cutoff is not None:
            limit = goal.better(request.cutoff)
            better = goal.component.expr <= limit if goal.sense > 0 else goal.component.expr >= limit
            model.add_component(unique_component_name(model, "cutoff"), pyo.Constraint(expr=better))
        opt = pyo.SolverFactory(self.solver)
        for name, value in self._options(request).items():
            opt.options[name] = value
        log = folder / "log"
        how: dict[str, Any] = {"load_solutions": False}
        if isinstance(opt, SystemCallSolver):
            how["logfile"] = str(log)
        if request.seconds is not None:
            left = max(1e-3, request.seconds - (time.perf_counter() - started))
            how["timelimit"] = math.ceil(left) if self.dialect.whole_seconds else left
        if request.warm_start and self.capabilities.warm_start:
            how["warmstart"] = True
        failure: Exception | None = None
        try:
            results = opt.solve(model, **how)
        except subprocess.TimeoutExpired:  # Pyomo lost patience with a solver that overran its limit
            return Ended(MilpStatus.UNKNOWN, message="killed after the time limit")
        except Exception as error:
            failure = error
        said = log.read_text(errors="replace").splitlines() if log.exists() else []
        for line in said if self.dialect.complaint else ():
            if self.dialect.complaint in line:
                raise SolverError(f"{self.name} refuses an option: {line.strip()}")
        if failure is not None:
            raise SolverError(f"{self.name} failed: {failure} {' '.join(said[-2:])}".strip())
        ended = self._ending(model, goal, variables, results)
        if ended.objective is not None and not goal.beats(ended.objective, request.cutoff):
            return Ended(MilpStatus.UNKNOWN, message=f"{ended.message}, within its tolerance of the cutoff")
        return ended

    def _options(self, request: SolveRequest) -> dict[str, Any]:
        known = self.dialect
        ours = {
            known.relative_gap: request.relative_gap,
            known.absolute_gap: request.absolute_gap,
            known.seed: request.seed % 2**31,
            known.nodes: request.nodes,
            known.threads: request.threads,
        }
        return {name: value for name, value in ours.items() if name and value is not None} | dict(request.options)

    def _ending(self, model: Any, goal: Goal, variables: list[Any], results: Any) -> Ended:
        condition, status = results.solver.termination_condition, results.solver.status
        message = str(condition)
        if condition in _NO_SOLUTION:
            return Ended(_NO_SOLUTION[condition], message=message)
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
        if not _is_solution(model, variables):  # a relaxation's solution, say: CBC returns it when the time is up
            return Ended(MilpStatus.UNKNOWN, bound=bound, message=f"{message}, without a feasible solution")
        values = np.array([resting_value(v) if v.value is None else float(v.value) for v in variables])
        objective = 0.0 if goal.component is None else float(pyo.value(goal.component))
        solved = condition == TerminationCondition.optimal
        return Ended(
            MilpStatus.OPTIMAL if solved else MilpStatus.FEASIBLE,
            objective=objective,
            bound=bound,
            message=message,
            values=values,
        )


def _without_variables(goal: Goal, request: SolveRequest) -> Ended:
    """Not every solver takes an empty file."""
    shown = 0.0 if goal.component is None else float(pyo.value(goal.component))
    if request.cutoff is not None and goal.sense * (shown - goal.better(request.cutoff)) > 0:
        return Ended(MilpStatus.INFEASIBLE, message="no variables")
    return Ended(MilpStatus.OPTIMAL, shown, shown, message="no variables", values=np.zeros(0))


def _is_solution(model: Any, variables: list[Any]) -> bool:
    for variable in variables:
        shown = variable.value
        if shown is None:
            continue
        lower, upper = variable.bounds
        if (lower is not None and shown < lower - TOLERANCE) or (upper is not None and shown > upper + TOLERANCE):
            return False
        if variable.is_integer() and abs(shown - round(shown)) > TOLERANCE:
            return False
    for row in model.component_data_objects(pyo.Constraint, active=True, descend_into=True):
        slack = TOLERANCE * max(1.0, abs(pyo.value(row.body)))
        if row.slack() < -slack:
            return False
    return True


@contextmanager
def _quiet() -> Iterator[None]:
    """Pyomo logs a warning for each solver that it looks for in vain."""
    logger = logging.getLogger("pyomo")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
