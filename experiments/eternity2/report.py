"""Write `docs/results.md` from the rows of `run.py` and `benchmarks/tracked.py`, the paper's figures beside ours.

python experiments/eternity2/report.py
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import mean, median
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """All rows of a results file."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def paper(name: str) -> list[dict[str, str]]:
    """A table of the paper."""
    with (HERE / "paper" / name).open(newline="") as file:
        return list(csv.DictReader(file))


def grouped(items: Iterable[Row], *keys: str) -> dict[tuple[Any, ...], list[Row]]:
    """Rows by the values of some keys, in order of appearance."""
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in items:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def table(header: list[str], lines: list[list[Any]]) -> list[str]:
    """A Markdown table; numbers to the right."""
    rule = ["---" if i == 0 else "---:" for i in range(len(header))]
    return ["| " + " | ".join(map(str, line)) + " |" for line in [header, rule, *lines]] + [""]


def provenance(items: list[Row]) -> str:
    """Date, machine and versions of some rows in a line."""
    dates = sorted({row["date"] for row in items})
    found = items[-1]["versions"]
    names = ", ".join(f"{key} {found[key]}" for key in ("matheur", "highspy", "pyscipopt", "numba", "python"))
    return f"{' to '.join(dict.fromkeys((dates[0], dates[-1])))}; {items[-1]['machine'].split(', load')[0]}; {names}."


def scores(items: list[Row]) -> str:
    """All scores, sorted, best first."""
    return " ".join(str(row["score"]) for row in sorted(items, key=lambda row: -row["score"]))


def table1() -> list[str]:
    """Graphs, cliques and MILPs of 3x3 to 8x8."""
    items = rows(HERE / "results" / "table1.jsonl")
    if not items:
        return []
    theirs = {int(row["size"]): row for row in paper("table1.csv")}
    out = ["## Clique and MILP on small boards (Table 1)", "", provenance(items), ""]
    sizes = [row for row in items if row["table"] == "sizes"]
    out += table(
        ["board", "nodes", "edges", "edges, paper", "variables", "constraints", "paper"],
        [
            [
                f"{row['size']}x{row['size']}", row["nodes"], row["edges"], theirs[row["size"]]["edges"],
                row["variables"], row["constraints"],
                f"{theirs[row['size']]['variables']} / {theirs[row['size']]['constraints']}",
            ]
            for row in {row["size"]: row for row in sizes}.values()
        ],
    )  # fmt: skip
    lines = []
    for (size, selections), group in sorted(
        grouped([r for r in items if r["table"] == "clique"], "size", "selections").items()
    ):
        key = f"clique_q{selections // 1_000_000}M"
        lines.append(
            [
                f"{size}x{size}", f"{selections:,}", scores(group), f"{mean(r['seconds'] for r in group):.1f}",
                theirs[size].get(key, "-"), theirs[size].get(f"{key}_seconds", "-"),
            ]
        )  # fmt: skip
    out += ["Matched edges after completion of the clique; a run ends when the board is perfect.", ""]
    out += table(["board", "selections", "ours, by seed", "mean s", "paper", "paper s"], lines)
    lines = [
        [
            f"{r['size']}x{r['size']}", r["solver"], r["formulation"], r["score"], r["status"], r["seconds"],
            theirs[r["size"]]["milp_1_thread"], theirs[r["size"]]["milp_1_thread_seconds"],
        ]
        for r in items if r["table"] == "milp"
    ]  # fmt: skip
    out += table(["board", "solver", "formulation", "ours", "status", "s", "CPLEX 12.6", "s"], lines)
    return out


def greedy() -> list[str]:
    """The greedy construction by solver."""
    items = rows(HERE / "results" / "greedy.jsonl")
    if not items:
        return []
    theirs = {(int(r["size"]), int(r["region"][0])): r for r in paper("table3_greedy.csv")}
    lines = []
    for (size, height, solver), group in sorted(grouped(items, "size", "height", "solver").items()):
        reference = theirs.get((size, height), {})
        lines.append(
            [
                f"{size}x{size}", f"{height}x{size}", solver, scores(group), f"{mean(r['score'] for r in group):.1f}",
                f"{median(r['seconds'] for r in group):.1f}", reference.get("mean", "-"), reference.get("max", "-"),
                reference.get("seconds", "-"),
            ]
        )  # fmt: skip
    header = ["board", "region", "solver", "scores, by seed", "mean", "median s", "paper mean", "paper max", "paper s"]
    return [
        "## Greedy construction, HiGHS against SCIP (Table 3)", "", provenance(items), "",
        "One pass, one thread. Among equally good fillings ours takes the one that spends few colours first.", "",
        *table(header, lines),
    ]  # fmt: skip


