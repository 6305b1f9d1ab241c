"""Write `docs/results-milp-peers.md` and its pictures from the rows of `peers.py`.

    python experiments/milp/peers_report.py
    python experiments/milp/peers_report.py --results FILE --out FILE --tools matheur,highs,scip

Each instance and tool is represented by the median over seeds. The gap of a value is its distance to the best known
value (or to the best one found here if that is better), divided by the larger of the two absolute values; it is 1 (100
%) without a solution. The primal integral is the integral of the gap over the seconds up to the limit.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from typing import Any

from report import lines_of, number, versions_of

from matheur.running.charts import chart_file, new_chart

HERE = Path(__file__).resolve().parent
DOCS = HERE.parents[1] / "docs"
OURS = "matheur"
TWO = "matheur-2"  # two processes
TIE = 1e-4  # gaps that differ by less count as equal
WORSE = 0.05  # gap to the best solver from which a row is listed
SHIFT = 1.0  # shift in seconds of the shifted geometric mean of primal integrals
TIMES = (10.0, 60.0, 300.0)

Row = dict[str, Any]


def gap_of(value: float | None, best: float) -> float:
    """Primal gap from 0 to 1; 1 without a value."""
    if value is None:
        return 1.0
    size = max(abs(value), abs(best))
    return 0.0 if size < 1e-9 else min(1.0, abs(value - best) / size)


class Run:
    """One row with the steps of its gap.

    Attributes
    ----------
    steps
        Seconds and gaps, from the first solution on.
    """

    def __init__(self, row: Row, best: float) -> None:
        self.row, self.limit = row, row["limit"]
        points = [] if row.get("value") is None else [[at, value] for at, value in row["trace"] if at <= self.limit]
        if points and "claim" in row:  # the better one came after the limit and does not count
            worse = max if row["sense"] == "min" else min
            points[-1][1] = worse(points[-1][1], row["value"])
        self.steps = [(at, gap_of(value, best)) for at, value in points]

    @property
    def first(self) -> float | None:
        """Seconds to the first solution."""
        return self.steps[0][0] if self.steps else None

    def gap(self, seconds: float) -> float:
        """Gap at a time."""
        return next((gap for at, gap in reversed(self.steps) if at <= seconds), 1.0)

    @property
    def integral(self) -> float:
        """Primal integral in seconds."""
        total, since, now = 0.0, 0.0, 1.0
        for at, gap in [*self.steps, (self.limit, 0.0)]:
            total += now * (at - since)
            since, now = at, gap
        return total


class Table:
    """All runs of one limit.

    Parameters
    ----------
    rows
        Rows of `peers.py`.
    tools
        Names of tools in the order of the tables; if empty, all that occur.
    """

    def __init__(self, rows: list[Row], tools: Sequence[str]) -> None:
        self.limit = rows[0]["limit"]
        there = list(dict.fromkeys(row["tool"] for row in rows))
        self.tools = [name for name in tools or there if name in there and (tools or name != TWO)]
        self.rows = [row for row in rows if row["tool"] in self.tools]
        self.classes = {row["instance"]: row["class"] for row in self.rows}
        runs: dict[tuple[str, str], list[Run]] = defaultdict(list)
        for row in self.rows:
            runs[row["instance"], row["tool"]].append(Run(row, self.best[row["instance"]]))
        self.runs = dict(runs)

    @cached_property
    def best(self) -> dict[str, float]:
        """Best value of each instance, known or found."""
        found: dict[str, list[float]] = defaultdict(list)
        senses = {row["instance"]: row["sense"] for row in self.rows}
        for row in self.rows:
            values = [row.get("value"), float(row["best_known"]) if row["best_known"] else None]
            found[row["instance"]] += [value for value in values if value is not None]
        return {name: (min if sense == "min" else max)(found[name] or [0.0]) for name, sense in senses.items()}

    def instances(self, tools: Iterable[str], kind: str | None = None) -> list[str]:
        """Instances that all of these tools have tried."""
        return [
            name
            for name, own in self.classes.items()
            if kind in (None, own) and all((name, tool) in self.runs for tool in tools)
        ]

    def solved(self, name: str, tool: str) -> bool:
        """Whether at least half of the seeds have a solution."""
        runs = self.runs[name, tool]
        return 2 * sum(run.first is not None for run in runs) >= len(runs)

    def middle(self, name: str, tool: str, what: Callable[[Run], float]) -> float:
        """Median over seeds."""
        return median(what(run) for run in self.runs[name, tool])


def _by_seed(table: Table, tool: str) -> str:
    """Mean gap at the end for each seed that has run on all instances of the tool; empty for a single seed."""
    gaps: dict[int, list[float]] = defaultdict(list)
    for (_, own), runs in table.runs.items():
        for run in runs if own == tool else ():
            gaps[run.row["seed"]].append(run.gap(table.limit))
    most = max(map(len, gaps.values()), default=0)
    means = [percent(fmean(own)) for _, own in sorted(gaps.items()) if len(own) == most]
    return ", ".join(means) if len(means) > 1 else ""


def geometric(numbers: Sequence[float]) -> float:
    """Shifted geometric mean."""
    return math.exp(fmean(math.log(number + SHIFT) for number in numbers)) - SHIFT


def percent(share: float) -> str:
    """Format a share in percent."""
    return f"{100 * share:.2f} %"


def overview(table: Table, kind: str | None) -> Iterator[str]:
    """One line per tool on the instances that it accepts, with matheur on the same instances."""
    times = [at for at in TIMES if at < table.limit] + [table.limit]
    head = ["tool", "instances", *(f"gap at {at:g} s" for at in times), f"{OURS} there", "integral, s", f"{OURS} there"]
    cells = []
    for tool in table.tools:
        both = table.instances({tool, OURS} & set(table.tools), kind)
        if not both:
            continue

        def mean_gap(tool: str, at: float, both: list[str] = both) -> str:
            return percent(fmean(table.middle(name, tool, lambda run: run.gap(at)) for name in both))

        def integral(tool: str, both: list[str] = both) -> str:
            return f"{geometric([table.middle(name, tool, lambda run: run.integral) for name in both]):.2f}"

        found = [name for name in both if table.solved(name, tool)]
        cpu = fmean(table.middle(name, tool, lambda run: run.row["cpu"]) for name in both)
        ours = OURS in table.tools and tool != OURS
        cells.append(
            [
                tool, str(len(both)), *(mean_gap(tool, at) for at in times),
                mean_gap(OURS, table.limit) if ours else "", integral(tool), integral(OURS) if ours else "",
                str(len(found)), f"{cpu:.0f}",
            ]
        )  # fmt: skip
    yield from lines_of([*head, "solved", "CPU s"], cells)


def duels(table: Table) -> Iterator[str]:
    """Wins, ties and losses of matheur."""
    cells = []
    for tool in table.tools:
        both = table.instances((tool, OURS))
        if tool == OURS or not both:
            continue
        cell = [tool, str(len(both))]
        for what, tie in ((lambda run: run.gap(table.limit), TIE), (lambda run: run.integral, TIE * table.limit)):
            less = [table.middle(name, tool, what) - table.middle(name, OURS, what) for name in both]
            wins, losses = sum(one > tie for one in less), sum(one < -tie for one in less)
            cell += [str(wins), str(len(both) - wins - losses), str(losses)]
        cells.append(cell)
    yield from lines_of(["peer", "instances", "better", "equal", "worse", "sooner", "equal", "later"], cells)


def two_processes(rows: list[Row]) -> Iterator[str]:
    """Two processes on two cores, next to one process and to the better one of two with different seeds."""
    table = Table(rows, [OURS, TWO])
    names = [name for name in table.instances((OURS, TWO)) if len(table.runs[name, OURS]) > 1]
    if TWO not in table.tools or not names:
        return

    def of(runs: Iterable[Sequence[Run]]) -> float:
        return fmean(min(run.gap(table.limit) for run in group) for group in runs)

    cells, sums = [], []
    for name in sorted(names):
        one, two = table.runs[name, OURS], table.runs[name, TWO]
        gaps = of(combinations(one, 1)), of(combinations(one, 2)), of(combinations(two, 1))
        sums.append(gaps)
        cells.append([name, *map(percent, gaps)])
    cells.append(["mean", *(percent(fmean(column)) for column in zip(*sums, strict=True))])
    yield "### Two processes"
    yield ""
    yield (
        "Gaps at the end of one process (mean of the seeds), of the better one of two processes with different seeds "
        "(mean of the pairs), and of two processes that share their solutions (`--jobs 2`)."
    )
    yield ""
    yield from lines_of(["instance", "one", "the better of two", "two that share"], cells)


def each(table: Table) -> Iterator[str]:
    """One line per instance: gaps by tool."""
    cells = []
    for name in sorted(table.classes, key=lambda name: (table.classes[name], name)):
        gaps = {
            tool: table.middle(name, tool, lambda run: run.gap(table.limit))
            for tool in table.tools
            if (name, tool) in table.runs
        }
        least = min(gaps.values())
        shown = [
            "" if tool not in gaps else (percent(gaps[tool]) if table.solved(name, tool) else "none")
            for tool in table.tools
        ]
        marked = [f"**{text}**" if text and gaps.get(tool, 2) <= least + TIE and least < 1 else text
                  for tool, text in zip(table.tools, shown, strict=True)]  # fmt: skip
        cells.append([name, table.classes[name], number(table.best[name]), *marked])
    yield from lines_of(["instance", "class", "best", *table.tools], cells, right=2)


def losses(table: Table) -> Iterator[str]:
    """Instances where another solver is clearly ahead, with the behaviour of matheur's runs there."""
    for name in table.instances((OURS,)):
        peers = {tool: table.middle(name, tool, lambda run: run.gap(table.limit))
                 for tool in table.tools if tool != OURS and (name, tool) in table.runs}  # fmt: skip
        mine = table.middle(name, OURS, lambda run: run.gap(table.limit))
        if not peers or mine <= min(peers.values()) + WORSE:
            continue
        ahead = min(peers, key=peers.__getitem__)
        run = sorted(table.runs[name, OURS], key=lambda run: run.gap(table.limit))[len(table.runs[name, OURS]) // 2]
        did = sorted(run.row.get("operators", {}).items(), key=lambda item: -item[1]["seconds"])[:3]
        parts = ", ".join(f"{operator} {one['seconds']:.0f} s, {one['calls']} calls" for operator, one in did)
        first = "no solution" if run.first is None else f"first solution after {run.first:.1f} s"
        yield f"- {name}: {percent(mine)}, {ahead} {percent(peers[ahead])}; {first}; {parts or 'no calls'}."


def operators(table: Table) -> Iterator[str]:
    """Gain of each operator of matheur by class, as shares of the best value."""
    sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0] * 5)
    helped: dict[tuple[str, str], set[str]] = defaultdict(set)
    outside: dict[str, list[float]] = defaultdict(list)
    for row in table.rows:
        if row["tool"] != OURS:
            continue
        called = sum(one["seconds"] for one in row.get("operators", {}).values())
        outside[row["class"]].append(row["wall"] - called)
        size = max(1e-9, abs(table.best[row["instance"]]))
        for name, one in row.get("operators", {}).items():
            gain = min(1.0, one["gain"] / size)
            parts = (one["calls"], one["successes"], one["seconds"], gain, one["proofs"])
            sums[row["class"], name] = [a + b for a, b in zip(sums[row["class"], name], parts, strict=True)]
            if one["successes"]:
                helped[row["class"], name].add(row["instance"])
    cells = [
        [kind, name, f"{calls:.0f}", f"{won:.0f}", f"{proofs:.0f}", f"{seconds:.0f}", f"{gain:.3f}",
         f"{60 * gain / seconds if seconds else 0:.3f}", str(len(helped[kind, name]))]
        for (kind, name), (calls, won, seconds, gain, proofs) in sorted(
            sums.items(), key=lambda item: (item[0][0], -item[1][3] / max(item[1][2], 1e-9))
        )
    ]  # fmt: skip
    head = ["class", "operator", "calls", "with a gain", "proofs", "seconds", "gain", "gain per minute"]
    yield from lines_of([*head, "instances helped"], cells, right=2)
    seconds = "; ".join(f"{kind} {median(own):.1f}, at most {max(own):.1f}" for kind, own in outside.items())
    yield f"Seconds of a run outside the operators (start, reading, bookkeeping), medians: {seconds}."
    yield ""


