"""Prove sliding-tile optima by `ida-star`, as one JSON line per board.

    python experiments/deepcubea/sliding_tile_exact.py                          # every set
    python experiments/deepcubea/sliding_tile_exact.py --sets korf15 hardest15 --threads 2
    python experiments/deepcubea/sliding_tile_exact.py --report

Sets:

- `korf15-663`, `korf15`: the 100 boards of Korf (1985) with the partitions 6-6-3 and 7-8;
- `hardest15`: the 17 boards that need 80 slides, with 7-8;
- `deepcubea15`: the 500 boards of DeepCubeA's test set, with 7-8;
- `random15`: 1600 random boards from a seeded generator, as many as Cahlik and Surynek (2019) drew to test their
  ANN-distance, with 7-8;
- `small`: random boards of 3 x 3, 2 x 5, 2 x 6, 3 x 4 (also solved by breadth-first search from both ends), 2 x 7 and
  3 x 5;
- `korf24`: numbers 38, 40, 25 and 44 of Korf's 24-puzzles, with 6-6-6-6;
- `deepcubea24`: the tenth (`--percent`) of DeepCubeA's 496 24-puzzles that its optimal solver found easiest, with
  6-6-6-6.

The evaluator of the problem replays every plan, and its length must equal the proved bound and, if known, the stored
optimum. Tables are loaded and kernels compiled beforehand; CPU seconds count all threads. Boards are read from
`MATHEUR_DATA` or `../shared/data` next to the checkout. Rows are appended to `results/sliding_tile_exact.jsonl`;
existing boards are not searched again. `--seconds` (CPU) ends a board without a proof, which leaves no row.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.methods.statespace import bidirectional
from matheur.problems.sliding_tile import Instance, SlidingTile, uniform
from matheur.problems.sliding_tile.domain import sliding_tile_domain

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "sliding_tile_exact.jsonl"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
SEED = 20_241
SMALL = {(3, 3): 100, (2, 5): 100, (2, 6): 30, (3, 4): 30, (2, 7): 30, (3, 5): 30}
PERCENT = 10
_MEMORY = 1 << 32
_BREADTH_FIRST = 12  # maximum number of cells

Row = dict[str, Any]


@dataclass(frozen=True)
class Board:
    """A board with its known values.

    Attributes
    ----------
    name
        Name within its set.
    heuristic
        Partition of the pattern databases.
    optimum, deepcubea
        Stored lengths, if any.
    """

    name: str
    instance: Instance
    heuristic: str
    optimum: int | None = None
    deepcubea: int | None = None


def table(name: str) -> list[Row]:
    """Rows of a data file."""
    with (DATA / name).open() as file:
        return list(csv.DictReader(file))


def stored(rows: list[Row], size: int, heuristic: str) -> Iterator[Board]:
    """Boards of a data file."""
    for row in rows:
        text = row.get("tiles_goal_blank_last") or row["tiles"]
        instance = Instance(size, size, tuple(map(int, text.split())))
        theirs = row.get("deepcubea_len")
        yield Board(row["id"], instance, heuristic, int(row["optimal_len"]), int(theirs) if theirs else None)


def random_boards(sizes: dict[tuple[int, int], int], heuristic: str) -> Iterator[Board]:
    """Random boards; the same in every call."""
    for (rows, columns), count in sizes.items():
        rng = np.random.default_rng([SEED, rows, columns])
        for number in range(count):
            yield Board(f"{rows}x{columns}-{number}", uniform(rows, columns, rng), heuristic)


def boards(name: str, percent: int = PERCENT) -> Iterator[Board]:
    """Boards of a set; of DeepCubeA's 24-puzzles, the given percentage."""
    if name in ("korf15", "korf15-663"):
        yield from stored(table("korf15_100.csv"), 4, "7-8" if name == "korf15" else "6-6-3")
    elif name == "hardest15":
        yield from stored(table("puzzle15_hardest_17.csv"), 4, "7-8")
    elif name == "deepcubea15":
        yield from stored(table("deepcubea_puzzle15_test.csv"), 4, "7-8")
    elif name == "random15":
        yield from random_boards({(4, 4): 1600}, "7-8")
    elif name == "small":
        yield from random_boards(SMALL, "additive")
    elif name == "korf24":
        by_id = {row["id"]: row for row in table("korf24_50.csv")}
        yield from stored([by_id[number] for number in ("38", "40", "25", "44")], 5, "6-6-6-6")
    else:
        rows = sorted(table("deepcubea_puzzle24_test.csv"), key=lambda row: int(row["pdb_nodes"]))
        yield from stored(rows[: -(-percent * len(rows) // 100)], 5, "6-6-6-6")


SETS = ("korf15-663", "korf15", "hardest15", "deepcubea15", "random15", "small", "korf24", "deepcubea24")


def prove(board: Board, threads: int, seconds: float | None) -> Row | None:
    """Run one search; None if the time was up before a proof."""
    problem = SlidingTile(board.instance)
    domain = sliding_tile_domain(problem)
    cpu, wall = time.process_time(), time.monotonic()
    budget = Budget(seconds=seconds, clock=time.process_time)
    answer = domain.ida_star(board.heuristic, budget=budget, memory=_MEMORY, threads=threads)
    cpu, wall = time.process_time() - cpu, time.monotonic() - wall
    assert answer is not None
    if answer.plan is None:
        return None
    check = problem.evaluate(answer.plan)
    optimum = board.optimum
    if optimum is None and board.instance.cells <= _BREADTH_FIRST:
        optimum = bidirectional(domain).cost
    if not check.feasible or not answer.proved or optimum not in (None, int(check.objective)):
        raise RuntimeError(f"{board.name}: {check} against {optimum}, bound {answer.bound}")
    return {
        "board": board.name,
        "heuristic": board.heuristic,
        "threads": threads,
        "length": int(check.objective),
        "optimum": optimum,
        "deepcubea": board.deepcubea,
        "plan": problem.encode(answer.plan),
        "slides": answer.generated,
        "cpu_seconds": round(cpu, 4),
        "wall_seconds": round(wall, 4),
        "version": matheur.__version__,
        "machine": platform.machine(),
        "load": round(os.getloadavg()[0], 1),
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report(rows: list[Row]) -> None:
    """Write tables of the sets in Markdown."""
    print(_INTRODUCTION)
    print(
        "| set | heuristic | threads | proved | of | mean length | CPU s together | largest | M slides | M per CPU s |"
    )
    print("| --- | --- |" + " ---: |" * 8)
    for name, percent in [(name, PERCENT) for name in SETS] + [("deepcubea24", 25)]:
        members = {board.name for board in boards(name, percent)}
        found = [r for r in rows if r["set"] == name and r["board"] in members]
        if name == "deepcubea24" and percent > PERCENT and len(found) <= sum(1 for _ in boards(name)):
            continue
        label = f"{name}, easiest {percent} %" if name == "deepcubea24" else name
        for heuristic, threads in sorted({(r["heuristic"], r["threads"]) for r in found}):
            own = [r for r in found if (r["heuristic"], r["threads"]) == (heuristic, threads)]
            cpu, slides = [r["cpu_seconds"] for r in own], sum(r["slides"] for r in own) / 1e6
            print(
                f"| {label} | {heuristic} | {threads} | {len(own)} | {len(members)} |"
                f" {np.mean([r['length'] for r in own]):.2f} | {sum(cpu):.1f} | {max(cpu):.2f} | {slides:,.1f} |"
                f" {slides / max(sum(cpu), 1e-9):.1f} |"
            )
    print("\n" + _COMPARISON)
    print("| set | boards | solver | mean length | optimal | mean s | largest s | mean nodes |")
    print("| --- | ---: | --- |" + " ---: |" * 5)
    for name, file in (("deepcubea15", "deepcubea_puzzle15_test.csv"), ("deepcubea24", "deepcubea_puzzle24_test.csv")):
        own = {r["board"]: r for r in rows if r["set"] == name}
        stored_rows = [row for row in table(file) if row["id"] in own]
        if not stored_rows:
            continue
        figures = {
            "`ida-star`": [(r["length"], r["cpu_seconds"], r["slides"]) for r in own.values()],
            "their pattern databases, stored": [
                (int(row["optimal_len"]), float(row["pdb_time_s"]), int(row["pdb_nodes"])) for row in stored_rows
            ],
            "DeepCubeA, stored": [
                (int(row["deepcubea_len"]), float(row["deepcubea_time_s"]), int(row["deepcubea_nodes"]))
                for row in stored_rows
            ],
        }
        for solver, values in figures.items():
            lengths, seconds, nodes = zip(*values, strict=True)
            optimal = np.mean([int(row["deepcubea_len"]) == int(row["optimal_len"]) for row in stored_rows])
            share = f"{optimal:.1%}" if solver.startswith("DeepCubeA") else "all"
            print(
                f"| {name} | {len(values)} | {solver} | {np.mean(lengths):.2f} | {share} | {np.mean(seconds):.4f} |"
                f" {max(seconds):.2f} | {np.mean(nodes):,.0f} |"
            )


_INTRODUCTION = """## Sliding tiles proved optimal

The evaluator replayed every plan, and each plan is as long as the bound that `ida-star` proved. The sets are described
in `sliding_tile_exact.py`. CPU seconds are summed over all threads, after loading tables and kernels, on a shared
machine with two cores. Slides are the slides examined.
"""
_COMPARISON = """The same boards, compared with the results in DeepCubeA's public repository (from its authors'
machines, with GPUs for DeepCubeA; ours are CPU seconds of one thread). Its article reports that 99.4 % of the
15-puzzles and 96.98 % of the 24-puzzles are solved optimally, and 17.6 % of the 17 boards that need 80 slides, where
plans are 2.8 slides too long on average.
"""


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="CPU seconds for a board")
    parser.add_argument("--percent", type=int, default=PERCENT, help="of DeepCubeA's 24-puzzles, the easiest")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        known = {(row["set"], row["board"], row["threads"]) for row in done()}
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for name in options.sets:
            warm: set[tuple[int, int]] = set()
            for board in boards(name, options.percent):
                if (name, board.name, options.threads) in known:
                    continue
                size = board.instance.rows, board.instance.columns
                if size not in warm:
                    warm.add(size)
                    goal = board.instance.target
                    near = Instance(*size, (*goal[:-2], 0, goal[-2]))
                    prove(Board("near", near, board.heuristic), options.threads, None)
                row = prove(board, options.threads, options.seconds)
                if row is not None:
                    with RESULTS.open("a") as file:
                        file.write(json.dumps({"set": name, **row}) + "\n")
    report(done())


if __name__ == "__main__":
    main()
