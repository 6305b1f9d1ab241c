"""Write `docs/results.md` from the rows of `run.py` and `benchmarks/tracked.py`, with the paper's values.

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

from matheur.running.configuration import resolve

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
    """Markdown table with numbers right-aligned."""
    rule = ["---" if i == 0 else "---:" for i in range(len(header))]
    return ["| " + " | ".join(map(str, line)) + " |" for line in [header, rule, *lines]] + [""]


def provenance(items: list[Row]) -> str:
    """Date, machine and versions of rows in one line."""
    dates = sorted({row["date"] for row in items})
    found = items[-1]["versions"]
    names = ", ".join(f"{key} {found[key]}" for key in ("matheur", "highspy", "pyscipopt", "numba", "python"))
    return f"{' to '.join(dict.fromkeys((dates[0], dates[-1])))}; {items[-1]['machine'].split(', load')[0]}; {names}."


def scores(items: list[Row]) -> str:
    """All scores, sorted, best first."""
    return " ".join(str(row["score"]) for row in sorted(items, key=lambda row: -row["score"]))


def board_of(name: str) -> str:
    """The paper's name of a campaign board: `10x10` for `pieces_10x10`; other names are unchanged."""
    stem = name.removeprefix("pieces_").partition("x")[0]
    return f"{int(stem)}x{int(stem)}" if stem.isdigit() else name


def parameters() -> list[str]:
    """Table 2, and the values of the presets."""
    presets = {name: resolve("edge-matching", preset=name).neighbourhood for name in ("paper", "paper-strict")}
    where = {
        "TA.K": ("assignment", "k"), "TA.N": ("assignment", "iterations"), "Clique.W": ("region", "columns"),
        "Clique.H": ("region", "rows"), "Clique.N": ("region", "iterations"),
    }  # fmt: skip
    lines = []
    for row in paper("table2.csv"):
        neighbourhood, option = where[row["parameter"]]
        ours = [found[neighbourhood][option] for found in presets.values()]
        lines.append([row["parameter"], f"{row['value']} {row['unit']}", f"`{neighbourhood}.{option}`", *ours])
    header = ["parameter", "paper", "option", *(f"preset `{name}`" for name in presets)]
    return ["## Parameters (Table 2)", "", *table(header, lines)]


def limits() -> list[str]:
    """Seconds of the paper's runs, which the campaigns use in the size `full`."""
    lines = [[row["board"], row["backtracking_seconds"], row["search_seconds"]] for row in paper("limits.csv")]
    return [
        "## Limits of the paper's runs", "",
        "In the size `full`, backtracking runs with these limits; the greedy construction has no limit.",
        "", *table(["board", "backtracking, s", "search, s"], lines),
        "The mean of 20 integers has at most two decimals, and the second one is 0 or 5. The following means in the "
        "paper's Table 3 are therefore from fewer runs, or misprinted: " + ", ".join(
            f"{row['mean']} ({row['board']}, {row['construction']}, {row['region']}"
            f"{', search' if row['search'] == 'yes' else ''})"
            for row in paper("table3.csv") if round(100 * float(row["mean"])) % 5
        ) + ".", "",
    ]  # fmt: skip


def best() -> list[str]:
    """Table 5 in the paper's form."""
    items = paper("table5.csv")
    boards = list(dict.fromkeys(row["board"] for row in items))
    lines = []
    for method in dict.fromkeys(row["method"] for row in items):
        found = {row["board"]: row for row in items if row["method"] == method}
        cells = [
            f"{found[board]['best']}{_minutes(found[board]['minutes'])}" if board in found else "-" for board in boards
        ]
        runs = next(iter(found.values()))["runs"]
        lines.append([method, runs or "-", *cells])
    return [
        "## The literature (Table 5 of the paper)", "",
        "Best scores, with the time limit of a run in brackets. The table of the campaign `comparators` repeats most "
        "of them in its last column.", "", *table(["method", "runs", *boards], lines),
    ]  # fmt: skip