def plot(table: Table, target: Path) -> None:
    """Plot the mean gap over time, on the instances that all tools accept."""
    common = table.instances(table.tools) or table.instances((OURS,))
    times = [table.limit * step / 200 for step in range(1, 201)]
    figure = new_chart(7, 4)
    axes = figure.subplots()
    for tool in table.tools:
        if all((name, tool) in table.runs for name in common):
            means = [100 * fmean(table.middle(name, tool, lambda run, at=at: run.gap(at)) for name in common)
                     for at in times]  # fmt: skip
            axes.plot(times, means, label=tool, linewidth=2.2 if tool == OURS else 1.2)
    axes.set(xlabel="seconds", ylabel="mean primal gap, %", title=f"{len(common)} instances, {table.limit:g} s")
    axes.set_ylim(bottom=0)
    axes.legend(fontsize="small")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(chart_file(figure, "svg"))


def section(rows: list[Row], chosen: Sequence[str], out: Path) -> Iterator[str]:
    """Sections for the rows of one limit."""
    table = Table(rows, chosen)
    tools: dict[str, list[str]] = defaultdict(list)
    for tool in table.tools:
        tools[", ".join(map(str, sorted({row["seed"] for row in table.rows if row["tool"] == tool})))].append(tool)
    seeds = [f"{own} ({', '.join(names)})" if len(tools) > 1 else own for own, names in tools.items()]
    yield f"## {table.limit:g} seconds"
    yield ""
    yield f"{len(table.classes)} instances, seeds {'; '.join(seeds)}."
    yield ""
    yield (
        "Mean gaps, and the shifted geometric mean (shift 1 s) of primal integrals. *matheur there* gives the value of "
        "matheur on the same instances; *solved* counts the instances with a solution. The CPU seconds of matheur do "
        "not include those of CP-SAT, whose program it kills at the end."
    )
    yield ""
    yield from overview(table, None)
    by_seed = [f"{tool} {means}" for tool in table.tools if (means := _by_seed(table, tool))]
    if by_seed:
        yield f"Mean gap at {table.limit:g} s for each seed: {'; '.join(by_seed)}."
        yield ""
    for kind in dict.fromkeys(sorted(table.classes.values())):
        yield f"### Class {kind}"
        yield ""
        yield from overview(table, kind)
    picture = out.parent / "images" / f"{out.stem.removeprefix('results-')}-{table.limit:g}.svg"
    plot(table, picture)
    yield f"![Mean gap over time](images/{picture.name})"
    yield ""
    compared = OURS in table.tools and len(table.tools) > 1
    if compared:
        yield f"### {OURS} against each peer"
        yield ""
        yield "*Better* and *worse* compare the gap at the end, *sooner* and *later* the primal integral."
        yield ""
        yield from duels(table)
    yield "### Gap at the end"
    yield ""
    yield from each(table)
    if compared:
        yield f"### Where a peer is more than {100 * WORSE:g} points ahead"
        yield ""
        yield from list(losses(table)) or ["Nowhere."]
        yield ""
        yield "### What each operator gained"
        yield ""
        yield "Gains are shares of the best value, at most 1 for each run and operator, summed over all seeds."
        yield ""
        yield from operators(table)
    yield from two_processes(rows)
    refuted = [(row["instance"], row["tool"], row["refuted"]) for row in table.rows if row.get("refuted")]
    failed = [(row["instance"], row["tool"], row["error"]) for row in table.rows if row.get("error")]
    for title, found in (("Refuted by the check", refuted), ("Ended with an error", failed)):
        if found:
            yield f"### {title}"
            yield ""
            yield from (f"- {name}, {tool}: {text}" for name, tool, text in found)
            yield ""


