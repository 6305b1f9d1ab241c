"""Compare curves of the quota of rare colours: depth reached, and number of full boards, for equal placements.

    python experiments/eternity2/hunt/quota.py run --curves blackwood "15 % later" steeper
    python experiments/eternity2/hunt/quota.py run --instances 20 21 22 --mismatches 5 --opening 0.868 --placements 6e9
    python experiments/eternity2/hunt/quota.py run --instances "META 10x10" --sets 8
    python experiments/eternity2/hunt/quota.py table

Full boards with few mismatches are too rare to distinguish curves within minutes; partial boards are not. Bisection
sets the strictness of each curve so that a tree of `--size` placements remains after the first piece that fits in the
first cell. Then `--placements` are made by rows, distributed equally over those pieces, and counted by depth, together
with the full boards. Each is a JSON line of `results/quota.jsonl`; `table` prints them. Instances are META puzzles,
read from `MATHEUR_DATA`, or seeds of generated puzzles of 10 x 10. Seconds are processor seconds.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tools import puzzle_named, rows_of

from matheur.problems.edge_matching import Instance
from matheur.problems.edge_matching.backtracking.allowances import allowance
from matheur.problems.edge_matching.backtracking.quotas import (
    BLACKWOOD,
    LATER,
    Curve,
    exhaustion_curve,
    rare_sets,
)
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order
from matheur.problems.edge_matching.backtracking.walks.layered import LayerWalk, layer_tables
from matheur.problems.edge_matching.generator import generate

ROWS = rows_of("quota")
LEFT = (20, 15, 10, 8, 4)  # numbers of empty cells for which partial boards are counted
STEPS = 8  # bisection steps: to a sixth of a per cent


def stretched(factor: float) -> Curve:
    """Blackwood's curve, shifted later by a factor."""
    return tuple((factor * depth, share) for depth, share in BLACKWOOD)


def steeper(early: float = 0.0) -> Curve:
    """`LATER` with 92 % instead of 89 % at 46 % of the board and all from 58 % on; `early` shifts the first shares."""
    begin = [(depth, share + early * (share > 0)) for depth, share in LATER[:4]]
    return (*begin, LATER[4], (117.3, 0.92), (149.5, 1.0), (184.0, 1.0))


CURVES: dict[str, Curve] = {
    "blackwood": BLACKWOOD,
    "10 % later": stretched(1.1),
    "15 % later": LATER,
    "20 % later": stretched(1.2),
    "steeper": steeper(),
    "steeper, 3 % less early": steeper(-0.03),
}


class Counts:
    """Placements of a puzzle by depth, under any quota."""

    def __init__(self, instance: Instance, mismatches: int, opening: float, seed: int) -> None:
        self._instance, self._seed = instance, seed
        tables = layer_tables(instance, fill_order(instance.rows, instance.columns, "rows"))
        if tables is None or not tables.whole:
            raise SystemExit("no layers for this puzzle")
        self._walk = LayerWalk(tables)
        self._allowed = allowance(instance.cells, mismatches, opening)

    def strictest(self, colours: NDArray[np.int64], curve: Curve, size: int) -> float:
        """Strength that leaves a tree of the given size after the first beginning."""
        least, most = 0.6, 1.0
        for _ in range(STEPS):
            strength = (least + most) / 2
            if self._search(colours, curve, strength, self._walk.beginnings[0], size)[0] < size:
                most = strength
            else:
                least = strength
        return least

    def row(self, colours: NDArray[np.int64], curve: Curve, strength: float, placements: int) -> dict[str, Any]:
        """Results of the given number of placements."""
        self._walk.placed[:] = 0
        began, beginnings = time.process_time(), self._walk.beginnings
        parts = [self._search(colours, curve, strength, first, placements // len(beginnings)) for first in beginnings]
        seconds = time.process_time() - began
        made = sum(part[0] for part in parts)
        full = np.sum([part[1] for part in parts], axis=0)
        left = {cells: int(self._walk.placed[self._instance.cells - cells - 1]) for cells in LEFT}
        return {
            "placements": made,
            "rate": round(made / seconds / 1e6, 1),
            "left": {cells: round(1e9 * count / made) for cells, count in left.items()},
            "full": {int(slips): int(number) for slips, number in enumerate(full) if number},
        }

    def _search(
        self, colours: NDArray[np.int64], curve: Curve, strength: float, first: int, limit: int
    ) -> tuple[int, NDArray[np.int64]]:
        """Placements made after a piece, and full boards by mismatches."""
        quota = exhaustion_curve(self._instance, colours, self._instance.cells, strength, curve)
        walk, full = self._walk, np.zeros(int(self._allowed[-1]) + 1, dtype=np.int64)
        walk.begin(colours, np.random.default_rng(self._seed), first)
        while walk.nodes < limit and not walk.ended:
            walk.advance(limit, self._allowed, quota)
            for number in range(walk.found):
                full[walk.slips(number)] += 1
        return walk.nodes, full


def instance_of(name: str) -> Instance:
    """A META puzzle, or a generated one by its seed."""
    return generate(10, 10, seed=int(name))[0] if name.isdigit() else puzzle_named(name).instance


def run(given: argparse.Namespace) -> None:
    """Make a row for each instance, set of colours and curve that has none yet."""
    for name in given.instances:
        instance = instance_of(name)
        counts = Counts(instance, given.mismatches, given.opening, given.seed)
        for colours in rare_sets(instance, given.sets):
            for label in given.curves:
                about = {
                    "instance": name, "colours": sorted(colours.tolist()), "curve": label, "size": given.size,
                    "mismatches": given.mismatches, "opening": given.opening, "seed": given.seed,
                    "limit": given.placements,
                }  # fmt: skip
                if ROWS.has(about):
                    continue
                strength = counts.strictest(colours, CURVES[label], given.size)
                row = about | {"strength": round(strength, 4)}
                row |= counts.row(colours, CURVES[label], strength, given.placements)
                ROWS.append(row)


def table() -> None:
    """Print all rows in Markdown."""
    print("| puzzle, colours | curve | mismatches | strength | M/s | left 20, 15, 10, 8, 4, a billion | full |")
    print("| --- | --- | --- | ---: | ---: | --- | --- |")
    for row in sorted(ROWS, key=lambda row: (row["mismatches"], row["opening"], row["instance"], row["colours"])):
        left = ", ".join(f"{row['left'][str(cells)]:,}" for cells in LEFT)
        full = ", ".join(f"{number} of {slips}" for slips, number in row["full"].items()) or "none"
        print(
            f"| {row['instance']}, {row['colours']} | {row['curve']} | {row['mismatches']} from {row['opening']} "
            f"| {row['strength']:.3f} | {row['rate']:.0f} | {left} | {full} in {row['placements'] / 1e9:.1f} G |"
        )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--instances", nargs="+", default=["META 10x10", "101", "100", "7"])
    runner.add_argument("--curves", nargs="+", default=["15 % later", "steeper"], choices=list(CURVES))
    runner.add_argument("--sets", type=int, default=1, help="sets of rare colours, from the first on")
    runner.add_argument("--size", type=lambda text: int(float(text)), default=1_000_000_000)
    runner.add_argument("--placements", type=lambda text: int(float(text)), default=1_600_000_000)
    runner.add_argument("--mismatches", type=int, default=3)
    runner.add_argument("--opening", type=float, default=0.86)
    runner.add_argument("--seed", type=int, default=1)
    commands.add_parser("table")
    given = parser.parse_args()
    if given.command == "run":
        run(given)
    else:
        table()


if __name__ == "__main__":
    main()
