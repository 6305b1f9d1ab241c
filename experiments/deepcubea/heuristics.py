"""Tables 2 and 3 of Agostinelli et al. 2019: memory and speed of pattern databases and of networks.

    python experiments/deepcubea/heuristics.py --size smoke      # two puzzles, small networks
    python experiments/deepcubea/heuristics.py --size bench      # all puzzles, written to results/heuristics-bench.md

Processor microseconds for the estimate of a state, evaluated singly from Python and in batches of 1,000, on ends of
random walks. Networks are untrained, since neither size nor speed depends on the weights. `deepcubea` is the network of
the paper, evaluated by JAX in one thread; smaller ones are compiled. If JAX finds a GPU, it computes `deepcubea` there
(the paper's GPU column), and all times are wall-clock times. Needs `pip install 'matheur[neural]'`; tables are built on
first use and kept in the user's cache (those of the 48-puzzle take a gigabyte and a few minutes).
"""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse
import platform
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import jax
import numpy as np

import matheur
from matheur.methods.learning import PRESETS, Encoding, Model, NetworkSpec, Use, learnt_heuristic
from matheur.methods.learning.networks import initial
from matheur.methods.learning.sampling import walks
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import Heuristic, heuristic_by_name
from matheur.problems.plans.training import learnt_domain
from matheur.problems.rubik.search.coset import BYTES
from matheur.running.loading import load_instance

HERE = Path(__file__).resolve().parent
SMOKE = {"sliding-tile/4x4": ["manhattan", "linear-conflict"], "lights-out/all-7x7": []}
TILES = {
    "sliding-tile/4x4": ["5-5-5", "7-8"],
    "sliding-tile/5x5": ["5-5-5-5-4", "6-6-6-6"],
    "sliding-tile/6x6": ["5-5-5-5-5-5-5"],
    "sliding-tile/7x7": ["4-4-4-4-4-4-4-4-4-4-4-4", "5-5-5-5-5-5-5-5-5-3"],
}
PUZZLES = {
    "rubik/random-1": ["korf", "tables", "table-sum"],
    **TILES,
    "lights-out/all-7x7": [],
    "sokoban/random-10x10": [],
}
SIZES: dict[str, tuple[dict[str, list[str]], list[str], float]] = {
    "smoke": (SMOKE, ["small"], 0.05),
    "bench": (PUZZLES, ["compact", "deepcubea"], 1.0),
    "full": (PUZZLES, list(PRESETS), 10.0),
}
"""Puzzles with their tables, networks, and processor seconds of a measurement."""
BATCH = 1000
MEMORY = 4 << 30
"""Bytes of the tables of a puzzle."""
ON_GPU = jax.default_backend() != "cpu"
NOTE = f"""
The exact searches of the cube use more than estimates of states: Rokicki's, in the paper, tables of 182 GB; ours
(`ida-star` with `heuristic=large`) a table of {BYTES / 1e6:,.0f} MB and those of `tables`. There are no databases for
Lights Out and Sokoban, as in the paper. One table of six edges of the cube serves for both sets. The paper keeps a
byte for each of p^k places of k tiles, and the mirror images, too; ours has four bits for each placement.
"""


def network(domain: Domain, preset: str) -> tuple[Heuristic, int]:
    """An untrained network as a heuristic, and the size of its parameters in bytes."""
    encoding = Encoding.of(domain)
    spec = NetworkSpec(encoding.units, 1, **PRESETS[preset])
    model = Model(
        spec,
        initial(spec, np.random.default_rng(0)),
        encoding,
        "distance",
        domain.name,
        domain.fingerprint,
        domain.goal,
    )
    return learnt_heuristic(domain, model, Use(cache=0)), 4 * model.parameters


def microseconds(action: Callable[[], int], seconds: float) -> float:
    """Processor time per state (wall-clock time with a GPU); the first call, which compiles, is not counted."""
    clock = time.perf_counter if ON_GPU else time.process_time
    action()
    begun, states = clock(), 0
    while clock() - begun < seconds:
        states += action()
    return 1e6 * (clock() - begun) / states


def row(name: str, heuristic: Heuristic, memory: int, domain: Domain, seconds: float) -> str:
    """Row of the table."""
    rng = np.random.default_rng(1)
    keys = rng.permutation(walks(domain, 100, 100, rng).keys)[:BATCH]
    single = microseconds(lambda: sum(len(heuristic.estimate(keys[one : one + 1])) for one in range(BATCH)), seconds)
    batch = microseconds(lambda: len(heuristic.estimate(keys)), seconds)
    return f"{name} | {memory / 1e6:,.2f} | {single:,.1f} | {batch:,.2f} |"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="smoke")
    size = parser.parse_args().size
    puzzles, networks, seconds = SIZES[size]
    unit = "of the clock, large networks by JAX on a GPU," if ON_GPU else "of a processor"
    lines = [
        f"matheur {matheur.__version__}, {date.today():%Y-%m-%d}, {platform.machine()}, one thread, load "
        f"{os.getloadavg()[0]:.1f}; microseconds {unit} for each state.\n",
        f"| puzzle | estimate | MB | one at a time, µs | {BATCH:,} at a time, µs |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for line in lines:
        print(line)
    for puzzle, tables in puzzles.items():
        domain = learnt_domain([load_instance(puzzle)[1]])
        for name in tables:
            heuristic = heuristic_by_name(domain, name, memory=MEMORY)
            lines.append(f"| {puzzle} | {row(name, heuristic, heuristic.memory, domain, seconds)}")
            print(lines[-1], flush=True)
        for preset in networks:
            heuristic, memory = network(domain, preset)
            lines.append(f"| {puzzle} | {row(f'network `{preset}`', heuristic, memory, domain, seconds)}")
            print(lines[-1], flush=True)
    lines += NOTE.splitlines()
    if size != "smoke":
        (HERE / "results" / f"heuristics-{size}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
