"""Speeds tracked from release to release, one JSON line per measurement.

    python benchmarks/tracked.py

Kernels are compiled before anything is timed; each measurement is a median over seeds. Lines are appended to
`benchmarks/results/tracked.jsonl`, from which `experiments/eternity2/report.py` writes a table of `docs/results.md`.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine import Budget
from matheur.methods.clique import LocalSearch, search
from matheur.methods.clique.graph import Graph
from matheur.problems.edge_matching import EdgeMatching, Hint, load
from matheur.problems.edge_matching.clique_graph import build
from matheur.running.building import build_operator
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data"))
SEEDS = range(5)


def puzzle(size: int) -> EdgeMatching:
    """The META 2010 puzzle of a size."""
    return load(DATA / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt")


def timed(action: Callable[[], Any]) -> float:
    """Processor seconds of one call, which other programs on the machine affect less than wall time."""
    began = time.process_time()
    action()
    return time.process_time() - began


def lasted(command: list[str]) -> float:
    """Wall-clock seconds of a command."""
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - began


def moves() -> Iterator[tuple[str, float, str]]:
    """Tile assignment and swaps on 16 x 16."""
    problem = puzzle(16)
    start = build_operator("edge-matching", "construction", "random", {}, {})
    for name, options, what in (
        ("assignment", {"k": 16, "iterations": 1000}, "TA, 1000 iterations, k = 16, from a random 16x16 board"),
        ("swap-rotate", {}, "TSR, random 16x16 board to a local optimum"),
    ):
        operator = build_operator("edge-matching", "neighbourhood", name, options, {})
        seconds = []
        for seed in (99, *SEEDS):
            rng = np.random.default_rng(seed)
            board = start.build(problem, Budget(), rng).solution
            seconds.append(timed(partial(operator.explore, problem, board, Budget(), rng)))
        yield what, statistics.median(seconds[1:]), "CPU s"


def cliques() -> Iterator[tuple[str, float, str]]:
    """Selections per second, and time to the optimum of the 6 x 6 graph."""
    rng = np.random.default_rng(1)
    upper = np.triu(rng.random((500, 500)) < 0.9, 1)
    random = Graph.from_edges(500, *np.nonzero(upper))
    large = build(puzzle(8).instance, hints=[Hint(cell=0, piece=0)]).graph
    for graph, what in (
        (random, "clique search, n = 500, d = 0.9"),
        (large, "clique search, 8x8 graph, n = 5770, d = 0.89"),
    ):
        rates = []
        for seed in SEEDS:
            local = LocalSearch(graph, np.random.default_rng(seed))
            local.advance(10_000)
            before = local.selections
            seconds = timed(partial(local.advance, 500_000))
            rates.append((local.selections - before) / seconds)
        yield what, statistics.median(rates) / 1e6, "M selections/CPU s"
    small = build(puzzle(6).instance, hints=[Hint(cell=0, piece=0)]).graph
    for rule in ("random", "degree"):
        seconds = []
        for seed in range(-1, 7):
            began = time.process_time()
            found = search(small, np.random.default_rng(seed + 1), seconds=60.0, target=36, rule=rule)
            seconds.append(time.process_time() - began if found.size == 36 else float("inf"))
        yield f"6x6 graph to its clique of 36, rule {rule}", statistics.median(seconds[1:]), "CPU s"


def programs() -> Iterator[tuple[str, float, str]]:
    """Whole processes: import, and export of the 10 x 10 graph."""
    importing = [lasted([sys.executable, "-c", "import matheur"]) for _ in range(5)]
    bare = [lasted([sys.executable, "-c", ""]) for _ in range(5)]
    yield "import matheur (less the start of Python)", statistics.median(importing) - statistics.median(bare), "s"
    with tempfile.TemporaryDirectory() as folder:
        graph, nodes = Path(folder, "g.clq.b"), Path(folder, "n.csv")
        path = DATA / "edge_matching" / "brendan_set2_meta2010" / "pieces_10x10.txt"
        code = (
            "import resource, sys; from matheur.cli import run; code = run(sys.argv[1:]);"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss); sys.exit(code)"
        )
        command = [
            sys.executable, "-c", code, "export", "clique", str(path), "--format", "binary",
            "--out", str(graph), "--nodes", str(nodes), "--set", "instance.hints=0,0=1",
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True)
        began = time.perf_counter()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        yield "export of the 10x10 clique graph, binary: time", time.perf_counter() - began, "s"
        yield "export of the 10x10 clique graph, binary: size", graph.stat().st_size / 1e6, "MB"
        yield "export of the 10x10 clique graph, binary: peak memory", int(done.stdout.split()[-1]) / 1e3, "MB"


def main() -> None:
    """Measure, print and append."""
    out = HERE / "results" / "tracked.jsonl"
    out.parent.mkdir(exist_ok=True)
    machine = f"{os.cpu_count()} cores, {platform.machine()}"
    with out.open("a") as file:
        for group in (moves, cliques, programs):
            for what, value, unit in group():
                row = {"what": what, "value": round(value, 4), "unit": unit, "load": round(os.getloadavg()[0], 1)}
                file.write(
                    json.dumps({**row, "date": date.today().isoformat(), "machine": machine, "versions": versions()})
                    + "\n"
                )
                file.flush()
                print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
