"""Page written by `max_clique.py report`."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rows import measured
from sparse_cliques import section

PAGE = Path(__file__).resolve().parents[1] / "docs" / "results-max-clique.md"

Row = dict[str, Any]


def _seconds(values: list[float | None]) -> str:
    """Format a median; runs without an answer count as infinite."""
    ordered = sorted(float("inf") if value is None else value for value in values)
    middle = statistics.median_low(ordered)
    return "-" if middle == float("inf") else _short(middle)


def _short(seconds: float) -> str:
    return f"{seconds:.3f}" if seconds < 0.1 else f"{seconds:.2f}"


def _groups(rows: list[Row], section: str) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row["section"] == section:
            found.setdefault((row["graph"], row["method"]), []).append(row)
    return found


def _quality(rows: list[Row], section: str) -> list[str]:
    lines = ["| graph | best known | method | limit | reached | sizes | median s | units/s |",
             "| --- | ---: | --- | ---: | ---: | --- | ---: | ---: |"]  # fmt: skip
    for (name, method), runs in _groups(rows, section).items():
        goal = runs[0]["goal"]
        hits = [row for row in runs if row["size"] >= goal]
        times = [row["seconds"] if row["size"] >= goal else None for row in runs]
        sizes = " ".join(str(row["size"]) for row in sorted(runs, key=lambda row: row["seed"]))
        speed = statistics.median(row["rate"] for row in runs)
        lines.append(
            f"| {name} | {goal} | {method} | {runs[0]['limit']:g} | {len(hits)}/{len(runs)} | {sizes} | "
            f"{_seconds(times)} | {speed:,.0f} |"
        )
    return lines


def _edge(rows: list[Row]) -> list[str]:
    lines = ["| board | method | tiles | matched edges | reached | median s | units/s |",
             "| --- | --- | --- | --- | ---: | ---: | ---: |"]  # fmt: skip
    for (name, method), runs in sorted(_groups(rows, "edge").items()):
        goals = [row["size"] >= row["goal"] and row.get("edges", 0) >= row.get("goal_edges", 0) for row in runs]
        times = [row["seconds"] if hit else None for row, hit in zip(runs, goals, strict=True)]
        tiles = " ".join(str(row["size"]) for row in runs)
        edges = " ".join(str(row["edges"]) for row in runs if "edges" in row) or "-"
        speed = statistics.median(row["rate"] for row in runs)
        lines.append(
            f"| {name} | {method} | {tiles} | {edges} | {sum(goals)}/{len(runs)} | {_seconds(times)} | {speed:,.0f} |"
        )
    return lines


def _proofs(rows: list[Row], graphs: Sequence[str], limits: Mapping[str, float]) -> list[str]:
    groups = {**_groups(rows, "exact"), **_groups(rows, "peers")}
    programs = ("exact", *limits)
    names = " | ".join("matheur" if program == "exact" else program for program in programs)
    lines = [
        f"| graph | size | {names} | to networkx | to cliquer |",
        "| --- | ---: |" + " ---: |" * (len(programs) + 2),
    ]
    for name in graphs:
        ours = groups.get((name, "exact"))
        if not ours:
            continue
        own = statistics.median(row["spent"] for row in ours)
        cells, ratios = [_short(own)], {}
        for program in programs[1:]:
            found = groups.get((name, program))
            spent = found[0]["spent"] if found else None
            limit = found[0].get("limit", limits[program]) if found else 0
            cells.append("" if not found else f"> {limit:g}" if spent is None else _short(spent))
            ratios[program] = "" if not found else f"> {limit / own:,.1f}" if spent is None else f"{spent / own:,.1f}"
        size = f"{ours[0]['size']}" + ("" if all(row["proved"] for row in ours) else " (not proved)")
        lines.append(f"| {name} | {size} | " + " | ".join(cells) + f" | {ratios['networkx']} | {ratios['cliquer']} |")
    return lines


def _regions(rows: list[Row]) -> list[str]:
    lines = ["| hole | method | perfect | median s of the perfect ones | mismatches left |",
             "| --- | --- | ---: | ---: | --- |"]  # fmt: skip
    for (name, method), runs in sorted(_groups(rows, "regions").items()):
        hits = [row["spent"] for row in runs if row["perfect"]]
        left = " ".join("-" if row["mismatches"] is None else str(row["mismatches"]) for row in runs)
        middle = f"{statistics.median(hits):.2f}" if hits else "-"
        lines.append(f"| {name} | {method} | {len(hits)}/{len(runs)} | {middle} | {left} |")
    return lines


def write_page(rows: list[Row], graphs: Sequence[str], limits: Mapping[str, float], hole_limit: float) -> None:
    """Write docs/results-max-clique.md from rows, graphs of the proofs, and seconds of other programs and holes."""
    text = f"""# Results: maximum clique

Written by `benchmarks/max_clique.py report` from `benchmarks/results/max_clique.jsonl`. Times are CPU seconds of one
thread after compilation, as medians over the seeds; a run that did not reach its goal counts as infinite. Limits are
also CPU seconds. Where fewer than five runs are shown, the others have not been made.
{measured(rows)}; other programs were running.

## Public graphs, within 2 and 10 seconds

`portfolio` is the default: it runs all searches in turn, including branch and bound, with shares of the time that
depend on their prospects and results.

{_lines(_quality(rows, "quick"))}

## Large and hard graphs

Our generator of Model RB made the `rb` graphs, with the sizes of BHOSLIB's frb35, frb50 and frb59. Our data do not
include those files: the graphs are stand-ins of the same kind, not the same instances.

{_lines([*_quality(rows, "long"), *_quality(rows, "hard")[2:]])}

## Proofs

Times to a proof without a starting solution: a local search of 3,000 selections, then branch and bound. The time of
`cliquer -qq` includes reading a binary file; networkx is `max_weight_clique(weight=None)` and igraph is
`clique_number()`, both without the time to build the graph. Other programs were stopped after the seconds shown. The
last two columns say how many times longer they take. Empty cells were not measured. `random200-0.7` stands in for
sanr200_0.7, which our data do not include.

{_lines(_proofs(rows, graphs, limits))}

## Edge-matching boards

Brendan Owen's set 2 (META 2010). `structured` fills the cells in order; `partition` takes one vertex of every cell of
the graph and removes conflicts by tabu search; `local-search` is the generic iterated local search. The generic ones
pin the first tile and run for 10 seconds, or 20 from 8 x 8 on. The goals for 6 x 6 and 7 x 7 are 36 and 49 tiles with
all edges matched. For 8 x 8 the goal is 63 tiles without a conflict and 110 of 112 edges after completion; for 9 x 9 it
is 79 tiles and 140 of 144 edges. Both values must be reached on the same board: on these sizes the search leaves one
cell empty and fills it at the end. Salassa et al. 2017 reach 60, 82 and 106 edges on the three smaller boards.

{_lines(_edge(rows))}

## Holes in solved boards

Each instance is a square hole in the middle of a solved 12 x 12 board with the colours of Brendan Owen's sets; the
pieces of the hole are shuffled, and each run has {hole_limit:g} seconds. `local-search` and `partition` are the two
searches of the method `clique` of regions; `branch-and-bound` is the method `exact`. `structured` looks for a perfect
filling only; the others minimise the mismatches. The MILP solver runs in its own process and is stopped after eight
times as many seconds of wall-clock time.

{_lines(_regions(rows))}

{section()}"""
    PAGE.write_text(text)


def _lines(lines: list[str]) -> str:
    return "\n".join(lines) if len(lines) > 2 else "Not measured yet."
