"""Full boards for a number of placements: one set of rare colours, or quotas chosen by samples, rows or combs.

    python experiments/eternity2/hunt/chosen_quotas.py run --instances "META 10x10" 101 100 7 --sets one chosen
    python experiments/eternity2/hunt/chosen_quotas.py run --settling --orders rows comb --sets one --placements 5e9
    python experiments/eternity2/hunt/chosen_quotas.py samples --instances "META 10x10" 101 --trees 3e10
    python experiments/eternity2/hunt/chosen_quotas.py rounds --instances "META 10x10" 101 --sets chosen long
    python experiments/eternity2/hunt/chosen_quotas.py table

`run` searches as `backtracking` does on boards of 81 to 100 cells: everything that a quota allows is tried by rows and
by columns, or as combs of either; then the quota is lowered, or others are chosen. Here a full board does not end this:
every board with at most `--mismatches` is counted once, regardless of rotation, after the given number of placements.
With `--settling`, the opening moves. Sets are `chosen` as in runs of a few minutes, or `long` as in longer ones.
`samples` estimates by `TreeSampler` the yield of trees of about this many placements, for the first sets of each family
of colours and several curves. `rounds` reports the estimated yield, and the time to choose, until the trees of all
quotas so far have the given number of placements.

Instances are META puzzles, read from `MATHEUR_DATA`, or seeds of generated puzzles of 10 x 10. Each row is a JSON line
of `results/chosen_quotas.jsonl`; `table` prints those of `run` and `rounds`. Only the rates and seconds depend on the
time. Rows with 1,000 sets are from a version in which further sets joined as a quota took longer (decision 62).
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from quota import instance_of
from tools import rows_of

from matheur.problems.edge_matching import Instance
from matheur.problems.edge_matching.backtracking.plan import LONG, SMALL, Plan, default_strength
from matheur.problems.edge_matching.backtracking.quotas import rare_sets, stretched
from matheur.problems.edge_matching.backtracking.search import Search, planned_tasks
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order, transposed_order
from matheur.problems.edge_matching.backtracking.sources.sampled import Candidate, QuotaRounds
from matheur.problems.edge_matching.backtracking.sources.tree_sampler import TreeSampler
from matheur.problems.edge_matching.backtracking.tasks import Source
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.operators.orientation import turned_board

ROWS = rows_of("chosen_quotas")
MARKS = (1, 2, 5, 10, 20, 50, 100)  # billion placements after which boards are counted
FAMILIES = ((1, 1), (1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (2, 4))  # numbers of colours: of the frame, others
SEARCHES = {"chosen": SMALL, "long": LONG}  # search options by sets
TREES = (50, 100, 200, 400)  # tree sizes in billion placements at which yields are compared
EFFORT = 3_000_000  # placements between two samples
_SLICE = 20_000_000  # placements per slice


class Harvest(Search):
    """A search that keeps all full boards instead of asking for a better one.

    Attributes
    ----------
    found
        Mismatches of each board, by its bytes in the rotation with the smallest bytes.
    """

    def __init__(
        self, instance: Instance, source: Source, walks: Sequence[Walk], plan: Plan, rng: np.random.Generator
    ) -> None:
        self.found: dict[bytes, int] = {}
        super().__init__(instance, source, walks, plan, rng)
        self.demand(plan.total)  # look for boards with fewer mismatches than the total

    def _take(self) -> bool:
        rows, columns = self._instance.rows, self._instance.columns
        for number in range(self.walk.found):
            board = self.walk.full(number)
            turns = [turned_board(board, rows, columns, quarters).tobytes() for quarters in range(4)]
            self.found[min(turns)] = self.walk.slips(number)
        return False


def search(instance: Instance, given: argparse.Namespace, sets: str, order: str) -> dict[str, Any]:
    """Number of boards by billion placements, and their final distribution by mismatches."""
    plan = Plan(
        order=fill_order(instance.rows, instance.columns, order),
        total=given.mismatches + 1,
        opening=given.opening,
        settling=given.settling,
        sampling=SEARCHES.get(sets),
        strength=default_strength(instance.cells),
        restart=0,
        layered=True,
        others=(transposed_order(instance.rows, instance.columns, order),),
    )
    boards: dict[int, int] = {}
    rng = np.random.default_rng(given.seed)
    harvest = Harvest(instance, *planned_tasks(instance, plan, rng), plan, rng)
    began = time.process_time()
    for mark in (mark for mark in MARKS if mark * 1e9 <= given.placements):
        while not harvest.done and harvest.nodes < mark * 1e9:
            harvest.advance(min(_SLICE, int(mark * 1e9) - harvest.nodes))
        boards[mark] = len(harvest.found)
    rate = harvest.nodes / (time.process_time() - began) / 1e6
    return {"boards": boards, "mismatched": dict(sorted(Counter(harvest.found.values()).items())), "rate": round(rate)}


def run(given: argparse.Namespace) -> None:
    """Make a row for each instance, set and order that has none yet."""
    for name in given.instances:
        for sets, order in product(given.sets, given.orders):
            about = {
                "instance": name, "sets": 1 if sets == "one" else sets, "order": order, "settling": given.settling,
                "mismatches": given.mismatches, "opening": given.opening, "placements": given.placements,
                "seed": given.seed,
            }  # fmt: skip
            if ROWS.has(about):
                continue
            ROWS.append(about | search(instance_of(name), given, sets, order))


def samples(given: argparse.Namespace) -> None:
    """Make a row for each missing instance, family, curve and size: estimated yields of trees, the best first."""
    for name in given.instances:
        instance, rng = instance_of(name), np.random.default_rng(given.seed)
        sampler = TreeSampler(instance, fill_order(instance.rows, instance.columns, "comb"))
        for (frame, inside), later, trees in product(FAMILIES, given.curves, given.trees):
            about = {"instance": name, "family": [frame, inside], "later": later, "trees": trees, "seed": given.seed}
            if ROWS.has(about):
                continue
            found = []
            for colours in rare_sets(instance, given.number, frame, inside):
                candidate = Candidate(tuple(colours.tolist()), stretched(later), sampler, rng)
                for _ in candidate.fit(trees):
                    pass
                candidate.compare([])
                if candidate.sample is not None:
                    found.append((round(candidate.worth_at(trees), 2), candidate.quota.strength))
            ROWS.append(about | {"worth": sorted(found, reverse=True)})


def rounds(given: argparse.Namespace) -> None:
    """Make a row for each missing instance and search: estimated boards by placements, and seconds of choosing."""
    for name, sets in product(given.instances, given.sets):
        about = {"instance": name, "rounds": sets, "placements": given.placements, "seed": given.seed}
        if ROWS.has(about):
            continue
        instance, rng = instance_of(name), np.random.default_rng(given.seed)
        order = fill_order(instance.rows, instance.columns, "comb")
        sampler, chosen, tried = TreeSampler(instance, order), QuotaRounds(instance, order, SEARCHES[sets]), []
        placements, promised, seconds, found = 0.0, -math.inf, 0.0, []
        while placements < given.placements and not chosen.ended:
            began = time.process_time()
            quota = chosen.look()
            seconds += time.process_time() - began
            sample = None if quota is None else sampler.sample(quota, EFFORT, rng)
            if quota is None or sample is None:
                continue
            fresh = ~np.any([sampler.meeting(sample.boards, other) for other in tried], axis=0)
            tried.append(quota)
            placements += sample.placements
            promised = np.logaddexp(promised, sample.promise + math.log(max(fresh.mean(), 1e-9)))
            found.append((quota.colours, f"{placements:.3g}", round(promised, 3), round(seconds)))
        ROWS.append(about | {"promised": found})


def table() -> None:
    """Print all rows of searches in Markdown."""
    print("| puzzle | order | sets | lowered by | M/s | boards after this many billion placements | by mismatches |")
    print("| --- | --- | ---: | ---: | ---: | --- | --- |")
    older = {"order": "rows", "settling": False, "lower": 0.01}  # defaults of values that older rows lack
    keys = ("settling", "instance", "lower", "sets", "order")
    rows = (older | row for row in ROWS if "boards" in row)
    for row in sorted(rows, key=lambda row: [str(row[key]) for key in keys]):
        boards = ", ".join(f"{number} ({mark})" for mark, number in row["boards"].items())
        mismatched = ", ".join(f"{number} of {slips}" for slips, number in row["mismatched"].items()) or "none"
        sets = "all" if row["sets"] == 1000 else row["sets"]
        about = f"{row['instance']} | {row['order']}{', settling' * row['settling']} | {sets} | {row['lower']:.0%}"
        print(f"| {about} | {row['rate']} | {boards} | {mismatched} |")


def promises() -> None:
    """Print the estimated boards of the quotas of `long` as a multiple of those of `chosen`, in Markdown."""
    print("| puzzle | " + " | ".join(f"{mark} billion placements" for mark in TREES) + " | seconds of choosing |")
    print("| --- |" + " ---: |" * (len(TREES) + 1))
    every = {(row["instance"], row["rounds"]): row["promised"] for row in ROWS if "rounds" in row}
    for name in dict.fromkeys(name for name, _ in every):
        both = [every[name, sets] for sets in ("long", "chosen") if (name, sets) in every]
        if len(both) < 2:
            continue
        first = both[0][0][2]  # all are logarithms up to the same constant
        long, chosen = (
            np.interp(
                TREES,
                [0, *(float(placements) / 1e9 for _, placements, _, _ in rows)],
                [0, *(math.exp(promised - first) for _, _, promised, _ in rows)],
            )
            for rows in both
        )
        ratios = " | ".join(f"{ratio:.2f}" for ratio in long / chosen)
        print(f"| {name} | {ratios} | {both[0][-1][3]}, {both[1][-1][3]} |")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--instances", nargs="+", default=["META 10x10", "101", "100", "7"])
    runner.add_argument("--sets", nargs="+", default=["one", "chosen"], choices=["one", *SEARCHES])
    runner.add_argument("--orders", nargs="+", default=["comb"], choices=["rows", "comb"])
    runner.add_argument("--settling", action="store_true")
    runner.add_argument("--placements", type=float, default=1e10)
    runner.add_argument("--mismatches", type=int, default=5)
    runner.add_argument("--opening", type=float, default=0.868)
    runner.add_argument("--seed", type=int, default=1)
    sampler = commands.add_parser("samples")
    sampler.add_argument("--instances", nargs="+", default=["META 10x10", "101", "100", "7"])
    sampler.add_argument("--curves", type=float, nargs="+", default=[1.15, 1.3, 1.4, 1.5, 1.6])
    sampler.add_argument("--trees", type=float, nargs="+", default=[3e10])
    sampler.add_argument("--number", type=int, default=6)
    sampler.add_argument("--seed", type=int, default=1)
    rounder = commands.add_parser("rounds")
    rounder.add_argument("--instances", nargs="+", default=["META 10x10", "101", "100", "7"])
    rounder.add_argument("--sets", nargs="+", default=list(SEARCHES), choices=SEARCHES)
    rounder.add_argument("--placements", type=float, default=5e11)
    rounder.add_argument("--seed", type=int, default=1)
    commands.add_parser("table")
    given = parser.parse_args()
    if given.command == "run":
        run(given)
    elif given.command == "samples":
        samples(given)
    elif given.command == "rounds":
        rounds(given)
    else:
        table()
        print()
        promises()


if __name__ == "__main__":
    main()