def _minutes(text: str) -> str:
    return f" ({text} min)" if text.isdigit() else f" ({text})" if text else ""


def table1() -> list[str]:
    """Graphs, cliques and MILPs of 3x3 to 8x8."""
    items = rows(HERE / "results" / "table1.jsonl")
    if not items:
        return []
    theirs = {int(row["board"].partition("x")[0]): row for row in paper("table1.csv")}
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
    differ = {row["size"]: row["edges"] for row in sizes if str(row["edges"]) != theirs[row["size"]]["edges"]}
    told = "; ".join(
        f"{size}x{size}: {int(theirs[size]['edges']):,} in the paper, {edges:,} here" for size, edges in differ.items()
    )
    out += [
        f"The paper's edge counts are too large by one for two boards ({told}). Counting all pairs of vertices "
        "confirms our counts (`pytest tests/problems/edge_matching/test_clique_graph.py`).", "",
    ]  # fmt: skip
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
    out += ["Matched edges after the clique is completed to a full board. A run ends when the board is perfect.", ""]
    out += table(["board", "selections", "ours, by seed", "mean s", "paper", "paper s"], lines)
    lines = [
        [
            f"{r['size']}x{r['size']}", r["solver"], r["formulation"], r["score"], r["status"], r["seconds"],
            theirs[r["size"]]["milp_1_thread"], theirs[r["size"]]["milp_1_thread_seconds"],
            theirs[r["size"]]["milp_4_threads"], theirs[r["size"]]["milp_4_threads_seconds"],
        ]
        for r in items if r["table"] == "milp"
    ]  # fmt: skip
    header = ["board", "solver", "formulation", "ours", "status", "s", "CPLEX 12.6", "s", "4 threads", "s"]
    out += table(header, lines)
    return out


def greedy() -> list[str]:
    """The greedy construction by solver."""
    items = rows(HERE / "results" / "greedy.jsonl")
    if not items:
        return []
    theirs = {
        (r["board"], int(r["region"][0])): r
        for r in paper("table3.csv")
        if r["construction"] == "greedy" and r["search"] == "no"
    }
    lines = []
    for (size, height, solver), group in sorted(grouped(items, "size", "height", "solver").items()):
        reference = theirs.get((f"{size}x{size}", height), {})
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
        "One pass, one thread. Among equally good fillings, ours prefers the one that uses up a few colours first.",
        "",
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
        "A run with a target ends when it reaches the target. The paper's runs used the full time limit.", "",
        *table(header, lines),
    ]  # fmt: skip


def _paper_search(start: str, size: int) -> str:
    board = f"{size}x{size}"
    if start == "random":
        seconds = {row["board"]: row["search_seconds"] for row in paper("limits.csv")}
        found = next((r for r in paper("table4.csv") if r["board"] == board), None)
        return f"{found['mean']} ({found['max']}), {seconds[board]}" if found else "-"
    found = _of_table3(board, "greedy-1-search")
    return f"{found['mean']} ({found['max']}), {found['seconds']}" if found else "-"


def _of_table3(board: str, variant: str) -> dict[str, str] | None:
    """The paper's line for a variant of the campaign `table3`, such as `backtracking-2-search`; may be None."""
    construction, rows, *search = variant.split("-")
    wanted = construction, "yes" if search else "no", rows
    for row in paper("table3.csv"):
        if row["board"] == board and (row["construction"], row["search"], row["region"].partition("x")[0]) == wanted:
            return row
    return None


