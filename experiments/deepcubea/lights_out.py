"""Lights Out: DeepCubeA's 500 boards of 7 x 7, exact weights on boards with many solutions, unsolvable boards.

    python experiments/deepcubea/lights_out.py
    python experiments/deepcubea/lights_out.py --report

Parts: `deepcubea` solves the 500 boards at once and takes the median of 25 passes; `sizes` finds the lightest of all
solutions of ten random boards of each size whose press matrix has a kernel, checked by a separate enumeration;
`unsolvable` tests a hundred random boards of each of these sizes for a solution, and checks the witness of each board
without one. Times are CPU seconds of one thread. Boards are read from `MATHEUR_DATA` or `../shared/data` next to the
checkout. Rows are appended to `results/lights_out.jsonl`; existing rows are not repeated. The report writes
`results/lights_out.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import statistics
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numba
import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.problems.lights_out import Instance, LightsOut, eliminate, generate
from matheur.problems.lights_out.operators.linear_algebra import LinearAlgebra, solve_boards

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "lights_out.jsonl"
PART = HERE / "results" / "lights_out.md"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
SIZES = (4, 5, 9, 11, 14, 16, 17, 19, 23)
PASSES, BOARDS, RANDOM = 25, 10, 100

Row = dict[str, Any]


def seven() -> Row:
    """Solve the 500 boards of DeepCubeA's test set."""
    with (DATA / "deepcubea_lightsout7_test.csv").open() as file:
        stored = list(csv.DictReader(file))
    boards = np.array([int(row["lights"][::-1], 2) for row in stored], dtype=np.uint64)
    solve_boards(7, 7, boards)
    passes = []
    for _ in range(PASSES):
        before = time.process_time()
        presses = solve_boards(7, 7, boards)
        passes.append(time.process_time() - before)
    lengths = []
    for row, vector in zip(stored, presses.tolist(), strict=True):
        problem = LightsOut(Instance(7, 7, tuple(light == "1" for light in row["lights"])))
        plan = np.array([cell for cell in range(49) if vector >> cell & 1], dtype=np.int32)
        if not problem.evaluate(plan).feasible:
            raise RuntimeError(f"board {row['id']} is not solved")
        lengths.append(len(plan))
    return {
        "part": "deepcubea",
        "boards": len(stored),
        "milliseconds": round(1000 * statistics.median(passes), 4),
        "slowest": round(1000 * max(passes), 4),
        "mean": float(np.mean(lengths)),
        "differences": sum(int(row["optimal_len"]) != own for row, own in zip(stored, lengths, strict=True)),
        "deepcubea": float(np.mean([int(row["deepcubea_len"]) for row in stored])),
        "deepcubea_optimal": sum(int(row["deepcubea_len"]) == own for row, own in zip(stored, lengths, strict=True)),
        "deepcubea_nodes": float(np.mean([float(row["deepcubea_nodes"]) for row in stored])),
        "deepcubea_seconds": float(np.mean([float(row["deepcubea_time_s"]) for row in stored])),
    }


def lightest(first: int, kernel: tuple[int, ...]) -> int:
    """Minimum weight of a coset, by an enumeration that shares no code with the operator."""
    coset = [first]
    for vector in kernel:
        coset += [one ^ vector for one in coset]
    return min(one.bit_count() for one in coset)


def exact(size: int) -> Row:
    """Find the lightest solutions of random boards of a size."""
    took, weights = [], []
    for seed in range(BOARDS):
        problem = LightsOut(generate(size, size, seed=seed)[0])
        elimination = eliminate(problem.instance)
        before = time.process_time()
        outcome = LinearAlgebra().build(problem, Budget(clock=time.process_time), np.random.default_rng(0))
        took.append(time.process_time() - before)
        first = elimination.solve(problem.instance.lit)
        if outcome.solution is None or first is None:
            raise RuntimeError(f"size {size}, seed {seed}: not solved")
        check = problem.evaluate(outcome.solution)
        if not check.feasible or not outcome.bound == check.objective == lightest(first, elimination.kernel):
            raise RuntimeError(f"size {size}, seed {seed}: {check}, bound {outcome.bound}")
        weights.append(int(check.objective))
    nullity = len(elimination.kernel)
    return {"part": "sizes", "size": size, "nullity": nullity, "weights": weights, "cpu_seconds": max(took)}