def main() -> None:
    """Read the rows and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=HERE / "results" / "peers.jsonl")
    parser.add_argument("--out", type=Path, default=DOCS / "results-milp-peers.md")
    parser.add_argument("--title", default="next to other solvers")
    parser.add_argument("--tools", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    lines = options.results.read_text().splitlines() if options.results.exists() else []
    if not lines:
        raise SystemExit("there are no rows. Maybe run experiments/milp/peers.py?")
    found = {(row["instance"], row["tool"], row["seed"], row["limit"]): row for row in map(json.loads, lines)}
    rows = list(found.values())
    last = rows[-1]
    loads = [float(row["machine"].rpartition(" ")[2]) for row in rows]
    machine = last["machine"].partition(", load")[0]
    page = [
        f"# Results: linear programs, {options.title}",
        "",
        "Written by `experiments/milp/peers_report.py` from the rows of `experiments/milp/peers.py`. Each run is one",
        "single-threaded process. All runs have the same time limit, counted from the start of the process, and their",
        "solutions are checked in the same way.",
        "",
        f"{last['date']}; {machine}, load {min(loads):.0f} to {max(loads):.0f}; {versions_of(rows)}.",
        "",
    ]
    for limit in sorted({row["limit"] for row in rows}):
        page += section([row for row in rows if row["limit"] == limit], options.tools, options.out)
    options.out.write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
