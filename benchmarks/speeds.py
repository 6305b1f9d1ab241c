"""Speeds of the compiled searches: work units per CPU second by case, in this tree or compared with another commit.

    python benchmarks/speeds.py list
    python benchmarks/speeds.py run [CASE...] [--repeats 3]
    python benchmarks/speeds.py compare REV [CASE...] [--repeats 5]

A case is a run of `matheur.solve` on a built-in instance with one operator, a fixed seed and a limit in work units or
operator calls, so that it does the same in every version that has the operator. A CASE is a name or a prefix of names
(`sokoban`). `compare` creates a git worktree of REV in a temporary folder and runs each case alternately there and
here. Every measurement is a separate process that first does the run once, which compiles and loads the kernels, and
then repeats it for at least half a CPU second. The output shows medians, their ratio (above 1: this tree is faster),
and whether both did the same work and reached the same objective. A ratio within 2 % on a quiet machine is not
significant. On a busy machine, use more repeats, and compare HEAD with itself first: that ratio is the noise.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
ROOT = HERE.parents[1]
LEAST = 0.5  # minimum CPU seconds of a measurement


@dataclass(frozen=True, slots=True)
class Case:
    """A run of one operator.

    Attributes
    ----------
    name
        Name on the command line.
    instance
        Built-in instance.
    construction
        Construction that is measured, or that provides the start of the neighbourhood.
    unit
        Meaning of one work unit or call of the operator, for readers.
    work, iterations
        Limit of the run, in work units or in operator calls.
    neighbourhood
        Neighbourhood that is measured.
    settings
        Options of the run, as `--set` takes them.
    """

    name: str
    instance: str
    construction: str
    unit: str
    work: int | None = None
    iterations: int | None = None
    neighbourhood: str | None = None
    settings: tuple[str, ...] = ()


MANHATTAN, LEARNT = ("construction.heuristic=manhattan",), ("construction.heuristic=learnt",)

CASES: tuple[Case, ...] = (
    Case("edge-matching-backtracking-10", "edge-matching/10x10", "backtracking", "placements", 50_000),
    Case("edge-matching-backtracking-16", "edge-matching/16x16", "backtracking", "placements", 50_000),
    Case("edge-matching-beam", "edge-matching/16x16", "beam", "partial boards", 5_000),
    Case("edge-matching-evolution", "edge-matching/10x10", "evolution", "boards", 500),
    Case("edge-matching-structured-clique", "edge-matching/8x8", "structured-clique", "nodes", 50_000),
    Case("edge-matching-assignment", "edge-matching/16x16", "random", "calls", None, 2, "assignment"),
    Case("edge-matching-exchange", "edge-matching/12x12", "random", "calls", None, 2, "exchange"),
    Case("edge-matching-swap-rotate", "edge-matching/16x16", "random", "calls", None, 50, "swap-rotate"),
    Case("edge-matching-region", "edge-matching/12x12", "random", "calls", None, 2, "region"),
    Case("max-clique-local-search", "max-clique/random500", "local-search", "selections", 500_000),
    Case("max-clique-phased", "max-clique/random500", "phased", "selections", 500_000),
    Case("max-clique-vertex-cover", "max-clique/rb40", "vertex-cover", "exchanges", 500_000),
    Case("max-clique-partition", "max-clique/rb50", "partition", "steps", 500_000),
    Case("max-clique-exact", "max-clique/random200", "exact", "nodes", 500_000),
    Case("cubical-bfs", "cubical/d5-k4-level0", "bfs", "states", 2_000_000),
    Case("cubical-bidirectional", "cubical/d5-k4-level0", "bidirectional", "states", 2_000_000),
    Case("cubical-astar", "cubical/d5-k4-level0", "astar", "states", 500_000),
    Case("cubical-ida-star", "cubical/d5-k4-level0", "ida-star", "states", 2_000_000),
    Case("cubical-batch-astar", "cubical/d5-k4-level0", "batch-astar", "states", 500_000),
    Case("cubical-beam", "cubical/d5-k4-level0", "beam", "states", 500_000),
    Case("cubical-evolution", "cubical/d4-k3-level4", "evolution", "plans", 500_000),
    Case("cubical-q-learning", "cubical/d4-k3-level4", "q-learning", "steps", 500_000),
    Case("cubical-window", "cubical/d5-k4-level0", "beam", "calls", None, 20, "window"),
    Case("sliding-tile-ida-star", "sliding-tile/4x4", "ida-star", "slides", 1_000_000, settings=MANHATTAN),
    Case("sliding-tile-guided-beam", "sliding-tile/5x5", "guided-beam", "states", 1_000_000),
    Case("sliding-tile-astar", "sliding-tile/4x4", "astar", "states", 1_000_000, settings=MANHATTAN),
    Case("learning-batch-astar", "sliding-tile/4x4", "batch-astar", "states", 200_000, settings=LEARNT),
    Case("lights-out-linear-algebra", "lights-out/random-19x19", "linear-algebra", "solutions", 500_000),
    Case("sokoban-push-astar", "sokoban/random-12x14", "push-astar", "states", 500_000),
    Case("sokoban-feature-search", "sokoban/random-12x14", "feature-search", "nodes", 500_000),
    Case("rubik-two-phase", "rubik/random-1", "two-phase", "states", 5_000_000),
    Case("rubik-guided-beam", "rubik/random-1", "guided-beam", "states", 1_000_000),
    Case("party-annealing", "party/type1", "annealing", "steps", 100_000),
    Case("party-genetic", "party/type1", "genetic", "parties", 100_000),
    Case("party-constructive", "party/type1", "constructive", "attempts", 100_000),
    Case("party-branch-and-bound", "party/type1", "branch-and-bound", "nodes", 100_000),
    Case("milp-jump-rows", "milp/assignment", "jump", "100,000 coefficients", 2_000),
    Case("milp-jump-columns", "milp/cutting-stock", "jump", "100,000 coefficients", 2_000),
    Case(
        "quadratic-assignment-robust-tabu",
        "quadratic-assignment/clustered30",
        "random",
        "calls",
        None,
        2,
        "robust-tabu",
    ),
    Case("quadratic-assignment-genetic", "quadratic-assignment/tree18", "genetic", "iterations", 500_000),
    Case("quadratic-assignment-branch-and-bound", "quadratic-assignment/uniform25", "branch-and-bound", "nodes", 5_000),
    Case("quadratic-assignment-faq", "quadratic-assignment/uniform25", "faq", "iterations", 500),
)
"""All cases: at least one for each family of kernels."""


def chosen(names: Sequence[str]) -> list[Case]:
    """Cases with these names or prefixes; all if there is no name."""
    for name in names:
        if not any(case.name.startswith(name) for case in CASES):
            raise SystemExit(f"unknown case '{name}'. Maybe one of `speeds.py list`?")
    return [case for case in CASES if not names or case.name.startswith(tuple(names))]


def measure(case: Case) -> dict[str, Any]:
    """Run a case in this process: once unmeasured, then for at least `LEAST` CPU seconds; return means per run."""
    import time

    import matheur

    def run() -> matheur.Result:
        return matheur.solve(
            case.instance,
            construction=case.construction,
            neighbourhoods=[] if case.neighbourhood is None else [case.neighbourhood],
            work=case.work,
            iterations=case.iterations,
            settings=case.settings,
            seed=1,
        )

    run()
    runs, began = 0, time.process_time()
    while runs == 0 or time.process_time() - began < LEAST:
        result = run()
        runs += 1
    cpu = (time.process_time() - began) / runs
    work = case.iterations if case.iterations is not None else result.work
    return {"cpu": cpu, "work": work, "objective": result.objective, "package": str(Path(matheur.__file__).parent)}


def measured(case: Case, tree: Path) -> dict[str, Any]:
    """Measure a case with the package of a tree, in a separate process."""
    command = [sys.executable, str(HERE), "measure", case.name]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    row: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if Path(row["package"]).resolve() != (tree / "matheur").resolve():
        raise SystemExit(f"measured {row['package']} instead of {tree / 'matheur'}")
    return row


@contextmanager
def both(revision: str) -> Iterator[tuple[Path, Path]]:
    """A git worktree of a revision, and this tree, at paths of equal length in a temporary folder.

    Equal lengths are a precaution: the size of the environment moves the stack, which can change the speed of a loop.
    """
    with tempfile.TemporaryDirectory() as folder:
        tree, here = Path(folder) / "then", Path(folder) / "here"
        here.symlink_to(ROOT)
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            models = tree / "matheur" / "models"
            if (tree / "models").is_dir() and not models.exists():
                models.symlink_to("../models")  # an installation maps this folder
            yield tree, here
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def speed(rows: list[dict[str, Any]]) -> float:
    """Median of the work units per CPU second."""
    return statistics.median(row["work"] / max(row["cpu"], 1e-9) for row in rows)


def run(cases: list[Case], repeats: int) -> None:
    """Print the speed of each case in this tree."""
    for case in cases:
        rows = [measured(case, ROOT) for _ in range(repeats)]
        if any("error" in row for row in rows):
            print(f"{case.name:40} {next(row['error'] for row in rows if 'error' in row)}", flush=True)
            continue
        cpu = statistics.median(row["cpu"] for row in rows)
        print(f"{case.name:40} {speed(rows):14,.0f} {case.unit}/s, {cpu:.2f} CPU s", flush=True)


def compare(revision: str, cases: list[Case], repeats: int) -> None:
    """Print for each case the speeds of a revision and of this tree, measured alternately, and their ratio."""
    with both(revision) as (tree, this):
        for case in cases:
            there, here = list[dict[str, Any]](), list[dict[str, Any]]()
            for repeat in range(repeats):
                for place, rows in ((tree, there), (this, here))[:: 1 if repeat % 2 == 0 else -1]:
                    rows.append(measured(case, place))
            failed = [row["error"] for row in there + here if "error" in row]
            if failed:
                print(f"{case.name:40} {failed[0]}", flush=True)
                continue
            before, now = speed(there), speed(here)
            ratios = sorted(b["cpu"] / max(n["cpu"], 1e-9) for b, n in zip(there, here, strict=True))
            same = len({(row["work"], row["objective"]) for row in there + here}) == 1
            print(
                f"{case.name:40} {before:14,.0f} {now:14,.0f} {case.unit}/s, ratio {now / before:.3f} "
                f"(pairs {ratios[0]:.2f} to {ratios[-1]:.2f}){'' if same else ', NOT THE SAME RUN'}",
                flush=True,
            )


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="names of the cases")
    for name, repeats in (("run", 3), ("compare", 5)):
        command = commands.add_parser(name)
        if name == "compare":
            command.add_argument("revision")
        command.add_argument("cases", nargs="*", metavar="CASE")
        command.add_argument("--repeats", type=int, default=repeats)
    commands.add_parser("measure", help="one run, in this process").add_argument("case")
    given = parser.parse_args()
    if given.command == "list":
        for case in CASES:
            print(f"{case.name:40} {case.instance}, {case.neighbourhood or case.construction}")
    elif given.command == "measure":
        print(json.dumps(measure(next(case for case in CASES if case.name == given.case))))
    elif given.command == "run":
        run(chosen(given.cases), given.repeats)
    else:
        compare(given.revision, chosen(given.cases), given.repeats)


if __name__ == "__main__":
    main()
