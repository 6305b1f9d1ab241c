"""Placements until the first perfect board of generated puzzles, for families of sets of rare colours.

    python experiments/eternity2/hunt/perfect_first.py run --families 1+2 3+3 --seeds 1 2 3 4 5 6 --jobs 1
    python experiments/eternity2/hunt/perfect_first.py page

Puzzles have 8 x 8 pieces with 4 colours along the frame and 7 others, unless stated otherwise. Each puzzle and family
is a JSON line of `results/perfect_first.jsonl`; existing rows are not repeated. `page` prints the median and the
quartiles for each family over puzzles that have rows for all families; a search that ended without a board at `--most`
placements counts as if it had found one then.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from perfect_boards import SLICE, family
from tools import results, rows_of

from matheur.problems.edge_matching import EdgeMatching, generate
from matheur.problems.edge_matching.backtracking.search import perfect_search

ROWS = rows_of("perfect_first")


@dataclass(frozen=True)
class Task:
    """A puzzle, and the family to solve it with."""

    size: int
    frame_colours: int
    inner_colours: int
    seed: int
    family: tuple[int, int]
    most: int

    @property
    def about(self) -> dict[str, Any]:
        """Values that identify its row."""
        colours = [self.frame_colours, self.inner_colours]
        return {"size": self.size, "colours": colours, "seed": self.seed, "family": "{}+{}".format(*self.family)}


def search(task: Task) -> dict[str, Any]:
    """Make the row of a task."""
    instance, _ = generate(
        task.size, task.size, frame_colours=task.frame_colours, inner_colours=task.inner_colours, seed=task.seed
    )
    rounds = perfect_search(instance, np.random.default_rng(1), families=(task.family,))
    if rounds is None:
        raise SystemExit(f"{task.size} x {task.size} is too large")
    began = time.process_time()
    while not rounds.done and rounds.nodes < task.most:
        rounds.advance(min(SLICE, task.most - rounds.nodes))
    if rounds.board is not None and EdgeMatching(instance).evaluate(rounds.board).objective != 0:
        raise AssertionError(f"not perfect: {rounds.board}")
    return task.about | {
        "solved": rounds.board is not None,
        "placements": rounds.nodes,
        "cpu": round(time.process_time() - began, 2),
    }


def run(given: argparse.Namespace) -> None:
    """Solve tasks without a row; after the time limit, the started ones are finished."""
    frame, inner = given.colours
    if any(along > frame or inside >= inner for along, inside in given.families):
        raise SystemExit(f"no sets of this many of {frame} + {inner} colours")
    tasks = [
        Task(given.size, *given.colours, seed, many, int(given.most)) for seed in given.seeds for many in given.families
    ]
    for row in results(search, [task for task in tasks if not ROWS.has(task.about)], given.jobs, given.seconds):
        ROWS.append(row)


def page() -> None:
    """Print the tables, one for each size and numbers of colours."""
    tables: dict[tuple[int, int, int], dict[str, dict[int, dict[str, Any]]]] = {}
    for row in ROWS:
        tables.setdefault((row["size"], *row["colours"]), {}).setdefault(row["family"], {})[row["seed"]] = row
    for (size, frame, inner), table in tables.items():
        seeds = sorted(set.intersection(*(set(rows) for rows in table.values())))
        print(f"{size} x {size}, {frame} + {inner} colours, {len(seeds)} puzzles\n")
        print("| set | solved | 10^9 placements, quartiles and median |")
        print("| --- | ---: | ---: |")
        for name, rows in sorted(table.items()):
            placements = np.percentile([rows[seed]["placements"] / 1e9 for seed in seeds], [25, 50, 75])
            solved = sum(rows[seed]["solved"] for seed in seeds)
            print(f"| {name} | {solved} | {' / '.join(f'{one:.1f}' for one in placements)} |")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--size", type=int, default=8)
    runner.add_argument("--colours", type=int, nargs=2, default=(4, 7), help="of the frame, and others")
    runner.add_argument("--seeds", type=int, nargs="+", default=list(range(1, 7)))
    runner.add_argument("--families", type=family, nargs="+", default=[(1, 2), (3, 3)])
    runner.add_argument("--most", type=float, default=6e10, help="placements")
    runner.add_argument("--jobs", type=int, default=1)
    runner.add_argument("--seconds", type=float, default=3600.0)
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        run(given)
    else:
        page()


if __name__ == "__main__":
    main()
