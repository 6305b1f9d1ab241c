"""Figure 5 of the paper on party building: a single population compared with islands, on the three puzzle types.

    python experiments/party_building/figure5.py --restarts 25     # continues an interrupted run
    python experiments/party_building/figure5.py --construction mixed
    python experiments/party_building/figure5.py --report          # results/figure5.md, figure5.csv and two plots

Both use the parameters of Table I and make the same number of individuals (100 in each of 100 generations, including
those that cannot be healed): 50 parties and 100 offspring, or five islands of 10 parties and 20 offspring that pool and
redistribute their parties every 10 generations. Every restart has its own seed, the same for both methods.

`--construction paper` is the paper's: Algorithm 1 by matches alone, mutants filled at random before healing, the first
population divided by similarity (presets `paper` and `paper-single`). `mixed` is matheur's: parties are made by
matches, slack and price, and mutants are healed at once. A third method, `default`, is matheur's annealing for the time
of the slower of the two. Each run is one JSON line in `results/figure5.jsonl`.
"""

from __future__ import annotations

import argparse
import csv
import itertools
import json
import statistics
import time
from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine import Budget
from matheur.methods.evolution.genetic import GeneticAlgorithm, GeneticParameters
from matheur.methods.evolution.islands import Archipelago, IslandParameters
from matheur.methods.evolution.migration import Migration
from matheur.problems.party import Party, builtin
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.species import Healing, PartyHabitat
from matheur.running.charts import chart_file, new_chart
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "figure5.jsonl"
TYPES = ("type1", "type2", "type3")
GENERATIONS, EPOCH = 100, 10
REFRESH = (0.05, 0.005)
"""Coefficients of variation below which a third of a population is replaced: the paper does not give its value."""
PAPER, MIXED = "paper", "mixed"
HEALINGS = {
    PAPER: Healing(guide="match", attempts=50, improve="none"),
    MIXED: Healing(guide="mixed", attempts=3, improve="none"),
}
HEADS = {
    PAPER: (
        "## A single population against islands (figure 5 of the paper)",
        "Both methods use the paper's construction, healing and first partition (presets `paper-single` and `paper`).",
    ),
    MIXED: (
        "## The same with our construction",
        'Parties are built by matches, slack and price (`guide = "mixed"`), and mutants are healed at once.',
    ),
}
Row = dict[str, Any]


def rows() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def vanilla(problem: Party, seed: int, refresh: float, construction: str) -> list[list[float]]:
    """Best price, variation and Hamming diversity by generation, of one population."""
    species = PartyHabitat(problem.instance, HEALINGS[construction])(Budget())
    parameters = GeneticParameters(50, 100, distinct=False, refresh_below=refresh, random_filling=construction == PAPER)
    algorithm, rng = GeneticAlgorithm(species, parameters), np.random.default_rng(seed)
    return [_figures(algorithm.step(rng)) for _ in range(GENERATIONS)]


def islands(problem: Party, seed: int, refresh: float, construction: str) -> list[list[float]]:
    """The same for five islands together."""
    genetic = GeneticParameters(10, 20, distinct=False, refresh_below=refresh, random_filling=construction == PAPER)
    migration = Migration(topology="redeal", similarity="fitness")
    parameters = IslandParameters(5, EPOCH, genetic, migration, partition=construction == PAPER)
    found: list[list[float]] = []
    with Archipelago(PartyHabitat(problem.instance, HEALINGS[construction]), parameters, seed) as archipelago:
        while len(found) < GENERATIONS:
            found += [_figures(one) for one in archipelago.epoch(Budget())]
    return found[:GENERATIONS]


def _figures(one: Any) -> list[float]:
    return [one.best, round(one.variation, 5), round(one.hamming, 5), one.evaluations]


