"""Looking ahead along lines: the same trees with and without, in turn.

    python benchmarks/look_ahead.py run
    python benchmarks/look_ahead.py table

Everything that a quota allows is laid by rows, by the kernel for lines of up to 12 cells: a JSON line of
`benchmarks/results/look_ahead.jsonl` for each puzzle, with the seconds of the processor of all repeats, the placements
and the full boards by their mismatches; `table` prints them. Instances are META puzzles, sought in `MATHEUR_DATA`, or
seeds of generated puzzles of 10 x 10.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from quota import instance_of
from rows import Rows

from matheur.operators.edge_matching.layer_walk import LayerWalk
from matheur.operators.edge_matching.narrow_tables import NarrowTables
from matheur.operators.edge_matching.slip_schedule import LATER, allowance, exhaustion_curve, rare_sets
from matheur.operators.edge_matching.slip_tables import fill_order
from matheur.problems.edge_matching import Instance

ROWS = Rows("look_ahead")
TREES = (  # puzzle, mismatches, share of the board from which they are allowed, strength of the quota
    ("META 9x9", 0, 0.9, 0.84),
    ("META 10x10", 0, 0.9, 0.905),
    ("META 10x10", 2, 0.82, 0.905),
    ("META 10x10", 5, 0.868, 0.92),
    ("101", 2, 0.82, 0.94),
    ("100", 2, 0.82, 0.94),
    ("7", 2, 0.82, 0.94),
)


class Tree:
    """All that a quota allows."""

    def __init__(self, instance: Instance, look_ahead: bool) -> None:
        order = fill_order(instance.rows, instance.columns, "rows")
        self._instance, self._colours = instance, rare_sets(instance, 1)[0]
        self._walk = LayerWalk(NarrowTables(instance, order, look_ahead))

    def grow(self, mismatches: int, opening: float, strength: float) -> tuple[float, int, list[int]]:
        """Seconds, placements, and full boards by mismatches."""
        cells, walk, colours = self._instance.cells, self._walk, self._colours
        allowed = allowance(cells, mismatches, opening)
        quota = exhaustion_curve(self._instance, colours, cells, strength, LATER)
        began, placements, full = time.process_time(), 0, [0] * (mismatches + 1)
        for first in walk.beginnings:
            walk.begin(colours, np.random.default_rng(1), first)
            while not walk.ended:
                walk.advance(walk.nodes + (1 << 40), allowed, quota)
                for number in range(walk.found):
                    full[walk.slips(number)] += 1
            placements += walk.nodes
        return time.process_time() - began, placements, full


def run(repeats: int) -> None:
    """A row for each tree that has none yet."""
    for name, mismatches, opening, strength in TREES:
        about = {"instance": name, "mismatches": mismatches, "opening": opening, "strength": strength}
        if ROWS.has(about):
            continue
        trees = {look_ahead: Tree(instance_of(name), look_ahead) for look_ahead in (False, True)}
        for tree in trees.values():
            tree.grow(0, opening, 1.0)  # compiles
        seconds: dict[bool, list[float]] = {False: [], True: []}
        placements, full = {}, {}
        for _ in range(repeats):
            for look_ahead, tree in trees.items():
                taken, placements[look_ahead], full[look_ahead] = tree.grow(mismatches, opening, strength)
                seconds[look_ahead].append(round(taken, 3))
        if full[False] != full[True]:
            raise SystemExit(f"{name}: {full}")
        row = about | {
            "seconds": seconds[False], "seconds_ahead": seconds[True], "placements": placements[False],
            "placements_ahead": placements[True], "full": full[True],
        }  # fmt: skip
        ROWS.append(row)


def table() -> None:
    """All rows, in Markdown."""
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
    """The command line."""
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
