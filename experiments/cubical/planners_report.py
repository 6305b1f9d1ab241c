"""Summarise the rows of `planners.py` beside the paper's tables, the published runs and the exact optima.

    python experiments/cubical/planners_report.py

Writes `results/planners.md` and `results/planners.csv`. The published runs and the optima are read from `MATHEUR_DATA`
(or `../shared/data` beside the checkout); without them their columns stay empty.
"""

from __future__ import annotations

import csv
import json
import os
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
TABLES = {"astar": ("Table 2: A*", "table2_astar.csv"), "evolution": ("Table 4: evolution", "table4_evolution.csv"),
          "q-learning": ("Table 5: Q-learning", "table5_q_learning.csv")}  # fmt: skip
METHODS = {"astar": "as", "evolution": "ea", "q-learning": "rl"}
ATTEMPTS = 150
Row = dict[str, Any]


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV file, none if it is not there."""
    return list(csv.DictReader(path.read_text().splitlines())) if path.exists() else []


def instance(row: dict[str, str]) -> str:
    """Name of the built-in puzzle of a row of the paper or of the public data."""
    level = row["level"] if row["level"].startswith("row") else f"level{row['level']}"
    return f"d{row['d']}-k{row['k']}-{level}"


def summary(moves: list[int], runs: int, optimum: str, seconds: list[float]) -> Row:
    """Success rate and the spread of the plans."""
    best = [value for value in moves if str(value) == optimum]
    return {
        "runs": runs,
        "success_percent": round(100 * len(moves) / runs, 2) if runs else None,
        "optimal_percent": round(100 * len(best) / runs, 2) if runs and optimum else None,
        "min": min(moves, default=None),
        "median": median(moves) if moves else None,
        "max": max(moves, default=None),
        "median_seconds": round(median(seconds), 4) if seconds else None,
    }


def published(optima: dict[str, str]) -> dict[tuple[str, str], Row]:
    """Summaries of the authors' runs, by method and instance; files of them that hold single runs are left out."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows(DATA / "cubic_repo_runs.csv"):
        if row["file"] != "as_solutions1":
            groups[row["method"], instance(row)].append(row)
    found = {}
    for (method, name), group in groups.items():
        attempts = ATTEMPTS if method == "ea" else len(group)
        seconds = [float(row["cpu_s"]) for row in group if row["cpu_s"]]
        found[method, name] = summary([int(float(r["moves"])) for r in group], attempts, optima.get(name, ""), seconds)
    return found


def printed(row: dict[str, str]) -> Row:
    """A row of the paper in the same form."""
    percent = row.get("success_percent") or 100 * int(row.get("success") or 0)
    return {
        "runs": ATTEMPTS if "success_percent" in row else 1,
        "success_percent": percent,
        "optimal_percent": None,
        "min": row["min"] or None,
        "median": row.get("median") or row["min"] or None,
        "max": row.get("max") or row["min"] or None,
        "median_seconds": None,
    }


def table(lines: list[Row]) -> list[str]:
    """A Markdown table of dictionaries with the same keys."""
    keys = list(lines[0])
    cells = [[("-" if line[key] is None else str(line[key])) for key in keys] for line in lines]
    rule = ["---"] * 2 + ["---:"] * (len(keys) - 2)
    return ["| " + " | ".join(row) + " |" for row in [[key.replace("_", " ") for key in keys], rule, *cells]] + [""]


def main() -> None:
    """Write the page and the table."""
    mine: dict[tuple[str, str, str, Any], list[Row]] = defaultdict(list)
    for line in (HERE / "results" / "planners.jsonl").read_text().splitlines():
        row = json.loads(line)
        mine[row["method"], row["instance"], row["variant"], row["ball"]].append(row)
    optima = {instance(row): row["exact_optimal_len"] for row in rows(DATA / "cubic_instances.csv")}
    theirs = published(optima)
    page = [
        "# Planners of Merleau et al. 2024: the paper, the runs of its authors, and ours",
        "",
        "`paper` rows of ours follow the text, `published` the authors' code, `improved` is ours. Percentages are of "
        "all runs. Seconds are of one core; the authors' are CPU seconds on their machine. The page is written by "
        "`planners_report.py`.",
        "",
    ]
    everything: list[Row] = []
    for method, (title, name) in TABLES.items():
        paper = {instance(row): printed(row) for row in rows(HERE / "paper" / name)}
        names = sorted({*paper, *(key[1] for key in mine if key[0] == method)})
        lines: list[Row] = []
        for puzzle in names:
            head = {"instance": puzzle, "optimum": optima.get(puzzle, "")}
            if puzzle in paper:
                lines.append({"instance": puzzle, "source": "paper", "optimum": head["optimum"], **paper[puzzle]})
            if (METHODS[method], puzzle) in theirs:
                run = theirs[METHODS[method], puzzle]
                lines.append({"instance": puzzle, "source": "authors' runs", "optimum": head["optimum"], **run})
            for (kind, one, variant, ball), group in mine.items():
                if (kind, one) == (method, puzzle):
                    moves = [row["moves"] for row in group if row["moves"] is not None]
                    seconds = [row["seconds"] for row in group]
                    source = f"ours, {variant}" + (f", P = {ball}" if ball else "")
                    found = summary(moves, len(group), head["optimum"], seconds)
                    lines.append({"instance": puzzle, "source": source, "optimum": head["optimum"], **found})
        page += [f"## {title}", "", *table(lines)]
        everything += [{"method": method, **line} for line in lines]
    (HERE / "results" / "planners.md").write_text("\n".join(page).rstrip() + "\n")
    with (HERE / "results" / "planners.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(everything[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(everything)


if __name__ == "__main__":
    main()
