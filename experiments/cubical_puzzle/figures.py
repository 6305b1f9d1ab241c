"""Figures 2 to 8 of Merleau et al. 2024 from stored runs: drawings in `results/figures`, and the tables below them.

`report.py` includes them in `docs/results-cubical.md`. Planner runs come from `planners.py` (the evolution of the
paper's text; Q-learning as in its authors' code, with P = 100, which reproduces their Table 5), times of A* from
`exact.py`, and the mutation exponents from the campaign `figure7`.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, median, quantiles, stdev

import numpy as np
from scipy.stats import mannwhitneyu, ttest_ind

from matheur.campaign.report.drawing import draw_alone
from matheur.campaign.report.plots import Axis, Plot, Series

HERE = Path(__file__).resolve().parent
PICTURES = HERE / "results" / "figures"
LEVELS = {3: 3, 4: 5}
"""Levels of the paper's figures, by dimension."""
POPULATION, BALL = 1000, 100
"""What the paper divides by in Figure 6: individuals of the evolution, states around the goal of Q-learning."""
RINGS, ELITE = 4, 100
"""Of `d3-k2-level0`: most moves of a mutation. Individuals that a generation copies."""
FEW = 10
"""Fewer plans are not drawn."""

Moves = dict[str, list[int]]
Times = dict[str, list[float]]


