"""Overhead of one solve of a restricted linear program over the solver's own time, by backend and interface.

    python benchmarks/milp_overhead.py                            # generated: 10,000, 100,000 and 1,000,000 nonzeros
    python benchmarks/milp_overhead.py model.mps other.lp --only highs
    python benchmarks/milp_overhead.py --calls 20 --pyomo         # through Pyomo, too

All columns are fixed at feasible values, so that the solver has almost nothing to do; rows of files that these values
violate are relaxed. `first` is the first call, which passes the model to the solver. `wall` and `cpu` are milliseconds
of a call minus those of the solver: the minimum and the median of wall time, and the median of the processor time of
this process and of the solver's. CP-SAT runs in a separate interpreter that is not measured: its numbers are those of
the whole call. If other programs use the machine, wall times increase, but processor times hardly do.
"""

from __future__ import annotations

import argparse
import mmap
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from milp_memory import private_memory
from numpy.typing import NDArray
from scipy.sparse import csr_array

from matheur.linear.model import LinearModel
from matheur.running.loading import load_instance
from matheur.solvers import MilpStatus, SolveRequest, get_backend, highs, scip, scip_arrays
from matheur.solvers.linear import solve_linear
from matheur.solvers.linear_pyomo import solve_through_pyomo
from matheur.solvers.linear_task import LinearTask, Restriction

SIZES = (10_000, 100_000, 1_000_000)
ROW = 10  # nonzeros per row
Values = NDArray[np.float64]

SPENT = np.frombuffer(mmap.mmap(-1, 24), dtype=np.float64)  # in the solver's process: wall, processor, own memory


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="models")
    parser.add_argument("--only", nargs="+", default=["highs", "scip"], help="backends")
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--pyomo", action="store_true", help="through Pyomo, too")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="nonzeros of the largest generated model")
    asked = parser.parse_args()
    watch_solvers()
    print(f"{'model':28}{'nonzeros':>10} {'way':14}{'first':>9}{'wall':>9}{'median':>9}{'cpu':>9}", flush=True)
    for name, (model, values) in models(asked.files, asked.largest):
        for backend in asked.only:
            ways = {backend: lambda task, at=backend: by_arrays(at, task)}
            if asked.pyomo:
                ways[f"{backend}, Pyomo"] = lambda task, at=backend: by_pyomo(at, task)
            for way, solve in ways.items():
                first, *others = measured(solve, model, values, asked.calls)
                walls, cpus = zip(*others, strict=True)
                shown = (first[0], min(walls), statistics.median(walls), statistics.median(cpus))
                print(f"{name:28}{len(model.data):>10,} {way:14}", *(f"{1000 * one:8.1f}" for one in shown), flush=True)


def models(files: list[str], largest: int) -> Iterator[tuple[str, tuple[LinearModel, Values]]]:
    """Models with feasible values, by name."""
    for name in files:
        model = load_instance(name)[1].model
        values = np.clip(0.0, model.lower, model.upper)
        values = np.where(model.integral, np.ceil(values), values)
        shown = model.matrix @ values
        wide = {"row_lower": np.minimum(model.row_lower, shown), "row_upper": np.maximum(model.row_upper, shown)}
        yield Path(name).name.partition(".")[0], (replace(model, **wide), values)
    for size in () if files else SIZES:
        if size <= largest:
            yield "generated", generated(size)


def generated(size: int) -> tuple[LinearModel, Values]:
    """A random packing model with the given number of nonzeros, and feasible values."""
    rng = np.random.default_rng(1)
    height, width = size // ROW, size // 5
    columns = np.sort(rng.permuted(np.tile(np.arange(width), 5)[:size]).reshape(height, ROW), axis=1)
    matrix = csr_array(
        (rng.integers(1, 50, size).astype(float), columns.ravel(), np.arange(0, size + 1, ROW)), shape=(height, width)
    )
    matrix.sum_duplicates()
    values = rng.integers(0, 3, width).astype(float)
    model = LinearModel(
        starts=matrix.indptr.astype(np.int64), columns=matrix.indices.astype(np.int32), data=matrix.data,
        row_lower=np.full(height, -np.inf), row_upper=matrix @ values + 10,
        lower=np.zeros(width), upper=np.full(width, 5.0), cost=-rng.integers(1, 100, width).astype(float),
        integral=np.ones(width, dtype=bool), row_names=[f"r{row}" for row in range(height)],
        column_names=[f"x{column}" for column in range(width)],
    )  # fmt: skip
    return model, values


def by_arrays(backend: str, task: LinearTask) -> MilpStatus:
    """Solve through the array interface that every neighbourhood uses."""
    return solve_linear(get_backend(backend), task.model, SolveRequest(seconds=600), task.restriction).status


def by_pyomo(backend: str, task: LinearTask) -> MilpStatus:
    """Solve as with a backend that accepts only Pyomo models."""
    return solve_through_pyomo(get_backend(backend), task, SolveRequest(seconds=600), None).status


def measured(
    solve: Callable[[LinearTask], MilpStatus], model: LinearModel, values: Values, calls: int
) -> Iterator[tuple[float, float]]:
    """Wall and processor seconds of each call, minus those of the solver."""
    for _ in range(calls + 1):
        SPENT[:] = 0
        wall, cpu = time.perf_counter(), processor()
        status = solve(LinearTask(model, Restriction(lower=values, upper=values)))
        wall, cpu = time.perf_counter() - wall, processor() - cpu
        if status is not MilpStatus.OPTIMAL:
            raise SystemExit(f"the solve ended with {status}")
        yield wall - SPENT[0], cpu - SPENT[1]


def processor() -> float:
    """Processor seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def watch_solvers(*, memory: bool = False) -> None:
    """Make the solvers' processes store in `SPENT` the time of the library itself."""

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            wall, cpu = time.perf_counter(), time.process_time()
            try:
                return function(*given)
            finally:
                SPENT[:2] += time.perf_counter() - wall, time.process_time() - cpu
                SPENT[2] = private_memory() if memory else 0.0

        return call

    highs._run_in_thread = timed(highs._run_in_thread)
    scip.optimise = scip_arrays.optimise = timed(scip.optimise)


if __name__ == "__main__":
    main()
