"""Tables 2, 4 and 5 of Merleau et al. 2024: A*, evolution and Q-learning with the paper's and with improved parameters.

    python experiments/cubical_puzzle/planners.py astar
    python experiments/cubical_puzzle/planners.py evolution --variants paper,published --runs 150 --jobs 2
    python experiments/cubical_puzzle/planners.py q-learning --variants paper,published --runs 150 --jobs 2
    python experiments/cubical_puzzle/planners.py evolution --variants improved --runs 20
    python experiments/cubical_puzzle/planners.py q-learning --variants improved --runs 20
    python experiments/cubical_puzzle/report.py

Variants: `paper` follows the printed text; `published` follows the authors' code (evolution: selection force 0.7 and
moves face by face; Q-learning: `repository`); `fitted` (evolution only) is the paper's algorithm with the force and the
exponent that come closest to the moves and generations of the authors' stored runs; `improved` is ours. Each run
appends a line to `results/planner_runs.csv`; existing runs are not repeated, so that an interrupted command can be
continued.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.cubical import BUILTINS, builtin
from matheur.problems.cubical.domain import CubicalDomain
from matheur.problems.cubical.domain_by_face import CubicalByFace
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "planner_runs.csv"
ABOUT = HERE / "results" / "planner_runs_about.jsonl"
KEY = ("instance", "method", "variant", "ball", "seed")
COLUMNS = (*KEY, "time_limit", "moves", "unreachable", "limit", "seconds", "expanded")
BALLS = {
    "paper": (1000, 1000, 100_000),
    "published": (100, 100, 100_000),
    "fitted": (1000, 1000, 100_000),
    "improved": (1000, 1000, 100_000),
}
"""States around the goal for d = 3, 4, 5. The paper says 1000 and, elsewhere, 100; with 100 its tables come out."""

TABLED = [name for name in BUILTINS if "level" in name and name not in ("d3-k1-level3", "d3-k2-level3")]
"""The puzzles of the paper's tables; nothing leads to the target of `d3-k2-level3`."""

Run = dict[str, Any]


def planned(arguments: argparse.Namespace) -> Iterator[Run]:
    """Runs that the arguments request, each with its identifying values."""
    for instance in arguments.instances or TABLED:
        one = builtin(instance)
        for variant in arguments.variants:
            ball = arguments.ball or BALLS[variant][one.dimension - 3]
            uses_ball = arguments.method == "q-learning" or (arguments.method, variant) == ("evolution", "improved")
            for seed in range(arguments.first, arguments.first + arguments.runs):
                yield {
                    "instance": instance,
                    "d": one.dimension,
                    "k": one.k,
                    "method": arguments.method,
                    "variant": variant,
                    "ball": ball if uses_ball else None,
                    "seed": seed,
                    "time_limit": arguments.seconds,
                }


def answered(run: Run) -> tuple[CubicalDomain, SearchAnswer]:
    """Domain of a run, and the answer of its planner."""
    one = builtin(run["instance"])
    method, variant = run["method"], run["variant"]
    kind = CubicalByFace if (method, variant) == ("evolution", "published") else CubicalDomain
    domain = kind(one.dimension, one.k, one.start, one.target)
    budget, rng = Budget(seconds=run["time_limit"]), np.random.default_rng(run["seed"])
    if method == "astar":
        from matheur.methods.statespace.best_first.astar import astar

        return domain, astar(domain, domain.hamming(), budget=budget)
    if method == "evolution":
        from matheur.methods.statespace.planners.evolution import evolution

        if variant == "improved":
            return domain, evolution(domain, ball=run["ball"], rng=rng, budget=budget)
        force, exponent = {"published": (0.7, 1.8), "paper": (0.2, 1.8), "fitted": (0.5, 2.3)}[variant]
        return domain, evolution(domain, variant="paper", force=force, exponent=exponent, rng=rng, budget=budget)
    from matheur.methods.statespace.planners.q_learning import q_learning

    name = "repository" if variant == "published" else variant
    return domain, q_learning(domain, variant=name, ball=run["ball"], rng=rng, budget=budget)


def made(run: Run) -> Run:
    """Make one run with its results; a wrong plan is an error."""
    domain, answer = answered(run)
    if answer.plan is not None:
        states = domain.apply(domain.start, answer.plan)
        if not (states[-1] == domain.goal).all() or len(answer.plan) != answer.cost:
            raise SystemExit(f"a wrong plan: {run}")
    return {
        **run,
        "moves": answer.cost,
        "bound": answer.bound,
        "unreachable": answer.unreachable,
        "limit": answer.limit,
        "seconds": round(answer.seconds, 4),
        "expanded": answer.expanded,
        "stored": answer.stored,
    }


def warmed(method: str) -> None:
    """Compile kernels, or load them from the cache, so that the seconds of the runs are those of the search."""
    for variant in ("paper", "published", "improved"):
        answered({"instance": "d3-k1-level0", "method": method, "variant": variant, "ball": 100, "seed": 0} | _SHORT)


_SHORT: Run = {"time_limit": 5.0}


def _text(value: Any) -> str:
    """Format a value for the CSV file."""
    return "" if value is None else str(value)


def known() -> set[tuple[Any, ...]]:
    """Keys of stored runs."""
    if not RESULTS.exists():
        return set()
    return {tuple(row[key] for key in KEY) for row in csv.DictReader(RESULTS.read_text().splitlines())}


def main() -> None:
    """Make the missing runs and append their rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method", choices=["astar", "evolution", "q-learning"])
    parser.add_argument("--variants", type=lambda text: text.split(","), default=["paper"])
    parser.add_argument("--runs", type=int, default=None, help="seeds per instance (150; 1 for A*)")
    parser.add_argument("--first", type=int, default=0, help="first seed")
    parser.add_argument("--instances", type=lambda text: text.split(","), default=None, help="built-in names")
    parser.add_argument("--ball", type=int, default=None, help="states around the goal, instead of the variant's")
    parser.add_argument("--seconds", type=float, default=60.0, help="seconds per run")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    arguments.runs = arguments.runs or (1 if arguments.method == "astar" else 150)
    if not set(arguments.variants) <= set(BALLS):
        parser.error(f"variants are {', '.join(BALLS)}")
    there = known()
    runs = [run for run in planned(arguments) if tuple(_text(run[key]) for key in KEY) not in there]
    RESULTS.parent.mkdir(exist_ok=True)
    facts = {
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}",
        "versions": versions(),
    }
    warmed(arguments.method)
    begun = not RESULTS.exists()
    with (
        RESULTS.open("a", newline="") as file,
        ProcessPoolExecutor(arguments.jobs, initializer=warmed, initargs=(arguments.method,)) as pool,
    ):
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        if begun:
            writer.writeheader()
        for number, row in enumerate(pool.map(made, runs), start=1):
            writer.writerow(row)
            file.flush()
            if number % 50 == 0 or number == len(runs):
                print(f"{number} of {len(runs)}: {row['instance']} {row['variant']}", flush=True)
    with ABOUT.open("a") as file:
        file.write(json.dumps({"method": arguments.method, "variants": arguments.variants, **facts}) + "\n")


if __name__ == "__main__":
    main()