def stored(name: str) -> list[dict[str, str]]:
    """Rows of a CSV file in `results`."""
    with (HERE / "results" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def planned(method: str, variant: str) -> tuple[Moves, Times]:
    """Moves of the runs with a plan, and seconds of all runs, by puzzle."""
    moves: Moves = defaultdict(list)
    seconds: Times = defaultdict(list)
    for row in stored("planner_runs.csv"):
        if (row["method"], row["variant"]) == (method, variant):
            seconds[row["instance"]].append(float(row["seconds"]))
            if row["moves"]:
                moves[row["instance"]].append(int(row["moves"]))
    return moves, seconds


def authors(runs: Sequence[Mapping[str, str]], method: str) -> tuple[Moves, Times]:
    """The same for the runs published by the authors."""
    moves: Moves = defaultdict(list)
    seconds: Times = defaultdict(list)
    for row in runs:
        if row["method"] == method and row["file"] != "as_solutions1":
            name = f"d{row['d']}-k{row['k']}-level{row['level']}"
            moves[name].append(int(float(row["moves"])))
            if row["cpu_s"]:
                seconds[name].append(float(row["cpu_s"]))
    return moves, seconds


def names(d: int, k: int) -> list[str]:
    """Puzzles of a panel."""
    return [f"d{d}-k{k}-level{level}" for level in range(LEVELS[d])]


def histogram(name: str, values: Sequence[int], runs: int, number: int) -> Series:
    """Shares of all runs by number of moves, as steps."""
    counts = Counter(values)
    x = np.arange(min(counts), max(counts) + 2)
    y = [counts[int(value)] / runs for value in x]
    return Series(name, np.array(x, dtype=float) - 0.5, np.array(y), "steps", number=number)


def drawn(name: str, title: str, plot: Plot) -> str:
    """Write a drawing; return the Markdown that shows it."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(draw_alone(plot, title))
    return f"![{title}](../experiments/cubical_puzzle/results/figures/{name}.svg)"


def distributions(figure: int, what: str, moves: Moves) -> Iterator[str]:
    """A panel for each dimension of cube and faces, as in Figures 2 and 3."""
    for d in LEVELS:
        for k in range(1, d):
            series = [
                histogram(f"level {number}", moves[name], 150, number)
                for number, name in enumerate(names(d, k))
                if len(moves[name]) >= FEW
            ]
            if series:
                title = f"{what}, d = {d}, k = {k}"
                plot = Plot(Axis("moves"), Axis("share of the runs", 0.0, percent=True), series, f"Histograms: {title}")
                yield drawn(f"figure{figure}-d{d}-k{k}", title, plot)


def quartiles(moves: Moves, puzzles: Sequence[str], name: str, number: int) -> Series:
    """Medians by level, with a band between the quartiles."""
    low, middle, high = np.array([quantiles(moves[one], n=4, method="inclusive") for one in puzzles]).T
    return Series(name, np.arange(len(puzzles), dtype=float), middle, "line", low, high, number)


def against(evolved: Moves, learnt: Moves) -> Iterator[str]:
    """Figure 4: both planners by level, for k = 2."""
    for d in LEVELS:
        puzzles = names(d, 2)
        series = [quartiles(evolved, puzzles, "evolution", 0), quartiles(learnt, puzzles, "Q-learning", 1)]
        title = f"evolution and Q-learning, d = {d}, k = 2"
        plot = Plot(Axis("level"), Axis("moves: median, quartiles", 0.0), series, f"Medians and quartiles: {title}")
        yield drawn(f"figure4-d{d}", title, plot)


def spread(values: Sequence[int]) -> str:
    """Quartiles, and mean and standard deviation."""
    if len(values) < 2:
        return "-"
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return f"{low:g} / {middle:g} / {high:g}; {mean(values):.1f} ± {stdev(values):.1f}"


def p_value(value: float) -> str:
    """Format a p-value with two digits, or as a bound."""
    return "< 0.001" if value < 0.001 else f"{value:.2g}"


def spreads(evolved: Moves, learnt: Moves) -> Iterator[str]:
    """A row for each puzzle, with the p-value of the Mann-Whitney test on the moves of the two planners."""
    yield "| puzzle | evolution: quartiles; mean ± deviation | Q-learning | p |"
    yield "| --- | ---: | ---: | ---: |"
    for d in LEVELS:
        for k in range(1, d):
            for name in names(d, k):
                one, other = evolved[name], learnt[name]
                p = "-" if min(len(one), len(other)) < FEW else p_value(mannwhitneyu(one, other).pvalue)
                yield f"| {name} | {spread(one)} | {spread(other)} | {p} |"


def of_means(evolved: Moves, learnt: Moves, d: int) -> str:
    """p of Student's t-test on the mean moves of the levels, k = 2: apparently the paper's test."""
    groups = [[mean(moves[name]) for name in names(d, 2) if moves[name]] for moves in (evolved, learnt)]
    return "-" if min(len(group) for group in groups) < 2 else p_value(ttest_ind(*groups).pvalue)


def planners_section(runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Figures 2 to 4, quartiles and p-values."""
    evolved, learnt = planned("evolution", "paper")[0], planned("q-learning", "published")[0]
    theirs = authors(runs, "ea")[0], authors(runs, "rl")[0]
    tests = [
        ("the paper", "0.12", "0.03"),
        ("authors' runs", of_means(*theirs, 3), of_means(*theirs, 4)),
        ("ours", of_means(evolved, learnt, 3), of_means(evolved, learnt, 4)),
    ]
    return [
        "## Figures 2 to 4: distributions of the moves",
        "",
        "The runs of the evolution follow the paper's text; those of Q-learning follow the authors' code with P = 100. "
        "There are 150 runs for each puzzle.",
        "",
        "Figure 2, Q-learning:",
        "",
        *distributions(2, "Q-learning", learnt),
        "",
        f"Figure 3, evolution (not for d = 4, k = 3, where fewer than {FEW} runs have a plan):",
        "",
        *distributions(3, "evolution", evolved),
        "",
        "Figure 4, both:",
        "",
        *against(evolved, learnt),
        "",
        "### Spreads and p-values",
        "",
        "p is the p-value of a two-sided Mann-Whitney test on the moves of all runs with a plan.",
        "",
        *spreads(evolved, learnt),
        "",
        "The paper gives p = 0.12 for d = 3 and p = 0.03 for d = 4 (k = 2) and does not name the test. Student's "
        "t-test on the mean moves of the levels (three and five values for each method) gives these p-values for the "
        "authors' runs. That test takes each level as one observation. If the runs on each puzzle are compared, the "
        "two methods differ clearly, also for d = 3, as the table above shows.",
        "",
        "| t-test of the means of the levels, k = 2 | d = 3 | d = 4 |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {three} | {four} |" for name, three, four in tests),
        "",
    ]


