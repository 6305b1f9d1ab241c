"""How far runs exceed their time limit, and how long they take to end after SIGTERM, with tables not yet built.

    python benchmarks/limits.py                     # all cases, limits of 1, 3 and 10 seconds, SIGTERM after 2 seconds
    python benchmarks/limits.py rubik --seconds 1      # cases with a word in their name, limits of your choice

Each run has its own cache folder without tables; kernels are compiled before by a run that is not measured. `over` is
the run's own time minus its limit. `end` is the time from the signal to the end of the process, most of which the
interpreter needs itself. Both increase if other programs use the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CUBE = "R U F' L D B R2 U' F L' D2 B' R U2 F D' L2 B U R' F2"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="only cases with one of these in their name")
    parser.add_argument("--seconds", type=float, nargs="+", default=[1.0, 3.0, 10.0])
    parser.add_argument("--signal", type=float, default=2.0, help="seconds until SIGTERM; 0 for none")
    parser.add_argument("--cold", action="store_true", help="do not compile kernels first")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="matheur-limits-") as folder:
        cases = cases_in(Path(folder))
        chosen = [name for name in cases if not asked.words or any(word in name for word in asked.words)]
        heads = [*(f"over {limit:g} s" for limit in asked.seconds), *(["end"] if asked.signal else [])]
        print(f"{'case':38}", *(f"{head:>10}" for head in heads), flush=True)
        for name in chosen:
            if not asked.cold:
                warm_up(cases[name], asked.seconds)
            shown = [over(cases[name], limit) for limit in asked.seconds]
            if asked.signal:
                shown.append(ending(cases[name], asked.signal))
            print(f"{name:38}", *(f"{one:>10}" for one in shown), flush=True)


def cases_in(folder: Path) -> dict[str, list[str]]:
    """Arguments of `matheur solve` by case name; creates the files that they read."""
    cube = folder / "cube.txt"
    cube.write_text(CUBE + "\n")
    found = {f"rubik {name}": [str(cube), "--construction", name] for name in RUBIK}
    found |= {f"tiles {size} {name}": [f"sliding-tile/{size}", "--construction", name] for size, name in TILES}
    found["cubical pattern-database"] = [
        "cubical/demo", "--construction", "astar", "--set", "construction.heuristic=pattern-database(bits=24)",
    ]  # fmt: skip
    for size in (16, 20, 32):
        board = folder / f"board{size}.txt"
        matheur("generate", "edge-matching", "--size", str(size), "--seed", "1", "--out", str(board))
        start = folder / f"start{size}.json"
        matheur("solve", str(board), "--construction", "random", "--neighbourhoods", "none", "--out", str(start))
        for name in CONSTRUCTIONS:
            found[f"board {size} {name}"] = [str(board), "--construction", name, "--neighbourhoods", "none"]
        for name in NEIGHBOURHOODS:
            found[f"board {size} {name}, improved"] = [str(board), "--start", str(start), "--neighbourhoods", name]
        found[f"board {size} region structured"] = [
            str(board), "--start", str(start), "--neighbourhoods", "region",
            "--set", "neighbourhood.region.method=structured",
        ]  # fmt: skip
    instance = folder / "qap.dat"
    write_assignment(instance, 2000)
    found |= {f"qap 2000 {name}": [str(instance), "--construction", name] for name in ASSIGNMENT}
    graph = folder / "graph.clq"
    write_graph(graph, 3000)
    found |= {f"clique 3000 {name}": [str(graph), "--construction", name] for name in CLIQUE}
    return found


RUBIK = ("guided-beam", "two-phase", "astar", "ida-star", "batch-astar", "beam", "bidirectional", "portfolio")
TILES = (
    ("4x4", "guided-beam"), ("4x4", "astar"), ("4x4", "ida-star"), ("5x5", "guided-beam"), ("5x5", "portfolio"),
    ("5x5", "beam"),
)  # fmt: skip
CONSTRUCTIONS = ("milp-full", "milp-greedy", "clique", "structured-clique", "backtracking", "beam", "evolution")
NEIGHBOURHOODS = ("swap-rotate", "region", "border", "checkerboard", "assignment")
ASSIGNMENT = ("genetic", "faq", "branch-and-bound", "random")
CLIQUE = ("portfolio", "milp-full", "vertex-cover", "exact")


def write_assignment(path: Path, n: int) -> None:
    """Write random symmetric flows and distances."""
    rng = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(f"{n}\n")
        for _ in range(2):
            half = np.triu(rng.integers(0, 10, (n, n)), 1)
            file.writelines("\n" + " ".join(map(str, row)) for row in (half + half.T).tolist())


def write_graph(path: Path, n: int) -> None:
    """Write a random graph with half of the edges."""
    first, second = np.nonzero(np.triu(np.random.default_rng(0).random((n, n)) < 0.5, 1))
    with path.open("w") as file:
        file.write(f"p edge {n} {len(first)}\n")
        file.writelines(f"e {a} {b}\n" for a, b in zip((first + 1).tolist(), (second + 1).tolist(), strict=True))


def matheur(*arguments: str) -> None:
    """Run a command that must succeed."""
    subprocess.run([sys.executable, "-m", "matheur", *arguments], check=True, stdout=subprocess.DEVNULL)


def start(arguments: list[str], limit: float, cache: str) -> subprocess.Popen[bytes]:
    """Start a run with its own folder of tables."""
    return subprocess.Popen(
        [sys.executable, "-m", "matheur", "solve", *arguments, "--seconds", f"{limit:g}", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "MATHEUR_CACHE": cache},
    )


def run(arguments: list[str], limit: float) -> tuple[dict[str, object] | None, float]:
    """Run to the end; return the result (None if there is none), and the seconds of the process."""
    with tempfile.TemporaryDirectory(prefix="matheur-cache-") as cache:
        begun = time.perf_counter()
        answer = start(arguments, limit, cache).communicate()[0]
        return (json.loads(answer) if answer else None), time.perf_counter() - begun


def warm_up(arguments: list[str], limits: list[float]) -> None:
    """Compile kernels: repeat runs with each limit, since they reach different kernels, until each is in time."""
    for limit in limits:
        for _ in range(4):
            result, _ = run(arguments, limit)
            if result is None or float(str(result["seconds"])) < limit + 0.5:
                break


def over(arguments: list[str], limit: float) -> str:
    """Seconds beyond the limit by the run's own clock; `-` if it ended before; `error` and seconds for no result."""
    result, took = run(arguments, limit)
    if result is None:
        return f"error {took:.1f}"
    seconds = float(str(result["seconds"])) - limit
    return "-" if seconds < 0 else f"{seconds:.2f}"


def ending(arguments: list[str], after: float) -> str:
    """Seconds from SIGTERM to the end; `-` if the run ended before."""
    with tempfile.TemporaryDirectory(prefix="matheur-cache-") as cache:
        process = start(arguments, 600.0, cache)
        try:
            process.communicate(timeout=after)
            return "-"
        except subprocess.TimeoutExpired:
            begun = time.perf_counter()
            process.send_signal(signal.SIGTERM)
            process.communicate()
            return f"{time.perf_counter() - begun:.2f}"


if __name__ == "__main__":
    main()
