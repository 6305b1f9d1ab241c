"""SCIP: the backend, and how the library is run on a translated model. Loads nothing of Pyomo."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache
from importlib.metadata import version as package_version
from typing import Any

import numpy as np
import pyscipopt
from pyscipopt import SCIP_EVENTTYPE, SCIP_HEURTIMING, SCIP_RESULT, Eventhdlr, Heur
from pyscipopt.scip import Expr, ExprCons, Term

from matheur.errors import ConfigurationError, FailedSolveError, MatheurError, SolverError
from matheur.linear.building import INFINITE
from matheur.solvers.isolated import Ended, IsolatedSolve, Line
from matheur.solvers.linear_task import LinearTask
from matheur.solvers.options import closest
from matheur.solvers.port import Capabilities, MilpSolution, MilpStatus, SolveRequest

__all__ = ["ScipBackend", "optimise", "set_options"]

_FURTHER = 1e-3
"""Least relative amount by which a solution of an unbounded model is better than the limit, far above tolerances."""

_REFUSED = {"misc/catchctrlc": "Ctrl-C belongs to the caller", "display/verblevel": "output is captured"}


@cache
def _version() -> str:
    engine = pyscipopt.Model()
    solver = f"{engine.getMajorVersion()}.{engine.getMinorVersion()}.{engine.getTechVersion()}"
    return f"SCIP {solver}, pyscipopt {pyscipopt.__version__}, pyomo {package_version('pyomo')}"


class ScipBackend:
    """SCIP; its search is serial, `threads` is passed to its LP solver."""

    name = "scip"
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
        quadratic_objective=True,
        quadratic_rows=True,
        nonlinear=True,
        sos=True,
        tolerance=1e-8,
    )

    def available(self) -> bool:
        """Always, since the import of this module has already found the library."""
        return True

    def version(self) -> str:
        """Version of the solver, its binding and the layer above them."""
        return _version()

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a model; see `matheur.solvers.port.Backend`."""
        from matheur.solvers.scip_pyomo import solve_model

        return solve_model(self, model, request)

    def begin_task(self, task: LinearTask, request: SolveRequest, started: float) -> IsolatedSolve:
        """Begin to solve arrays; see `matheur.solvers.linear.ArrayBackend`."""
        from matheur.solvers.scip_arrays import begin_task

        return begin_task(task, request, started)


def set_options(engine: Any, request: SolveRequest, target: float | None, started: float) -> None:
    """Pass the request as parameters; its seconds count from `started`.

    Raises
    ------
    ConfigurationError, SolverError
        If a parameter does not exist, has a wrong value, or is reserved for the request.
    """
    ours: dict[str, Any] = {
        "misc/catchctrlc": False,
        "lp/threads": request.threads,
        "randomization/randomseedshift": request.seed % 2**31,
        "limits/gap": request.relative_gap,
        "limits/absgap": request.absolute_gap,
        # SCIP would silently ignore a start that leaves more than 85 % of the variables open.
        "heuristics/completesol/maxunknownrate": 1.0,
        "heuristics/completesol/maxnodes": 500,
    }
    if request.seconds is not None:
        ours["limits/time"] = max(0.0, request.seconds - (time.perf_counter() - started))
    if request.nodes is not None:
        ours["limits/nodes"] = request.nodes
    if target is not None:
        ours["limits/primal"] = target
    for name, value in ours.items():
        engine.setParam(name, value)
    known = engine.getParams() if request.options else {}
    for name, value in request.options.items():
        if name in _REFUSED:
            raise ConfigurationError(f"the option {name!r} of scip cannot be set: {_REFUSED[name]}")
        if name not in known:
            raise SolverError(f"scip has no option {name!r}. {closest(name, known)}")
        try:
            engine.setParam(name, value)
        except Exception as error:  # the binding raises various exceptions, from KeyError to Exception itself
            raise SolverError(f"scip refuses the option {name} = {value!r}: {error}") from error


def optimise(engine: Any, columns: list[Any], wanted: Callable[[float], bool], line: Line) -> Ended:
    """Run SCIP to its end, in the child. It also keeps solutions beyond its objective limit, which are not `wanted`."""

    watch = _Watch(columns, wanted, line)
    engine.includeEventhdlr(watch, "watch", "hands incumbents and bounds out")
    engine.includeHeur(
        _Taking(columns, line), "taking", "takes the solutions that it is given", "~", freq=1,
        timingmask=SCIP_HEURTIMING.BEFORENODE,
    )  # fmt: skip
    _run(engine)
    status = engine.getStatus()
    if status == "inforunbd" or (status == "infeasible" and _open_ended(engine)):
        return _without_objective(engine, columns, watch)
    nodes = engine.getNTotalNodes()
    if status in ("infeasible", "unbounded"):
        return Ended(MilpStatus(status), nodes=nodes, message=status)
    bound = engine.getDualbound()
    best = engine.getBestSol() if engine.getNSols() else None
    if best is None or not wanted(engine.getSolObjVal(best)):
        if status == "optimal":  # among the solutions kept: the search is complete, and none is within the limit
            return Ended(MilpStatus.INFEASIBLE, nodes=nodes, message="nothing is better than the cutoff")
        return Ended(MilpStatus.UNKNOWN, bound=bound, nodes=nodes, message=status)
    return Ended(
        MilpStatus.OPTIMAL if status in ("optimal", "gaplimit") else MilpStatus.FEASIBLE,
        objective=engine.getSolObjVal(best),
        bound=bound,
        nodes=nodes,
        message=status,
        values=_values(engine, best, columns),
    )


