"""Rubik's cubes of DeepCubeA's test set in quarter turns, one JSON line per run.

    python experiments/deepcubea/rubik.py                              # two-phase 0.2 s, guided-beam 10 s, 100 cubes
    python experiments/deepcubea/rubik.py --methods ida-star --optimum 19
    python experiments/deepcubea/rubik.py --report

Methods: `two-phase` and `guided-beam` (the constructions, with the limit of `--seconds METHOD=SECONDS`), and
`ida-star`, which proves the optimum (no limit, only cubes whose stored optimum is at most `--optimum`). Times are CPU
seconds of one thread; tables are loaded and kernels compiled before. Cubes are read from `MATHEUR_DATA` or
`../shared/data` beside the checkout. Rows are appended to `results/rubik.jsonl`; runs that are there are not made
again. The report sets the lengths beside the stored ones of DeepCubeA and of the optimal solver.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.operators.rubik.two_phase import GuidedBeam, TwoPhase
from matheur.problems.rubik import Instance, Rubik
from matheur.statespace.domains.rubik import rubik_domain

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "rubik.jsonl"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
LIMITS = {"two-phase": 0.2, "guided-beam": 10.0}
_MEMORY = 1 << 32

Row = dict[str, Any]


def cubes(count: int) -> list[Row]:
    """The first cubes of the set."""
    with (DATA / "deepcubea_cube3_test.csv").open() as file:
        return list(csv.DictReader(file))[:count]


def run(method: str, seconds: float | None, cube: Row) -> Row:
    """One run; the plan is checked on the stickers."""
    problem = Rubik(Instance(cube["facelets_urfdlb"]))
    budget = Budget(seconds=seconds, clock=time.process_time)
    before = time.process_time()
    if method == "ida-star":
        answer = rubik_domain(problem).ida_star("auto", budget=budget, memory=_MEMORY)
        assert answer is not None
        solution, bound = answer.plan, answer.bound
    else:
        operator = TwoPhase() if method == "two-phase" else GuidedBeam()
        outcome = operator.build(problem, budget, np.random.default_rng(0))
        solution, bound = outcome.solution, outcome.bound
    took = time.process_time() - before
    row: Row = {"cube": int(cube["id"]), "method": method, "limit": seconds, "bound": bound, "length": None}
    if solution is not None:
        check = problem.evaluate(solution)
        if not check.feasible:
            raise RuntimeError(f"{method} on cube {cube['id']}: {check.violations}")
        row |= {"length": int(check.objective), "plan": " ".join(problem.encode(solution))}
    return row | {
        "cpu_seconds": round(took, 3),
        "work": budget.spent_work,
        "optimum": int(cube["optimal_len_qtm"]),
        "deepcubea": int(cube["deepcubea_len"]),
        "version": matheur.__version__,
        "machine": platform.machine(),
        "load": round(os.getloadavg()[0], 1),
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """The rows that are there."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report(rows: list[Row]) -> None:
    """Means and excesses by method."""
    print(
        f"{'method':12} {'limit':>6} cubes   mean optimum DeepCubeA optimal not longer than DeepCubeA  CPU s  largest"
    )
    for method, limit in sorted({(row["method"], row["limit"] or 0.0) for row in rows}):
        own = [row for row in rows if (row["method"], row["limit"] or 0.0) == (method, limit) and row["length"]]
        if not own:
            continue
        lengths, optima, theirs, took = (
            np.array([row[key] for row in own], dtype=float)
            for key in ("length", "optimum", "deepcubea", "cpu_seconds")
        )
        means = f"{lengths.mean():6.2f} {optima.mean():7.2f} {theirs.mean():9.2f}"
        shares = f"{(lengths <= optima).mean():7.0%} {(lengths <= theirs).mean():24.0%}"
        print(f"{method:12} {limit or '-':>6} {len(own):5} {means} {shares} {took.mean():6.2f} {took.max():8.2f}")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--methods", nargs="+", choices=(*LIMITS, "ida-star"), default=list(LIMITS))
    parser.add_argument("--seconds", nargs="*", default=[], metavar="METHOD=SECONDS")
    parser.add_argument("--optimum", type=int, default=18)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        limits: dict[str, float | None] = {**LIMITS, "ida-star": None}
        limits |= {name: float(value) for name, _, value in (one.partition("=") for one in options.seconds)}
        chosen = cubes(options.count)
        known = {(row["cube"], row["method"], row["limit"]) for row in done()}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for method in options.methods:
            run(method, limits[method] and 1.0, chosen[0] | {"facelets_urfdlb": _near()})
            for cube in chosen:
                if method == "ida-star" and int(cube["optimal_len_qtm"]) > options.optimum:
                    continue
                if (int(cube["id"]), method, limits[method]) not in known:
                    with RESULTS.open("a") as file:
                        file.write(json.dumps(run(method, limits[method], cube)) + "\n")
    report(done())


def _near() -> str:
    """A cube a few moves from home, on which kernels are compiled and tables loaded."""
    from matheur.problems.rubik import generate

    return generate(seed=1, moves=11)[0].facelets


if __name__ == "__main__":
    main()
