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
        "Campaign `ball`: Q-learning as in the authors' code, with 1000 walks and at most a million states. Each "
        "column is a value of P, the number of states around the goal that are known beforehand. Cells show the "
        "minimum / median / maximum number of moves, then the median number of expanded states, including the P "
        "states.",
        "",
        *table(found, work=True),
        "P = 1 and P = 10 are too small on all these puzzles, and P = 100 is too small for d = 5, k = 1. For d = 4, "
        "P = 1000 to 10,000 needs the fewest states; for d = 5, it is 10,000 (k = 2) and 100,000 (k = 1). For k = 1 "
        "and 2, a larger P mostly gives shorter plans. For k = 3, the shortest plans come with P = 100 on level 0 and "
        "with P = 10,000 on level 4: here the walks matter, not the ball. The paper's P = 1000, and 100,000 for d = 5, "
        "is a reasonable choice.",
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
        "Campaign `hybrid`: at most half a million states for each run, with P = 100 (100,000 for d = 5). Cells show "
        "the minimum / median / maximum number of moves. *evolution* ends with its first plan and *q-learning* after "
        "the paper's 1000 walks; *q-learning-long* and *hybrid* use all states. *hybrid* begins with the 1000 walks; "
        "*hybrid-alone* makes none.",
        "",
        *table(found, work=False),
    ]
