"""Run one solver on one file, as a user's script would, and write its solutions with their times to a folder.

    python experiments/milp/one_peer.py highs model.mps --seconds 60 --seed 0 --folder out

`peers.py` starts this script. It needs the package of the solver and NumPy, but not matheur (unless the solver is
matheur), so that it can run under another interpreter. The limit counts from the start of the process, including
imports and reading.

The folder gets `trace.jsonl`, with a line `{"seconds": ..., "value": ...}` for each better solution that the solver
reports (seconds since the start of the process); `values.bin`, the float64 values of the last one; `names.json`, the
names of the columns in this order; and `end.json`, the final results.
"""

from __future__ import annotations

import argparse
import array
import contextlib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

BEGAN = float(os.environ.get("PEER_BEGAN", time.monotonic()))  # all processes share the same clock
_EVERY = 1.0  # seconds between two copies of values, if copying is expensive
_MARGIN = 0.3  # seconds before the limit at which solvers should stop


class Report:
    """Solutions that a solver has found so far, in a folder.

    Parameters
    ----------
    folder
        An existing folder.
    limit
        Seconds since the start of the process after which nothing counts.

    Attributes
    ----------
    sense
        1 to minimise, -1 to maximise; values that are no improvement are left out.
    """

    def __init__(self, folder: Path, limit: float) -> None:
        self.folder, self._limit = folder, limit
        self.sense = 1
        self.best: float | None = None
        self._copied = -_EVERY
        self._trace = (folder / "trace.jsonl").open("a", buffering=1)
        self._said: dict[str, Any] = {}

    @property
    def seconds(self) -> float:
        """Seconds since the start of the process."""
        return time.monotonic() - BEGAN

    @property
    def left(self) -> float:
        """Seconds that remain for the solver."""
        return max(0.1, self._limit - self.seconds - _MARGIN)

    def value(self, value: float, seconds: float | None = None) -> bool:
        """Record a better solution; return whether it was better and in time."""
        seconds = self.seconds if seconds is None else seconds
        if seconds > self._limit or (self.best is not None and self.sense * (value - self.best) >= 0):
            return False
        self.best = value
        self._trace.write(json.dumps({"seconds": round(seconds, 3), "value": value}) + "\n")
        return True

    def values(self, values: Callable[[], Iterable[float]], *, dear: bool = False) -> None:
        """Store the values of the last solution; if copying is expensive, at most once a second."""
        if dear and self.seconds - self._copied < _EVERY:
            return
        self._copied = self.seconds
        target = self.folder / "values.bin"
        with target.with_suffix(".new").open("wb") as file:
            array.array("d", values()).tofile(file)
        target.with_suffix(".new").replace(target)

    def names(self, names: Sequence[str]) -> None:
        """Record the names of the columns, in the order of their values."""
        (self.folder / "names.json").write_text(json.dumps(list(names)))

    def end(self, **facts: Any) -> None:
        """Record the final results of the solver."""
        self._said.update(facts)
        (self.folder / "end.json").write_text(json.dumps(self._said))


