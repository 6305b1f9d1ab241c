"""CP-SAT in a separate interpreter: reads a model as JSON from standard input, writes JSON lines.

It is run as a program and imports nothing of this package: the libraries of OR-tools and highspy cannot live in one
process, because each brings its own HiGHS under the same name (https://github.com/google/or-tools/issues/5246).

Input: `lower`, `upper` (bounds by column), `rows` (columns, weights, lower and upper limit or null), `columns`,
`weights`, `offset`, `factor` (the objective to minimise, and how it is shown: factor * (sum + offset)), `most` (largest
sum of interest, or null), `enough` (sum to stop at, or null), `hint` (columns, values), `parameters`.

Output: lines with `bound` (proved, as shown), `values` and `bound`; the last one has `status`, or `error`, or `unknown`
(a parameter) with all the `known` ones.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
from threading import Lock
from types import ModuleType
from typing import Any

__all__: list[str] = []


def main() -> None:
    """Solve one model."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
    request = json.load(sys.stdin.buffer)
    send = _Sender()
    try:
        _solve(_cp_model(), request, send)
    except _UnknownError as error:
        send(unknown=error.name, known=error.known)
    except Exception as error:
        send(error=f"{type(error).__name__}: {error}")


class _UnknownError(Exception):
    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(name)
        self.name, self.known = name, known


class _Sender:
    """Writes whole lines, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()

    def __call__(self, **facts: Any) -> None:
        line = json.dumps(facts).encode() + b"\n"
        with self._lock:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()


def _cp_model() -> Any:
    """CP-SAT's module, without pandas if possible: its import takes half a second, for methods unused here.

    NumPy starts no threads: its linear algebra is unused, too.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    stub: Any = ModuleType("pandas")
    stub.Index = stub.Series = type("Unused", (), {})
    sys.modules["pandas"] = stub
    try:
        from ortools.sat.python import cp_model
    except AttributeError:
        del sys.modules["pandas"]
        from ortools.sat.python import cp_model
    return cp_model


def _solve(cp_model: Any, request: dict[str, Any], send: _Sender) -> None:
    program, solver = cp_model.CpModel(), cp_model.CpSolver()
    _fill(program.proto, request, cp_model.INT_MIN, cp_model.INT_MAX)
    _set_parameters(solver.parameters, request["parameters"])
    proved: list[float] = []  # the callback gets only proved bounds; the bound of an answer may be a placeholder
    bounded = bool(request["columns"])

    def bound() -> float | None:
        return proved[-1] if proved else None

    def on_bound(value: float) -> None:
        proved.append(value)
        send(bound=value)

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            values = list(self.response_proto.solution)
            send(values=values, bound=bound())
            if request["enough"] is not None and _total(request, values) <= request["enough"]:
                self.stop_search()

    if bounded:
        solver.best_bound_callback = on_bound
    status = solver.solve(program, Watch())
    if status == cp_model.MODEL_INVALID:
        raise ValueError(program.validate())
    solved = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    send(
        status=solver.status_name(status).lower(),
        values=list(solver.response_proto.solution) if solved else None,
        bound=solver.best_objective_bound if solved and bounded else bound(),
        conflicts=solver.num_conflicts,
    )


def _total(request: dict[str, Any], values: list[int]) -> int:
    pairs = zip(request["columns"], request["weights"], strict=True)
    return sum(weight * values[column] for column, weight in pairs)


def _fill(proto: Any, request: dict[str, Any], least: int, most: int) -> None:
    for low, high in zip(request["lower"], request["upper"], strict=True):
        proto.variables.add().domain.extend([low, high])
    for columns, weights, low, high in request["rows"]:
        linear = proto.constraints.add().linear
        linear.vars.extend(columns)
        linear.coeffs.extend(weights)
        linear.domain.extend([least if low is None else low, most if high is None else high])
    if request["columns"]:
        goal = proto.objective
        goal.vars.extend(request["columns"])
        goal.coeffs.extend(request["weights"])
        goal.offset, goal.scaling_factor = request["offset"], request["factor"]
        if request["most"] is not None:
            goal.domain.extend([least, request["most"]])
    columns, values = request["hint"]
    proto.solution_hint.vars.extend(columns)
    proto.solution_hint.values.extend(values)


def _set_parameters(parameters: Any, given: dict[str, Any]) -> None:
    described = getattr(parameters, "DESCRIPTOR", None)  # of protobuf, up to OR-tools 9.14
    known = [name for name in dir(parameters) if name.islower() and not name.startswith("_")]
    if described is not None:
        known = list(described.fields_by_name)
    for name, value in given.items():
        if name not in known:
            raise _UnknownError(name, known)
        try:
            if isinstance(value, list):
                getattr(parameters, name).extend(value)
            else:
                setattr(parameters, name, value)
        except (AttributeError, TypeError, ValueError) as error:
            raise ValueError(f"it refuses the option {name} = {value!r}: {str(error).splitlines()[0]}") from error


if __name__ == "__main__":
    main()
    os._exit(0)  # all answers are flushed; the orderly end of the libraries takes a sixth of the time of a small solve
