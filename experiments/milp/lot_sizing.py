"""Compare lot sizing with groups with the MILP solver alone in the same time, as one JSON line per run.

    python experiments/milp/lot_sizing.py                                    # three sizes, 5 instances, 3 seeds, 60 s
    python experiments/milp/lot_sizing.py --sizes 50x30 --solver scip
    python experiments/milp/lot_sizing.py --train --seeds 0 --seconds 20     # other instances, for tuning options
    python experiments/milp/lot_sizing.py --sizes 20x20 --seconds 12 --stretch 6
    python experiments/milp/report.py                                        # docs/results-milp.md

Methods: `solver` (the MILP solver for the whole time) and `groups` (the result for a Pyomo user who names the index
sets of the model: `matheur.solve(model, groups=[...])`). Instances come from the generator in `models/lot_sizing.py`;
numbers from 101 are for the report, `--train` uses those from 1. The runs are separate processes, executed sequentially
with one thread. Each adds a line with its CPU seconds to `results/lot_sizing.jsonl`; existing runs are not repeated, so
that an interrupted command can be continued.

On a busy machine, `--stretch N` turns the limit into CPU seconds: all wall-clock limits are multiplied by N, and a run
is stopped once it and its processes have used the CPU seconds. N should be about the wall-clock time that a CPU second
takes there.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import matheur
from matheur.models import lot_sizing
from matheur.running.result import versions

RESULTS = Path(__file__).resolve().parent / "results" / "lot_sizing.jsonl"
KEY = ("size", "instance", "method", "seed", "seconds", "solver", "stretch")
METHODS: dict[str, dict[str, Any]] = {
    "solver": {"preset": "solver"},
    "groups": {"groups": ["periods", "items_"]},
}
CALLED, CALL = ("groups", "rins", "crossover"), 3.0  # neighbourhoods of `groups`, and the time limit of their calls
FIRST, FIRST_OF_TRAINING, INSTANCES = 101, 1, 5

LOOK = 0.2

Row = dict[str, Any]


class CpuClock:
    """CPU seconds of this process and its children, including running ones; sampled a few times a second."""

    def __init__(self) -> None:
        self._value, self._looked = 0.0, -1.0

    def __call__(self) -> float:
        if time.monotonic() - self._looked > LOOK:
            self._value, self._looked = self._now(), time.monotonic()
        return self._value

    def _now(self) -> float:
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        ticks, own = 0, os.getpid()
        for file in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):  # the process has just ended
                fields = file.read_text().rpartition(")")[2].split()
                if int(fields[1]) == own:
                    ticks += int(fields[11]) + int(fields[12])
        return sum(it.ru_utime + it.ru_stime for it in used) + ticks / os.sysconf("SC_CLK_TCK")


def one(size: str, instance: int, method: str, seed: int, seconds: float, solver: str, stretch: int) -> Row:
    """Make a run in this process."""
    items, periods = map(int, size.split("x"))
    model = lot_sizing.build(lot_sizing.generate(items, periods, instance))
    limits: dict[str, Any] = {"seconds": seconds}
    cpu = CpuClock()
    if stretch:
        last = cpu() + seconds
        limits = {"seconds": seconds * stretch, "interrupt": lambda: cpu() >= last}
        if method != "solver":
            limits["settings"] = [f"neighbourhood.{name}.seconds={CALL * stretch}" for name in CALLED]
    result = matheur.solve(model, solver=solver, seed=seed, **METHODS[method], **limits)
    return {
        **dict(zip(KEY, (size, instance, method, seed, seconds, solver, stretch), strict=True)),
        "objective": result.objective,
        "bound": result.bound,
        "status": result.status,
        "took": round(result.seconds, 2),
        "cpu": round(cpu(), 2),
        "load": round(os.getloadavg()[0], 1),
        "calls": {name: it.calls for name, it in result.operators.items()},
        "date": date.today().isoformat(),
        "versions": versions(),
    }


def known() -> list[Row]:
    """Read the stored rows."""
    if not RESULTS.exists():
        return []
    return [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def wanted(options: argparse.Namespace) -> Iterator[tuple[Any, ...]]:
    """Keys of the requested runs, with the methods of an instance in succession."""
    first = FIRST_OF_TRAINING if options.train else FIRST
    numbers = range(first, first + options.instances)
    for size, seed, number, method in product(options.sizes, options.seeds, numbers, METHODS):
        yield size, number, method, seed, options.seconds, options.solver, options.stretch


def run_all(options: argparse.Namespace) -> None:
    """Make the missing runs."""
    RESULTS.parent.mkdir(exist_ok=True)
    matheur.solve("milp/lot-sizing", seconds=5)  # kernels are compiled once per machine, outside of any run
    there = {tuple(row[key] for key in KEY) for row in known()}
    for key in wanted(options):
        if key in there:
            continue
        command = [sys.executable, __file__, "--one", json.dumps(key)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{key}: {done.stderr}")
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(done.stdout)
        row = json.loads(done.stdout)
        print(*(f"{name}={row[name]}" for name in (*KEY, "objective", "cpu")), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=lambda text: text.split(","), default=["20x20", "50x30", "80x40"])
    parser.add_argument("--instances", type=int, default=INSTANCES)
    parser.add_argument("--seeds", type=lambda text: [int(seed) for seed in text.split(",")], default=[0, 1, 2])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--solver", default="highs")
    parser.add_argument(
        "--stretch", type=int, default=0, help="limits are CPU seconds, those of the clock N times that"
    )
    parser.add_argument("--train", action="store_true", help="the instances to try options on")
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        print(json.dumps(one(*options.one)))
    else:
        run_all(options)


if __name__ == "__main__":
    main()