def run(name: str, seed: int, refresh: float, construction: str) -> list[Row]:
    """Run all methods on one puzzle with one seed; annealing only with the first threshold, which it does not use."""
    problem, made = Party(builtin(name)), []
    base = {"puzzle": name, "seed": seed, "refresh": refresh, "construction": construction}
    for method, evolve in (("vanilla", vanilla), ("islands", islands)):
        begun = time.process_time()
        generations = evolve(problem, seed, refresh, construction)
        seconds = round(time.process_time() - begun, 2)
        made.append({**base, "method": method, "seconds": seconds, "generations": generations})
    if refresh == REFRESH[0] and construction == MIXED:
        made.append({**base, "method": "default", **annealed(problem, seed, max(row["seconds"] for row in made))})
    return [{**row, "versions": versions(), "date": str(date.today())} for row in made]


def annealed(problem: Party, seed: int, seconds: float) -> Row:
    """Best price of matheur's annealing, restarted until the processor seconds are used up."""
    budget = Budget(seconds=seconds, clock=time.process_time)
    rng = np.random.default_rng(seed)
    best: int | None = None
    while not budget.exhausted:
        outcome = Annealing().build(problem, budget, rng)
        if outcome.objective is not None and (best is None or outcome.objective < best):
            best = int(outcome.objective)
    return {"seconds": seconds, "best": best}


