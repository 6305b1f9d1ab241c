"""The comparison that Levonyan et al. 2023 leave to future work: demands as constraints or as objectives.

    python experiments/party_building/fronts.py --size smoke     # a few seconds each on the small puzzle
    python experiments/party_building/fronts.py --size full      # 60 seconds each on the three types, five seeds
    python experiments/party_building/fronts.py --report         # results/fronts.md and fronts.svg

All methods get the same time, with the synergy as second objective: `evolution` (a front by non-dominated sorting),
`constraint` (one demand after another, the cheapest party for each), and the paper's method, which handles only one
demand (`islands`, preset `paper`, one point). The comparison covers the dominated area (hypervolume, as a share of that
of all fronts together), the number of points, and the price at the puzzle's own synergy. Each run is one JSON line in
`results/fronts.jsonl`; existing runs are not repeated, and those of `smoke` are not stored.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import matheur
from matheur.methods.evolution.pareto import hypervolume, nondominated
from matheur.problems.party import Party, builtin
from matheur.problems.party.designing import front
from matheur.running.charts import chart_file, new_chart

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "fronts.jsonl"
SIZES: dict[str, tuple[float, int, tuple[str, ...]]] = {
    "smoke": (3.0, 1, ("demo",)),
    "bench": (20.0, 1, ("demo", "type1", "type3")),
    "full": (60.0, 5, ("demo", "type1", "type2", "type3")),
}
"""Seconds of each search, seeds, and built-in puzzles."""
METHODS = ("evolution", "constraint", "islands")
Row = dict[str, Any]


def rows() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def run(puzzle: str, method: str, seconds: float, seed: int) -> Row:
    """Points of one search: price and synergy."""
    problem = Party(builtin(puzzle))
    if method == "islands":
        result = matheur.solve(problem, preset="paper", seconds=seconds, seed=seed)
        found = [] if result.solution is None else [(int(result.objective or 0), problem.synergy(result.solution))]
        points = [[price, float(synergy or 0)] for price, synergy in found]
    else:
        answer = front(problem, ["price", "synergy"], method=method, seconds=seconds, seed=seed)
        points = [[int(one.values[0]), float(one.values[1])] for one in answer.points]
    return {
        "puzzle": puzzle, "method": method, "limit": seconds, "seed": seed, "points": points,
        "version": matheur.__version__, "date": str(date.today()),
    }  # fmt: skip


def report() -> str:
    """Table of the methods."""
    by_puzzle: dict[tuple[str, float], list[Row]] = defaultdict(list)
    for row in rows():
        by_puzzle[row["puzzle"], row["limit"]].append(row)
    lines = [
        "## Demands as objectives (the comparison that the paper leaves open)",
        "",
        "Measured by `fronts.py`; values are means over the seeds. *Area* is the dominated area in the plane of price",
        "and synergy, as a share of the area that all fronts of the puzzle dominate together. *Price* is that of the",
        "cheapest party with the synergy that the puzzle demands. `islands` is the paper's preset, which looks only",
        "for that party.",
        "",
        "| puzzle | seconds | seeds | method | points | area | price, mean (best) |",
        "| --- | ---: | ---: | --- | ---: | ---: | --- |",
    ]
    for (puzzle, seconds), runs in sorted(by_puzzle.items()):
        one = builtin(puzzle)
        assert one.synergy is not None
        assert one.synergy.minimum is not None
        everything = _plane([point for row in runs for point in row["points"]])
        corner = (int(everything[:, 0].max()) + 1, 1)
        best = hypervolume(everything[nondominated(everything)], corner)
        for method in METHODS:
            mine = [row for row in runs if row["method"] == method]
            if not mine:
                continue
            areas = [hypervolume(_plane(row["points"]), corner) / best if row["points"] else 0.0 for row in mine]
            least = [_price(row["points"], one.synergy.minimum) for row in mine]
            known = [price for price in least if price is not None]
            price = (
                f"{statistics.mean(known):.0f} ({min(known)})" if len(known) == len(mine) else f"{len(known)} found one"
            )
            lines.append(
                f"| {puzzle} | {seconds:g} | {len(mine)} | {method} | "
                f"{statistics.mean(len(row['points']) for row in mine):.1f} | {statistics.mean(areas):.2f} | {price} |"
            )
    return "\n".join([*lines, "", "![fronts of price and synergy](fronts.svg)", ""])


def _plane(points: list[list[float]]) -> Any:
    """Price, and the negated synergy in millionths: both are minimised."""
    return np.array([[int(price), -round(1e6 * synergy)] for price, synergy in points], dtype=np.int64).reshape(-1, 2)


def _price(points: list[list[float]], least: Fraction) -> int | None:
    """Price of the cheapest point with the demanded synergy; None if there is no such point."""
    return min((int(price) for price, synergy in points if synergy >= float(least) - 1e-9), default=None)


def plot() -> None:
    """Plot all fronts of the longest runs, by puzzle."""
    made = rows()
    names = list(dict.fromkeys(row["puzzle"] for row in made))
    figure = new_chart(4 * len(names), 3.2)
    for axis, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names, strict=True):
        longest = max(row["limit"] for row in made if row["puzzle"] == name)
        for method, colour in zip(METHODS, ("C0", "C1", "C2"), strict=True):
            mine = [row for row in made if (row["puzzle"], row["limit"], row["method"]) == (name, longest, method)]
            for number, row in enumerate(mine):
                if row["points"]:
                    prices, synergies = zip(*sorted(row["points"]), strict=True)
                    label = method if number == 0 else None
                    axis.plot(prices, synergies, "o-", markersize=3, linewidth=0.8, color=colour, label=label)
        axis.set_title(name)
        axis.set_xlabel("price")
        axis.set_ylabel("synergy")
        axis.legend()
    (RESULTS.parent / "fronts.svg").write_bytes(chart_file(figure, "svg"))


def main() -> None:
    """Make the missing runs, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        (RESULTS.parent / "fronts.md").write_text(report())
        plot()
        return
    seconds, seeds, puzzles = SIZES[options.size]
    done = {(row["puzzle"], row["method"], row["limit"], row["seed"]) for row in rows()}
    for seed in range(seeds):
        for puzzle in puzzles:
            for method in METHODS:
                if (puzzle, method, seconds, seed) in done:
                    continue
                row = run(puzzle, method, seconds, seed)
                print({key: row[key] for key in ("puzzle", "method", "seed")}, len(row["points"]), "points", flush=True)
                if options.size != "smoke":
                    with RESULTS.open("a") as file:
                        file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