def searched() -> Times:
    """Seconds of A*, by puzzle."""
    lines = [json.loads(line) for line in (HERE / "results" / "exact.jsonl").read_text().splitlines()]
    return {line["instance"]: [float(line["seconds"])] for line in lines if line["method"] == "astar"}


def middle(times: Mapping[str, Sequence[float]], name: str, divisor: float = 1.0) -> float | None:
    """Median seconds; None without runs."""
    return median(times[name]) / divisor if times.get(name) else None


def seconds(value: float | None) -> str:
    """Format seconds with three digits."""
    return "-" if value is None else f"{value:.3g}"


def by_level(times: Times, d: int, k: int, name: str, number: int) -> Series:
    """Median seconds by level."""
    found = [(level, middle(times, one)) for level, one in enumerate(names(d, k))]
    kept = [(float(level), value) for level, value in found if value is not None]
    return Series(name, *(np.array(column) for column in zip(*kept, strict=True)), number=number)


def per_path(times: Times, divisor: float, d: int, name: str, number: int) -> Series | None:
    """Median seconds by level for a middle k, with a band from the fastest to the slowest k."""
    levels = []
    for level in range(LEVELS[d]):
        found = [middle(times, f"d{d}-k{k}-level{level}", divisor) for k in range(1, d)]
        kept = [value for value in found if value is not None]
        if kept:
            levels.append((float(level), median(kept), min(kept), max(kept)))
    if not levels:
        return None
    x, y, low, high = (np.array(column) for column in zip(*levels, strict=True))
    return Series(name, x, y, "line", low, high, number)


def times_section(runs: Sequence[Mapping[str, str]]) -> list[str]:
    """Figures 5 and 6: seconds of A*, and of all three methods for each path that they explore."""
    ours = searched(), planned("evolution", "paper")[1], planned("q-learning", "published")[1]
    theirs = tuple(authors(runs, method)[1] for method in ("as", "ea", "rl"))
    divisors = (1.0, POPULATION, BALL)
    rows = []
    for d in LEVELS:
        for k in range(1, d):
            for name in names(d, k):
                groups = zip((*theirs, *ours), divisors * 2, strict=True)
                cells = [seconds(middle(times, name, divisor)) for times, divisor in groups]
                rows.append(f"| {name} | {' | '.join(cells)} |")
    pictures5, pictures6 = [], []
    for d in LEVELS:
        faces = range(1, d)
        series = [by_level(ours[0], d, k, f"k = {k}", k - 1) for k in faces]
        known = [k for k in faces if theirs[0].get(names(d, k)[0])]
        series += [by_level(theirs[0], d, k, f"k = {k}, authors", k + 2) for k in known]
        title = f"A*, d = {d}"
        plot = Plot(Axis("level"), Axis("seconds", log=True), series, f"Seconds by level: {title}")
        pictures5.append(drawn(f"figure5-d{d}", title, plot))
        lines = [
            per_path(times, by, d, f"{method}{whose}", number)
            for whose, group, first in (("", ours, 0), (", authors", theirs, 3))
            for number, (method, times, by) in enumerate(
                zip(("A*", "evolution", "Q-learning"), group, divisors, strict=True), start=first
            )
        ]
        title = f"seconds per explored path, d = {d}"
        found = [line for line in lines if line is not None]
        plot = Plot(Axis("level"), Axis("seconds per path", log=True), found, f"By level and method: {title}")
        pictures6.append(drawn(f"figure6-d{d}", title, plot))
    return [
        "## Figures 5 and 6: times",
        "",
        "Figure 5, A* (our runs and the authors' were made on different machines, so compare the slopes):",
        "",
        *pictures5,
        "",
        "Figure 6. As in the paper, the seconds of the evolution are divided by its population of 1000 and those of "
        "Q-learning by the P = 100 states around the goal; one solution of A* counts as one path. Bands reach from the "
        "fastest to the slowest k.",
        "",
        *pictures6,
        "",
        "Median seconds, divided in the same way. `-` means that the authors have no run.",
        "",
        "| puzzle | A*, authors | evolution, authors | Q-learning, authors | A* | evolution | Q-learning |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        *rows,
        "",
    ]


