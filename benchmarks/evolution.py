"""Speed of the population machinery, and what the constructions of parties reach in equal time.

    python benchmarks/evolution.py [--puzzles type1 type2 type3] [--seeds 3] [--seconds 5]

First the pieces without a problem (crossover, mutation, survivors, diversity, redealing), in microseconds a generation
of 50 parties and 100 children. Then, for each built-in puzzle, generations, individuals and runs of Algorithm 1 a
second with the paper's parameters, and the best price after so many processor seconds with the paper's and with the
default parameters. Processor seconds of one thread, after compilation; the load of the machine is printed with them.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from statistics import median
from typing import Any

import numba
import numpy as np

import matheur
from matheur.engine import Budget
from matheur.evolution import GeneticAlgorithm, Population, drop_genes, hamming_diversity, redeal, survivors
from matheur.evolution import uniform_crossover as crossover
from matheur.evolution.selection import parent_pairs
from matheur.operators.party.genetic import Genetic
from matheur.operators.party.islands import Islands
from matheur.operators.party.map_elites import MapElites
from matheur.operators.party.species import PartySpecies
from matheur.problems.party import Party, builtin

PAPER: dict[str, Any] = {"patience": None, "improve": "none", "attempts": 20, "refresh_below": 0.02}
CONSTRUCTIONS = {
    "genetic, paper": Genetic(population=50, offspring=100, **PAPER),
    "islands, paper": Islands(islands=5, population=10, offspring=20, epoch=10, **PAPER),
    "genetic": Genetic(),
    "islands": Islands(),
    "map-elites": MapElites(),
}


def pieces(genes: int = 11, alphabet: int = 700) -> None:
    """The operators on random genomes."""
    rng = np.random.default_rng(0)
    genomes = np.array([rng.permutation(alphabet)[:genes] for _ in range(50)], dtype=np.int32)
    old = Population(genomes, rng.integers(1000, 2000, 50))
    first, second = parent_pairs(100, 50, rng)
    children = crossover(genomes[first], genomes[second], 0.5, rng)
    young = Population(children, rng.integers(1000, 2000, 100))
    timed: dict[str, Callable[[], Any]] = {
        "parents by rank": lambda: parent_pairs(100, 50, rng),
        "crossover": lambda: crossover(genomes[first], genomes[second], 0.5, rng),
        "mutation": lambda: drop_genes(children, 0.2, rng),
        "survivors, distinct": lambda: survivors(old, young, 50, distinct=True),
        "Hamming diversity": lambda: hamming_diversity(genomes),
        "redeal by fitness": lambda: redeal([old.take(slice(10 * i, 10 * i + 10)) for i in range(5)]),
        "redeal by genomes": lambda: redeal([old.take(slice(10 * i, 10 * i + 10)) for i in range(5)], "hamming"),
    }
    for name, piece in timed.items():
        seconds = []
        for _ in range(200):
            began = time.perf_counter()
            piece()
            seconds.append(time.perf_counter() - began)
        print(f"{name:24} {1e6 * median(seconds):8.0f} us")


def speeds(name: str, problem: Party, seeds: int, generations: int = 20) -> None:
    """Generations, individuals and runs of Algorithm 1 a second, without improvements of the parties."""
    operator = CONSTRUCTIONS["genetic, paper"]
    found = []
    for seed in range(seeds):
        budget, rng = Budget(), np.random.default_rng(seed)
        algorithm = GeneticAlgorithm(PartySpecies(problem.instance, operator.healing, budget), operator.genetic)
        algorithm.fill(rng)
        work, made, began = budget.spent_work, algorithm.evaluations, time.process_time()
        for _ in range(generations):
            algorithm.step(rng)
        seconds = time.process_time() - began
        counts = (generations, algorithm.evaluations - made, budget.spent_work - work)
        found.append([count / seconds for count in counts])
    rates = np.median(np.array(found), axis=0)
    print(f"{name:12} {rates[0]:8.1f} generations/s {rates[1]:8.0f} healings/s {rates[2]:8.0f} runs of Algorithm 1/s")


def prices(name: str, problem: Party, seeds: int, limit: float) -> None:
    """Best prices of equal time."""
    for label, operator in CONSTRUCTIONS.items():
        found = []
        for seed in range(seeds):
            budget = Budget(seconds=limit, clock=time.process_time)
            found.append(operator.build(problem, budget, np.random.default_rng(seed)).objective)
        print(f"{name:12} {label:16} {limit:g} s: {sorted(price for price in found if price is not None)}", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzles", nargs="+", default=["type1", "type2", "type3"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}")
    print(f"one thread, load {load:.1f}, seeds 0 to {options.seeds - 1}\n")
    pieces()
    for name in options.puzzles:
        problem = Party(builtin(name))
        for operator in CONSTRUCTIONS.values():
            operator.build(problem, Budget(work=200), np.random.default_rng(0))
        print()
        speeds(name, problem, options.seeds)
        prices(name, problem, options.seeds, options.seconds)


if __name__ == "__main__":
    main()
