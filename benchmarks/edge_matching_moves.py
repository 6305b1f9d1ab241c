"""Speed of the quick moves on a board: assignment, checkerboard, swap-rotate and exact windows.

Run `python benchmarks/edge_matching_moves.py [--sizes 10 16] [--seeds 3]`. Figures are for one core, on generated
puzzles with the colour numbers of Brendan Owen's sets, after compilation; the load of the machine is printed with
them.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numba
import numpy as np
import scipy
from numpy.random import Generator
from scipy.optimize import linear_sum_assignment

from matheur.engine.budget import Budget
from matheur.operators.edge_matching.assignment import TIE_BITS, Assignment
from matheur.operators.edge_matching.assignment_kernels import count_around, price
from matheur.operators.edge_matching.board_tools import Layout, kernel_state
from matheur.operators.edge_matching.checkerboard import Checkerboard
from matheur.operators.edge_matching.exact_region import RegionStatus, solve_region
from matheur.operators.edge_matching.random_board import RandomBoard
from matheur.operators.edge_matching.swap_rotate import SwapRotate
from matheur.problems.edge_matching import Board, EdgeMatching, generate

ITERATIONS = 20_000


def main() -> None:
    """Print one line per move, size and figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 16])
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print(
        f"{datetime.date.today()} {platform.machine()} Python {platform.python_version()} numba {numba.__version__} "
        f"numpy {np.__version__} scipy {scipy.__version__}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for size in options.sizes:
        problem = EdgeMatching(generate(size, size, seed=1)[0])
        boards = [
            RandomBoard().build(problem, Budget(), np.random.default_rng(s)).solution for s in range(options.seeds)
        ]
        moves = {
            **{f"assignment k={k}": Assignment(k=k, iterations=ITERATIONS) for k in (8, 16, 32)},
            "assignment k=16, annealed": Assignment(iterations=ITERATIONS, temperature=0.3),
            "checkerboard": Checkerboard(),
            "swap-rotate, steepest": SwapRotate(),
            "swap-rotate, first": SwapRotate(first_improvement=True),
        }
        for name, move in moves.items():
            _measure(problem, name, boards, move.explore)
        _scipy_assignment(problem, boards[0])
        polish = Assignment(iterations=200_000, temperature=0.3)
        good = polish.explore(problem, boards[0], Budget(), np.random.default_rng(0)).solution
        for height, width in ((3, 3), (3, 4), (4, 4), (4, 5)):
            _windows(problem, good, height, width)


def _measure(problem: EdgeMatching, name: str, boards: list[Board], explore: Callable[..., Any]) -> None:
    """Run a move from each board, once to compile and once for the clock."""
    explore(problem, boards[0], Budget(), np.random.default_rng(0))
    seconds, work, scores = [], [], []
    for seed, board in enumerate(boards):
        start = time.perf_counter()
        outcome = explore(problem, board, Budget(), np.random.default_rng(seed))
        seconds.append(time.perf_counter() - start)
        work.append(outcome.work)
        scores.append(problem.score(outcome.objective))
    print(
        f"{_size(problem)} {name:28} {1e3 * median(seconds):8.1f} ms, {sum(work) / sum(seconds):10.0f} work/s, "
        f"median score {median(scores)} of {problem.score_max}"
    )


def _scipy_assignment(problem: EdgeMatching, board: Board, k: int = 16, iterations: int = 2000) -> None:
    """The rejected design: cells and costs from a kernel, the assignment by scipy, the loop in Python."""
    layout = Layout.of(problem.instance, board)
    inner = np.flatnonzero(layout.groups == 0).astype(np.int32)
    rng = np.random.default_rng(0)
    state = kernel_state(rng)
    cost, choice = np.empty((k, k), dtype=np.int64), np.empty((k, k), dtype=np.int64)
    start = time.perf_counter()
    for _ in range(iterations):
        chosen = _apart(layout, inner, k, rng)
        count_around(chosen, layout.placements, layout.neighbours, layout.sides)
        price(
            chosen, layout.placements, layout.neighbours, layout.kinds, layout.turns, layout.sides, state, TIE_BITS,
            0.0, cost, choice,
        )  # fmt: skip
        linear_sum_assignment(cost[: chosen.size, : chosen.size])
    rate = iterations / (time.perf_counter() - start)
    print(f"{_size(problem)} {'assignment k=16 with scipy':28} {'':11} {rate:10.0f} work/s")


def _apart(layout: Layout, cells: Any, k: int, rng: Generator) -> Any:
    """Random cells that do not touch, by a loop in Python."""
    chosen: list[int] = []
    blocked: set[int] = set()
    for cell in rng.permutation(cells):
        if int(cell) not in blocked:
            chosen.append(int(cell))
            blocked.update(layout.neighbours[cell].tolist())
        if len(chosen) == k:
            break
    return np.array(chosen, dtype=np.int32)


def _windows(problem: EdgeMatching, board: Board, height: int, width: int, count: int = 20) -> None:
    """Exact search of random windows, with at most 20 million nodes each."""
    instance = problem.instance
    rng = np.random.default_rng(0)
    seconds, nodes, proved, better = [], [], 0, 0
    for _ in range(count):
        row, column = rng.integers(instance.rows - height + 1), rng.integers(instance.columns - width + 1)
        cells = (instance.columns * np.arange(row, row + height)[:, None] + np.arange(column, column + width)).ravel()
        start = time.perf_counter()
        result = solve_region(instance, board, cells, node_limit=20_000_000, rng=rng)
        seconds.append(time.perf_counter() - start)
        nodes.append(result.nodes)
        proved += result.status is RegionStatus.OPTIMAL
        better += result.found
    score = problem.score(problem.evaluate(board).objective)
    print(
        f"{_size(problem)} {f'exact {height}x{width} at score {score}':28} median {1e3 * median(seconds):.2f} ms, "
        f"max {1e3 * max(seconds):.0f} ms, median {median(nodes):.0f} nodes, "
        f"{sum(nodes) / sum(seconds) / 1e6:.1f} M nodes/s, {proved}/{count} proved, {better} improved"
    )


def _size(problem: EdgeMatching) -> str:
    return f"{problem.instance.rows}x{problem.instance.columns}"


if __name__ == "__main__":
    main()
