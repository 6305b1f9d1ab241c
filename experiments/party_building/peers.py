"""Compare CP-SAT, the solver of squad-building programs, with `matheur.solve` on the same puzzles.

    python experiments/party_building/peers.py --level 75 80 --synergy 0.6 0.8 --seconds 60 --seeds 3
    python experiments/party_building/peers.py --builtin type1 type2 type3 --methods ours native-values --workers 2
    python experiments/party_building/peers.py --report

Lines are appended to `results/peers.jsonl`; existing runs are skipped, so that an interrupted script can be continued.

Methods: `ours` (`matheur.solve` with defaults; `--jobs` equal to the workers), `native-values`, `native-equality` (the
puzzle formulated directly for CP-SAT, see `peer_cp_sat.py`), the same with `-lp` (all rows in CP-SAT's LP),
`model-cp-sat` and `model-highs` (matheur's MILP in one solve of that solver). Seconds count from the instance in memory
and include building the model.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from puzzles import write

from matheur.models.party import build
from matheur.problems.party import BUILTINS, Party, builtin, load
from matheur.running.result import versions
from matheur.solvers import SolveRequest, get_backend

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "peers.jsonl"
NATIVE = {
    f"native-{formulation}{suffix}": (formulation, linearization)
    for formulation in ("values", "equality")
    for suffix, linearization in (("", None), ("-lp", 2))
}
MODELS = {"model-cp-sat": "cp-sat", "model-highs": "highs"}
METHODS = ("ours", *NATIVE, *MODELS)
KEYS = ("puzzle", "method", "workers", "seed", "limit")
LATE = 60  # seconds that a process may take beyond its limit: to start, to read, to compile kernels

TITLE = (
    "## Compared with CP-SAT and HiGHS",
    "",
    "The same puzzles with two workers (for our method two processes with different seeds; HiGHS uses one thread). No",
    "run knows a price beforehand. `native-values` and `native-equality` are models written directly for CP-SAT, by",
    "the values of the traits or by the equality of each pair of neighbours. `model-...` is our MILP, solved once by",
    "that solver. `-` means that there is no value within the limit.",
    "",
)
Trace = list[tuple[float, int]]


def puzzles(given: argparse.Namespace, folder: Path) -> Iterator[tuple[str, str]]:
    """Name and file (or built-in name) of each puzzle."""
    for name in given.builtin:
        yield f"party/{name}", f"party/{name}"
    for formation in given.formation if given.level else ():
        for level in given.level:
            for synergy in given.synergy:
                path = write(folder, formation, level, synergy, cards=given.cards)
                yield path.stem, str(path)


def run(method: str, puzzle: str, workers: int, seed: int, seconds: float) -> dict[str, Any]:
    """Make one run: status, price, bound, seconds to the end, and the improvements on the way."""
    if method == "ours":
        return ours(puzzle, workers, seed, seconds)
    if method in NATIVE:
        return native(puzzle, *NATIVE[method], workers, seed, seconds)
    return model(puzzle, MODELS[method], workers, seed, seconds)


def ours(puzzle: str, workers: int, seed: int, seconds: float) -> dict[str, Any]:
    """Run the default of `matheur solve` in a separate process."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.jsonl"
        limits = ["--seconds", str(seconds), "--seed", str(seed), "--jobs", str(workers)]
        command = [sys.executable, "-c", "from matheur.cli import main; main()", "solve", puzzle, "--json"]
        found = last_line([*command, *limits, "--trace", str(trace)], seconds)
        events = [json.loads(line) for line in trace.read_text().splitlines()]
    improvements = [(event["seconds"], event["objective"]) for event in events if event["event"] == "incumbent"]
    return answer(found["status"], found["objective"], found["bound"], found["seconds"], improvements)


def native(
    puzzle: str, formulation: str, linearization: int | None, workers: int, seed: int, seconds: float
) -> dict[str, Any]:
    """Run the CP-SAT formulation of the puzzle in a separate process."""
    command = [sys.executable, str(HERE / "peer_cp_sat.py"), puzzle, "--formulation", formulation]
    command += ["--seconds", str(seconds), "--workers", str(workers), "--seed", str(seed)]
    command += [] if linearization is None else ["--linearization", str(linearization)]
    lines = [json.loads(line) for line in output(command, seconds)]
    found = lines[-1]
    improvements = [(line["seconds"], line["price"]) for line in lines if line["event"] == "incumbent"]
    return answer(found["status"], found["price"], found["bound"], found["seconds"], improvements)


def model(puzzle: str, solver: str, workers: int, seed: int, seconds: float) -> dict[str, Any]:
    """Solve matheur's MILP of the whole puzzle by one solver alone."""
    name = puzzle.removeprefix("party/")
    problem = Party(builtin(name)) if name in BUILTINS else load(puzzle)
    began = time.perf_counter()
    built = build(problem.instance)
    written = time.perf_counter() - began
    request = SolveRequest(
        seconds=max(0.1, seconds - written), threads=workers, seed=seed, absolute_gap=0.999 * built.step
    )
    found = get_backend(solver).solve(built.model, request)
    price = None
    if found.has_solution:
        evaluation = problem.evaluate(built.read(found.values))
        if not evaluation.feasible:
            raise SystemExit(f"error: '{solver}' returned a party that violates: {evaluation.violations[0]}")
        price = int(evaluation.objective)
    bound = None if found.bound is None else math.ceil(found.bound - 1e-6 * max(1.0, abs(found.bound)))
    improvements = [(written + point.seconds, round(point.objective)) for point in found.trace]
    return answer(found.status.value, price, bound, time.perf_counter() - began, improvements)


