"""Pattern databases of the cubical puzzle: how fast they are built and read, and how good they are.

    python benchmarks/heuristics.py [--bits 10 15 20] [--ks 1 2 4] [--states 2000] [--exact] [--search 5]

Instances are those of the paper: d = 4 with five rings, d = 5 with six. A state is what a long random walk from the
start ends in. `--exact` computes true distances for d = 5 as well (a table of 1 GiB, minutes). `--search N` also runs
A* from N of the states. Tables are built anew; nothing is read from the cache or kept there.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from datetime import UTC, datetime

import numba
import numpy as np
from numpy.typing import NDArray

import matheur
from matheur.engine import Budget
from matheur.statespace.best_first.astar import astar
from matheur.statespace.domains.cubical import CubicalDomain
from matheur.statespace.heuristics import UNREACHED, Heuristic, distance_table, heuristic_by_name
from matheur.statespace.heuristics.patterns import walk_states

START = {4: [4, 1, 5, 13, 7], 5: [30, 29, 0, 17, 4, 1]}
GOAL = {4: [13, 7, 5, 4, 1], 5: [17, 30, 0, 29, 4, 1]}
KS = {4: (1, 2, 3), 5: (1, 2, 4)}


def puzzle(d: int, k: int, rings: int | None = None) -> CubicalDomain:
    """The paper's instance, or its first rings."""
    return CubicalDomain(d, k, START[d][:rings], GOAL[d][:rings])


def builds(ks: list[int], bits: list[int]) -> None:
    """Build rates: entries reached per processor second."""
    print("\nbuild: projection, bits, entries reached, processor seconds, M entries/s, greatest and mean distance")
    for d in (4, 5):
        for k in KS[d] if d == 4 else ks:
            for rings in sorted({most // d for most in (bits if d == 5 else [20])} - {0}):
                domain = puzzle(d, k, rings)
                began = time.process_time()
                table = distance_table(domain)
                seconds = time.process_time() - began
                farthest = int(np.flatnonzero(table.counts[:UNREACHED]).max())
                print(
                    f"  d={d} k={k} rings={rings:2} {domain.packing.bits:3} {table.reached:10} {seconds:8.3f} "
                    f"{table.reached / seconds / 1e6:7.2f} {farthest:4} {table.mean:8.3f}"
                )


def nanoseconds(heuristic: Heuristic, keys: NDArray[np.uint64]) -> float:
    """Processor time of one look-up, on states in no order."""
    many = np.tile(keys, (max(1, 500_000 // len(keys)), 1))
    many = many[np.random.default_rng(0).permutation(len(many))]
    began = time.process_time()
    heuristic.estimate(many)
    return (time.process_time() - began) / len(many) * 1e9


def distances(domain: CubicalDomain, keys: NDArray[np.uint64], exact: bool) -> NDArray[np.int64] | None:
    """True distances of the states, where they are cheap or wanted."""
    if domain.packing.bits > 20 and not exact:
        return None
    return distance_table(domain).values[keys[:, 0].astype(np.int64)].astype(np.int64)


def search(domain: CubicalDomain, heuristic: Heuristic, keys: NDArray[np.uint64]) -> str:
    """Mean expansions and processor seconds of A*."""
    expanded, began = 0, time.process_time()
    for state in domain.packing.unpack(keys):
        expanded += astar(domain.between(state, domain.goal), heuristic, budget=Budget(seconds=60)).expanded
    return f"{expanded / len(keys):12.0f} {(time.process_time() - began) / len(keys):8.3f}"


def qualities(options: argparse.Namespace) -> None:
    """Mean estimates against true distances, look-up times, memory."""
    print("\nquality: puzzle, heuristic, mean estimate, mean distance, wall seconds to make, ns per look-up, bytes")
    print("         with --search: mean expansions and processor seconds of A* per state")
    for d, ks in ((4, KS[4]), (5, options.ks)):
        for k in ks:
            domain = puzzle(d, k)
            keys = walk_states(domain, options.states, np.random.default_rng(1), steps=200)
            true = distances(domain, keys, options.exact)
            names = ["hamming"]
            for bits in options.bits if d == 5 else (8, 12, 20):
                names += [f"pattern-database(bits={bits},symmetric={word})" for word in ("no", "yes")]
            for name in names:
                began = time.perf_counter()
                heuristic = heuristic_by_name(domain, name)
                took = time.perf_counter() - began
                values = heuristic.estimate(keys)
                assert true is None or (values <= true).all()
                mean = "       -" if true is None else f"{true.mean():8.3f}"
                print(
                    f"  d={d} k={k} {name:40} {values.mean():8.3f} {mean} {took:7.2f} "
                    f"{nanoseconds(heuristic, keys):7.1f} {heuristic.memory:10} "
                    + (search(domain, heuristic, keys[: options.search]) if options.search else "")
                )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bits", nargs="+", type=int, default=[10, 15, 20])
    parser.add_argument("--ks", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--states", type=int, default=2000)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--search", type=int, default=0)
    options = parser.parse_args()

    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MATHEUR_CACHE"] = folder
        for bits in (8, 20):  # compile
            heuristic_by_name(puzzle(4, 1), f"pattern-database(bits={bits})")
        builds(options.ks, options.bits)
        qualities(options)


if __name__ == "__main__":
    main()
