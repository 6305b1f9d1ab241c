"""Compare the default of each problem with each of its named methods, on public and generated instances.

    python benchmarks/defaults.py run                            # everything; many hours on two cores
    python benchmarks/defaults.py run cubical rubik --limits 2 10
    python benchmarks/defaults.py run sliding-tile --cold        # without tables on disk
    python benchmarks/defaults.py run --limits 60 --finalists 2  # the two best at a smaller limit
    python benchmarks/defaults.py report                         # docs/results-defaults.md from all results

Each run is a separate `matheur solve` with a wall-clock limit; its own clock times the first and the best solution.
Kernels are compiled before the run and, unless `--cold` is given, tables are built. A run that ends before its limit
also counts for larger limits. Runs already in `results/defaults.jsonl` are skipped.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from defaults_page import order, write_page
from processes import results
from rows import Rows

from matheur.engine.operators import operator_entries

DEFAULT = "default"
_LEFT_OUT = ("external", "random")  # needs another program; is not a method
_TABLES = ("rubik", "sliding-tile", "cubical")  # problems with methods that keep tables on disk
_DATA = Path(os.environ.get("MATHEUR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
_FOREVER = 1e9


@dataclass(frozen=True)
class Instance:
    """An instance: built in, generated (`size`, `seed`), or from a public file (`path`, and a column of a table)."""

    problem: str
    name: str
    size: str = ""
    seed: int = 0
    path: str = ""
    row: int = 0
    column: str = ""

    @property
    def title(self) -> str:
        """Title in tables."""
        if self.size:
            return f"{self.problem}: generated {self.size}, seed {self.seed}"
        return f"{self.problem}: {self.name}"

    def file(self, folder: Path) -> str | None:
        """Argument for `matheur solve`; None if the data are missing."""
        if self.size:
            made = folder / f"{self.problem}-{self.size}-{self.seed}.txt"
            if not made.exists():
                _matheur("generate", self.problem, "--size", self.size, "--seed", str(self.seed), "--out", str(made))
            return str(made)
        if not self.path:
            return f"{self.problem}/{self.name}"
        source = _DATA / self.path
        if not source.exists():
            return None
        if not self.row:
            return str(source)
        made = folder / f"{source.stem}-{self.row}.txt"
        made.write_text(_cell(source, self.row, self.column) + "\n")
        return str(made)


def _cell(source: Path, row: int, column: str) -> str:
    lines = source.read_text().splitlines()
    if column == "level":
        return _level(lines, row)
    cell = lines[row].split(",")[lines[0].split(",").index(column)]
    return _square(cell.split()) if column.startswith("tiles") else cell


def _square(tiles: list[str]) -> str:
    """Format the tiles of a square board line by line."""
    side = math.isqrt(len(tiles))
    return "\n".join(" ".join(tiles[at : at + side]) for at in range(0, len(tiles), side))


def _level(lines: list[str], number: int) -> str:
    """Extract a level of a Sokoban collection."""
    levels: list[list[str]] = [[]]
    for line in lines:
        if line.lstrip().startswith("#"):
            levels[-1].append(line)
        elif levels[-1]:
            levels.append([])
    return "\n".join([level for level in levels if level][number - 1])


def _instances() -> list[Instance]:
    built = {
        "cubical": ("d3-k1-level3", "d4-k1-row1", "d4-k2-row3", "d4-k3-level4", "d5-k1-level0", "d5-k4-level0"),
        "sliding-tile": ("3x3-farthest", "3x5", "4x4", "5x5", "6x6", "7x7"),
        "rubik": ("short", "medium", "random-1", "random-2"),
        "lights-out": ("random-5x5", "random-19x19", "king-8x8", "all-23x23"),
        "sokoban": ("two-rooms", "random-10x10", "random-12x14"),
        "max-clique": ("demo", "random500", "rb40", "hamming10-4", "keller6"),
        "party": ("demo", "type1", "type2", "type3"),
        "quadratic-assignment": ("tiny8", "grid30", "structured27", "tree18"),
        "edge-matching": ("3x3", "5x5", "6x6", "8x8", "10x10", "16x16"),
    }
    found = [Instance(problem, name) for problem, names in built.items() for name in names]
    for problem, size in (
        ("cubical", "5"), ("lights-out", "30x30"), ("sokoban", "14x14"), ("max-clique", "400"),
        ("quadratic-assignment", "60"), ("edge-matching", "12"), ("sliding-tile", "4x5"),
    ):  # fmt: skip
        found.append(Instance(problem, size, size=size, seed=7))
    space = "state_space"
    found += [
        Instance("sliding-tile", f"hardest 15-puzzle {row}", path=f"{space}/puzzle15_hardest_17.csv", row=row,
                 column="tiles_goal_blank_last") for row in (1, 9)
    ]  # fmt: skip
    found.append(
        Instance(
            "sliding-tile", "Korf 24-puzzle 1", path=f"{space}/korf24_50.csv", row=1, column="tiles_goal_blank_last"
        )
    )
    found += [
        Instance("rubik", f"DeepCubeA {row}", path=f"{space}/deepcubea_cube3_test.csv", row=row,
                 column="facelets_urfdlb") for row in (1, 2)
    ]  # fmt: skip
    found += [
        Instance("sokoban", f"{name} {row}", path=f"{space}/sokoban_collections/{file}", row=row, column="level")
        for name, file, row in (("Microban", "Microban_155.xsb", 36), ("XSokoban", "XSokoban_90.xsb", 1))
    ]
    found += [
        Instance("max-clique", name, path=f"clique/{name}")
        for name in ("ascii/C250.9.clq", "ascii/brock200_2.clq", "binary/p_hat1500-3.clq.b", "binary/MANN_a45.clq.b")
    ]
    found += [
        Instance("quadratic-assignment", name, path=f"assignment/qaplib/{name}.dat")
        for name in ("nug12", "tai12a", "nug30", "sko64", "esc32a")
    ]
    return found


@dataclass(frozen=True)
class Task:
    """One measured run, or the runs of one method with increasing limits."""

    instance: Instance
    method: str
    limits: tuple[float, ...]
    seed: int
    cold: bool
    folder: Path

    def about(self, limit: float) -> dict[str, Any]:
        """Values that identify a row."""
        return {
            "instance": self.instance.title, "method": self.method, "limit": limit, "seed": self.seed,
            "cache": "cold" if self.cold else "warm",
        }  # fmt: skip


def _matheur(*arguments: str, cache: str = "") -> str:
    """Standard output of a command; empty if it fails."""
    environment = {**os.environ, **({"MATHEUR_CACHE": cache} if cache else {})}
    command = [sys.executable, "-m", "matheur", *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True).stdout


def _solved(task: Task, limit: float, cache: str = "") -> dict[str, Any] | None:
    """Result of a run with the times of its first and best solution; None after an error."""
    file = task.instance.file(task.folder)
    assert file is not None
    named = [] if task.method == DEFAULT else ["--construction", task.method, "--neighbourhoods", "none"]
    with tempfile.TemporaryDirectory(dir=task.folder) as place:
        trace = Path(place, "trace.jsonl")
        said = _matheur(
            "solve", file, "--problem", task.instance.problem, *named, "--seconds", f"{limit:g}", "--seed",
            str(task.seed), "--trace", str(trace), "--json", cache=cache,
        )  # fmt: skip
        if not said:
            return None
        result = json.loads(said)
        events = [json.loads(line) for line in trace.read_text().splitlines()]
    solutions = [event for event in events if event["event"] == "incumbent"]
    return {
        "objective": result["objective"],
        "score": result["score"],
        "bound": result["bound"],
        "status": result["status"],
        "stopped": result["stopped"],
        "seconds": round(result["seconds"], 2),
        "first": round(solutions[0]["seconds"], 2) if solutions else None,
        "best": round(solutions[-1]["seconds"], 2) if solutions else None,
    }


def measured(task: Task) -> list[dict[str, Any]]:
    """Measure one method on one instance; return one row for each limit."""
    rows: list[dict[str, Any]] = []
    ended = False
    for limit in task.limits:
        if not ended:
            with tempfile.TemporaryDirectory(dir=task.folder) as place:
                found = _solved(task, limit, place if task.cold else "") or {"status": "error", "seconds": 0.0}
        ended = found["status"] == "error" or found["stopped"] not in ("budget",)
        rows.append({"problem": task.instance.problem} | task.about(limit) | found)
    return rows


def _prepare(task: Task) -> None:
    """Compile kernels and build tables; this is not measured."""
    _solved(task, max(task.limits) if task.instance.problem in _TABLES and not task.cold else 2.0)


def _methods(problem: str, wanted: list[str]) -> list[str]:
    names = [one.name for one in operator_entries(problem, "construction") if one.name not in _LEFT_OUT]
    return [name for name in (DEFAULT, *names) if not wanted or name in wanted]


def _tasks(asked: argparse.Namespace, rows: Rows, folder: Path) -> Iterator[Task]:
    for instance in _instances():
        if asked.problems and instance.problem not in asked.problems:
            continue
        if asked.instances and not any(word in instance.title for word in asked.instances):
            continue
        if instance.file(folder) is None:
            print(f"left out, no data here: {instance.title}", flush=True)
            continue
        for method in _methods(instance.problem, asked.methods):
            for seed in asked.seeds:
                task = Task(instance, method, tuple(sorted(asked.limits)), seed, asked.cold, folder)
                if not all(rows.has(task.about(limit)) for limit in task.limits) and _in_the_final(task, asked, rows):
                    yield task


def _in_the_final(task: Task, asked: argparse.Namespace, rows: Rows) -> bool:
    """Whether a method is the default, or among the best at the largest smaller limit that has been measured."""
    if task.method == DEFAULT or not asked.finalists:
        return True
    about = {key: value for key, value in task.about(0.0).items() if key not in ("method", "limit")}
    named = [row for row in rows if about.items() <= row.items() and row["method"] != DEFAULT]
    limits = {row["limit"] for row in named if row["limit"] < min(task.limits)}
    field = [row for row in named if row["limit"] == max(limits, default=None)]
    return not field or task.method in [row["method"] for row in sorted(field, key=order)[: asked.finalists]]


def _run(asked: argparse.Namespace) -> None:
    rows = Rows("defaults")
    with tempfile.TemporaryDirectory(prefix="matheur-defaults-") as place:
        tasks = list(_tasks(asked, rows, Path(place)))
        first = {(task.instance.problem, task.method, _tables_of(task)): task for task in reversed(tasks)}
        list(results(_prepare, first.values(), asked.jobs, _FOREVER))
        for made in results(measured, tasks, asked.jobs, _FOREVER):
            for row in made:
                rows.append(row)


def _tables_of(task: Task) -> str:
    """Name of the table folder of a run: that of the instance if the problem keeps tables."""
    return task.instance.title if task.instance.problem in _TABLES and not task.cold else ""


def main() -> None:
    """Run the measurements, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    run = commands.add_parser("run", help="measure what is not in the results yet")
    run.add_argument("problems", nargs="*")
    run.add_argument("--limits", type=float, nargs="+", default=[2.0, 10.0, 60.0])
    run.add_argument("--instances", nargs="+", default=[], help="only those with one of these words in their title")
    run.add_argument("--methods", nargs="+", default=[], help="only these, `default` is one of them")
    run.add_argument("--seeds", type=int, nargs="+", default=[0])
    run.add_argument("--finalists", type=int, default=0, help="of named methods; 0: all of them")
    run.add_argument("--cold", action="store_true", help="an empty folder of tables for each run")
    run.add_argument("--jobs", type=int, default=2)
    run.set_defaults(act=_run)
    report = commands.add_parser("report", help="write the page")
    report.set_defaults(act=lambda asked: write_page(list(Rows("defaults"))))
    asked = parser.parse_args()
    asked.act(asked)


if __name__ == "__main__":
    main()