def answer(status: str, price: int | None, bound: int | None, seconds: float, trace: Trace) -> dict[str, Any]:
    """Values that all methods report."""
    return {
        "status": status,
        "price": price,
        "bound": bound,
        "seconds": round(seconds, 2),
        "trace": [(round(second, 2), price) for second, price in trace],
    }


def output(command: Sequence[str], seconds: float) -> list[str]:
    """Output lines of a program."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + LATE, check=False)
    if done.returncode != 0 or not done.stdout.strip():
        raise SystemExit(f"error: {' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return done.stdout.splitlines()


def last_line(command: Sequence[str], seconds: float) -> Any:
    """JSON object that a program prints last."""
    return json.loads(output(command, seconds)[-1])


def known() -> list[dict[str, Any]]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Values that identify a run."""
    return tuple(row[name] for name in KEYS)


def report(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Medians over the seeds: last price and bound, seconds to the best price of all runs, and to the end."""
    yield from TITLE
    yield "| puzzle | method | workers | runs | price | bound | proofs | s to the best | s to the end |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    groups = defaultdict(list)
    for row in rows:
        groups[row["puzzle"], row["method"], row["workers"], row["limit"]].append(row)
    best = {puzzle: least([row["price"] for row in rows if row["puzzle"] == puzzle]) for puzzle, *_ in groups}
    for (puzzle, method, workers, _limit), runs in sorted(groups.items(), key=order):
        first = [reached(row["trace"], best[puzzle]) for row in runs]
        proofs = sum(row["status"] in ("optimal", "infeasible") for row in runs)
        yield (
            f"| {puzzle} | {method} | {workers} | {len(runs)} | {middle([row['price'] for row in runs])} "
            f"| {middle([row['bound'] for row in runs])} | {proofs} | {middle(first)} "
            f"| {middle([row['seconds'] for row in runs])} |"
        )


def order(group: tuple[tuple[Any, ...], Any]) -> tuple[Any, ...]:
    """Sort key: puzzle, method as listed, workers, limit."""
    (puzzle, method, workers, limit), _ = group
    return puzzle, METHODS.index(method), workers, limit


def least(prices: list[int | None]) -> int | None:
    """Minimum of the known prices."""
    return min((price for price in prices if price is not None), default=None)


def reached(trace: Trace, price: int | None) -> float | None:
    """Seconds to a party of a given price."""
    return next((seconds for seconds, shown in trace if price is not None and shown <= price), None)


def middle(values: list[Any]) -> str:
    """Median; missing values count as infinite."""
    found = statistics.median_high([math.inf if value is None else value for value in values])
    return "-" if found == math.inf else f"{found:g}"


def main() -> None:
    """Make the requested runs that are missing, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cards", choices=("fifa23", "fc25"), default="fifa23")
    parser.add_argument("--formation", nargs="+", default=["f442"])
    parser.add_argument("--level", nargs="*", type=Decimal, default=[], help="mean ratings of public puzzles")
    parser.add_argument("--synergy", nargs="+", type=Decimal, default=[Decimal("0.8")])
    parser.add_argument("--builtin", nargs="*", choices=list(BUILTINS), default=[], help="built-in puzzles")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seeds", type=int, default=1, help="runs with seeds 0, 1, ...")
    parser.add_argument("--seconds", type=float, default=60.0, help="limit of each run")
    parser.add_argument("--report", action="store_true", help="print the table of all rows")
    given = parser.parse_args()
    if given.report:
        print("\n".join(report(known())))
        return
    RESULTS.parent.mkdir(exist_ok=True)
    there = {key_of(row) for row in known()}
    facts = {
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "versions": {**versions(), "ortools": version("ortools")},
    }
    if "ours" in given.methods:  # kernels are compiled once per machine, not once per run
        ours("party/demo", 1, 0, 3.0)
    with tempfile.TemporaryDirectory() as folder, RESULTS.open("a") as file:
        for name, puzzle in puzzles(given, Path(folder)):
            for seed in range(given.seeds):
                for workers in given.workers:
                    for method in given.methods:
                        row = dict(zip(KEYS, (name, method, workers, seed, given.seconds), strict=True))
                        if key_of(row) in there:
                            continue
                        load_before = os.getloadavg()[0]
                        row |= run(method, puzzle, workers, seed, given.seconds)
                        row |= {"date": date.today().isoformat(), "load": round(load_before, 1), **facts}
                        file.write(json.dumps(row) + "\n")
                        file.flush()
                        print(name, method, workers, seed, row["status"], row["price"], row["bound"], row["seconds"])


if __name__ == "__main__":
    main()
