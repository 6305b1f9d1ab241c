"""States a second of every search on sliding tiles, Lights Out and Sokoban.

    python benchmarks/plan_puzzles.py [--seconds 2] [--only sokoban] [--out FILE.md]

Each search gets so many CPU seconds of one thread on one instance (seeds and heuristics fixed) after a first run on a
small one, which compiles; tables of heuristics are built before. Expanded and generated states a second, states kept,
and what came out: a plan, the bound, or both. The fast search of sliding tiles is measured by `sliding_tile.py`, those
of the cube by `rubik.py`.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numba
import numpy as np

import matheur
from matheur.engine.budget import Budget
from matheur.operators.lights_out.linear_algebra import LinearAlgebra, solve_boards
from matheur.problems import lights_out, sliding_tile, sokoban
from matheur.statespace import astar, batch_astar, bfs, heuristic_by_name, ida_star
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.best_first.beam import beam
from matheur.statespace.domain import Domain
from matheur.statespace.domains import domain_of
from matheur.statespace.sokoban.push_search import push_astar

_MEMORY = 2 << 30

Search = Callable[[Budget], SearchAnswer]


def general(domain: Domain, name: str) -> dict[str, Search]:
    """The searches that all plan puzzles share."""
    estimate = heuristic_by_name(domain, name)
    return {
        "bfs": lambda budget: bfs(domain, budget=budget, memory=_MEMORY),
        f"astar, {name}": lambda budget: astar(domain, estimate, budget=budget, memory=_MEMORY),
        f"ida-star, {name}": lambda budget: ida_star(domain, estimate, budget=budget),
        "batch-astar, weight 0.6, batch 1,000": lambda budget: batch_astar(
            domain, estimate, weight=0.6, batch=1000, budget=budget, memory=_MEMORY, until="proved"
        ),
        "beam, width 100,000": lambda budget: beam(
            domain, estimate, width=100_000, rng=np.random.default_rng(0), budget=budget, memory=_MEMORY
        ),
    }


def tiles(size: int) -> sliding_tile.SlidingTile:
    """A random board."""
    return sliding_tile.SlidingTile(sliding_tile.uniform(size, size, np.random.default_rng(0)))


def lights(size: int) -> lights_out.LightsOut:
    """A random board."""
    return lights_out.LightsOut(lights_out.generate(size, size, seed=0)[0])


def level(name: str, cost: Literal["moves", "pushes"] = "moves") -> sokoban.Sokoban:
    """A built-in level."""
    return sokoban.Sokoban(replace(sokoban.builtin(name), cost=cost))


def large(cost: Literal["moves", "pushes"], boxes: int) -> sokoban.Sokoban:
    """A level of 20 x 24 with many boxes."""
    return sokoban.Sokoban(sokoban.generate(20, 24, seed=0, boxes=boxes, cost=cost)[0])


def searches() -> Iterator[tuple[str, str, Search, Search]]:
    """Puzzle, search, the first run and the measured one."""
    for puzzle, small, whole, heuristic in (
        ("sliding-tile", tiles(3), tiles(4), "manhattan"),
        ("lights-out", lights(3), lights(7), "zero"),
        ("sokoban", level("two-in-a-row"), level("random-12x14"), "pushes"),
    ):
        first = general(domain_of(small), heuristic)
        for name, search in general(domain_of(whole), heuristic).items():
            yield puzzle, name, first[name], search

    def pushing(problem: Any) -> Search:
        return lambda budget: push_astar(problem.instance, budget=budget, memory=_MEMORY)

    tiny = pushing(level("two-in-a-row"))
    for name, problem in (
        ("push-astar, moves, 12 x 14, 5 boxes", level("random-12x14")),
        ("push-astar, pushes, 12 x 14, 5 boxes", level("random-12x14", "pushes")),
        ("push-astar, moves, 20 x 24, 10 boxes", large("moves", 10)),
        ("push-astar, moves, 20 x 24, 30 boxes", large("moves", 30)),
        ("push-astar, pushes, 20 x 24, 30 boxes", large("pushes", 30)),
    ):
        yield "sokoban", name, tiny, pushing(problem)


def algebra(seconds: float) -> Iterator[tuple[str, str]]:
    """Lights Out without search: boards a second by the inverse, solutions a second in a coset."""
    boards = np.random.default_rng(0).integers(0, 1 << 49, 500, dtype=np.uint64)
    solve_boards(7, 7, boards)
    begun, passes = time.process_time(), 0
    while time.process_time() - begun < seconds / 2:
        solve_boards(7, 7, boards)
        passes += 1
    rate = passes * len(boards) / (time.process_time() - begun) / 1e6
    yield "inverse, 7 x 7", f"{rate:.2f} M boards/s"
    operator, rng = LinearAlgebra(), np.random.default_rng(0)
    problem = lights_out.LightsOut(lights_out.generate(19, 19, seed=0)[0])
    operator.build(problem, Budget(), rng)
    begun, work = time.process_time(), 0
    while time.process_time() - begun < seconds / 2:
        work += operator.build(problem, Budget(), rng).work
    rate = work / (time.process_time() - begun) / 1e6
    yield "linear-algebra, 19 x 19", f"{rate:.1f} M solutions/s"


def measured(seconds: float, only: str | None) -> Iterator[tuple[str, ...]]:
    """A row for each search: puzzle, search, millions expanded, generated, kept, CPU seconds, outcome."""
    for puzzle, name, first, search in searches():
        if only in (None, puzzle):
            first(Budget(seconds=seconds, clock=time.process_time))
            begun = time.process_time()
            answer = search(Budget(seconds=seconds, clock=time.process_time))
            took = time.process_time() - begun
            outcome = (
                f"plan of {answer.cost}, bound {answer.bound}" if answer.plan is not None else f">= {answer.bound}"
            )
            rates = (f"{count / took / 1e6:.2f}" for count in (answer.expanded, answer.generated))
            yield puzzle, name, *rates, f"{answer.stored / 1e6:.2f}", f"{took:.2f}", outcome
    if only in (None, "lights-out"):
        for name, rate in algebra(seconds):
            yield "lights-out", name, "", "", "", f"{seconds / 2:.2f}", rate


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--only", choices=("sliding-tile", "lights-out", "sokoban"))
    parser.add_argument("--out", type=Path, help="a table in Markdown")
    options = parser.parse_args()
    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    head = (
        f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}: one "
        f"thread, load {load:.1f}, {options.seconds:g} CPU s a search; states expanded and generated in M a CPU second."
    )
    print(head)
    table = ["| puzzle | search | expanded | generated | kept, M | CPU s | outcome |"]
    table.append("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    print(*table, sep="\n")
    for row in measured(options.seconds, options.only):
        table.append(f"| {' | '.join(row)} |")
        print(table[-1], flush=True)
    if options.out is not None:
        text = "\n".join(["## States a second", "", f"`benchmarks/plan_puzzles.py`, {head}", "", *table])
        options.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
