"""Run methods for quadratic assignment on public and generated instances, as one JSON line per run.

    python experiments/qaplib/run.py                                     # all public instances, 60 s, 5 seeds
    python experiments/qaplib/run.py --instances nug30,tai40a --methods genetic,robust-tabu --seconds 10
    python experiments/qaplib/run.py --instances uniform-50-1,blocks-75-2 # generated: kind, size, seed
    python experiments/qaplib/report.py                                  # docs/results-quadratic-assignment.md

Methods: `default` (the default preset), `genetic` and `robust-tabu` (one operator, until the time limit or the best
known value is reached), `faq` and `2opt` (SciPy, a single start from a random point, without a time limit). Public
instances are read from `MATHEUR_DATA` or `../shared/data` next to the checkout. Rows are appended to
`results/runs.jsonl`; existing runs are not repeated. All runs use one core; kernels are compiled beforehand.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import quadratic_assignment

import matheur
from matheur.engine.budget import Budget
from matheur.problems.quadratic_assignment import KINDS, QuadraticAssignment, generate, load
from matheur.problems.quadratic_assignment.operators.genetic import Genetic
from matheur.problems.quadratic_assignment.operators.robust_tabu import RobustTabu
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "runs.jsonl"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "assignment" / "qaplib"
KEY = ("instance", "method", "seed", "limit")
ENDLESS = 1 << 62

Row = dict[str, Any]


def best_known() -> dict[str, int]:
    """Best known values by name of the public instance."""
    with (DATA / "best_known.csv").open() as file:
        return {row["name"]: int(row["best_known"]) for row in csv.DictReader(file)}


def instance(name: str) -> QuadraticAssignment:
    """A public instance, or a generated one by kind, size and seed."""
    kind, *numbers = name.split("-")
    if kind in KINDS:
        size, seed = (int(number) for number in numbers)
        return QuadraticAssignment(generate(kind, size, seed=seed, name=name)[0])
    return load(DATA / f"{name}.dat")


class Clock:
    """Records the time of the best solution."""

    def __init__(self) -> None:
        self.began, self.best, self.when = time.perf_counter(), ENDLESS, 0.0

    def offer(self, _solution: Any, objective: float) -> None:
        if objective < self.best:
            self.best, self.when = int(objective), time.perf_counter() - self.began


def by_operator(method: str) -> Callable[[QuadraticAssignment, int, float, int | None], Row]:
    """Run one operator."""

    def run(problem: QuadraticAssignment, seed: int, limit: float, target: int | None) -> Row:
        rng, clock = np.random.default_rng(seed), Clock()
        budget = Budget(seconds=limit, target=target, on_incumbent=clock.offer)
        if method == "genetic":
            outcome = Genetic().build(problem, budget, rng)
        else:
            start = rng.permutation(problem.instance.n).astype(np.int32)
            outcome = RobustTabu(iterations=ENDLESS).explore(problem, start, budget, rng)
        return {"solution": outcome.solution, "found_after": clock.when, "work": budget.spent_work}

    return run


def by_preset(problem: QuadraticAssignment, seed: int, limit: float, target: int | None) -> Row:
    """Run the default preset."""
    clock = Clock()

    def listen(event: Row) -> None:
        if event["event"] == "incumbent":
            clock.offer(None, event["objective"])

    result = matheur.solve(problem, seed=seed, seconds=limit, target=target, observers=[listen])
    return {"solution": result.solution, "found_after": clock.when, "work": result.work, "bound": result.bound}


def by_scipy(method: str) -> Callable[[QuadraticAssignment, int, float, int | None], Row]:
    """Run one start of a method of SciPy."""

    def run(problem: QuadraticAssignment, seed: int, _limit: float, _target: int | None) -> Row:
        options: Row = {"rng": np.random.default_rng(seed)}
        if method == "faq":
            options |= {"P0": "randomized"}
        began = time.perf_counter()
        one = problem.instance
        found = quadratic_assignment(one.flows, one.distances, method=method, options=options)
        return {"solution": found.col_ind, "found_after": time.perf_counter() - began, "work": int(found.nit)}

    return run


METHODS: dict[str, Callable[[QuadraticAssignment, int, float, int | None], Row]] = {
    "default": by_preset,
    "genetic": by_operator("genetic"),
    "robust-tabu": by_operator("robust-tabu"),
    "faq": by_scipy("faq"),
    "2opt": by_scipy("2opt"),
}


def made(name: str, method: str, seed: int, limit: float, known: int | None) -> Row:
    """Make one run, and evaluate it from scratch."""
    problem = instance(name)
    began = time.perf_counter()
    row = METHODS[method](problem, seed, limit, known)
    seconds = time.perf_counter() - began
    evaluation = problem.evaluate(row.pop("solution"))
    if not evaluation.feasible:
        raise SystemExit(f"a wrong answer: {name} {method} {seed}: {evaluation}")
    return {
        "instance": name,
        "n": problem.instance.n,
        "best_known": known,
        "method": method,
        "seed": seed,
        "limit": limit,
        "objective": int(evaluation.objective),
        "seconds": round(seconds, 4),
        **row,
        "found_after": round(row["found_after"], 4),
    }


def warm(methods: list[str]) -> None:
    """Compile the kernels that the runs need: numbers of both widths, one and two terms."""
    for method in set(methods) & {"default", "genetic", "robust-tabu"}:
        for kind, scale in (("uniform", 1), ("asymmetric", 1), ("uniform", 10**9), ("asymmetric", 10**9)):
            one = generate(kind, 8)[0]
            problem = QuadraticAssignment(type(one)(one.flows, scale * one.distances))
            METHODS[method](problem, 0, 0.2, None)


def main() -> None:
    """Make the missing runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = best_known() if DATA.is_dir() else {}
    parser.add_argument("--instances", type=lambda text: text.split(","), default=list(known))
    parser.add_argument("--methods", type=lambda text: text.split(","), default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds per run")
    arguments = parser.parse_args()
    unknown = set(arguments.methods) - set(METHODS)
    if unknown:
        parser.error(f"methods are {', '.join(METHODS)}")
    RESULTS.parent.mkdir(exist_ok=True)
    lines = RESULTS.read_text().splitlines() if RESULTS.exists() else []
    there = {tuple(row[key] for key in KEY) for row in map(json.loads, lines)}
    wanted = [
        (name, method, seed, arguments.seconds)
        for name in arguments.instances
        for method in arguments.methods
        for seed in range(arguments.seeds)
    ]
    missing = [run for run in wanted if run not in there]
    warm(sorted({run[1] for run in missing}))
    with RESULTS.open("a") as file:
        for name, method, seed, limit in missing:
            machine = f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"
            row = made(name, method, seed, limit, known.get(name))
            row |= {"date": date.today().isoformat(), "machine": machine, "versions": versions()}
            file.write(json.dumps(row) + "\n")
            file.flush()
            gap = "" if row["best_known"] is None else f" {100 * (row['objective'] / row['best_known'] - 1):8.3f} %"
            print(f"{name:16} {method:12} {seed} {row['objective']:>14}{gap} {row['found_after']:8.2f} s", flush=True)


if __name__ == "__main__":
    main()
