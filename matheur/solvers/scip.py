"""SCIP, in process, through Pyomo's `scip_direct` and PySCIPOpt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pyomo.version
import pyscipopt
from pyomo.common.errors import PyomoException
from pyomo.contrib.solver.solvers.scip.scip_direct import ScipDirect
from pyomo.repn import generate_standard_repn
from pyscipopt import SCIP_EVENTTYPE, Eventhdlr
from pyscipopt.scip import Expr, ExprCons, Term

from matheur.errors import ConfigurationError, SolverError
from matheur.linear.building import INFINITE
from matheur.solvers.answers import answer, closest, goal_of, without_trivial_rows
from matheur.solvers.isolated import Ended, Line, run_isolated
from matheur.solvers.linear import LinearTask
from matheur.solvers.port import Capabilities, MilpSolution, MilpStatus, SolveRequest, TracePoint

__all__ = ["ScipBackend", "optimise", "set_options"]

_REFUSED = {"misc/catchctrlc": "Ctrl-C belongs to the caller", "display/verblevel": "output is captured"}


class _Translated(ScipDirect):
    """Pyomo's translation of a model, with linear rows and objectives handed over as they are.

    Pyomo sums linear rows up term by term and hides every objective behind an extra variable and row.
    """

    @classmethod
    def of(cls, model: Any) -> _Translated:
        made = cls()
        config = made.config()
        config.timer = _NoTimer()
        made._create_solver_model(model, config)
        return made

    @property
    def engine(self) -> Any:
        return self._solver_model

    @property
    def columns(self) -> Any:
        return self._pyomo_var_to_solver_var_map

    def linear(self, form: Any) -> Any:
        """A linear standard form, without its constant, as an expression of SCIP."""
        known = self._pyomo_var_to_solver_var_map
        terms: dict[Any, float] = {}
        for weight, variable in zip(form.linear_coefs, form.linear_vars, strict=True):
            if variable not in known:
                self._add_var(variable)
            terms[Term(known[variable])] = float(weight)
        return Expr(terms)

    def _add_constraint(self, con: Any) -> None:
        form = generate_standard_repn(con.body, quadratic=False)
        if not form.is_linear() or not form.linear_vars:
            super()._add_constraint(con)
            return
        lower = None if con.lower is None else float(con.lb) - float(form.constant)
        upper = None if con.upper is None else float(con.ub) - float(form.constant)
        row = self._solver_model.addCons(ExprCons(self.linear(form), lower, upper))
        self._pyomo_con_to_solver_con_map[con] = row

    def _set_objective(self, obj: Any) -> None:
        if obj is not None:
            form = generate_standard_repn(obj.expr, quadratic=False)
            if form.is_linear():
                sense = "minimize" if obj.sense == 1 else "maximize"
                self._solver_model.setObjective(self.linear(form) + float(form.constant), sense)
                self._objective = obj
                return
        super()._set_objective(obj)


class _NoTimer:
    """Stands in for Pyomo's timer."""

    def start(self, _name: str) -> None: ...

    def stop(self, _name: str) -> None: ...


@cache
def _version() -> str:
    engine = pyscipopt.Model()
    solver = f"{engine.getMajorVersion()}.{engine.getMinorVersion()}.{engine.getTechVersion()}"
    return f"SCIP {solver}, pyscipopt {pyscipopt.__version__}, pyomo {pyomo.version.version}"


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
        return _Solve(self, model, request).run()

    def solve_task(
        self,
        task: LinearTask,
        request: SolveRequest,
        on_values: Callable[[TracePoint, Any], None] | None,
        started: float,
    ) -> Ended:
        """Solve arrays; see `matheur.solvers.linear.ArrayBackend`."""
        from matheur.solvers.scip_arrays import solve_task

        return solve_task(task, request, on_values, started)


class _Solve:
    """One solve, from translation to answer."""

    def __init__(self, backend: ScipBackend, model: Any, request: SolveRequest) -> None:
        self.started = time.perf_counter()
        self.backend, self.model, self.request = backend, model, request
        self.goal = goal_of(model)

    def run(self) -> MilpSolution:
        with without_trivial_rows(self.model) as impossible:
            if impossible is not None:
                ended = Ended(MilpStatus.INFEASIBLE, message=f"the row {impossible} can never hold")
                return answer(self.backend, self.model, self.goal, self.request, ended, (), self.started)
            try:
                translated = _Translated.of(self.model)
            except (NotImplementedError, PyomoException, ValueError) as error:
                raise SolverError(f"SCIP cannot take this model: {error}") from error
        engine = translated.engine
        variables, columns = list(translated.columns), list(translated.columns.values())
        engine.hideOutput()
        target = None if self.request.target is None else self.goal.as_good(self.request.target)
        set_options(engine, self.request, target, self.started)
        if self.request.cutoff is not None:
            if self.goal.component is None:
                raise SolverError("a cutoff needs an objective")
            engine.setObjlimit(self.goal.better(self.request.cutoff))
        if self.request.warm_start:
            known = [(column, v.value) for v, column in zip(variables, columns, strict=True) if v.value is not None]
            if known:
                start = engine.createPartialSol()
                for column, value in known:
                    start[column] = value
                engine.addSol(start)
        ended = run_isolated(
            lambda line: optimise(engine, columns, lambda found: self.goal.beats(found, self.request.cutoff), line),
            self.request,
            name=self.backend.name,
            started=self.started,
            variables=variables,
        )
        return answer(self.backend, self.model, self.goal, self.request, ended, variables, self.started)