def _open_ended(engine: Any) -> bool:
    """Whether no bound of a column limits the objective."""
    sense = 1 if engine.getObjectiveSense() == "minimize" else -1
    ends = ((sense * v.getObj(), v.getLbOriginal(), v.getUbOriginal()) for v in engine.getVars())
    return any((weight > 0 and low <= -INFINITE) or (weight < 0 and high >= INFINITE) for weight, low, high in ends)


def _run(engine: Any) -> None:
    """Run SCIP.

    Raises
    ------
    FailedSolveError
        If SCIP fails, such as its solver of linear programs.
    """
    try:
        engine.optimize()
    except (MatheurError, MemoryError):
        raise
    except Exception as error:  # the binding raises `Exception` itself
        raise FailedSolveError(f"SCIP failed: {error}") from error


def _without_objective(engine: Any, columns: list[Any], watch: _Watch) -> Ended:
    """Whether there is a solution, or one beyond the objective limit, if SCIP has not decided or may be wrong.

    It reports some unbounded models as infeasible: models in which integers grow along with the objective. Such a model
    has solutions far beyond the limit; solutions at the limit hold only within the tolerance of a row, and prove
    nothing.
    """
    status, nodes, limit = engine.getStatus(), engine.getNTotalNodes(), engine.getObjlimit()
    minimise, offset = engine.getObjectiveSense() == "minimize", engine.getObjoffset()
    watch.fall_silent()  # objectives and bounds from here on are not those of the model
    engine.freeTransform()
    weights = [(variable, variable.getObj()) for variable in engine.getVars() if variable.getObj()]
    if abs(limit) < INFINITE:
        room = limit - offset
        room += (-_FURTHER if minimise else _FURTHER) * max(1.0, abs(room))
        body = Expr({Term(variable): weight for variable, weight in weights})
        engine.addCons(ExprCons(body, None, room) if minimise else ExprCons(body, room, None))
    engine.setObjective(Expr({}), "minimize")
    engine.setObjlimit(engine.infinity())
    _run(engine)
    again, nodes = engine.getStatus(), nodes + engine.getNTotalNodes()
    if again == "infeasible":
        return Ended(MilpStatus.INFEASIBLE, nodes=nodes, message=again)
    if again != "optimal":
        return Ended(MilpStatus.UNKNOWN, nodes=nodes, message="unbounded or infeasible")
    if status == "inforunbd":
        return Ended(MilpStatus.UNBOUNDED, nodes=nodes, message="unbounded")
    found = engine.getBestSol()
    objective = offset + sum(weight * engine.getSolVal(found, variable) for variable, weight in weights)
    message = "infeasible with the objective, feasible without it: maybe unbounded"
    return Ended(MilpStatus.FEASIBLE, objective, None, nodes, message, _values(engine, found, columns))


class _Watch(Eventhdlr):
    """Event handler that reports the solutions and bounds of SCIP."""

    def __init__(self, columns: list[Any], wanted: Callable[[float], bool], line: Line) -> None:
        self._columns, self._wanted, self._line = columns, wanted, line
        self._silent = False

    def fall_silent(self) -> None:
        """Stop reporting, and withdraw the bound."""
        self._silent = True
        self._line.progress(math.nan, 0)

    def eventinit(self) -> None:
        """Subscribe to events; a start that is a solution causes no event, so it is reported here."""
        for kind in (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.DUALBOUNDIMPROVED):
            self.model.catchEvent(kind, self)
        if self.model.getNSols() and not self._silent:
            self._tell(None)

    def eventexit(self) -> None:
        """Unsubscribe from events."""
        for kind in (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.DUALBOUNDIMPROVED):
            self.model.dropEvent(kind, self)

    def eventexec(self, event: Any) -> None:
        """Report a better solution or a better bound."""
        if self._silent:
            return
        bound = self.model.getDualbound()
        if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
            self._tell(bound if abs(bound) < INFINITE else None)
        else:
            self._line.progress(bound, self.model.getNTotalNodes())

    def _tell(self, bound: float | None) -> None:
        best = self.model.getBestSol()
        objective = self.model.getSolObjVal(best)  # the primal bound is not yet updated here
        if self._wanted(objective):
            self._line.incumbent(objective, bound, _values(self.model, best, self._columns))


class _Taking(Heur):
    """Heuristic that passes solutions to a running SCIP."""

    def __init__(self, columns: list[Any], line: Line) -> None:
        self._columns, self._line = columns, line

    def heurexec(self, _timing: Any, _infeasible: bool) -> dict[str, Any]:
        """Try the solutions that have been passed."""
        values = self._line.given()
        if values is None:
            return {"result": SCIP_RESULT.DIDNOTRUN}
        solution = self.model.createOrigSol()
        for column, value in zip(self._columns, values.tolist(), strict=True):
            self.model.setSolVal(solution, column, value)
        taken = self.model.trySol(solution)
        return {"result": SCIP_RESULT.FOUNDSOL if taken else SCIP_RESULT.DIDNOTFIND}


def _values(engine: Any, solution: Any, columns: list[Any]) -> Any:
    return np.array([engine.getSolVal(solution, column) for column in columns], dtype=np.float64)
