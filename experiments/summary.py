"""Summary tables of finished campaigns, for the README of a folder.

    python experiments/summary.py eternity2                  # all tables of which results/TABLE-bench.csv is there
    python experiments/summary.py deepcubea --only table5

One row for each instance or group of instances. One column for each variant, with the mean score of its runs, the best
score if it differs, and the median of CPU seconds. Runs without a solution are counted in brackets and excluded from
the mean; `*` marks cells whose runs were all proved optimal. Values that the paper prints for the same row come first.
"""

from __future__ import annotations

import argparse
import csv
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLES = {
    "eternity2": ("table1", "table3", "table4", "table5", "comparators", "solvers", "ablation"),
    "deepcubea": ("table1", "table4", "table5", "figure2"),
    "party_building": ("table1", "figure5"),
    "ann_distance": ("table1",),
}
Row = dict[str, str]


@dataclass(frozen=True)
class Printed:
    """Values of a paper to compare with: the file, and for each heading the column and the conditions on a line."""

    file: str
    columns: dict[str, tuple[str, dict[str, str]]]


def _lines(construction: str, rows: str) -> dict[str, tuple[str, dict[str, str]]]:
    """Two columns of Table 3 of Salassa et al.: a construction by regions of rows, without and with the search."""
    return {
        f"paper: {construction} {rows}{' and search' if search == 'yes' else ''}": (
            "mean",
            {"construction": construction, "search": search, "region": rows},
        )
        for search in ("no", "yes")
    }


PAPER = {
    ("eternity2", "table1"): Printed(
        "table1.csv",
        {
            "paper: clique, 50 M": ("clique_q50M", {}),
            "paper: MILP": ("milp_1_thread", {}),
            "paper: MILP, 4 threads": ("milp_4_threads", {}),
        },
    ),
    ("eternity2", "table3"): Printed("table3.csv", {**_lines("greedy", "1"), **_lines("backtracking", "1")}),
    ("eternity2", "table4"): Printed("table4.csv", {"paper: mean": ("mean", {}), "paper: best": ("max", {})}),
    ("eternity2", "table5"): Printed(
        "table5.csv",
        {
            "paper": ("best", {"method": "Salassa et al. 2017 (100 runs)"}),
            "before": ("best", {"method": "Wauters et al. 2012"}),
        },
    ),
}
MEANS = {("deepcubea", "table1"), ("deepcubea", "figure2"), ("ann_distance", "table1")}
"""One row for all instances, since there are many of a kind."""
WORK = {("ann_distance", "table1"): "states generated", ("deepcubea", "figure2"): "states generated"}
"""A further row with the mean of a run's work."""


def rows_of(folder: str, table: str, size: str) -> list[Row]:
    """Rows of a finished campaign; none if there is no file."""
    path = HERE / folder / "results" / f"{table}-{size}.csv"
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def printed(folder: str, table: str, name: str) -> list[str]:
    """Values of the paper for a row: for each column, the first line of its table that matches the board."""
    about = PAPER.get((folder, table))
    if about is None:
        return []
    size = re.search(r"(\d+)x\d+$", name)
    board = f"{int(size[1])}x{int(size[1])}" if size else name
    with (HERE / folder / "paper" / about.file).open(newline="") as file:
        lines = [row for row in csv.DictReader(file) if row["board"] == board]

    def fits(row: Row, wanted: dict[str, str]) -> bool:
        return all(row[key].startswith(value) for key, value in wanted.items())

    return [next((row[column] for row in lines if fits(row, wanted)), "") for column, wanted in about.columns.values()]


def cell(runs: list[Row]) -> str:
    """Mean, best value and CPU seconds."""
    if not runs:
        return ""
    solved = [row for row in runs if row["score"] or row["objective"]]
    lost = f" ({len(runs) - len(solved)} of {len(runs)} without)" if len(solved) < len(runs) else ""
    seconds = f"{statistics.median(float(row['cpu_seconds'] or 'nan') for row in runs):.3g} s"
    if not solved:
        return f"none, {seconds}"
    values = [float(row["score"] or row["objective"]) for row in solved]
    best = max(values) if solved[0]["score_max"] else min(values)
    mean = statistics.mean(values)
    proved = " *" if all(row["status"] == "optimal" for row in runs) else ""
    alone = f"{mean:g}" if len(set(values)) == 1 else f"{mean:.2f}"
    spread = "" if best == mean or len({row["instance"] for row in solved}) > 1 else f" (best {best:g})"
    return f"{alone}{spread}{proved}{lost}, {seconds}"


def table_of(folder: str, table: str, size: str) -> Iterator[str]:
    """Lines of a table."""
    rows = rows_of(folder, table, size)
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    grouped = all(row["group"] for row in rows)
    key = "group" if grouped else "instance"
    names = ["all"] if (folder, table) in MEANS else list(dict.fromkeys(row[key] for row in rows))
    paper = PAPER[(folder, table)].columns if (folder, table) in PAPER else {}
    heads = ["instances" if grouped or names == ["all"] else "instance", *paper, *(f"`{name}`" for name in variants)]
    yield "| " + " | ".join(heads) + " |"
    yield "| --- " + "| ---: " * (len(heads) - 1) + "|"
    for name in names:
        mine = [row for row in rows if name in ("all", row[key])]
        cells = [cell([row for row in mine if row["variant"] == variant]) for variant in variants]
        many = len({row["instance"] for row in mine})
        shown = f"{many} instances" if name == "all" else f"{name} ({many})" if grouped else name.split("/")[-1]
        yield "| " + " | ".join([shown, *printed(folder, table, name), *cells]) + " |"
    if (folder, table) in WORK:
        counts = [statistics.mean(int(row["work"]) for row in rows if row["variant"] == one) for one in variants]
        yield "| " + " | ".join([WORK[folder, table], *paper, *(f"{count:,.0f}" for count in counts)]) + " |"


def main() -> None:
    """Parse the arguments and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", choices=TABLES)
    parser.add_argument("--only", choices=sorted({name for names in TABLES.values() for name in names}))
    parser.add_argument("--size", default="bench")
    options = parser.parse_args()
    for table in TABLES[options.folder]:
        if options.only in (None, table) and rows_of(options.folder, table, options.size):
            print(f"\n{table}\n\n" + "\n".join(table_of(options.folder, table, options.size)))


if __name__ == "__main__":
    main()