def set_options(engine: Any, request: SolveRequest, target: float | None, started: float) -> None:
    """Hand the request over as parameters; what is left of its seconds counts from `started`.

    Raises
    ------
    ConfigurationError, SolverError
        If there is no such parameter, its value is wrong, or it is one of ours.
    """
    ours: dict[str, Any] = {
        "misc/catchctrlc": False,
        "lp/threads": request.threads,
        "randomization/randomseedshift": request.seed % 2**31,
        "limits/gap": request.relative_gap,
        "limits/absgap": request.absolute_gap,
        # A start that leaves more than 85 % open would be passed over without a word.
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
            raise ConfigurationError(f"the option {name!r} of scip is not for you: {_REFUSED[name]}")
        if name not in known:
            raise SolverError(f"scip has no option {name!r}. {closest(name, known)}")
        try:
            engine.setParam(name, value)
        except Exception as error:  # the binding raises anything from KeyError to bare Exception
            raise SolverError(f"scip refuses the option {name} = {value!r}: {error}") from error


def optimise(engine: Any, columns: list[Any], wanted: Callable[[float], bool], line: Line) -> Ended:
    """Run SCIP to its end, in the child. SCIP keeps solutions beyond its objective limit too: they are not `wanted`."""

    watch = _Watch(columns, wanted, line)
    engine.includeEventhdlr(watch, "watch", "hands incumbents and bounds out")
    engine.optimize()
    status = engine.getStatus()
    if status == "inforunbd" or (status == "infeasible" and _open_ended(engine)):
        return _without_objective(engine, columns, watch)
    nodes = engine.getNTotalNodes()
    if status in ("infeasible", "unbounded"):
        return Ended(MilpStatus(status), nodes=nodes, message=status)
    bound = engine.getDualbound()
    best = engine.getBestSol() if engine.getNSols() else None
    if best is None or not wanted(engine.getSolObjVal(best)):
        if status == "optimal":  # of what it kept; the search is complete, and nothing is within the limit
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
    """Whether no bound of a column keeps the objective from getting better and better."""
    sense = 1 if engine.getObjectiveSense() == "minimize" else -1
    ends = ((sense * v.getObj(), v.getLbOriginal(), v.getUbOriginal()) for v in engine.getVars())
    return any((weight > 0 and low <= -INFINITE) or (weight < 0 and high >= INFINITE) for weight, low, high in ends)


def _without_objective(engine: Any, columns: list[Any], watch: _Watch) -> Ended:
    """Whether there is any solution, or any below the objective limit, where SCIP has not told or may be wrong.

    It calls some unbounded models infeasible: those in which integers grow along with the objective.
    """
    status, nodes, limit = engine.getStatus(), engine.getNTotalNodes(), engine.getObjlimit()
    minimise, offset = engine.getObjectiveSense() == "minimize", engine.getObjoffset()
    watch.fall_silent()  # objectives and bounds from here on say nothing of the model
    engine.freeTransform()
    weights = [(variable, variable.getObj()) for variable in engine.getVars() if variable.getObj()]
    if abs(limit) < INFINITE:
        room = limit - offset
        body = Expr({Term(variable): weight for variable, weight in weights})
        engine.addCons(ExprCons(body, None, room) if minimise else ExprCons(body, room, None))
    engine.setObjective(Expr({}), "minimize")
    engine.setObjlimit(engine.infinity())
    engine.optimize()
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
    """Hands out what SCIP finds, from within."""

    def __init__(self, columns: list[Any], wanted: Callable[[float], bool], line: Line) -> None:
        self._columns, self._wanted, self._line = columns, wanted, line
        self._silent = False

    def fall_silent(self) -> None:
        """Say no more, and take the bound back."""
        self._silent = True
        self._line.progress(math.nan, 0)

    def eventinit(self) -> None:
        """Ask for events; for a start that was a solution there has been none."""
        for kind in (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.DUALBOUNDIMPROVED):
            self.model.catchEvent(kind, self)
        if self.model.getNSols() and not self._silent:
            self._tell(None)

    def eventexit(self) -> None:
        """Ask for no more."""
        for kind in (SCIP_EVENTTYPE.BESTSOLFOUND, SCIP_EVENTTYPE.DUALBOUNDIMPROVED):
            self.model.dropEvent(kind, self)

    def eventexec(self, event: Any) -> None:
        """A better solution, or a better bound."""
        if self._silent:
            return
        bound = self.model.getDualbound()
        if event.getType() == SCIP_EVENTTYPE.BESTSOLFOUND:
            self._tell(bound if abs(bound) < INFINITE else None)
        else:
            self._line.progress(bound, self.model.getNTotalNodes())

    def _tell(self, bound: float | None) -> None:
        best = self.model.getBestSol()
        objective = self.model.getSolObjVal(best)  # the primal bound is one step late here
        if self._wanted(objective):
            self._line.incumbent(objective, bound, _values(self.model, best, self._columns))


def _values(engine: Any, solution: Any, columns: list[Any]) -> Any:
    return np.array([engine.getSolVal(solution, column) for column in columns], dtype=np.float64)
