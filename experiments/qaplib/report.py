"""Write `docs/results-quadratic-assignment.md` from the rows of `run.py`.

python experiments/qaplib/report.py
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean, median
from typing import Any

HERE = Path(__file__).resolve().parent
OUT = HERE.parents[1] / "docs" / "results-quadratic-assignment.md"
METHODS = ("default", "genetic", "robust-tabu", "faq", "2opt")
LABELS = {"faq": "SciPy faq", "2opt": "SciPy 2opt"}
Row = dict[str, Any]


def gap(objective: float, best: int) -> float:
    """Per cent above the best value; if that is not positive, relative to its magnitude."""
    return 100 * (objective - best) / max(abs(best), 1)


def cell(rows: list[Row], best: int) -> str:
    """Median gap, number of runs that reached the best value, and median seconds to the best solution."""
    if not rows:
        return "-"
    found = median(gap(row["objective"], best) for row in rows)
    hits = sum(row["objective"] <= best for row in rows)
    return f"{found:.3f} ({hits}/{len(rows)}) {median(row['found_after'] for row in rows):.2f} s"


def table(names: list[str], groups: dict[tuple[str, str], list[Row]], methods: list[str]) -> list[str]:
    """Markdown table of instances and methods."""
    head = ["instance", "n", "best", *(LABELS.get(method, method) for method in methods)]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    gaps: dict[str, list[float]] = defaultdict(list)
    for name in names:
        mine = [row for method in methods for row in groups[name, method]]
        known = mine[0]["best_known"]
        best = min(row["objective"] for row in mine) if known is None else known
        cells = [cell(groups[name, method], best) for method in methods]
        lines.append("| " + " | ".join([name, str(mine[0]["n"]), f"{best:,}", *cells]) + " |")
        for method in methods:
            if groups[name, method]:
                gaps[method].append(median(gap(row["objective"], best) for row in groups[name, method]))
    means = [f"{mean(gaps[method]):.3f}" if gaps[method] else "-" for method in methods]
    return [*lines, "| mean | | | " + " | ".join(means) + " |", ""]


def main() -> None:
    """Read the rows, use only the longest time limit of each run, and write the page."""
    lines = (HERE / "results" / "runs.jsonl").read_text().splitlines()
    rows: dict[tuple[str, str, int], Row] = {}
    for row in map(json.loads, lines):
        key = row["instance"], row["method"], row["seed"]
        if key not in rows or rows[key]["limit"] <= row["limit"]:
            rows[key] = row
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for (name, method, _), row in rows.items():
        groups[name, method].append(row)
    methods = [method for method in METHODS if any(key[1] == method for key in groups)]
    names = list(dict.fromkeys(row["instance"] for row in rows.values()))
    public = [name for name in names if any(row["best_known"] is not None for row in _all(groups, name))]
    generated = [name for name in names if name not in public]
    last = list(rows.values())[-1]
    kept = ", ".join(f"{name} {last['versions'][name]}" for name in ("matheur", "numba", "numpy", "scipy", "python"))
    limits = sorted({row["limit"] for row in rows.values()})
    page = [
        "# Results: quadratic assignment",
        "",
        "Written by `experiments/qaplib/report.py` from `experiments/qaplib/results/runs.jsonl`. Each cell shows the",
        "median gap to the best known value in percent, the number of runs that reached it, and the median seconds",
        "until a run found its best solution. Runs use one core and have a limit of",
        f"{' or '.join(f'{limit:g}' for limit in limits)} s; runs of our methods end when they reach the best known",
        "value. SciPy's methods run once from a single start, without a time limit.",
        "",
        f"{last['date']}; {last['machine'].partition(', load')[0]}; {kept}.",
        "",
    ]
    if public:
        page += ["## Public instances (QAPLIB, and two of Taillard's `e`)", "", *table(public, groups, methods)]
    if generated:
        page += [
            "## Generated instances",
            "",
            "The names give kind, size and seed for `matheur generate`; *best* is the best value of all runs here.",
            "",
            *table(generated, groups, methods),
        ]
    OUT.write_text("\n".join(page).rstrip() + "\n")


def _all(groups: dict[tuple[str, str], list[Row]], name: str) -> list[Row]:
    """All rows of an instance."""
    return [row for method in METHODS for row in groups.get((name, method), [])]


if __name__ == "__main__":
    main()