def unsolvable(size: int) -> Row:
    """Count random boards of a size without a solution, each with a witness."""
    rng = np.random.default_rng(size)
    proved, took = 0, []
    for _ in range(RANDOM):
        problem = LightsOut(Instance(size, size, tuple(rng.integers(0, 2, size * size).astype(bool).tolist())))
        before = time.process_time()
        outcome = LinearAlgebra().build(problem, Budget(work=1), np.random.default_rng(0))
        took.append(time.process_time() - before)
        witness = eliminate(problem.instance).witness(problem.instance.lit)
        if (outcome.status is Status.INFEASIBLE) != (witness is not None):
            raise RuntimeError(f"size {size}: {outcome.status} and witness {witness}")
        if witness is not None:
            even = all((mask & witness).bit_count() % 2 == 0 for mask in problem.instance.masks)
            if not even or (witness & problem.instance.lit).bit_count() % 2 == 0:
                raise RuntimeError(f"size {size}: the witness proves nothing")
            proved += 1
    nullity = len(eliminate(problem.instance).kernel)
    return {"part": "unsolvable", "size": size, "nullity": nullity, "boards": RANDOM, "proved": proved} | {
        "cpu_seconds": max(took)
    }


def missing(rows: list[Row]) -> Iterator[Row]:
    """Missing parts."""
    known = {(row["part"], row.get("size")) for row in rows}
    LinearAlgebra().build(LightsOut(generate(9, 9, seed=0)[0]), Budget(), np.random.default_rng(0))
    if ("deepcubea", None) not in known:
        yield seven()
    for name, run in (("sizes", exact), ("unsolvable", unsolvable)):
        for size in SIZES:
            if (name, size) not in known:
                yield run(size)


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report(rows: list[Row]) -> str:
    """Section of the page."""
    lines = ["## Lights Out", ""]
    for row in (row for row in rows if row["part"] == "deepcubea"):
        boards = row["boards"]
        lines += [
            f"DeepCubeA's {boards} boards of 7 x 7. The press matrix is invertible, so each board has exactly one",
            "solution, which is optimal. All presses were replayed.",
            "",
            "| | solved | optimal | mean presses | nodes a board | time |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            f"| `linear-algebra` | {boards} | {boards - row['differences']} | {row['mean']:.2f} | none | "
            f"{row['milliseconds']:.2f} ms for all {boards} together (CPU, one thread; slowest of {PASSES} passes "
            f"{row['slowest']:.2f} ms; goal: < 1 ms) |",
            f"| DeepCubeA, stored results | {boards} | {row['deepcubea_optimal']} | {row['deepcubea']:.2f} | "
            f"{row['deepcubea_nodes']:,.0f} | {row['deepcubea_seconds']:.2f} s a board (GPU) |",
            "| DeepCubeA, printed | all | all | | | |",
            "",
        ]
    sizes = sorted((row for row in rows if row["part"] == "sizes"), key=lambda row: row["size"])
    others = {row["size"]: row for row in rows if row["part"] == "unsolvable"}
    if sizes:
        lines += [
            f"Sizes with more than one solution. The table shows the fewest presses of {BOARDS} random solvable boards",
            f"(seeds 0 to {BOARDS - 1}), proved by enumerating all solutions and confirmed by a second enumeration. It",
            "also shows how many of a hundred random boards have no solution; the proof for each of these is a set of",
            "cells of which every press toggles an even number.",
            "",
            "| size | solutions of a board | fewest presses | slowest board | unsolvable of 100 | expected |",
            "| ---: | ---: | --- | ---: | ---: | ---: |",
        ]
        for row in sizes:
            other = others.get(row["size"])
            share = 100 * (1 - 2.0 ** -row["nullity"])
            lines.append(
                f"| {row['size']} x {row['size']} | 2^{row['nullity']} | {', '.join(map(str, row['weights']))} | "
                f"{1000 * row['cpu_seconds']:.1f} ms | {other['proved'] if other else ''} | {share:.1f} |"
            )
        lines.append("")
    days = sorted({row["date"] for row in rows})
    lines += [
        f"Runs of {' to '.join(dict.fromkeys((days[0], days[-1])))}, matheur {rows[-1]['version']}, "
        f"numba {numba.__version__}, numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}.",
        "`python experiments/deepcubea/lights_out.py`",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for row in missing(done()):
            stamp = {"version": matheur.__version__, "date": f"{date.today():%Y-%m-%d}"}
            with RESULTS.open("a") as file:
                file.write(json.dumps(row | stamp) + "\n")
    rows = done()
    if rows:
        PART.write_text(report(rows))
        print(PART.read_text())


if __name__ == "__main__":
    main()