def zipf_mean(exponent: float) -> float:
    """Mean number of moves of a mutation."""
    weights = [n**-exponent for n in range(1, RINGS + 1)]
    return sum(n * weight for n, weight in enumerate(weights, start=1)) / sum(weights)


def generations(exponent: float, work: int) -> float:
    """Number of generations of a run, computed from the moves that its mutations tried."""
    return work / ((POPULATION - ELITE) * zipf_mean(exponent))


def exponents_section(size: str = "full") -> list[str]:
    """Figures 7 and 8: the mutation exponent."""
    groups: dict[float, list[dict[str, str]]] = defaultdict(list)
    for row in stored(f"figure7-{size}.csv"):
        groups[float(row["variant"])].append(row)
    exponents = sorted(groups)
    moves = {c: [int(float(row["score"])) for row in groups[c] if row["score"]] for c in exponents}
    made = {c: [generations(c, int(row["work"])) for row in groups[c]] for c in exponents}
    shares = [len(moves[c]) / len(groups[c]) for c in exponents]
    sixes = [moves[c].count(6) for c in exponents]
    x = np.array(exponents)
    axis = Axis("exponent c")
    success = Plot(
        axis, Axis("success", 0.0, 1.05, percent=True), [Series("", x, np.array(shares))], "Success falls beyond c = 3."
    )
    means = Plot(
        axis, Axis("mean generations", 0.0), [Series("", x, np.array([mean(made[c]) for c in exponents]))],
        "The mean number of generations rises with c.",
    )  # fmt: skip
    frequency = Plot(
        axis, Axis("runs with 6 moves", 0.0), [Series("", x, np.array(sixes, dtype=float), "points")],
        "How many runs found a plan of 6 moves, by exponent.",
    )  # fmt: skip
    histograms = Plot(
        Axis("moves"), Axis("share of the runs", 0.0, percent=True),
        [histogram(f"c = {c:g}", moves[c], len(groups[c]), number) for number, c in enumerate((1.8, 7.0))],
        "Histograms of the moves for c = 1.8 and c = 7.",
    )  # fmt: skip
    table = [
        "| c | runs with a plan | generations: mean, median | 6 moves | moves: least / median / mean / most |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    for c, six in zip(exponents, sixes, strict=True):
        found = moves[c]
        table.append(
            f"| {c:g} | {len(found)} of {len(groups[c])} | {mean(made[c]):.1f}, {median(made[c]):.1f} | {six} | "
            f"{min(found)} / {median(found):g} / {mean(found):.1f} / {max(found)} |"
        )
    return [
        "## Figures 7 and 8: the exponent of the mutation",
        "",
        "The paper's evolution on `d3-k2-level0` (campaign `figure7`). The number of generations is the number of "
        "moves tried, divided by the moves of 900 mutations of the mean length for the exponent. In the paper, 100 % "
        "of the runs succeed with c = 1.4 and 60 % with c = 7, and the number of generations rises with c. With "
        "c = 1.8, 23 of 150 runs end with 6 moves, and the mean is ten moves; with c = 7, 12 runs have 6 moves.",
        "",
        drawn("figure7-success", "Figure 7: success by exponent", success),
        drawn("figure7-generations", "Figure 7: mean generations by exponent", means),
        drawn("figure8-frequency", "Figure 8 (a): runs with 6 moves", frequency),
        drawn("figure8-moves", "Figure 8 (b): moves for c = 1.8 and, its inset, c = 7", histograms),
        "",
        *table,
        "",
    ]