def report() -> None:
    """Tables, values by generation, and plots."""
    found: dict[tuple[str, str, float, str], list[Row]] = defaultdict(list)
    for row in rows():
        found[row.get("construction", MIXED), row["puzzle"], row["refresh"], row["method"]].append(row)
    lines: list[str] = []
    curves: list[list[Any]] = []
    for construction in (PAPER, MIXED):
        mine = {key[1:]: runs for key, runs in found.items() if key[0] == construction}
        if mine:
            made = _curves(mine)
            lines += [*_section(construction, mine), ""]
            curves += [[construction, *one] for one in made]
            _plot(made, RESULTS.parent / f"figure5-{construction}.svg")
    lines += [
        "The paper claims a better mean and at least twice the diversity. The less a population is refreshed, the more",
        "alike its members become, and the more islands help.",
    ]
    (RESULTS.parent / "figure5.md").write_text("\n".join(lines) + "\n")
    with (RESULTS.parent / "figure5.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["construction", "puzzle", "refresh", "method", "generation", "best", "variation", "hamming"])
        writer.writerows(curves)


def _section(construction: str, found: dict[tuple[str, float, str], list[Row]]) -> list[str]:
    """Heading, table, verdicts and plot of one construction."""
    head, told = HEADS[construction]
    lines = [head, "", told]
    if construction == PAPER:
        lines += [
            "Values are means over restarts after 100 generations of 100 individuals. Diversity is a mean over the",
            "second half of the run, measured by the coefficient of variation of the prices (the paper's measure) and",
            "by the mean share of slots in which two parties differ. A third of a population is replaced when its",
            "variation is lower than *refresh*; the paper does not give this value.",
        ]
    else:
        lines += ["*Annealing* is ours, with as many seconds as the slower of the two methods took."]
    lines += [
        "",
        "| puzzle | refresh | restarts | method | best price, mean (best) | variation | Hamming | CPU seconds |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    verdicts = []
    for name in TYPES:
        for refresh in REFRESH:
            means: dict[str, tuple[float, float, float]] = {}
            for method in ("vanilla", "islands"):
                if runs := found.get((name, refresh, method)):
                    means[method] = _means(runs)
                    price, variation, hamming = means[method]
                    least = min(run["generations"][-1][0] for run in runs)
                    seconds = statistics.mean(run["seconds"] for run in runs)
                    lines.append(
                        f"| {name} | {refresh} | {len(runs)} | {method} | {price:.0f} ({least}) | {variation:.3f} | "
                        f"{hamming:.3f} | {seconds:.1f} |"
                    )
            if len(means) == 2:
                verdicts.append(_verdict(name, refresh, means["vanilla"], means["islands"]))
        ours = [run["best"] for run in found.get((name, REFRESH[0], "default"), []) if run["best"] is not None]
        if ours:
            mean = statistics.mean(ours)
            lines.append(f"| {name} | | {len(ours)} | annealing | {mean:.0f} ({min(ours)}) | | | |")
    return [*lines, "", *verdicts, "", f"![best price and variation by generation](figure5-{construction}.svg)"]


def _curves(found: dict[tuple[str, float, str], list[Row]]) -> list[list[Any]]:
    """Puzzle, refresh, method, generation and the mean values in it."""
    return [
        [name, refresh, method, *one]
        for name, refresh, method in itertools.product(TYPES, REFRESH, ("vanilla", "islands"))
        if (runs := found.get((name, refresh, method)))
        for one in _curve(runs)
    ]


def _means(runs: list[Row]) -> tuple[float, float, float]:
    """Last price, and variation and Hamming diversity of the second half."""
    late = [one for run in runs for one in run["generations"][GENERATIONS // 2 :]]
    price = statistics.mean(run["generations"][-1][0] for run in runs)
    return price, statistics.mean(one[1] for one in late), statistics.mean(one[2] for one in late)


def _curve(runs: list[Row]) -> list[list[float]]:
    """Generation and the mean values in it."""
    at = zip(*(run["generations"] for run in runs), strict=True)
    return [[n, *(round(statistics.mean(one[i] for one in ones), 4) for i in range(3))] for n, ones in enumerate(at, 1)]


def _verdict(name: str, refresh: float, one: tuple[float, ...], many: tuple[float, ...]) -> str:
    word = "cheaper" if many[0] < one[0] else "dearer" if many[0] > one[0] else "at the same price"
    ratios = [new / old if old else float("inf") for old, new in zip(one[1:], many[1:], strict=True)]
    return (
        f"- {name}, {refresh}: islands end {word}, with {ratios[0]:.1f} times the variation "
        f"and {ratios[1]:.1f} times the Hamming diversity"
    )


def _plot(curves: list[list[Any]], path: Path) -> None:
    names = [name for name in TYPES if any(row[0] == name for row in curves)]
    figure = new_chart(4 * len(names), 6)
    axes = figure.subplots(2, len(names), squeeze=False)
    for column, name in enumerate(names):
        for refresh, colour in zip(REFRESH, ("C0", "C1"), strict=True):
            for method, style in (("vanilla", "--"), ("islands", "-")):
                mine = [row[3:] for row in curves if row[:3] == [name, refresh, method]]
                for line, index in enumerate((1, 2)):
                    axis, label = axes[line][column], f"{method}, {refresh}"
                    if not mine:
                        continue
                    axis.plot([row[0] for row in mine], [row[index] for row in mine], style, color=colour, label=label)
        axes[0][column].set_title(name)
        axes[0][column].set_ylabel("mean best price")
        axes[1][column].set_ylabel("coefficient of variation")
        axes[1][column].set_xlabel("generation")
        axes[0][column].legend()
    path.write_bytes(chart_file(figure, "svg"))


def main() -> None:
    """Make the missing runs, or write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzles", nargs="+", choices=TYPES, default=list(TYPES))
    parser.add_argument("--restarts", type=int, default=25)
    parser.add_argument("--construction", choices=tuple(HEALINGS), default=PAPER)
    parser.add_argument("--refresh", nargs="+", type=float, choices=REFRESH, default=list(REFRESH))
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        report()
        return
    RESULTS.parent.mkdir(exist_ok=True)
    made_by = options.construction
    done = {
        (row["puzzle"], row["refresh"], row["seed"])
        for row in rows()
        if row["method"] == "islands" and row.get("construction", MIXED) == made_by
    }
    for seed, name, refresh in itertools.product(range(options.restarts), options.puzzles, options.refresh):
        if (name, refresh, seed) not in done:
            made = run(name, seed, refresh, made_by)
            with RESULTS.open("a") as file:
                file.writelines(json.dumps(row) + "\n" for row in made)
            shown = {row["method"]: row.get("best", row.get("generations", [[None]])[-1][0]) for row in made}
            print(name, refresh, seed, shown, [row["seconds"] for row in made], flush=True)


if __name__ == "__main__":
    main()
