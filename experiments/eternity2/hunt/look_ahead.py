"""Look-ahead along lines: the same trees with and without it, alternately.

    python experiments/eternity2/hunt/look_ahead.py run
    python experiments/eternity2/hunt/look_ahead.py table

Everything that a quota allows is placed by layers; on larger boards, this starts from a few beginnings made by the slip
backtracker. Each puzzle is a JSON line of `results/look_ahead.jsonl`, with the processor seconds of all repeats, the
placements, and the full boards by mismatches; `table` prints them. Instances are META puzzles and Eternity II, read
from `MATHEUR_DATA`, or seeds of generated puzzles of 10 x 10.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from numpy.typing import NDArray
from quota import instance_of
from tools import rows_of

from matheur.problems.edge_matching import Instance
from matheur.problems.edge_matching.backtracking.allowances import allowance
from matheur.problems.edge_matching.backtracking.quotas import exhaustion_curve, rare_sets
from matheur.problems.edge_matching.backtracking.slip_tables import SlipTables, fill_order
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables
from matheur.problems.edge_matching.backtracking.walks.single import SlipWalk
from matheur.problems.edge_matching.instance import Board

ROWS = rows_of("look_ahead")
TREES = (  # puzzle, mismatches, share of the board from which they are allowed, strength of the quota
    ("META 9x9", 0, 0.9, 0.84),
    ("META 10x10", 0, 0.9, 0.905),
    ("META 10x10", 2, 0.82, 0.905),
    ("META 10x10", 5, 0.868, 0.92),
    ("101", 2, 0.82, 0.94),
    ("100", 2, 0.82, 0.94),
    ("7", 2, 0.82, 0.94),
    ("META 12x12", 7, 0.91, 0.93),
    ("META 14x14", 12, 0.9, 0.9),
    ("META 16x16", 17, 0.9, 0.9),
    ("Eternity II, starter", 17, 0.9, 0.9),
)
BEGINNINGS, TRIED, LARGEST = 8, 3_000_000, 60_000_000  # how many, placements to find one, placements after one


class Tree:
    """Everything that a quota allows, or the part of it after given boards of the first cells."""

    def __init__(self, instance: Instance, mismatches: int, opening: float, strength: float, look_ahead: bool) -> None:
        cells = instance.cells
        whole = cells <= 100
        order = fill_order(instance.rows, instance.columns, "rows" if whole else "comb")
        colours = rare_sets(instance, 1)[0]
        kind = type(layer_tables(instance, order))
        self._tables = tables = kind(instance, order, look_ahead)
        self._walk = LayerWalk(tables)
        self._walk.spend(colours)
        self._colours, self._mismatches = colours, mismatches
        self._allowed = allowance(cells, mismatches, opening)
        self._quota = exhaustion_curve(instance, colours, cells, strength)
        self._one = None if tables.whole else SlipWalk(SlipTables(instance, order, 0), False)

    def beginnings(self) -> list[Board] | list[int]:
        """First pieces; or boards of the first cells whose trees are neither trivial nor too large."""
        one, found, seed = self._one, list[Board](), 0
        if one is None:
            return list(self._walk.beginnings)
        first = self._tables.first_cells
        while len(found) < BEGINNINGS:
            seed += 1
            one.begin(self._colours, np.random.default_rng(seed))
            one.advance(TRIED, self._allowed, self._quota)
            fullest = one.fullest()
            board = np.full_like(fullest, -1)
            board[first] = fullest[first]
            if (board[first] >= 0).all() and self._grown(board, LARGEST) is not None:
                found.append(board)
        return found

    def grow(self, beginnings: list[Board] | list[int]) -> tuple[float, int, list[int]]:
        """Seconds, placements, and numbers of full boards by mismatches."""
        began, parts = time.process_time(), [self._grown(part, 1 << 60) for part in beginnings]
        seconds = time.process_time() - began
        placements = sum(part[0] for part in parts if part)
        return seconds, placements, np.sum([part[1] for part in parts if part], axis=0).tolist()

    def _grown(self, begin: Board | int, limit: int) -> tuple[int, NDArray[np.int64]] | None:
        """Placements and full boards after a first piece or the first cells; None if the limit is exceeded."""
        walk, full, rng = self._walk, np.zeros(self._mismatches + 1, dtype=np.int64), np.random.default_rng(1)
        stage = len(self._tables.first_cells)
        if isinstance(begin, int):
            walk.begin(self._colours, rng, begin)
        else:
            walk.begin_behind(begin, rng)
        while not walk.ended and walk.nodes < limit:
            walk.advance(limit, self._allowed[stage:], self._quota[stage:])
            for number in range(walk.found):
                full[walk.slips(number)] += 1
        return (walk.nodes, full) if walk.ended else None


def run(repeats: int) -> None:
    """Make a row for each tree that has none yet."""
    for name, mismatches, opening, strength in TREES:
        about = {"instance": name, "mismatches": mismatches, "opening": opening, "strength": strength}
        if ROWS.has(about):
            continue
        instance = instance_of(name)
        trees = {ahead: Tree(instance, mismatches, opening, strength, ahead) for ahead in (False, True)}
        beginnings = trees[True].beginnings()
        for tree in trees.values():
            tree.grow(beginnings[:1])  # compiles
        seconds: dict[bool, list[float]] = {False: [], True: []}
        placements, full = {}, {}
        for _ in range(repeats):
            for ahead, tree in trees.items():
                taken, placements[ahead], full[ahead] = tree.grow(beginnings)
                seconds[ahead].append(round(taken, 3))
        if full[False] != full[True]:
            raise SystemExit(f"{name}: {full}")
        row = about | {
            "seconds": seconds[False], "seconds_ahead": seconds[True], "placements": placements[False],
            "placements_ahead": placements[True], "full": full[True],
        }  # fmt: skip
        ROWS.append(row)


def table() -> None:
    """Print all rows in Markdown."""
    print("| puzzle | mismatches, from | strength | million placements | with it | seconds | with it | ratio | full |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in ROWS:
        before, ahead = statistics.median(row["seconds"]), statistics.median(row["seconds_ahead"])
        pairs = zip(row["seconds"], row["seconds_ahead"], strict=True)
        ratio = statistics.median(one / other for one, other in pairs)
        print(
            f"| {row['instance']} | {row['mismatches']}, {row['opening']:.1%} | {row['strength']} "
            f"| {row['placements'] / 1e6:.0f} | {row['placements_ahead'] / 1e6:.0f} "
            f"| {before:.2f} | {ahead:.2f} | {ratio:.2f} | {sum(row['full'])} |"
        )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--repeats", type=int, default=5)
    commands.add_parser("table")
    given = parser.parse_args()
    if given.command == "run":
        run(given.repeats)
    else:
        table()


if __name__ == "__main__":
    main()