def search() -> list[str]:
    """The multi-neighbourhood search."""
    items = rows(HERE / "results" / "search.jsonl")
    if not items:
        return []
    lines = []
    for (preset, start, size, solver, limit, target), group in grouped(
        items, "preset", "start", "size", "solver", "limit", "target"
    ).items():
        seconds = " ".join(f"{r['seconds']:.0f}" for r in sorted(group, key=lambda r: -r["score"]))
        lines.append(
            [
                preset, start, f"{size}x{size}", solver, f"{limit:.0f}", target or "-", scores(group),
                median(r["score"] for r in group), seconds, _paper_search(start, size),
            ]
        )  # fmt: skip
    header = [
        "preset",
        "start",
        "board",
        "solver",
        "limit s",
        "target",
        "scores",
        "median",
        "s of each run",
        "paper: mean (max), s",
    ]
    return [
        "## Multi-neighbourhood search on META 2010 (Tables 3 and 4)", "", provenance(items), "",
        "A run with a target ends when it is reached. The paper's runs took the whole limit.", "",
        *table(header, lines),
    ]  # fmt: skip


def _paper_search(start: str, size: int) -> str:
    if start == "random":
        found = next((r for r in paper("table4_random_start.csv") if int(r["size"]) == size), None)
        return f"{found['mean']} ({found['max']}), {found['seconds']}" if found else "-"
    found = next((r for r in paper("table3_greedy.csv") if r["region"] == f"1x{size}"), None)
    return f"{found['mean_with_search']} ({found['max_with_search']}), {found['seconds_with_search']}" if found else "-"


def speeds() -> list[str]:
    """Tracked speeds, newest first."""
    items = rows(ROOT / "benchmarks" / "results" / "tracked.jsonl")
    if not items:
        return []
    newest = {row["what"]: row for row in items}
    lines = [[row["what"], f"{row['value']:g}", row["unit"], row["load"]] for row in newest.values()]
    return ["## Speeds", "", provenance(items), "", *table(["what", "median", "unit", "load of the machine"], lines)]


CAMPAIGNS = {
    "table1": "Clique and MILP on small boards (Table 1)",
    "table3": "Greedy and backtracking constructions (Table 3)",
    "table4": "The search from random boards (Table 4)",
    "table5": "Best boards (Table 5)",
    "solvers": "HiGHS against SCIP",
    "ablation": "The search without one of its neighbourhoods",
}


def campaigns() -> list[str]:
    """Campaigns that have been run to the end, each variant on each board."""
    out: list[str] = []
    for path in sorted((HERE / "results").glob("*.csv")):
        name, _, size = path.stem.partition("-")
        with path.open(newline="") as file:
            items = [row for row in csv.DictReader(file) if row["score"]]
        if name not in CAMPAIGNS or not items:
            continue
        about = json.loads(path.with_suffix(".about.json").read_text())
        facts = {"machine": f"{about['machine']['cores']} cores, {about['machine']['machine']}"}
        dated = [{"date": day, "versions": about["versions"], **facts} for day in about["dates"]]
        out += [f"## {CAMPAIGNS[name]}: campaign of the size {size}", "", provenance(dated), ""]
        lines = []
        for (board, variant), group in grouped(items, "instance", "variant").items():
            found = [int(float(row["score"])) for row in group]
            seconds = median(float(row["seconds"]) for row in group)
            best, worst = max(found), min(found)
            lines.append([board, variant, len(found), best, f"{mean(found):.1f}", worst, f"{seconds:.1f}"])
        out += table(["board", "variant", "runs", "best", "mean", "worst", "median s"], lines)
    return out


def main() -> None:
    """Write the page."""
    intro = [
        "# Results",
        "",
        "Written by `experiments/eternity2/report.py` from the rows of `experiments/eternity2/run.py` and "
        "`benchmarks/tracked.py`. Every score was counted again by the independent evaluator. The instances are "
        "Brendan Owen's set 2, which are those of the META 2010 contest. The paper is Salassa et al. 2017, "
        "arXiv:1709.00252 "
        "(one core, CPLEX 12.4 or 12.6). The machine was shared: compare rows with each other, not seconds with "
        "other machines.",
        "",
    ]
    page = [*intro, *greedy(), *search(), *table1(), *campaigns(), *speeds()]
    (ROOT / "docs" / "results.md").write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
