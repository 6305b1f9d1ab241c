"""Tables and exact search of sliding tiles: build times, sizes, slides a second.

    python benchmarks/sliding_tile.py [--size 4] [--partition 6-6-3] [--boards 5] [--work 20000000] [--threads 1]

First the tables of the partition are built (not read from the cache): CPU seconds, size, largest and mean half of the
excess over the taxicab distance. Then random boards (seeds 0, 1, ...) are searched by `ida-star`, unsplit until so many
slides have been looked at with one thread, or to the end with more: slides a second, and what came out.
"""

from __future__ import annotations

import argparse
import os
import platform
import time

import numba
import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.problems.sliding_tile import uniform
from matheur.statespace.sliding_tile.databases import Database, build_database
from matheur.statespace.sliding_tile.deepening import Estimator, ida_star_tiles
from matheur.statespace.sliding_tile.geometry import Geometry, geometry
from matheur.statespace.sliding_tile.partitions import partition


def build(board: Geometry, pattern: tuple[int, ...], threads: int) -> Database:
    """Build and describe a table."""
    cpu, wall = time.process_time(), time.perf_counter()
    made = build_database(board, pattern, threads=threads)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    assert made is not None
    counts = np.bincount(made.packed & 15, minlength=16) + np.bincount(made.packed >> 4, minlength=16)
    mean = (counts * np.arange(16)).sum() / counts.sum()
    print(
        f"pattern {'-'.join(map(str, pattern)):24} {cpu:6.2f} CPU s {wall:6.2f} s {made.packed.nbytes / 1e6:7.2f} MB, "
        f"largest {np.flatnonzero(counts)[-1]}, mean {mean:.3f}"
    )
    return made


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=4, help="rows and columns")
    parser.add_argument("--partition", default="6-6-3")
    parser.add_argument("--boards", type=int, default=5)
    parser.add_argument("--work", type=int, default=20_000_000)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print(
        f"matheur {matheur.__version__}, numba {numba.__version__}, {platform.machine()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    small = geometry(3, 3, "blank-last")
    tiny = [build_database(small, pattern) for pattern in partition(small, "4")]
    ida_star_tiles(Estimator.of(small, [one for one in tiny if one]), uniform(3, 3, np.random.default_rng(0)).tiles)
    board = geometry(options.size, options.size, "blank-last")
    estimator = Estimator.of(
        board, [build(board, pattern, options.threads) for pattern in partition(board, options.partition)]
    )
    for seed in range(options.boards):
        tiles = uniform(options.size, options.size, np.random.default_rng(seed)).tiles
        budget = Budget(work=options.work) if options.threads == 1 else Budget()
        cpu, wall = time.process_time(), time.perf_counter()
        answer = ida_star_tiles(estimator, tiles, budget=budget, threads=options.threads)
        cpu, wall = max(1e-6, time.process_time() - cpu), time.perf_counter() - wall
        found = f"{answer.cost} slides, proved" if answer.proved else f"at least {answer.bound} slides"
        rates = f"{answer.generated / cpu / 1e6:6.1f} M per CPU s {answer.generated / wall / 1e6:6.1f} M per s"
        print(f"board {seed}: {answer.generated / 1e6:8.2f} M slides {rates}, {found}")


if __name__ == "__main__":
    main()
