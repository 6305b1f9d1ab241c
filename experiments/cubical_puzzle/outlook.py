"""Future work of Merleau et al. 2024: the best P, and a hybrid of evolution and Q-learning.

`report.py` includes the tables, made from the rows of the campaigns `ball` and `hybrid`, in `docs/results-cubical.md`.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
Row = dict[str, str]


def groups(campaign: str) -> dict[str, dict[str, list[Row]]]:
    """Rows of the largest size that was run, by puzzle and variant; empty if there are none."""
    found: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for size in ("full", "bench"):
        path = HERE / "results" / f"{campaign}-{size}.csv"
        if path.exists():
            for row in csv.DictReader(path.read_text().splitlines()):
                found[row["instance"].removeprefix("cubical/")][row["variant"]].append(row)
            break
    return found


def moves(rows: list[Row]) -> str:
    """Minimum, median and maximum number of moves, and the number of runs with a plan if some have none."""
    scores = [float(row["score"]) for row in rows if row["score"]]
    if not scores:
        return f"0 of {len(rows)}"
    some = "" if len(scores) == len(rows) else f"{len(scores)} of {len(rows)}: "
    return f"{some}{min(scores):g} / {median(scores):g} / {max(scores):g}"


def table(found: dict[str, dict[str, list[Row]]], *, work: bool) -> list[str]:
    """Moves by puzzle and variant; with `work`, also the median of the expanded states."""
    variants = list(next(iter(found.values())))
    lines = ["| puzzle | optimum | " + " | ".join(variants) + " |", "| --- | ---: |" + " ---: |" * len(variants)]
    for puzzle, by in found.items():
        optimum = by[variants[0]][0]["reference_score"]
        cells = []
        for variant in variants:
            rows = by[variant]
            expanded = f"; {median(int(row['work']) for row in rows):,.0f}" if work else ""
            cells.append(moves(rows) + expanded)
        lines.append(f"| {puzzle} | {optimum} | {' | '.join(cells)} |")
    return [*lines, ""]


def ball_section() -> list[str]:
    """Q-learning by P."""
    found = groups("ball")
    if not found:
        return []
    return [
        "## The best P",
        "",
        "Campaign `ball`: Q-learning as in the authors' code, 1000 walks, at most a million states; columns are P, the "
        "states around the goal that are known beforehand. Moves: least / median / most; after them the median of the "
        "states expanded, the P among them.",
        "",
        *table(found, work=True),
        "On these puzzles P = 100 is too few for d = 5 and P = 1 and 10 for all. P = 1000 to 10,000 needs the fewest "
        "states for d = 4; for d = 5 it is 10,000 (k = 2) and 100,000 (k = 1). More of them help k = 1 and 2 to short "
        "plans. For k = 3 the shortest plans of level 0 come with P = 100, those of level 4 with P = 10,000: there the "
        "walks, not the ball, decide. The paper's 1000, and 100,000 for d = 5, are a fair choice.",
        "",
    ]


def hybrid_section() -> list[str]:
    """The hybrid compared with its two parts."""
    found = groups("hybrid")
    if not found:
        return []
    return [
        "## A hybrid of evolution and Q-learning",
        "",
        "Campaign `hybrid`: at most half a million states for each run, P = 100 (d = 5: 100,000). Moves: least / "
        "median / most. "
        "*evolution* ends with its first plan, *q-learning* after the paper's 1000 walks, *q-learning-long* and "
        "*hybrid* use all states. The hybrid makes the 1000 walks first, *hybrid-alone* none.",
        "",
        *table(found, work=False),
    ]
