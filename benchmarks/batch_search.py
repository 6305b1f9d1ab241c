"""Speed and quality of IDA*, batch weighted A* and beam search on cubical puzzles.

    python benchmarks/batch_search.py [--data FOLDER] [--generated 5] [--seconds 10] [--only ida-star batch-astar beam]

The puzzles: the published ones of dimension 4 and 5 (`state_space/cubic_instances.csv`), and puzzles of dimension 5
with k = 4 and six rings between ends of random walks, seeds fixed. Optima come from A* (weight 1, proved). For each
setting: the puzzles solved, how many of them proved optimal, the mean excess over the optimum, states expanded, states
generated and expanded a second, bytes per state kept (in the largest search), and the seconds for all puzzles.
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numba
import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.best_first.batch_astar import batch_astar
from matheur.statespace.best_first.beam import Seen, anytime_beam, beam
from matheur.statespace.best_first.ida_star import ida_star
from matheur.statespace.domains.cubical import CubicalDomain

Search = Callable[[CubicalDomain], SearchAnswer]


def published(folder: Path) -> list[CubicalDomain]:
    """The solvable instances of dimension 4 and 5."""
    with (folder / "state_space" / "cubic_instances.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["d"]) >= 4]
    return [
        CubicalDomain(
            int(row["d"]),
            int(row["k"]),
            [int(v) for v in row["start"].split()],
            [int(v) for v in row["target"].split()],
        )
        for row in rows
    ]


def generated(count: int) -> list[CubicalDomain]:
    """Dimension 5, k = 4, six rings, between two ends of random walks from the published puzzle's start."""
    found = []
    for seed in range(count):
        rng = np.random.default_rng(seed)
        domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
        ends = []
        for _ in range(2):
            key = domain.packing.pack(domain.start[None])
            for _ in range(20_000):
                after = domain.expand(key).keys
                key = after[rng.integers(len(after))][None]
            ends.append(domain.packing.unpack(key)[0])
        found.append(domain.between(*ends))
    return found


def line(name: str, puzzles: list[CubicalDomain], optima: list[int], search: Search) -> str:
    """Run a setting on all puzzles; one line of the table."""
    answers = [search(puzzle) for puzzle in puzzles]
    excess = [a.cost - best for a, best in zip(answers, optima, strict=True) if a.cost is not None]
    proved = sum(a.proved for a in answers)
    seconds = sum(a.seconds for a in answers)
    expanded, made = sum(a.expanded for a in answers), sum(a.generated for a in answers)
    largest = max(answers, key=lambda a: a.stored)
    mean = f"{np.mean(excess):7.2f}" if excess else "      -"
    return (
        f"{name:28} {len(excess):3}/{len(puzzles)} {proved:3} {mean} {expanded / 1e6:9.3f} {made / seconds / 1e6:8.2f} "
        f"{expanded / seconds / 1e6:8.3f} {largest.memory / max(1, largest.stored):8.1f} {seconds:8.2f}"
    )


def settings(seconds: float) -> dict[str, dict[str, Search]]:
    """All searches by family and name; each gets so many seconds a puzzle."""

    def deepening(entries: int) -> Search:
        return lambda p: ida_star(p, p.hamming(), budget=Budget(seconds=seconds), table_entries=entries)

    def batched(weight: float, batch: int) -> Search:
        return lambda p: batch_astar(p, p.hamming(), weight=weight, batch=batch, budget=Budget(seconds=seconds))

    def beamed(width: int, seen: Seen) -> Search:
        rng = np.random.default_rng
        return lambda p: beam(p, p.hamming(), width=width, rng=rng(1), seen=seen, budget=Budget(seconds=seconds))

    def restarted(puzzle: CubicalDomain) -> SearchAnswer:
        return anytime_beam(puzzle, puzzle.hamming(), rng=np.random.default_rng(1), budget=Budget(seconds=seconds))

    both: tuple[Seen, ...] = ("all", "last-two")
    weights, batches = (0.2, 0.6, 0.8, 1.0), (1, 100, 1000, 10_000)
    return {
        "ida-star": {f"ida-star table {n}": deepening(n) for n in (0, 1 << 14, 1 << 18, 1 << 20, 1 << 22)},
        "batch-astar": {f"batch-astar {w:g} batch {n}": batched(w, n) for w in weights for n in batches},
        "beam": {f"beam {n} {seen}": beamed(n, seen) for seen in both for n in (100, 1000, 10_000, 100_000)}
        | {"beam doubled from 64": restarted},
    }


def main() -> None:
    """Run what the command line asks for."""
    default = Path(os.environ.get("MATHEUR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--generated", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--only", nargs="+", default=["ida-star", "batch-astar", "beam"])
    options = parser.parse_args()

    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"one thread, load {load:.1f}, at most {options.seconds:g} s a puzzle, heuristic hamming")

    families = settings(options.seconds)
    warm = CubicalDomain(3, 1, [5, 6, 4, 1], [4, 1, 5, 6])
    for family in options.only:
        for search in families[family].values():
            search(warm)
    for title, puzzles in (("published", published(options.data)), ("generated", generated(options.generated))):
        optima = []
        for puzzle in puzzles:
            exact = batch_astar(puzzle, puzzle.hamming(), until="proved")
            if exact.cost is None or not exact.proved:
                raise RuntimeError(f"no optimum of {puzzle.name}: {exact.limit}")
            optima.append(exact.cost)
        print(f"\n{title}: {len(puzzles)} puzzles, mean optimum {np.mean(optima):.2f}")
        print(
            f"{'search':28} solved prf  excess expanded M  gen M/s  exp M/s  B/state  seconds",
        )
        for family in options.only:
            for name, search in families[family].items():
                print(line(name, puzzles, optima, search), flush=True)


if __name__ == "__main__":
    main()