def _printed(name: str, board: str, variant: str) -> list[str]:
    """Best, mean and worst value of the paper for a variant of a campaign; dashes if it has none."""
    found: dict[str, str] | None = None
    if name == "table3":
        found = _of_table3(board, variant)
    elif name == "table4" and variant.startswith("paper"):
        found = next((row for row in paper("table4.csv") if row["board"] == board), None)
    elif name in ("table5", "comparators"):
        method = METHODS.get(variant)
        line = next((row for row in paper("table5.csv") if row["method"] == method and row["board"] == board), None)
        found = {"max": line["best"]} if line else None
    elif name == "table1":
        line = next((row for row in paper("table1.csv") if row["board"] == board), None)
        column = {
            "clique-1M": "clique_q1M", "clique-10M": "clique_q10M", "clique-50M": "clique_q50M",
            "milp-gap": "milp_1_thread", "milp-gap-4-threads": "milp_4_threads",
        }.get(variant)  # fmt: skip
        found = {"max": line[column]} if line and column else None
    return [(found or {}).get(key, "-") for key in ("max", "mean", "min")]


def speeds() -> list[str]:
    """Tracked speeds, newest first."""
    items = rows(ROOT / "benchmarks" / "results" / "tracked.jsonl")
    if not items:
        return []
    newest = {row["what"]: row for row in items}
    lines = [[row["what"], f"{row['value']:g}", row["unit"], row["load"]] for row in newest.values()]
    return [
        "## Speeds", "", provenance(items), "",
        "TA is the neighbourhood `assignment`; TSR is `swap-rotate`.", "",
        *table(["what", "median", "unit", "load of the machine"], lines),
    ]  # fmt: skip


METHODS = {
    "ours": "Salassa et al. 2017 (100 runs)",
    "paper": "Salassa et al. 2017 (100 runs)",
    "paper-strict": "Salassa et al. 2017 (100 runs)",
    "tabu": "Wang and Chiang 2010",
    "gvns": "Coelho et al. 2010",
    "cp-vlns": "Schaus and Deville 2008",
    "evolution": "Munoz et al. 2009",
    "guide-and-observe": "Wauters et al. 2012",
    "slip-backtracking": "Verhaard 2008",
}
"""Lines of Table 5 by variants of campaigns."""
CAMPAIGNS = {
    "table1": "Clique and MILP on small boards (Table 1)",
    "table3": "Greedy and backtracking constructions (Table 3)",
    "table4": "The search from random boards (Table 4)",
    "table5": "Best boards (Table 5)",
    "comparators": "Comparators of Table 5",
    "solvers": "HiGHS against SCIP",
    "ablation": "The search without one of its neighbourhoods",
}


def campaigns() -> list[str]:
    """Completed campaigns, each variant on each board."""
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
            work = median(float(row["cpu_seconds"] or "nan") for row in group)
            best, worst = max(found), min(found)
            theirs = _printed(name, board_of(board), variant)
            lines.append(
                [
                    board,
                    variant,
                    len(found),
                    best,
                    f"{mean(found):.1f}",
                    worst,
                    f"{seconds:.1f}",
                    f"{work:.1f}",
                    *theirs,
                ]
            )
        header = ["board", "variant", "runs", "best", "mean", "worst", "median s", "CPU s"]
        printed = [f"paper: {word}" for word in ("best", "mean", "worst")]
        known = [column for column in range(3) if any(line[8 + column] != "-" for line in lines)]
        out += table(
            [*header, *(printed[column] for column in known)],
            [[*line[:8], *(line[8 + column] for column in known)] for line in lines],
        )
    return out


def main() -> None:
    """Write the page."""
    intro = [
        "# Results",
        "",
        "Written by `experiments/eternity2/report.py` from the rows of `experiments/eternity2/run.py` and "
        "`benchmarks/tracked.py`. The independent evaluator recomputed every score. The instances are Brendan Owen's "
        "set 2, which the META 2010 contest used. The paper is Salassa et al. 2017, arXiv:1709.00252 (one core, "
        "CPLEX 12.4 or 12.6). The machine was shared: compare rows with each other, but do not compare seconds with "
        "those of other machines.",
        "",
    ]
    page = [*intro, *parameters(), *limits(), *best(), *greedy(), *search(), *table1(), *campaigns(), *speeds()]
    (ROOT / "docs" / "results.md").write_text("\n".join(page).rstrip() + "\n")


if __name__ == "__main__":
    main()
