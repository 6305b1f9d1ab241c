"""Solve 24-, 35- and 48-puzzles of DeepCubeA's test sets near-optimally, as one JSON line per run.

    python experiments/deepcubea/sliding_tile_large.py --sets 24 --count 496 --methods guided-beam --seconds 24=6
    python experiments/deepcubea/sliding_tile_large.py --sets 35 48 --count 50 --seed 2 --methods guided-beam \
        --patterns 35=6-6-6-6-6-5 48=5-5-5-5-5-5-5-5-5-3
    python experiments/deepcubea/sliding_tile_large.py --report

`--count` boards of each set are drawn by `--seed`. Methods: `guided-beam` (the construction, with the whole time for
beams), `guided-window` (three tenths of the time for beams, then windows by beams) and `beam-then-window` (seven
tenths). The limits are those of DeepCubeA's stored runs (23, 45 and 144 s; `--seconds SET=SECONDS`), here CPU seconds
of all threads; tables are loaded and kernels compiled beforehand. `--part 1/2` and `--part 2/2` divide the boards
between two processes. Boards are read from `MATHEUR_DATA` or `../shared/data` next to the checkout. Rows are appended
to `results/sliding_tile_large.jsonl`; existing runs are not repeated. The report compares the lengths with the stored
ones of DeepCubeA (the same boards) and with the printed means of its paper; a checksum distinguishes pair values of the
same name.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import platform
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from machines import processor, processors

import matheur
from matheur.engine.budget import Budget
from matheur.problems.sliding_tile import Instance, SlidingTile, uniform
from matheur.problems.sliding_tile.operators.guided_beam import GuidedBeam
from matheur.problems.sliding_tile.operators.guided_window import GuidedWindow
from matheur.problems.sliding_tile.operators.guiding import values_for
from matheur.problems.sliding_tile.search.geometry import geometry
from matheur.problems.sliding_tile.search.guide import AUTO_GUIDES

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "sliding_tile_large.jsonl"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
SIDES = {"24": 5, "35": 6, "48": 7}
LIMITS = {"24": 23.0, "35": 45.0, "48": 144.0}
PRINTED = {"24": "-", "35": "124.76", "48": "253.53"}
"""Mean lengths in the text of the paper (Agostinelli et al. 2019), of all boards; for 24 it says 96.98 % optimal."""
METHODS = {"guided-beam": 1.0, "guided-window": 0.3, "beam-then-window": 0.7}
"""The share of the time for beams before the windows."""
_WIDTHS = {"guided-window": 6000, "beam-then-window": 2000}  # widths of the beams in windows

Row = dict[str, Any]


def boards(name: str) -> list[Row]:
    """All boards of a set."""
    with (DATA / f"deepcubea_puzzle{name}_test.csv").open() as file:
        return list(csv.DictReader(file))


def run(name: str, method: str, patterns: str, values: str, seconds: float, threads: int, board: Row) -> Row:
    """Make one run; the plan is replayed by the definition of the puzzle."""
    side = SIDES[name]
    problem = SlidingTile(Instance(side, side, tuple(map(int, board["tiles"].split())), "blank-last"))
    begun, clock, rng = time.process_time(), time.monotonic(), np.random.default_rng(0)
    budget = Budget(seconds=seconds, clock=time.process_time)
    beams = GuidedBeam(patterns=patterns, values=values, share=METHODS[method], threads=threads)
    outcome = beams.build(problem, budget, rng)
    plan, before = outcome.solution, outcome.objective
    if method in _WIDTHS:
        windows = GuidedWindow(
            patterns=patterns, values=values, width=_WIDTHS[method], iterations=10**9, threads=threads
        )
        found = windows.explore(problem, plan, budget, rng)
        plan = plan if found.solution is None else found.solution
    check = problem.evaluate(plan)
    if not check.feasible:
        raise RuntimeError(f"{method} on board {board['id']} of {name}: {check.violations}")
    return {
        "set": name,
        "board": int(board["id"]),
        "method": method,
        "patterns": patterns,
        "values": values,
        "checksum": checksum_of(SIDES[name], values),
        "threads": threads,
        "limit": seconds,
        "length": int(check.objective),
        "before_windows": before,
        "bound": outcome.bound,
        "optimum": int(board["optimal_len"]) if board["optimal_len"] else None,
        "deepcubea": int(board["deepcubea_len"]),
        "cpu_seconds": round(time.process_time() - begun, 2),
        "wall_seconds": round(time.monotonic() - clock, 2),
        "work": budget.spent_work,
        "plan": problem.encode(plan),
        "version": matheur.__version__,
        "machine": platform.machine(),
        "processor": processor(),
        "load": round(os.getloadavg()[0], 1),
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def key_of(row: Row) -> tuple[str, str, str, str, str, int, float]:
    """Values by which rows are grouped; the oldest rows lack pair values."""
    return (
        row["set"], row["method"], row["patterns"], row.get("values", "none"), row.get("checksum", ""),
        row.get("threads", 1), row["limit"],
    )  # fmt: skip


def checksum_of(side: int, values: str) -> str:
    """Checksum of the learnt numbers that a run uses, since training continues; empty if there are none."""
    model = values_for(geometry(side, side, "blank-last"), values)
    return "" if model is None else hashlib.sha256(model.values.tobytes()).hexdigest()[:8]


def report(rows: list[Row]) -> None:
    """Means by set and method, next to DeepCubeA's stored ones on the same boards and its printed ones."""
    print(
        "set method             patterns                 values checksum threads  limit boards   mean optimum  stored"
        " printed <=stored"
        "  CPU s wall s processor"
    )
    keys = sorted({key_of(row) for row in rows})
    for key in keys:
        own = [row for row in rows if key_of(row) == key]
        lengths = np.array([row["length"] for row in own])
        stored = np.array([row["deepcubea"] for row in own])
        optima = [row["optimum"] for row in own if row["optimum"] is not None]
        optimum = f"{np.mean(optima):7.2f}" if optima else "      -"
        print(
            f"{key[0]:3} {key[1]:18} {key[2]:24} {key[3]:6} {key[4] or '-':8} {key[5]:7} {key[6]:6.0f} {len(own):6} "
            f"{lengths.mean():6.2f} {optimum} "
            f"{stored.mean():7.2f} {PRINTED[key[0]]:>7} {(lengths <= stored).mean():8.0%} "
            f"{np.mean([row['cpu_seconds'] for row in own]):6.1f} "
            + (f"{np.mean([row['wall_seconds'] for row in own]):6.1f}" if "wall_seconds" in own[0] else "     -")
            + f" {processors(own)}"
        )


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=tuple(SIDES), default=list(SIDES))
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=["guided-window"])
    parser.add_argument("--patterns", nargs="*", default=[], metavar="SET=NAMES", help="instead of those of auto")
    parser.add_argument("--values", default="auto", help="values of pairs of tiles: auto, none or a file")
    parser.add_argument("--seconds", nargs="*", default=[], metavar="SET=SECONDS")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--part", default="1/1", metavar="K/N", help="of these boards, for processes side by side")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        limits = LIMITS | {name: float(value) for name, _, value in (one.partition("=") for one in options.seconds)}
        patterns = {name: value for name, _, value in (one.partition("=") for one in options.patterns)}
        known = {(*key_of(row), row["board"]) for row in done()}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for name in options.sets:
            everything, own = boards(name), patterns.get(name, AUTO_GUIDES[SIDES[name], SIDES[name]])
            chosen = np.random.default_rng(options.seed).permutation(len(everything))[: options.count]
            part, parts = (int(one) for one in options.part.split("/"))
            prepare(SIDES[name], own, options.values)
            learnt = checksum_of(SIDES[name], options.values)
            for number in chosen[part - 1 :: parts].tolist():
                for method in options.methods:
                    setting = (name, method, own, options.values, learnt, options.threads, limits[name])
                    if (*setting, int(everything[number]["id"])) not in known:
                        row = run(name, method, own, options.values, limits[name], options.threads, everything[number])
                        with RESULTS.open("a") as file:
                            file.write(json.dumps(row) + "\n")
    report(done())


def prepare(side: int, patterns: str, values: str) -> None:
    """Load the tables and compile what is needed."""
    problem = SlidingTile(uniform(side, side, np.random.default_rng(0)))
    beams = GuidedBeam(patterns=patterns, values=values, width=64, width_max=64)
    plan = beams.build(problem, Budget(), np.random.default_rng(0)).solution
    window = GuidedWindow(patterns=patterns, values=values, iterations=1)
    window.explore(problem, plan, Budget(work=1000), np.random.default_rng(0))


if __name__ == "__main__":
    main()
