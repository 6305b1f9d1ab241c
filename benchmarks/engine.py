"""Overhead of the engine itself, and a check for memory growth.

    python benchmarks/engine.py
    python benchmarks/engine.py soak --minutes 60 --jobs 2

Without a command: 100,000 iterations of operators that do almost nothing, with every schedule and acceptance criterion.
Reports processor microseconds per iteration, including the operator's own, and the growth of the process's memory after
the first tenth.

`soak` runs `matheur solve` on a 16 x 16 board, all jobs with the `record` preset, a trace and a checkpoint. It sums the
memory of its processes every few seconds and reports the minimum and maximum of each part of the time.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from memory import by_part, resident, watched
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import Budget, LocalSearch, Named, Outcome, Status
from matheur.engine.acceptance import Annealing, LateAcceptance, NonWorsening, RecordToRecord
from matheur.engine.schedules import Cycle, Descent, GainPerSecond, QLearning, Roulette
from matheur.problems.quadratic_assignment import QuadraticAssignment, generate


@dataclass(frozen=True, slots=True)
class Nothing:
    """Does nothing and finds nothing."""

    def explore(self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator) -> Outcome[Any]:
        """Return no improvement."""
        return Outcome(Status.NO_IMPROVEMENT)


@dataclass(frozen=True, slots=True)
class Exchange:
    """Exchanges two facilities, whatever the result."""

    def explore(self, problem: Any, incumbent: NDArray[np.int32], budget: Budget, rng: Generator) -> Outcome[Any]:
        """Return another assignment."""
        one, other = rng.integers(len(incumbent), size=2)
        changed = incumbent.copy()
        changed[[one, other]] = changed[[other, one]]
        return Outcome(Status.NO_IMPROVEMENT, changed, problem.evaluate(changed).objective)


def iterations(count: int, seeds: int) -> None:
    """Print the table of microseconds."""
    problem = QuadraticAssignment(generate("uniform", 12)[0])
    start = np.arange(12, dtype=np.int32)
    schedules: list[type[Any]] = [Cycle, Descent, GainPerSecond, Roulette, QLearning]
    criteria: list[type[Any]] = [NonWorsening, RecordToRecord, LateAcceptance, Annealing]
    settings = [
        *((one.__name__, one, NonWorsening, Nothing()) for one in schedules),
        *((f"Cycle, {one.__name__}", Cycle, one, Exchange()) for one in criteria),
    ]
    print(f"{count:,} iterations, median of {seeds} seeds")
    print("schedule, acceptance        operator  us an iteration  MiB more")
    for name, schedule, acceptance, operator in settings:
        figures, grown = [], []
        for seed in range(seeds):
            neighbourhoods = [Named("one", operator), Named("other", operator)]
            search = LocalSearch(problem, None, neighbourhoods, schedule=schedule(), acceptance=acceptance())
            search.run(Budget(iterations=count // 10), seed, start=start)
            before, began = resident(), time.process_time()
            search.run(Budget(iterations=count), seed, start=start)
            figures.append((time.process_time() - began) / count * 1e6)
            grown.append(resident() - before)
        print(f"{name:27} {type(operator).__name__:9} {statistics.median(figures):15.1f} {max(grown):9.2f}", flush=True)


def soak(minutes: float, jobs: int, seed: int) -> None:
    """Print the table of memory."""
    with tempfile.TemporaryDirectory() as folder:
        board = Path(folder) / "board.txt"
        colours = [f"--set={one}" for one in ("inner_colours=17", "frame_colours=5")]
        made = ["matheur", "generate", "edge-matching", "--size", "16", *colours]
        subprocess.run([*made, "--seed", str(seed), "--out", str(board)], check=True, capture_output=True)
        command = [
            "matheur", "solve", str(board), "--preset", "record", "--jobs", str(jobs), "--seconds", str(60 * minutes),
            "--seed", str(seed), "--trace", f"{folder}/trace.jsonl", "--checkpoint", f"{folder}/state.json",
            "--out", f"{folder}/result.json",
        ]  # fmt: skip
        began = time.monotonic()
        with (
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
            watched(process.pid) as looks,
        ):
            printed, errors = process.communicate()
        print(" ".join(command[1:]), f"-> exit {process.returncode} after {time.monotonic() - began:.0f} s")
        print(printed[-500:], errors[-500:])
        print("minutes         least MiB  most MiB")
        for begin, end, least, most in by_part(looks, 60 * minutes):
            print(f"{begin / 60:5.1f} to {end / 60:5.1f}  {least:9.0f} {most:9.0f}")
        print(f"files: {', '.join(f'{one.name} {one.stat().st_size:,}' for one in sorted(Path(folder).iterdir()))}")


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    parser.add_argument("--iterations", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=3)
    one = commands.add_parser("soak")
    one.add_argument("--minutes", type=float, default=60)
    one.add_argument("--jobs", type=int, default=2)
    one.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "soak":
        soak(options.minutes, options.jobs, options.seed)
    else:
        iterations(options.iterations, options.seeds)
        print(f"Python {sys.version.split()[0]}, numpy {np.__version__}, load {os.getloadavg()[0]:.1f}")
        print(f"largest memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