def matheur(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """matheur from the checkout that contains this script, with `given` as arguments of `matheur.solve`."""
    import matheur as ours

    def watch(event: Any) -> None:
        if event["event"] == "incumbent":
            report.value(event["score"])

    report.sense = int(given.pop("sense", 1))
    result = ours.solve(path, problem="milp", seconds=report.left, seed=seed, observers=[watch], **given)
    shown = result.to_dict()
    named = shown["solution"]
    if named is not None:
        report.names(list(named))
        report.values(lambda: (float(value) for value in named.values()))
    kept = ("status", "bound", "stopped", "found_by", "work", "level", "operators")
    report.end(**{key: shown[key] for key in kept if key in shown})


def highs(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """HiGHS through highspy; `primal`: with more effort in heuristics."""
    import highspy

    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    if engine.readModel(path) == highspy.HighsStatus.kError:
        raise SystemExit("highs cannot read the file")
    width = engine.getNumCol()
    model = engine.getLp()
    report.names(list(model.col_names_))
    report.sense = -1 if model.sense_ == highspy.ObjSense.kMaximize else 1
    options = {"threads": 1, "random_seed": seed, "mip_rel_gap": 1e-9, "mip_abs_gap": 1e-9, "time_limit": report.left}
    if given.get("primal"):
        options["mip_heuristic_effort"] = 0.3
    for name, value in options.items():
        engine.setOptionValue(name, value)

    def found(kind: Any, message: str, data: Any, answer: Any, user: Any) -> None:
        if report.value(data.objective_function_value):
            report.values(lambda: list(data.mip_solution)[:width])

    engine.setCallback(found, None)
    engine.startCallback(highspy.cb.HighsCallbackType.kCallbackMipImprovingSolution)
    engine.run()
    info = engine.getInfo()
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible and report.value(
        info.objective_function_value
    ):
        report.values(lambda: engine.getSolution().col_value)
    status = engine.modelStatusToString(engine.getModelStatus()).lower()
    report.end(status=status, bound=info.mip_dual_bound, nodes=info.mip_node_count)


def scip(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """SCIP through PySCIPOpt; `primal`: with its aggressive heuristics."""
    import pyscipopt

    engine = pyscipopt.Model()
    engine.hideOutput()
    engine.readProblem(path)
    columns = engine.getVars()
    report.names([column.name for column in columns])
    report.sense = -1 if engine.getObjectiveSense() == "maximize" else 1
    engine.setParams({"lp/threads": 1, "randomization/randomseedshift": seed})
    if given.get("primal"):
        engine.setHeuristics(pyscipopt.SCIP_PARAMSETTING.AGGRESSIVE)
    engine.setParam("limits/time", report.left)

    def values() -> list[float]:
        solution = engine.getBestSol()
        return [engine.getSolVal(solution, column) for column in columns]

    class Best(pyscipopt.Eventhdlr):
        def eventinit(self) -> None:
            engine.catchEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexit(self) -> None:
            engine.dropEvent(pyscipopt.SCIP_EVENTTYPE.BESTSOLFOUND, self)

        def eventexec(self, event: Any) -> None:
            if report.value(engine.getSolObjVal(engine.getBestSol())):
                report.values(values, dear=True)

    engine.includeEventhdlr(Best(), "best", "notes better solutions")
    engine.optimize()
    if engine.getNSols():
        report.value(engine.getObjVal())
        report.values(values)
    report.end(status=engine.getStatus(), bound=engine.getDualbound(), nodes=engine.getNTotalNodes())


def cp_sat(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """CP-SAT through the reader of OR-Tools; all its searches, large neighbourhoods included, share one thread."""
    from ortools.linear_solver.python import model_builder

    model = model_builder.Model()
    if not model.import_from_mps_file(path):
        raise SystemExit("cp-sat cannot read the file")
    columns = model.get_variables()
    report.names([column.name for column in columns])
    report.sense = -1 if model.helper.maximize() else 1
    engine = model_builder.Solver("sat")
    engine.enable_output(True)  # it reports solutions only in its log
    engine.set_time_limit_in_seconds(report.left)
    engine.set_solver_specific_parameters(
        f"num_workers:1 interleave_search:true log_search_progress:true random_seed:{seed}"
    )
    log = report.folder / "log"
    began = report.seconds
    with to_file(log):
        status = engine.solve(model)
    found = status in (model_builder.SolveStatus.OPTIMAL, model_builder.SolveStatus.FEASIBLE)
    for seconds, value in re.findall(r"^#\d+\s+([0-9.]+)s best:(\S+)", log.read_text(), re.MULTILINE):
        report.value(float(value), began + float(seconds))
    if found:
        report.value(engine.objective_value)
        report.values(lambda: list(engine.values(columns)))
    bound = engine.best_objective_bound if found else None
    report.end(status=status.name.lower(), bound=bound)


def localmip(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """Local-MIP through its wheel, with default parameters."""
    import localmip_py

    engine = localmip_py.LocalMIP()
    engine.set_model_file(path)
    engine.set_random_seed(seed)
    engine.set_log_obj(True)
    engine.set_time_limit(report.left)
    log = report.folder / "log"
    with to_file(log):
        engine.run()
    model = engine.get_model_manager()
    report.sense = 1 if model.is_min else -1
    # Its log counts seconds from the start of the search, whose time follows from the last entry.
    text = log.read_text()
    ended = re.search(r"\[\s*([0-9.]+)\] local search is (?:finished|terminated)", text)
    began = report.seconds - (float(ended.group(1)) if ended else 0.0)
    for seconds, value in re.findall(r"\[\s*([0-9.]+)\] obj\*: (\S+)", text):
        report.value(float(value), began + float(seconds))
    report.names([model.var(number).name for number in range(model.var_num)])
    if engine.is_feasible():
        report.value(engine.get_obj_value())
        report.values(engine.get_solution)
    report.end(status="feasible" if engine.is_feasible() else "unknown")


def balans(path: str, seed: int, report: Report, given: dict[str, Any]) -> None:
    """Balans in its default configuration (SCIP), with its default of a sixth of the time for the first solution."""
    import alns
    from balans import solver as package
    from balans.base_instance import _Instance

    def watched(name: str) -> None:
        """Record the solution that a method of the instance returns, with its value in the method's sense."""
        method = getattr(_Instance, name)

        def call(self: Any, *arguments: Any, **named: Any) -> Any:
            columns = self.mip.variables
            if report.best is None:
                report.names([column.name for column in columns])
                report.sense = -1 if self.mip.is_obj_sense_changed else 1
            answer = method(self, *arguments, **named)
            by_index, value = answer
            if by_index and abs(value) < 9_999_999 and report.value(report.sense * value):
                report.values(lambda: [by_index[column.getIndex()] for column in columns])
            return answer

        setattr(_Instance, name, call)

    watched("initial_solve")
    watched("solve")
    seconds = report.left
    engine = package.Balans(
        seed=seed + 1, stop=alns.stop.MaxRuntime(seconds), timelimit_first_solution=max(1.0, seconds / 6)
    )
    with to_file(report.folder / "log"):
        engine.solve(path)
    report.end(status="feasible" if report.best is not None else "unknown")


@contextlib.contextmanager
def to_file(path: Path) -> Any:
    """Redirect standard output to a file, including the output of libraries."""
    sys.stdout.flush()
    kept = os.dup(1)
    with path.open("wb") as file:
        os.dup2(file.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        flush_all()
        os.dup2(kept, 1)
        os.close(kept)


def flush_all() -> None:
    """Flush the buffers of the C library."""
    import ctypes

    ctypes.CDLL(None).fflush(None)


TOOLS = {
    "matheur": matheur, "highs": highs, "scip": scip, "cp-sat": cp_sat, "localmip": localmip, "balans": balans,
}  # fmt: skip


def main() -> None:
    """Solve one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", choices=TOOLS)
    parser.add_argument("file")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--given", type=json.loads, default={}, help="what else the solver is told, a JSON object")
    options = parser.parse_args()
    report = Report(options.folder, options.seconds)
    try:
        TOOLS[options.tool](options.file, options.seed, report, dict(options.given))
    except ImportError as error:
        report.end(missing=str(error))


if __name__ == "__main__":
    main()
