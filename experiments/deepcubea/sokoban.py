"""Solve the 5,332 Boxoban levels move-optimally by A* over pushes, one JSON line per level, and large random levels.

    python experiments/deepcubea/sokoban.py                     # all sets, or what is missing of them
    python experiments/deepcubea/sokoban.py --sets hard --count 100
    python experiments/deepcubea/sokoban.py --report

Sets: `unfiltered` (1000, DeepCubeA's own test set), `medium` (1000), `hard` (3332), read from `MATHEUR_DATA` or
`../shared/data` next to the checkout; `large`, generated levels of up to 20 x 24 with 8 to 30 boxes, each in pushes and
in moves with a limit of `--seconds`, after which plan and bound count. Times are CPU seconds of one thread and include
everything from the level in memory to the plan; kernels are compiled beforehand. The problem's own evaluator replays
every plan. Rows are appended to `results/sokoban.jsonl`; existing levels are not solved again. The report writes
`results/sokoban.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import time
from collections.abc import Iterator
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numba
import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.engine.source import Source
from matheur.problems.sokoban import COSTS, Instance, Sokoban, builtin, generate, read_instance, split_levels
from matheur.problems.sokoban.operators.push_astar import PushAStar

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "sokoban.jsonl"
PART = HERE / "results" / "sokoban.md"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
SETS = {"unfiltered": "boxoban_unfiltered_test", "medium": "boxoban_medium_valid_000", "hard": "boxoban_hard"}
GOALS = {"unfiltered": 15, "medium": 15, "hard": 30}
LARGE = ((12, 14, 8), (16, 20, 10), (16, 20, 15), (20, 24, 20), (20, 24, 30))
SEEDS = range(3)

Row = dict[str, Any]


def levels(name: str) -> Iterator[tuple[int, Instance, Row]]:
    """Number from 1, level and reference row of each level of a set."""
    text = (DATA / f"{SETS[name]}.txt").read_text()
    with (DATA / f"{SETS[name]}_reference.csv").open() as file:
        rows = list(csv.DictReader(file))
    for number, (level, row) in enumerate(zip(split_levels(text), rows, strict=True), start=1):
        yield number, read_instance(Source(f"{name}#{number}", "\n".join(level.rows).encode())), row


def run(name: str, number: int, level: Instance, reference: Row) -> Row:
    """Solve one level; its plan is replayed."""
    problem = Sokoban(level)
    before = time.process_time()
    budget = Budget(clock=time.process_time)
    outcome = PushAStar().build(problem, budget, np.random.default_rng(0))
    took = time.process_time() - before
    if outcome.solution is None:
        raise RuntimeError(f"{name} {number}: no plan ({outcome.status.value})")
    check = problem.evaluate(outcome.solution)
    if not check.feasible or check.objective != outcome.objective or outcome.bound != outcome.objective:
        raise RuntimeError(f"{name} {number}: {check}")
    theirs = reference.get("deepcubea_moves")
    return {
        "set": name,
        "level": number,
        "moves": int(check.objective),
        "proved": True,
        "reference": int(reference["optimal_moves"]),
        "deepcubea": int(theirs) if theirs else None,
        "deepcubea_seconds": float(reference["deepcubea_time_s"]) if theirs else None,
        "deepcubea_nodes": int(reference["deepcubea_nodes"]) if theirs else None,
        "plan": problem.encode(outcome.solution),
        "cpu_seconds": round(took, 5),
        "expanded": budget.spent_work,
        "version": matheur.__version__,
        "date": f"{date.today():%Y-%m-%d}",
    }


def large(rows: int, columns: int, boxes: int, seed: int, cost: Literal["moves", "pushes"], seconds: float) -> Row:
    """Solve one generated level within a limit; its plan is replayed."""
    level, hidden = generate(rows, columns, seed=seed, boxes=boxes, cost=cost)
    problem = Sokoban(level)
    before = time.process_time()
    budget = Budget(seconds=seconds, clock=time.process_time)
    outcome = PushAStar(memory=1024).build(problem, budget, np.random.default_rng(0))
    took = time.process_time() - before
    length = None
    if outcome.solution is not None:
        check = problem.evaluate(outcome.solution)
        if not check.feasible or check.objective != outcome.objective:
            raise RuntimeError(f"{rows} x {columns}, {boxes} boxes, seed {seed}: {check}")
        length = int(check.objective)
    return {
        "set": "large",
        "level": f"{rows}x{columns}, {boxes} boxes, seed {seed}",
        "size": [rows, columns, boxes],
        "cost": cost,
        "limit": seconds,
        "length": length,
        "bound": outcome.bound,
        "hidden": int(problem.evaluate(np.array(hidden, dtype=np.int32)).objective),
        "cpu_seconds": round(took, 3),
        "expanded": budget.spent_work,
        "version": matheur.__version__,
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def others() -> list[str]:
    """Rows of published searches, from `paper/sokoban.csv`."""
    with (HERE / "paper" / "sokoban.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [
        f"| {row['system']}, Orseau et al. 2018 | {row['solved']} | {row['mean moves']} | | "
        f"{int(row['nodes a level']):,} | |"
        for row in rows
    ]


def report(rows: list[Row]) -> str:
    """Section of the page."""
    lines = [
        "## Sokoban: Boxoban",
        "",
        "`push-astar` with moves as cost. Every level is proved optimal, and its plan was replayed; the reference is",
        "an exhaustive breadth-first search. CPU seconds are those of one thread for all levels of a set together.",
        "",
        "| set | levels | differences | mean moves | nodes expanded | CPU s (goal) | slowest level |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in SETS:
        own = [row for row in rows if row["set"] == name]
        if own:
            wrong = sum(row["moves"] != row["reference"] for row in own)
            mean, nodes = np.mean([row["moves"] for row in own]), sum(row["expanded"] for row in own)
            took = [row["cpu_seconds"] for row in own]
            lines.append(
                f"| {name} | {len(own)} | {wrong} | {mean:.2f} | {nodes / 1e6:.1f} M | "
                f"{sum(took):.1f} (<= {GOALS[name]}) | {max(took):.2f} s |"
            )
    both = [row for row in rows if row.get("deepcubea") is not None]
    if both:
        mean, theirs = (np.mean([row[key] for row in both]) for key in ("moves", "deepcubea"))
        nodes, own_nodes = (np.mean([row[key] for row in both]) for key in ("deepcubea_nodes", "expanded"))
        seconds, own_seconds = (np.mean([row[key] for row in both]) for key in ("deepcubea_seconds", "cpu_seconds"))
        longer = sum(row["deepcubea"] > row["moves"] for row in both)
        lines += [
            "",
            f"Compared with DeepCubeA on the {len(both)} levels of its test set (unfiltered):",
            "",
            "| | solved | mean moves | not optimal | nodes a level | seconds a level |",
            "| --- | ---: | ---: | ---: | ---: | ---: |",
            f"| `push-astar` | {len(both)} | {mean:.3f} | 0 | {own_nodes:,.0f} | {own_seconds:.4f} (CPU, one thread) |",
            f"| DeepCubeA, stored results | {len(both)} | {theirs:.3f} | {longer} | {nodes:,.0f} | {seconds:.2f} |",
            "| DeepCubeA, printed | all of 1000 | | | | |",
            *others(),
            "",
            "Orseau et al. 2018 count expanded nodes, for searches guided by a policy and for the planner LAMA.",
            "DeepCubeA's article says that DeepCubeA expands at least three times fewer nodes on the same levels; its",
            "stored results count generated nodes.",
        ]
    rest = [row for row in rows if row["set"] == "large"]
    if rest:
        lines += [
            "",
            f"Generated levels (seeds {SEEDS.start} to {SEEDS.stop - 1}), {rest[-1]['limit']:g} CPU s and 1 GiB each:",
            "",
            "| level | cost | plans | proved | mean length | their mean bound | mean CPU s |",
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        ]
        for size, cost in product(LARGE, COSTS):
            own = [row for row in rest if row["size"] == list(size) and row["cost"] == cost]
            found = [row for row in own if row["length"] is not None]
            if own:
                proved = sum(row["length"] == row["bound"] for row in found)
                length = f"{np.mean([row['length'] for row in found]):.1f}" if found else "-"
                bound, took = (
                    np.mean([row["bound"] for row in found or own]),
                    np.mean([row["cpu_seconds"] for row in own]),
                )
                lines.append(
                    f"| {size[0]} x {size[1]}, {size[2]} boxes | {cost} | {len(found)} of {len(own)} | {proved} | "
                    f"{length} | {bound:.1f} | {took:.1f} |"
                )
    days = sorted({row["date"] for row in rows})
    lines += [
        "",
        f"Runs of {' to '.join(dict.fromkeys((days[0], days[-1])))}, matheur {rows[-1]['version']}, "
        f"numba {numba.__version__}, numpy {np.__version__}, Python {platform.python_version()}, {platform.machine()}.",
        "`python experiments/deepcubea/sokoban.py`",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=(*SETS, "large"), default=[*SETS, "large"])
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        known = {(row["set"], row["level"], row.get("cost")) for row in done()}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        PushAStar().build(Sokoban(builtin("two-in-a-row")), Budget(), np.random.default_rng(0))
        with RESULTS.open("a", buffering=1) as file:
            for name in (name for name in options.sets if name in SETS):
                for number, level, reference in levels(name):
                    if options.count is not None and number > options.count:
                        break
                    if (name, number, None) not in known:
                        file.write(json.dumps(run(name, number, level, reference)) + "\n")
            for size, seed, cost in product(LARGE if "large" in options.sets else (), SEEDS, COSTS):
                if ("large", f"{size[0]}x{size[1]}, {size[2]} boxes, seed {seed}", cost) not in known:
                    row = large(*size, seed, cost, options.seconds)  # type: ignore[arg-type]
                    file.write(json.dumps(row) + "\n")
    rows = done()
    if rows:
        PART.write_text(report(rows))
        print(PART.read_text())


if __name__ == "__main__":
    main()
