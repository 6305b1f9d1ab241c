"""Write the page on edge-matching constructions: tables and a picture of the rows of `backtracking.py`."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import edge_polish
import numpy as np
from rows import measured

from matheur.campaign.report.drawing import draw_alone
from matheur.campaign.report.plots import Axis, Plot, Series
from matheur.campaign.statistics import empirical_distribution

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE, PLOT = DOCS / "results-edge-matching.md", DOCS / "images" / "time-to-target.svg"

INSTANCES = ("META 10x10", "META 12x12", "META 14x14", "META 16x16", "Eternity II, starter", "Eternity II, five hints")
SALASSA = dict(zip(INSTANCES, (172, 252, 347, 457, 458, "-"), strict=True))
WAUTERS = LITERATURE = dict(zip(INSTANCES, (172, 254, 348, 460, 461, "-"), strict=True))
PLAIN = dict(zip(INSTANCES, (176, 257, 350, 463, 464, "-"), strict=True))
WORK = {"backtracking": "placements", "beam": "partial boards", "evolution": "boards"}
ABOUT = {
    "evolution": " This is a baseline. The evolutionary algorithm that Salassa et al. cite (Munoz, Gutierrez, Sanchis "
    "2009) is reported to reach 371 of 480 on Eternity II, or 396 according to a second-hand source; its time and its "
    "scores on META are not known."
}
AIMS = dict(zip(INSTANCES, (176, 256, 350, 463, 463, 457), strict=True))
LONG_AIMS = {
    600.0: dict(zip(INSTANCES, (177, 258, 352, 465, 465, 460), strict=True)),
    3600.0: dict(zip(INSTANCES, (178, 259, 353, 466, 466, 462), strict=True)),
}

DAY_AIMS = {"Eternity II, starter": 467}

Row = dict[str, Any]
Runs = dict[tuple[str, str, float, str], list[Row]]
DEFAULT = ("backtracking", "default", 60.0)
"""What is compared with the aims of a minute."""


def write(rows: list[Row]) -> None:
    """Write the page and its picture."""
    PAGE.write_text("\n".join(lines(rows)) + "\n")
    PLOT.write_text(plot(grouped(rows)))


def grouped(rows: list[Row]) -> Runs:
    """Group single-threaded runs by method, label, seconds and board."""
    runs: Runs = defaultdict(list)
    for row in sorted((row for row in rows if row["kind"] == "run"), key=lambda row: list(WORK).index(row["method"])):
        runs[row["method"], row["label"], row["seconds"], row["instance"]].append(row)
    return runs


def lines(rows: list[Row]) -> Iterator[str]:
    """Lines of the page."""
    runs = grouped(rows)
    yield "# Results: edge matching by backtracking, beams and evolution\n"
    yield (
        f"Written by `benchmarks/backtracking.py` from its rows. {about(rows)} The [tables of the record "
        "hunt](../experiments/eternity2/hunt/RESULTS.md) list all runs, including those with former defaults and those "
        "with several processes.\n"
    )
    yield from glance(rows, runs)
    yield from scores({key: group for key, group in runs.items() if key[1] == "default"})
    yield from times(runs)
    yield from edge_polish.lines(list(edge_polish.ROWS))
    yield "## Counts\n"
    yield "Number of solutions up to rotation, by exhaustive search. The counts agree with the published ones.\n"
    yield "| board | solutions | placements | s |"
    yield "| --- | ---: | ---: | ---: |"
    latest = {row["instance"]: row for row in rows if row["kind"] == "count"}
    for name, row in latest.items():
        yield f"| {name} | {row['solutions']} | {row['nodes']:,} | {row['cpu']} |"


def about(rows: list[Row]) -> str:
    """Describe how and when the rows were measured, and the references for comparison."""
    return (
        f"Seconds are processor seconds of one thread on a shared machine; {measured(rows)}. The independent "
        "evaluator recomputed the score of every board. META 2010 is Brendan Owen's set 2. *Literature* is the best "
        "published score (Wauters et al. 2012, best of 30 runs of 20 to 60 minutes); there is none for five hints. The "
        "records of the Eternity II community, which took weeks on many cores, are 470 with the starter piece and 464 "
        "with five hints."
    )


def scores(runs: Runs) -> Iterator[str]:
    """Section of scores: a table for each method, label and limit."""
    yield "## Scores\n"
    told = dict(ABOUT)
    for method, label, seconds in dict.fromkeys((method, label, seconds) for method, label, seconds, _ in runs):
        aimed = method == "backtracking"
        remark = told.pop(method, "")
        yield f"`{method}`{'' if label == 'default' else f', {label}'}, {seconds:g} s.{remark}\n"
        yield (
            f"| board | runs | scores | median | best |{' aim in 60 s |' if aimed else ''} M {WORK[method]}/s | "
            "literature |"
        )
        yield "| --- | ---: | --- | ---: | ---: |" + " ---: |" * (2 + aimed)
        for name in INSTANCES:
            group = runs.get((method, label, seconds, name), [])
            if group:
                found = sorted((row["score"] for row in group), reverse=True)
                yield (
                    f"| {name} | {len(group)} | {' '.join(map(str, found))} | {statistics.median(found):g} | "
                    f"{found[0]} |{f' {AIMS[name]} |' if aimed else ''} "
                    f"{statistics.median(row['rate'] for row in group):.3g} | {LITERATURE[name]} |"
                )
        yield ""


def times(runs: Runs) -> Iterator[str]:
    """Section of times to a score, for runs with the default options."""
    yield "## Times to a score\n"
    yield f"![How likely a run is to have reached a score by a time](images/{PLOT.name})\n"
    yield "`backtracking`, 60 s: each step of a curve is a run that reaches its target score.\n"
    yield "Seconds until each run had at least that score; `-` marks a run that did not reach it.\n"
    yield "| board | construction | limit s | score | s of each run |"
    yield "| --- | --- | ---: | ---: | --- |"
    for (method, label, seconds, name), group in sorted(runs.items(), key=lambda item: INSTANCES.index(item[0][3])):
        if label != "default":
            continue
        top = max(row["score"] for row in group)
        for score in range(top - 2, top + 1):
            firsts = [min((at for value, at in row["times"] if value >= score), default=None) for row in group]
            shown = sorted((f"{at:.1f}" for at in firsts if at is not None), key=float)
            yield f"| {name} | `{method}` | {seconds:g} | {score} | {' '.join(shown + ['-'] * firsts.count(None))} |"
    yield ""


def glance(rows: list[Row], runs: Runs) -> Iterator[str]:
    """Table that compares the literature, a plain program, and the results for each time."""
    yield "## At a glance\n"
    yield (
        "Columns with a time show the score, and in brackets the target. *1 core*: the median over all seeds. "
        "*2 cores*: the best score that any run had reached by that time. *A day*: successive runs with one pool. "
        "Literature: Salassa et al. 2017 (best of 100 runs; a run took 40, 60, 80, 360 and 360 minutes in the order of "
        "the boards), Wauters et al. 2012 (best of 30 runs of 20, 30, 40, 60 and 60 minutes). *Plain program*: 150 "
        "lines of C with the same kind of backtracking, the best of a few runs of 2 seconds to 5 minutes.\n"
    )
    yield (
        "| board | Salassa et al. | Wauters et al. | plain program | 1 core, 60 s | 2 cores, 10 min | "
        "2 cores, 60 min | a day |"
    )
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for name in INSTANCES:
        minute = [row["score"] for row in runs.get((*DEFAULT, name), [])]
        mine = [row for row in rows if row["kind"] == "portfolio" and row["instance"] == name]
        cells = [f"{statistics.median(minute):g} ({AIMS[name]})" if minute else f"- ({AIMS[name]})"]
        for seconds, aims in LONG_AIMS.items():
            longer = [
                score
                for row in mine
                if row["jobs"] == 2 and not row.get("begun")
                for score, at in row["times"]
                if at <= seconds
            ]
            cells.append(f"{max(longer, default='-')} ({aims[name]})")
        pooled = [row["score"] for row in mine if row.get("begun")]
        cells.append(f"{max(pooled, default='-')} ({DAY_AIMS[name]})" if name in DAY_AIMS else "-")
        yield f"| {name} | {SALASSA[name]} | {WAUTERS[name]} | {PLAIN[name]} | {' | '.join(cells)} |"
    yield ""


def plot(runs: Runs) -> str:
    """Time-to-target curves of `backtracking` in 60 s, to the target scores for that time."""
    series, words = list[Series](), list[str]()
    for number, name in enumerate(INSTANCES):
        mine = runs.get((*DEFAULT, name), [])
        firsts = [[at for score, at in row["times"] if score >= AIMS[name]] for row in mine]
        times, shares = empirical_distribution(np.array([min(one, default=np.inf) for one in firsts]))
        reached = np.append(times, 60.0), np.append(shares, shares[-1:] if len(shares) else 0.0)
        series.append(Series(f"{name}: {AIMS[name]}", *reached, kind="steps", number=number))
        words.append(f"{name}: {len(times)} of {len(mine)} runs reach {AIMS[name]}")
    x, y = Axis("processor seconds", log=True), Axis("runs that have reached it", 0.0, 1.0, percent=True)
    return draw_alone(Plot(x, y, series, "; ".join(words) + "."), "Time to the aims of 60 seconds, one thread")


def long_lines(rows: list[Row]) -> Iterator[str]:
    """Section of runs with several processes."""
    if not rows:
        return
    yield "## Several processes\n"
    yield (
        "`matheur solve BOARD --preset record --jobs N --seconds S --pool FOLDER`: wall-clock seconds, and the time at "
        "which each score was first reached. Runs are named by their seeds; those marked *row by row* are from an "
        "earlier version. MiB: peak memory of all processes together in the first, second and last twelfth of the "
        "time.\n"
    )
    yield "| board | jobs | s | run | score | aim | reached (s) | M placements/s | MiB | literature |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
    for row in sorted(rows, key=lambda row: (row["seconds"], INSTANCES.index(row["instance"]), row["seed"])):
        name, aims = row["instance"], LONG_AIMS.get(row["seconds"], {})
        reached = ", ".join(f"{score} ({at:g})" for score, at in row["times"][-3:])
        most = [most for _, most in row.get("memory", [])]
        told = "" if row["label"] == "default" else f", {row['label']}"
        memory = " ".join(f"{most[part]:,}" for part in (0, 1, -1)) if len(most) > 1 else "-"
        yield (
            f"| {name} | {row['jobs']} | {row['seconds']:g} | {row['seed']}{told} | {row['score']} | "
            f"{aims.get(name, '-')} | {reached} | {row['rate']:.3g} | {memory} | {LITERATURE[name]} |"
        )
    yield ""
