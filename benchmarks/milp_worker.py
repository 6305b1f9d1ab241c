"""Compare solves on arrays in a separate process: a fork for each solve, or a persistent worker that gets the changes.

    python benchmarks/milp_worker.py                  # generated: 10,000 and 100,000 nonzeros
    python benchmarks/milp_worker.py model.mps --calls 20

The worker is an interpreter with NumPy and HiGHS that gets the model once, and bounds for each solve; it restores the
model after each. `fork` is `matheur.solvers.highs_arrays` as it is; the check of the answer is the same for both and
left out. Milliseconds: `start` until the first solve can begin; `wall` (minimum, median) and `cpu` of a call minus
those of the solver; `stop` from the decision to stop a solve until the next one can begin. `MB` is the memory that only
the solver's process uses. `same` states whether a solve gives the same values and nodes whatever was solved before.
Decision record 88 is based on this comparison.
"""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

import numpy as np

Answer = tuple[Any, int, float, float, float]  # values, nodes, of the solver: wall, processor; private memory


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="models")
    parser.add_argument("--calls", type=int, default=15)
    parser.add_argument("--largest", type=int, default=100_000, help="nonzeros of the largest generated model")
    parser.add_argument("--serve", nargs=2, type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        sys.path.insert(0, str(Path(__file__).parent))  # -P leaves the folder out
        serve(Connection(asked.serve[0], writable=False), Connection(asked.serve[1], readable=False))
        return
    from milp_overhead import models

    heads = f"{'start':>9}{'wall':>9}{'median':>9}{'cpu':>9}{'stop':>9}{'MB':>9}  same"
    print(f"{'model':28}{'nonzeros':>10} {'way':8}{heads}", flush=True)
    for name, (model, values) in models(asked.files, asked.largest):
        for way, made in (("fork", Fork), ("worker", Worker)):
            shown = "".join(f"{one:9.1f}" for one in compared(made, model, values, asked.calls))
            print(f"{name:28}{len(model.data):>10,} {way:8}{shown}  {repeats(made)}", flush=True)


def compared(made: Callable[[Any], Any], model: Any, values: Any, calls: int) -> tuple[float, ...]:
    """Start; minimum and median of wall time; median of processor time; stop; and memory."""
    began = time.perf_counter()
    way = made(model)
    start = time.perf_counter() - began
    walls, cpus, memory = [], [], 0.0
    for _ in range(calls):
        wall, cpu = time.perf_counter(), way.processor()
        _, _, solver_wall, solver_cpu, memory = way.solve(values, values)
        walls.append(time.perf_counter() - wall - solver_wall)
        cpus.append(way.processor() - cpu - solver_cpu)
    began = time.perf_counter()
    way.stop()
    stop = time.perf_counter() - began
    way.close()
    seconds = (start, min(walls), statistics.median(walls), statistics.median(cpus), stop)
    return (*(1000 * one for one in seconds), memory / 1e6)


def repeats(made: Callable[[Any], Any]) -> bool:
    """Whether solves with a search tree end the same alone and after others."""
    model = market_split()
    free = (model.lower, model.upper)
    fixed = []
    for column in range(6):
        upper = model.upper.copy()
        upper[column] = 0
        fixed.append((model.lower, upper))
    alone = []
    for bounds in (free, *fixed):
        way = made(model)
        alone.append(way.solve(*bounds)[:2])
        way.close()
    way = made(model)
    after = [way.solve(*bounds)[:2] for bounds in (free, *fixed)]
    way.close()
    pairs = zip(alone, after, strict=True)
    return all(np.array_equal(one[0], other[0]) and one[1] == other[1] for one, other in pairs)


def market_split() -> Any:
    """Market split problem: three rows to be halved, with penalised slack."""
    from scipy.sparse import csr_array

    from matheur.linear.model import LinearModel

    height, width = 3, 18
    weights = np.random.default_rng(1).integers(0, 100, (height, width)).astype(float)
    matrix = csr_array(np.hstack([weights, np.eye(height), -np.eye(height)]))
    half, total = np.floor(weights.sum(axis=1) / 2), width + 2 * height
    return LinearModel(
        starts=matrix.indptr.astype(np.int64), columns=matrix.indices.astype(np.int32), data=matrix.data,
        row_lower=half, row_upper=half, lower=np.zeros(total),
        upper=np.concatenate([np.ones(width), np.full(2 * height, 5000.0)]),
        cost=np.concatenate([np.zeros(width), np.ones(2 * height)]), integral=np.arange(total) < width,
        row_names=[f"r{row}" for row in range(height)], column_names=[f"x{column}" for column in range(total)],
    )  # fmt: skip


class Fork:
    """The approach of the package."""

    def __init__(self, model: Any) -> None:
        from milp_overhead import SPENT, watch_solvers

        from matheur.solvers import get_backend, highs_arrays

        get_backend("highs")
        if not hasattr(highs_arrays, "watched"):
            watch_solvers(memory=True)
            highs_arrays.watched = True
        self.model, self.spent = model, SPENT
        highs_arrays._engine_of(model)

    def solve(self, lower: Any, upper: Any) -> Answer:
        """Run one solve in a separate process."""
        from matheur.solvers import SolveRequest, highs_arrays
        from matheur.solvers.linear_task import LinearTask, Restriction

        self.spent[:] = 0
        task, request = LinearTask(self.model, Restriction(lower=lower, upper=upper)), SolveRequest(seconds=600)
        ended = highs_arrays.begin_task(task, request, time.perf_counter()).run(request)
        wall, cpu, memory = self.spent.tolist()
        return ended.values, ended.nodes, wall, cpu, memory

    def processor(self) -> float:
        """Processor seconds of this process and of its children that have ended."""
        from milp_overhead import processor

        return processor()

    def stop(self) -> None:
        """Start a solve that does not end, and kill it."""
        child = os.fork()
        if child == 0:
            time.sleep(600)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    def close(self) -> None:
        """Do nothing: no process remains."""


class Worker:
    """A persistent interpreter."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.begin()

    def begin(self) -> None:
        """Start the worker, and pass the model to it."""
        theirs_in, self.out = Pipe(duplex=False)
        self.into, theirs_out = Pipe(duplex=False)
        ends = (theirs_in.fileno(), theirs_out.fileno())
        command = [sys.executable, "-P", "-W", "ignore", __file__, "--serve", *map(str, ends)]
        self.process = subprocess.Popen(command, pass_fds=ends, start_new_session=True)
        theirs_in.close()
        theirs_out.close()
        model = self.model
        arrays = (
            model.starts, model.columns, model.data, model.row_lower, model.row_upper, model.lower, model.upper,
            model.cost, model.integral, model.offset, model.maximise,
        )  # fmt: skip
        self.out.send(arrays)
        self.used: float = self.into.recv()

    def solve(self, lower: Any, upper: Any) -> Answer:
        """Run one solve in the worker."""
        self.out.send((lower, upper))
        *answer, self.used = self.into.recv()
        return tuple(answer)

    def processor(self) -> float:
        """Processor seconds of this process and of the worker, up to its last answer."""
        return time.process_time() + self.used

    def stop(self) -> None:
        """Kill the worker, and prepare another one."""
        self.process.kill()
        self.process.wait()
        self.begin()

    def close(self) -> None:
        """End the worker."""
        self.process.kill()
        self.process.wait()


def serve(asked: Connection, answers: Connection) -> None:
    """Solve what is requested until the connection closes."""
    from threading import Thread

    import highspy
    from milp_memory import private_memory

    starts, columns, data, row_lower, row_upper, lower, upper, cost, integral, offset, maximise = asked.recv()
    engine, width = highspy.Highs(), len(cost)
    engine.setOptionValue("output_flag", False)
    engine.setOptionValue("small_matrix_value", 1e-12)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = width, len(row_lower)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, upper
    lp.row_lower_, lp.row_upper_, lp.offset_ = row_lower, row_upper, offset
    lp.sense_ = highspy.ObjSense.kMaximize if maximise else highspy.ObjSense.kMinimize
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = starts.astype(np.int32), columns, data
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    lp.integrality_ = [kinds[whole] for whole in integral.tolist()]
    engine.passModel(lp)
    for name, value in (("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-6), ("time_limit", 600.0)):
        engine.setOptionValue(name, value)
    every = np.arange(width, dtype=np.int32)
    answers.send(time.process_time())
    while True:
        try:
            low, high = asked.recv()
        except EOFError:
            return
        engine.changeColsBounds(width, every, low, high)
        wall, cpu = time.perf_counter(), time.process_time()
        thread = Thread(target=engine.run)
        thread.start()
        thread.join()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        values, nodes = np.array(engine.getSolution().col_value), engine.getInfo().mip_node_count
        answers.send((values, nodes, wall, cpu, private_memory(), time.process_time()))
        engine.changeColsBounds(width, every, lower, upper)
        engine.clearSolver()


if __name__ == "__main__":
    main()
