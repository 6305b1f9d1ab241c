"""Speed of the table of states and of A*.

    python benchmarks/astar.py [--repeats 3] [--sizes 100000 1000000 10000000] [--starts 3]

Processor seconds of one core after compilation, the best of the repeats. Table: random keys of one word in batches of
100,000, into a table of the right size and into one that grows; then all keys again, and all keys looked up. A*: the
cubical puzzle with Hamming distances, the published start of d=5, k=4, random starts, and breadth-first search (zero).
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import matheur
from matheur.engine.budget import Budget
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.best_first.anytime import anytime_astar
from matheur.statespace.best_first.astar import astar
from matheur.statespace.breadth_first import distance_distribution
from matheur.statespace.domains.cubical import CubicalDomain
from matheur.statespace.heuristics.base import Heuristic, zero
from matheur.statespace.table import StateTable

_BATCH = 100_000


def best_of(repeats: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Least processor seconds, and the last result."""
    seconds, result = float("inf"), None
    for _ in range(repeats):
        before = time.process_time()
        result = work()
        seconds = min(seconds, time.process_time() - before)
    return seconds, result


def filled(keys: NDArray[np.uint64], capacity: int) -> StateTable:
    """A table with these keys."""
    table = StateTable(1, 2 << 30, capacity)
    for start in range(0, len(keys), _BATCH):
        table.add(keys[start : start + _BATCH])
    return table


def table_lines(sizes: list[int], repeats: int) -> Iterator[str]:
    """Millions of keys a second for each size."""
    yield f"{'keys':>10} {'insert':>8} {'growing':>8} {'again':>8} {'find':>8}   bytes/key"
    filled(np.arange(10, dtype=np.uint64)[:, None], 10).find(np.zeros((1, 1), dtype=np.uint64))
    for size in sizes:
        keys = np.random.default_rng(0).integers(0, 1 << 60, (size, 1), dtype=np.uint64)
        insert, table = best_of(repeats, lambda keys=keys: filled(keys, len(keys)))
        growing, _ = best_of(repeats, lambda keys=keys: filled(keys, 1 << 10))
        again, _ = best_of(repeats, lambda keys=keys, table=table: table.add(keys))
        find, _ = best_of(repeats, lambda keys=keys, table=table: table.find(keys))
        speeds = " ".join(f"{size / seconds / 1e6:8.1f}" for seconds in (insert, growing, again, find))
        yield f"{size:10} {speeds}   {table.nbytes / size:.1f}"


def walked(domain: CubicalDomain, steps: int, rng: np.random.Generator) -> CubicalDomain:
    """The same goal from the end of a random walk."""
    key = domain.packing.pack(domain.goal[None])
    for _ in range(steps):
        found = domain.expand(key).keys
        key = found[rng.integers(len(found))][None]
    return domain.between(domain.packing.unpack(key)[0], domain.goal)


def puzzles(starts: int) -> Iterator[tuple[str, CubicalDomain, Heuristic]]:
    """Names, domains and heuristics."""
    small = CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
    yield "d=4 k=3 level 4", small, small.hamming()
    yield "d=4 k=3 level 4, zero", small, zero()
    farthest = distance_distribution(small).antipodes[0]
    yield "d=4 k=3, farthest state", small.between(farthest, small.goal), small.hamming()
    large = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    yield "d=5 k=4", large, large.hamming()
    rng = np.random.default_rng(0)
    for i in range(starts):
        one = walked(large, 2000, rng)
        yield f"d=5 k=4, random start {i}", one, one.hamming()
    yield "d=5 k=4, zero", large, zero()


def search_lines(starts: int, repeats: int) -> Iterator[str]:
    """Expansions a second for each puzzle."""
    columns = f"{'expanded':>9} {'seconds':>8} {'M exp/s':>8} {'M gen/s':>8}  bytes/state"
    yield f"{'puzzle':26} {'search':8} {'cost':>4} {columns}"
    for name, domain, heuristic in puzzles(starts):
        for label, search in (("A*", astar), ("anytime", anytime_astar)):

            def run(search: Any = search, domain: Any = domain, heuristic: Any = heuristic) -> SearchAnswer:
                return search(domain, heuristic, memory=4 << 30, budget=Budget(work=20_000_000))

            seconds, answer = best_of(repeats, run)
            yield (
                f"{name:26} {label:8} {answer.cost!s:>4} {answer.expanded:9} {seconds:8.3f} "
                f"{answer.expanded / seconds / 1e6:8.2f} {answer.generated / seconds / 1e6:8.1f}  "
                f"{answer.memory / max(answer.stored, 1):.1f}"
            )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--starts", type=int, default=3)
    options = parser.parse_args()
    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"load {os.getloadavg()[0]:.1f}, best of {options.repeats}, million a second and core")
    for line in table_lines(options.sizes, options.repeats):
        print(line, flush=True)
    for line in search_lines(options.starts, options.repeats):
        print(line, flush=True)


if __name__ == "__main__":
    main()
