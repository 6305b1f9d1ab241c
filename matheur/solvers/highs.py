"""HiGHS: the backend, and how the library is run on a translated model. Loads nothing of Pyomo."""

from __future__ import annotations

import math
import time
from functools import cache
from importlib.metadata import version as package_version
from threading import Thread
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, FailedSolveError, SolverError
from matheur.linear.building import INFINITE
from matheur.solvers.isolated import Ended, IsolatedSolve, Line
from matheur.solvers.linear_task import LinearTask
from matheur.solvers.options import closest
from matheur.solvers.port import Capabilities, MilpSolution, MilpStatus, SolveRequest

__all__ = ["HighsBackend", "optimise", "set_options"]

_Status = highspy.HighsModelStatus
_BROKEN = {
    _Status.kLoadError,
    _Status.kModelError,
    _Status.kPresolveError,
    _Status.kSolveError,
    _Status.kPostsolveError,
    _Status.kNotset,  # the solve has not started
}
_AGREES = 1e-6  # relative; of an objective and its values
_REFUSED = {
    "objective_bound": "it makes HiGHS report wrong optima; use the request's cutoff",
    "output_flag": "output is captured; use log_file",
    "log_to_console": "output is captured; use log_file",
}


@cache
def _version() -> str:
    return f"highspy {package_version('highspy')}, pyomo {package_version('pyomo')}"


class HighsBackend:
    """The default backend."""

    name = "highs"
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
        tolerance=1e-9,
    )

    def available(self) -> bool:
        """Always, since the import of this module has already found the library."""
        return True

    def version(self) -> str:
        """Version of the library and of the layer above it."""
        return _version()

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        """Solve a model; see `matheur.solvers.port.Backend`."""
        from matheur.solvers.highs_pyomo import solve_model

        return solve_model(self, model, request)

    def begin_task(self, task: LinearTask, request: SolveRequest, started: float) -> IsolatedSolve:
        """Begin to solve arrays; see `matheur.solvers.linear.ArrayBackend`."""
        from matheur.solvers.highs_arrays import begin_task

        return begin_task(task, request, started)


def set_options(engine: Any, request: SolveRequest, target: float | None, started: float) -> None:
    """Pass the request as options; its seconds count from `started`.

    Raises
    ------
    ConfigurationError, SolverError
        If an option does not exist, has a wrong value, or is reserved for the request.
    """
    ours: dict[str, Any] = {
        "threads": request.threads,
        "random_seed": request.seed % 2**31,
        "mip_rel_gap": request.relative_gap,
        "mip_abs_gap": request.absolute_gap,
    }
    if request.seconds is not None:
        ours["time_limit"] = max(0.0, request.seconds - (time.perf_counter() - started))
    if request.nodes is not None:
        ours["mip_max_nodes"] = min(request.nodes, highspy.kHighsIInf)
    if target is not None:
        ours["objective_target"] = target
    for name, value in ours.items():
        if engine.setOptionValue(name, value) == highspy.HighsStatus.kError:
            raise SolverError(f"highs refuses {name} = {value!r}")
    for name, value in request.options.items():
        if name in _REFUSED:
            raise ConfigurationError(f"the option {name!r} of highs cannot be set: {_REFUSED[name]}")
        if engine.setOptionValue(name, value) == highspy.HighsStatus.kError:
            known = [option for option in dir(engine.getOptions()) if not option.startswith("_")]
            if name in known:
                raise SolverError(f"highs refuses the option {name} = {value!r}: wrong type or out of range")
            raise SolverError(f"highs has no option {name!r}. {closest(name, known)}")
    if "log_file" in request.options:
        engine.setOptionValue("log_to_console", False)
        engine.setOptionValue("output_flag", True)


