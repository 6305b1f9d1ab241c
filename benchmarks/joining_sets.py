"""One set of rare colours, or more that join late, rows or combs: different full boards for as many placements.

    python benchmarks/joining_sets.py run --instances "META 10x10" 101 100 7 --sets 1 1000
    python benchmarks/joining_sets.py run --settling --orders rows comb --sets 1 --placements 5e9
    python benchmarks/joining_sets.py table

Searches as `backtracking` does on boards of 81 to 100 cells: all that a quota allows is tried by rows and by columns,
or as combs of either, then the quota is lowered. Here a full board does not end that: every one of at most
`--mismatches` is counted once, however it is turned, after so many placements. With more sets than one, they join as
`SlipPlan.joining` says. `--lower` is the share by which a quota that was tried is lowered; with `--settling` the
opening moves. Instances are META puzzles, sought in `MATHEUR_DATA`, or seeds of generated puzzles of 10 x 10. A JSON
line of `benchmarks/results/joining_sets.jsonl` each; `table` prints them. Nothing but the rates depends on the time.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
from quota import instance_of
from rows import Rows

from matheur.operators.edge_matching import slip_search
from matheur.operators.edge_matching.orientation import turned_board
from matheur.operators.edge_matching.slip_schedule import default_joining, default_strength
from matheur.operators.edge_matching.slip_search import SlipPlan, SlipSearch
from matheur.operators.edge_matching.slip_tables import fill_order, transposed_order
from matheur.problems.edge_matching import Instance

ROWS = Rows("joining_sets")
MARKS = (1, 2, 5, 10, 20, 50, 100)  # billion placements after which boards are counted
_SLICE = 20_000_000  # placements


class Harvest(SlipSearch):
    """A search that keeps all full boards instead of asking for a better one.

    Attributes
    ----------
    found
        Mismatches of each board, by its bytes in the turn where they are least.
    """

    def __init__(self, instance: Instance, plan: SlipPlan, rng: np.random.Generator) -> None:
        self.found: dict[bytes, int] = {}
        super().__init__(instance, plan, rng)
        self.demand(plan.total)  # no more than one fewer

    def _take(self) -> bool:
        rows, columns = self._instance.rows, self._instance.columns
        for number in range(self._walk.found):
            board = self._walk.full(number)
            turns = [turned_board(board, rows, columns, quarters).tobytes() for quarters in range(4)]
            self.found[min(turns)] = self._walk.slips(number)
        return False


def search(instance: Instance, given: argparse.Namespace, sets: int, order: str) -> dict[str, Any]:
    """Boards by billion placements, and those of them by mismatches in the end."""
    plan = SlipPlan(
        order=fill_order(instance.rows, instance.columns, order),
        total=given.mismatches + 1,
        opening=given.opening,
        settling=given.settling,
        sets=sets,
        joining=default_joining(instance.cells) if sets > 1 else 0,
        strength=default_strength(instance.cells),
        restart=0,
        layered=True,
        others=(transposed_order(instance.rows, instance.columns, order),),
    )
    boards: dict[int, int] = {}
    harvest = Harvest(instance, plan, np.random.default_rng(given.seed))
    began = time.process_time()
    for mark in (mark for mark in MARKS if mark * 1e9 <= given.placements):
        while not harvest.done and harvest.nodes < mark * 1e9:
            harvest.advance(min(_SLICE, int(mark * 1e9) - harvest.nodes))
        boards[mark] = len(harvest.found)
    rate = harvest.nodes / (time.process_time() - began) / 1e6
    return {"boards": boards, "mismatched": dict(sorted(Counter(harvest.found.values()).items())), "rate": round(rate)}


def run(given: argparse.Namespace) -> None:
    """A row for each instance, number of sets and order that has none yet."""
    for name in given.instances:
        for sets, order in product(given.sets, given.orders):
            about = {
                "instance": name, "sets": sets, "order": order, "settling": given.settling, "lower": given.lower,
                "mismatches": given.mismatches,
                "opening": given.opening, "placements": given.placements, "seed": given.seed,
            }  # fmt: skip
            if ROWS.has(about):
                continue
            with mock.patch.object(slip_search, "_LOWER", given.lower):
                row = about | search(instance_of(name), given, sets, order)
            ROWS.append(row)


def table() -> None:
    """All rows, in Markdown."""
    print("| puzzle | order | sets | lowered by | M/s | boards after so many billion placements | by mismatches |")
    print("| --- | --- | ---: | ---: | ---: | --- | --- |")
    older = {"order": "rows", "settling": False}  # what the oldest rows do not name
    keys = ("settling", "instance", "lower", "sets", "order")
    for row in sorted((older | row for row in ROWS), key=lambda row: [row[key] for key in keys]):
        boards = ", ".join(f"{number} ({mark})" for mark, number in row["boards"].items())
        mismatched = ", ".join(f"{number} of {slips}" for slips, number in row["mismatched"].items()) or "none"
        sets = "all" if row["sets"] >= 1000 else row["sets"]
        about = f"{row['instance']} | {row['order']}{', settling' * row['settling']} | {sets} | {row['lower']:.0%}"
        print(f"| {about} | {row['rate']} | {boards} | {mismatched} |")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--instances", nargs="+", default=["META 10x10", "101", "100", "7"])
    runner.add_argument("--sets", type=int, nargs="+", default=[1, 1000])
    runner.add_argument("--orders", nargs="+", default=["comb"], choices=["rows", "comb"])
    runner.add_argument("--settling", action="store_true")
    runner.add_argument("--lower", type=float, default=0.01)
    runner.add_argument("--placements", type=float, default=1e10)
    runner.add_argument("--mismatches", type=int, default=5)
    runner.add_argument("--opening", type=float, default=0.868)
    runner.add_argument("--seed", type=int, default=1)
    commands.add_parser("table")
    given = parser.parse_args()
    if given.command == "run":
        run(given)
    else:
        table()


if __name__ == "__main__":
    main()
