"""Tables and searches of Rubik's cube: build times, sizes, states a second.

    python benchmarks/rubik.py [--metric quarter] [--cubes 5] [--seconds 2]

First each table is built (not read from the cache): CPU seconds, size, largest and mean entry. Then random cubes (seeds
0, 1, ...) get so many CPU seconds of each search: states looked at a second, and what came out.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

import numba
import numpy as np
from numpy.typing import NDArray

import matheur
from matheur.engine.budget import Budget
from matheur.problems.rubik.generator import uniform
from matheur.problems.rubik.instance import METRICS, Metric
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.rubik.beam import anytime_beam_cube, beam_cube
from matheur.statespace.rubik.classes import classes
from matheur.statespace.rubik.deepening import cube_tables, ida_star_cube
from matheur.statespace.rubik.perimeter import DEPTHS, build_perimeter, perimeter
from matheur.statespace.rubik.pieces import SOLVED_STATE, replay, state_of
from matheur.statespace.rubik.tables import NAMES, build_table
from matheur.statespace.rubik.two_phase import two_phase


def build(metric: Metric) -> None:
    """Build the tables."""
    build_perimeter(metric, 2)
    classes()
    for name in NAMES:
        begun = time.process_time()
        table = build_table(name, metric)
        took = time.process_time() - begun
        assert table is not None
        counts = table.histogram()
        mean = (counts * np.arange(len(counts))).sum() / counts.sum()
        size = table.packed.nbytes / 1e6
        print(f"table {name:10} {took:6.1f} CPU s {size:7.1f} MB, largest {table.largest}, mean {mean:.3f}")
    begun = time.process_time()
    ends = build_perimeter(metric, DEPTHS[metric])
    assert ends is not None
    took = time.process_time() - begun
    print(f"perimeter {ends.depth:6} {took:6.1f} CPU s {ends.slots.nbytes / 1e6:7.1f} MB, {ends.classes} classes")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--metric", choices=METRICS, default="quarter")
    parser.add_argument("--cubes", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    metric = cast(Metric, options.metric)
    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"one thread, load {load:.1f}, {metric} turns, {options.seconds:g} CPU s a cube")
    build(metric)
    tables, ends = cube_tables(metric), perimeter(metric, DEPTHS[metric])
    assert tables is not None
    assert ends is not None
    limit = options.seconds
    states = [state_of(uniform(np.random.default_rng(seed), metric).cubies) for seed in range(options.cubes)]

    def budget() -> Budget:
        return Budget(seconds=limit, clock=time.process_time)

    searches: dict[str, Callable[[NDArray[np.uint8]], SearchAnswer]] = {
        "ida-star": lambda state: ida_star_cube(tables, state, budget=budget()),
        "two-phase": lambda state: two_phase(tables, state, budget=budget()),
        "beam 10,000": lambda state: beam_cube(tables, ends, state, width=10_000),
        "beams": lambda state: anytime_beam_cube(tables, ends, state, budget=budget()),
    }
    near = replay(SOLVED_STATE, [0, 4, 8, 2, 6, 10, 0, 4, 8, 2])
    print(f"{'search':12} M states/s  CPU s a cube  mean length  mean bound")
    for name, search in searches.items():
        search(near)
        begun = time.process_time()
        answers = [search(state) for state in states]
        took = time.process_time() - begun
        found = [answer.cost for answer in answers if answer.cost is not None]
        length = f"{np.mean(found):11.2f}" if found else "          -"
        rate, bound = sum(answer.expanded for answer in answers) / took / 1e6, np.mean([one.bound for one in answers])
        print(f"{name:12} {rate:10.2f} {took / len(states):13.2f} {length:>12} {bound:11.2f}")


if __name__ == "__main__":
    main()