def optimise(engine: Any, columns: int, line: Line) -> Ended:
    """Run HiGHS to its end, in the child."""
    objective_is_known = [True]

    def on_incumbent(event: Any) -> None:
        data = event.data_out
        if objective_is_known[0]:
            bound = data.mip_dual_bound if abs(data.mip_dual_bound) < INFINITE else None
            line.incumbent(data.objective_function_value, bound, np.array(data.mip_solution[:columns]))

    def on_interrupt(event: Any) -> None:
        if objective_is_known[0]:
            line.progress(event.data_out.mip_dual_bound, event.data_out.mip_node_count)

    def on_question(event: Any) -> None:
        values = line.given()
        if values is not None:
            event.data_in.setSolution(values)

    engine.cbMipUserSolution.subscribe(on_question)
    engine.cbMipImprovingSolution.subscribe(on_incumbent)
    engine.cbMipInterrupt.subscribe(on_interrupt)
    values = _run(engine)
    status = engine.getModelStatus()
    if status == _Status.kUnboundedOrInfeasible:  # solving the rows without an objective decides which
        objective_is_known[0] = False
        line.progress(math.nan, 0)
        engine.changeColsCost(columns, np.arange(columns, dtype=np.int32), np.zeros(columns))
        values = _run(engine)
        status = engine.getModelStatus()
        if status not in (_Status.kOptimal, _Status.kInfeasible):
            return Ended(MilpStatus.UNKNOWN, message="unbounded or infeasible")
        status = _Status.kUnbounded if status == _Status.kOptimal else status
    return _ending(engine, values[:columns], status)


def _run(engine: Any) -> NDArray[np.float64]:
    """Solve, and return the values by column.

    If HiGHS fails or contradicts itself, it runs again without presolve, which causes most of its errors.
    """
    started = time.perf_counter()
    values = _run_in_thread(engine)
    if _failed(engine, values) and engine.getOptionValue("presolve")[1] != "off":
        limit = engine.getOptionValue("time_limit")[1]
        engine.setOptionValue("time_limit", max(0.0, limit - (time.perf_counter() - started)))
        engine.setOptionValue("presolve", "off")
        engine.clearSolver()
        values = _run_in_thread(engine)
    return values


def _failed(engine: Any, values: NDArray[np.float64]) -> bool:
    """Whether it failed, or its values do not have the reported objective (1.16: it returns the start)."""
    if engine.getModelStatus() in _BROKEN:
        return True
    info = engine.getInfo()
    if info.mip_node_count < 0 or info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return False
    model = engine.getLp()
    terms = np.asarray(model.col_cost_) * values
    room = _AGREES * (1.0 + abs(model.offset_) + float(np.abs(terms).sum()))
    return not abs(terms.sum() + model.offset_ - info.objective_function_value) <= room


def _run_in_thread(engine: Any) -> NDArray[np.float64]:
    """Run in a new thread: HiGHS keeps a scheduler per thread, and one from before the fork has lost its workers."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            engine.run()
        except BaseException as error:  # else it would end with the thread and be lost
            raised.append(error)

    thread = Thread(target=run, name="highs")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return np.array(engine.getSolution().col_value)


def _ending(engine: Any, values: NDArray[np.float64], status: Any) -> Ended:
    if status in _BROKEN:
        raise FailedSolveError(f"HiGHS failed: {engine.modelStatusToString(status)}")
    info, message = engine.getInfo(), engine.modelStatusToString(status)
    nodes = max(0, info.mip_node_count)
    if status == _Status.kModelEmpty:
        constant = engine.getLp().offset_
        return Ended(MilpStatus.OPTIMAL, constant, constant, message=message, values=np.zeros(0))
    if status in (_Status.kInfeasible, _Status.kUnbounded):
        ending = MilpStatus.INFEASIBLE if status == _Status.kInfeasible else MilpStatus.UNBOUNDED
        return Ended(ending, nodes=nodes, message=message)
    solved = status == _Status.kOptimal
    bound = info.mip_dual_bound if info.mip_node_count >= 0 else None  # -1: a linear program
    if solved and bound is None:
        bound = info.objective_function_value
    if not solved and info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Ended(MilpStatus.UNKNOWN, bound=bound, nodes=nodes, message=message)
    linear = solved and info.mip_node_count < 0
    solution = engine.getSolution() if linear else None
    return Ended(
        MilpStatus.OPTIMAL if solved else MilpStatus.FEASIBLE,
        objective=info.objective_function_value,
        bound=bound,
        nodes=nodes,
        message=message,
        values=values,
        reduced_costs=np.array(solution.col_dual[: len(values)]) if solution and solution.dual_valid else None,
    )
