"""Gains of `window` on plans of different origins; one JSON line per plan.

    python experiments/deepcubea/windows.py                       # 4 x 4 and 5 x 5, 5 boards each
    python experiments/deepcubea/windows.py --sizes 6x6 --count 3 --origins rule-based guided-beam
    python experiments/deepcubea/windows.py --report

Boards are random, drawn with `--seed`. Origins: `rule-based` (line by line), `greedy` (batch-astar with weight 0, batch
1: the state with the smallest estimate next), `evolution` (the evolutionary planner), `beam` (the general beam of width
100) and `guided-beam` (width 1000). Then each plan is shortened for `--seconds` CPU seconds by `window` (exact windows
of 16 moves and more, as long as they can be solved), and separately by `guided-window` (beams of width 2000). Rows are
appended to `results/windows.jsonl`; existing runs are not repeated. Every plan is replayed before and after. The report
shows mean lengths and the gain per second, until the last gain and in total.
"""

from __future__ import annotations

import argparse
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
from matheur.engine.outcome import Status
from matheur.problems.plans.anytime import BatchAStar, Beam
from matheur.problems.plans.learning import Evolution
from matheur.problems.plans.window import Window
from matheur.problems.sliding_tile import SlidingTile, uniform
from matheur.problems.sliding_tile.operators.guided_beam import GuidedBeam
from matheur.problems.sliding_tile.operators.guided_window import GuidedWindow
from matheur.problems.sliding_tile.operators.rule_based import RuleBased

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "windows.jsonl"
ORIGINS: dict[str, Any] = {
    "rule-based": RuleBased(order="rings"),
    "greedy": BatchAStar(heuristic="manhattan", weight=0.0, batch=1, memory=1024),
    "evolution": Evolution(),
    "beam": Beam(heuristic="linear-conflict", width=100, width_max=100),
    "guided-beam": GuidedBeam(width=1000, width_max=1000),
}
SHORTENERS: dict[str, Any] = {
    "window": Window(length=16, nodes=1_000_000, seconds=2.0, iterations=100),
    "guided-window": GuidedWindow(width=2000, length=30, longest=120, iterations=100),
}
PATIENCE = 5.0  # maximum CPU seconds for a plan

Row = dict[str, Any]


def run(size: str, number: int, origin: str, seconds: float, seed: int) -> list[Row]:
    """One plan, before and after each of the shorteners."""
    rows, columns = map(int, size.split("x"))
    problem = SlidingTile(uniform(rows, columns, np.random.default_rng([seed, rows, columns, number])))
    begun = time.process_time()
    budget = Budget(seconds=PATIENCE, clock=time.process_time)
    plan = ORIGINS[origin].build(problem, budget, np.random.default_rng(seed)).solution
    made = round(time.process_time() - begun, 2)
    found = []
    for name, operator in SHORTENERS.items():
        row: Row = {"size": size, "board": number, "origin": origin, "by": name, "seed": seed, "limit": seconds}
        row |= {"before": None, "made_in": made}
        if plan is not None:
            row["before"] = check(problem, plan)
            row |= shorten(problem, plan, operator, seconds, np.random.default_rng(seed))
        row |= {"version": matheur.__version__, "machine": platform.machine(), "load": round(os.getloadavg()[0], 1)}
        found.append(row | {"date": f"{date.today():%Y-%m-%d}"})
    return found


def shorten(problem: SlidingTile, plan: Any, operator: Any, seconds: float, rng: np.random.Generator) -> Row:
    """Length, CPU seconds until the last gain, and total CPU seconds."""
    begun, last, best = time.process_time(), 0.0, len(plan)

    def note(_plan: Any, length: float) -> None:
        nonlocal last, best
        if length < best:
            last, best = time.process_time() - begun, int(length)

    budget = Budget(seconds=seconds, clock=time.process_time, on_incumbent=note)
    settled = False
    while not budget.exhausted and not settled:
        outcome = operator.explore(problem, plan, budget, rng)
        if outcome.solution is not None:
            plan = outcome.solution
            note(plan, len(plan))
        settled = outcome.status == Status.LOCAL_OPTIMUM
    took = time.process_time() - begun
    return {"after": check(problem, plan), "until_last_gain": round(last, 3), "cpu_seconds": round(took, 3)}


def check(problem: SlidingTile, plan: Any) -> int:
    """Length of a plan, after replaying it."""
    found = problem.evaluate(plan)
    if not found.feasible:
        raise RuntimeError(f"{problem.instance.tiles}: {found.violations}")
    return int(found.objective)


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report(rows: list[Row]) -> None:
    """Means by size and origin."""
    print("size  origin       by            plans  before   after  shorter  CPU s  until last gain  moves/s until then")
    for size, origin, by in sorted({(row["size"], row["origin"], row["by"]) for row in rows}):
        own = [row for row in rows if (row["size"], row["origin"], row["by"]) == (size, origin, by)]
        own = [row for row in own if row["before"] is not None]
        if not own:
            print(f"{size:5} {origin:12} {by:13} {0:5}")
            continue
        before, after, took, last = (
            np.array([row[key] for row in own], dtype=float)
            for key in ("before", "after", "cpu_seconds", "until_last_gain")
        )
        gain = (before - after).sum()
        print(
            f"{size:5} {origin:12} {by:13} {len(own):5} {before.mean():7.1f} {after.mean():7.1f} "
            f"{gain / before.sum():8.1%} {took.mean():6.2f} {last.mean():16.2f} {gain / max(1e-3, last.sum()):19.1f}"
        )


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["4x4", "5x5"])
    parser.add_argument("--origins", nargs="+", choices=tuple(ORIGINS), default=list(ORIGINS))
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        known = {(row["size"], row["board"], row["origin"], row["seed"], row["limit"]) for row in done()}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for size in options.sizes:
            for origin in options.origins:
                for number in range(options.count):
                    if (size, number, origin, options.seed, options.seconds) not in known:
                        made = run(size, number, origin, options.seconds, options.seed)
                        with RESULTS.open("a") as file:
                            file.write("".join(json.dumps(row) + "\n" for row in made))
    report(done())


if __name__ == "__main__":
    main()
