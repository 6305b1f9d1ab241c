"""Constructions of edge matching on META 2010 and Eternity II: scores and times to them, one JSON line a run.

    python benchmarks/backtracking.py run --seconds 60 --seeds 10
    python benchmarks/backtracking.py run --method beam --seconds 10 --seeds 3
    python benchmarks/backtracking.py run --method evolution --seconds 30 --seeds 3 --instances "META 10x10"
    python benchmarks/backtracking.py long --seconds 600 --jobs 2
    python benchmarks/backtracking.py counts
    python benchmarks/backtracking.py page

Seconds are processor seconds of one thread (`time.process_time`), so that other programs on the machine matter less;
those of `long` are seconds on the wall of the preset `record` with several processes and a pool.
`run` goes seed by seed over all instances and skips what `benchmarks/results/backtracking.jsonl` already has; every
board is counted again by the problem's own evaluator. `counts` counts the solutions of small boards. `page` writes
`docs/results-edge-matching.md`, with the sections of `edge_polish.py` and `complete.py`, and its picture. The data sets
are looked for in `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import complete
import edge_polish
import numpy as np
from memory import by_part, watched

import matheur
from matheur.campaign.report.drawing import draw_alone
from matheur.campaign.report.plots import Axis, Plot, Series
from matheur.campaign.statistics import empirical_distribution
from matheur.engine import Budget, Event
from matheur.operators.edge_matching.backtracking import NODES_PER_WORK, Backtracking
from matheur.operators.edge_matching.beam import STATES_PER_WORK, Beam
from matheur.operators.edge_matching.evolution import BOARDS_PER_WORK, Evolution
from matheur.operators.edge_matching.slip_search import count_boards
from matheur.problems.edge_matching import EdgeMatching, Hint, load
from matheur.result import versions

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data")) / "edge_matching"
ROWS = HERE / "results" / "backtracking.jsonl"
PAGE = HERE.parent / "docs" / "results-edge-matching.md"
PLOT = HERE.parent / "docs" / "images" / "time-to-target.svg"

INSTANCES = ("META 10x10", "META 12x12", "META 14x14", "META 16x16", "Eternity II, starter", "Eternity II, five hints")
LITERATURE = dict(zip(INSTANCES, ("172", "254", "348", "460", "461", "-"), strict=True))
METHODS: dict[str, tuple[Any, int, str]] = {
    "backtracking": (Backtracking, NODES_PER_WORK, "placements"),
    "beam": (Beam, STATES_PER_WORK, "partial boards"),
    "evolution": (Evolution, BOARDS_PER_WORK, "boards"),
}
ABOUT = {
    "evolution": " A baseline. The evolutionary algorithm that Salassa et al. cite (Munoz, Gutierrez, Sanchis 2009) is "
    "reported with 371 of 480 on Eternity II, by a second-hand source with 396; its time, and scores on META, are not "
    "known."
}
STARTER = 139  # the piece that every board of Eternity II has at row 8, column 7 (from 0)
AIMS = dict(zip(INSTANCES, (176, 256, 350, 463, 463, 457), strict=True))
LONG_AIMS = {
    600.0: dict(zip(INSTANCES, (177, 258, 352, 465, 465, 460), strict=True)),
    3600.0: dict(zip(INSTANCES, (178, 259, 353, 466, 466, 462), strict=True)),
}
COUNTS = [("brendan_set2_meta2010", size) for size in (3, 4, 5, 6)] + [("brendan_set1", 6)]


def puzzle(name: str) -> EdgeMatching:
    """A META puzzle, or Eternity II with its starter piece or all five hints."""
    if name.startswith("META"):
        size = int(name.partition("x")[2])
        return load(DATA / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt")
    instance = load(DATA / "eternity2" / "e2_pieces.txt").instance
    lines = (DATA / "eternity2" / "e2_hints.txt").read_text().splitlines()
    numbers = [[int(word) for word in line.split()] for line in lines if line.strip() and not line.startswith("#")]
    hints = [Hint(instance.columns * row + column, piece - 1, turn) for row, column, piece, turn in numbers]
    starter = "starter" in name
    return EdgeMatching(replace(instance, hints=tuple(h for h in hints if not starter or h.piece == STARTER - 1)))


def read() -> list[dict[str, Any]]:
    """The rows so far; the oldest do not name their method."""
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    return [{"method": "backtracking"} | json.loads(line) for line in lines]


def write(row: dict[str, Any]) -> None:
    """Append a row."""
    about = {
        "load": round(os.getloadavg()[0], 1),
        "date": date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "versions": versions(),
    }
    ROWS.parent.mkdir(exist_ok=True)
    with ROWS.open("a") as file:
        file.write(json.dumps(row | about) + "\n")
    print(json.dumps({key: value for key, value in row.items() if key != "board"}), flush=True)


def run(method: str, names: list[str], seconds: float, seeds: list[int], options: dict[str, Any], label: str) -> None:
    """One run for each instance and seed that has no row yet."""
    done = {
        (row["instance"], row["seed"], row["seconds"], row["label"])
        for row in read()
        if row["kind"] == "run" and row["method"] == method
    }
    kind, per_work, _ = METHODS[method]
    operator = kind(**options)
    kind().build(puzzle("META 10x10"), Budget(work=1000), np.random.default_rng(0))  # compiles
    for seed in seeds:
        for name in names:
            if (name, seed, seconds, label) in done:
                continue
            problem = puzzle(name)
            found: list[tuple[int, float]] = []
            began = time.process_time()

            def offered(board: Any, objective: int | float, found: Any = found, began: float = began) -> None:
                found.append((int(objective), time.process_time() - began))

            budget = Budget(seconds=seconds, clock=time.process_time, on_incumbent=offered)
            outcome = operator.build(problem, budget, np.random.default_rng(seed))
            spent = time.process_time() - began
            evaluation = problem.evaluate(outcome.solution)
            if not evaluation.feasible or evaluation.objective != outcome.objective:
                raise SystemExit(f"{name}, seed {seed}: {evaluation}")
            score = problem.score(evaluation.objective)
            times = [[int(problem.score(objective)), round(at, 2)] for objective, at in found]
            write({
                "kind": "run", "method": method, "label": label, "options": options, "instance": name, "seed": seed,
                "seconds": seconds, "score": int(score), "times": times[-8:], "cpu": round(spent, 1),
                "rate": round(outcome.work * per_work / spent / 1e6, 2), "board": text_of(outcome.solution),
            })  # fmt: skip


def long(names: list[str], seconds: float, jobs: int, seeds: list[int]) -> None:
    """One run of the preset `record` for each instance and seed that has no row yet: processes that share a pool."""
    known = {
        (row["instance"], row["seed"], row["seconds"], row["jobs"]) for row in read() if row["kind"] == "portfolio"
    }
    Backtracking().build(puzzle("META 10x10"), Budget(work=1000), np.random.default_rng(0))  # compiles
    for seed, name in ((seed, name) for seed in seeds for name in names):
        if (name, seed, seconds, jobs) in known:
            continue
        problem, times = puzzle(name), list[list[float]]()

        def listen(event: Event, times: Any = times) -> None:
            if event["event"] == "incumbent":
                times.append([int(event["score"]), round(event["seconds"], 1)])

        with tempfile.TemporaryDirectory() as folder, watched(os.getpid()) as looks:
            result = matheur.solve(
                problem, preset="record", seconds=seconds, jobs=jobs, seed=seed, pool=f"{folder}/pool",
                checkpoint=f"{folder}/state.json", trace=f"{folder}/trace.jsonl", observers=[listen],
            )  # fmt: skip
        evaluation = problem.evaluate(result.solution)
        if not evaluation.feasible or evaluation.objective != result.objective:
            raise SystemExit(f"{name}, seed {seed}: {evaluation}")
        write({
            "kind": "portfolio", "method": "record", "instance": name, "seed": seed, "seconds": seconds, "jobs": jobs,
            "score": int(problem.score(evaluation.objective)), "times": times[-8:], "wall": round(result.seconds, 1),
            "rate": round(result.work * NODES_PER_WORK / result.seconds / 1e6, 2), "board": text_of(result.solution),
            "memory": [[round(least), round(most)] for _, _, least, most in by_part(looks, seconds)],
        })  # fmt: skip


def text_of(board: Any) -> str:
    """Piece (from 1) and rotation of every cell."""
    return " ".join(f"{value // 4 + 1}/{value % 4}" for value in board.tolist())


def counts() -> None:
    """Solutions of small boards, turns divided out, and placements of a scan by rows."""
    for folder, size in COUNTS:
        instance = load(DATA / folder / f"pieces_{size:02d}x{size:02d}.txt").instance
        began = time.process_time()
        boards, nodes = count_boards(instance)
        spent = time.process_time() - began
        write({"kind": "count", "instance": f"{folder} {size}x{size}", "solutions": boards // 4, "nodes": nodes,
               "cpu": round(spent, 2)})  # fmt: skip


def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The page."""
    runs: dict[tuple[str, str, float, str], list[dict[str, Any]]] = defaultdict(list)
    for row in sorted(
        (row for row in rows if row["kind"] == "run"), key=lambda row: list(METHODS).index(row["method"])
    ):
        runs[row["method"], row["label"], row["seconds"], row["instance"]].append(row)
    first = next(row for row in rows if row["kind"] == "run")
    known = ", ".join(f"{name} {version}" for name, version in first["versions"].items())
    dates = sorted({row["date"] for row in rows})
    yield "# Results: edge matching by backtracking, beams and evolution\n"
    yield (
        "Written by `benchmarks/backtracking.py` from its rows. Seconds are processor seconds of one thread on a "
        f"shared machine ({first['machine']}), {' to '.join(dict.fromkeys((dates[0], dates[-1])))}; {known}. Every "
        "board was counted again by the independent evaluator. META 2010 is Brendan Owen's set 2. Literature: the best "
        "published score in 20 to 60 minutes (Wauters et al. 2012; Salassa et al. 2017), none for five hints. The "
        "Eternity II community's records, by weeks on many cores, are 470 with the starter piece and 464 with five "
        "hints.\n"
    )
    yield "## Scores\n"
    told = dict(ABOUT)
    for method, label, seconds in dict.fromkeys((method, label, seconds) for method, label, seconds, _ in runs):
        aimed = method == "backtracking"
        about = told.pop(method, "")
        yield f"`{method}`{'' if label == 'default' else f', {label}'}, {seconds:g} s.{about}\n"
        yield (
            f"| board | runs | scores | median | best |{' aim in 60 s |' if aimed else ''} M {METHODS[method][2]}/s | "
            "literature |"
        )
        yield "| --- | ---: | --- | ---: | ---: |" + " ---: |" * (2 + aimed)
        for name in INSTANCES:
            group = runs.get((method, label, seconds, name), [])
            if group:
                scores = sorted((row["score"] for row in group), reverse=True)
                yield (
                    f"| {name} | {len(group)} | {' '.join(map(str, scores))} | {statistics.median(scores):g} | "
                    f"{scores[0]} |{f' {AIMS[name]} |' if aimed else ''} "
                    f"{statistics.median(row['rate'] for row in group):.2g} | {LITERATURE[name]} |"
                )
        yield ""
    yield from long_lines([row for row in rows if row["kind"] == "portfolio"])
    yield "## Times to a score\n"
    yield f"![How likely a run is to have reached a score by a time](images/{PLOT.name})\n"
    yield "`backtracking`, 60 s: each step of a curve is a run that has reached the score of the aim.\n"
    yield "Seconds after which each run had at least that score; `-` for a run that did not get there.\n"
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
    yield from edge_polish.lines(edge_polish.read())
    yield "## Counts\n"
    yield "All solutions, turns divided out, by exhaustive search; the figures agree with those published.\n"
    yield "| board | solutions | placements | s |"
    yield "| --- | ---: | ---: | ---: |"
    latest = {row["instance"]: row for row in rows if row["kind"] == "count"}
    for name, row in latest.items():
        yield f"| {name} | {row['solutions']} | {row['nodes']:,} | {row['cpu']} |"
    yield from complete.lines(complete.read())


def plot(rows: list[dict[str, Any]]) -> str:
    """Time-to-target curves of `backtracking` in 60 s, to the aims of that time."""
    series, words = list[Series](), list[str]()
    for number, name in enumerate(INSTANCES):
        runs = [
            row
            for row in rows
            if (row["kind"], row["method"], row.get("label")) == ("run", "backtracking", "default")
            and (row["instance"], row["seconds"]) == (name, 60.0)
        ]
        firsts = [[at for score, at in row["times"] if score >= AIMS[name]] for row in runs]
        times, shares = empirical_distribution(np.array([min(one, default=np.inf) for one in firsts]))
        reached = np.append(times, 60.0), np.append(shares, shares[-1:] if len(shares) else 0.0)
        series.append(Series(f"{name}: {AIMS[name]}", *reached, kind="steps", number=number))
        words.append(f"{name}: {len(times)} of {len(runs)} runs reach {AIMS[name]}")
    x, y = Axis("processor seconds", log=True), Axis("runs that have reached it", 0.0, 1.0, percent=True)
    return draw_alone(Plot(x, y, series, "; ".join(words) + "."), "Time to the aims of 60 seconds, one thread")


def long_lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The section of several processes."""
    if not rows:
        return
    yield "## Several processes\n"
    yield (
        "`matheur solve BOARD --preset record --jobs N --time S --pool FOLDER`: seconds on the wall, and when each "
        "score was reached first. Runs are named by their seeds. MiB: the most that all processes together had in the "
        "first twelfth of the time, in the second, and in the last.\n"
    )
    yield "| board | jobs | s | run | score | aim | reached (s) | M placements/s | MiB | literature |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |"
    for row in sorted(rows, key=lambda row: (row["seconds"], INSTANCES.index(row["instance"]), row["seed"])):
        name, aims = row["instance"], LONG_AIMS.get(row["seconds"], {})
        reached = ", ".join(f"{score} ({at:g})" for score, at in row["times"][-3:])
        most = [most for _, most in row.get("memory", [])]
        memory = " ".join(f"{most[part]:,}" for part in (0, 1, -1)) if len(most) > 1 else "-"
        yield (
            f"| {name} | {row['jobs']} | {row['seconds']:g} | {row['seed']} | {row['score']} | {aims.get(name, '-')} | "
            f"{reached} | {row['rate']:.3g} | {memory} | {LITERATURE[name]} |"
        )
    yield ""


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--method", default="backtracking", choices=list(METHODS))
    runner.add_argument("--seconds", type=float, default=60.0)
    runner.add_argument("--seeds", type=int, default=10)
    runner.add_argument("--instances", nargs="+", default=list(INSTANCES), choices=INSTANCES)
    runner.add_argument("--options", type=json.loads, default={})
    runner.add_argument("--label", default="default")
    longer = commands.add_parser("long")
    longer.add_argument("--seconds", type=float, default=600.0)
    longer.add_argument("--jobs", type=int, default=2)
    longer.add_argument("--seeds", type=int, nargs="+", default=[1])
    longer.add_argument("--instances", nargs="+", default=list(INSTANCES), choices=INSTANCES)
    commands.add_parser("counts")
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        seeds = list(range(1, given.seeds + 1))
        run(given.method, given.instances, given.seconds, seeds, given.options, given.label)
    elif given.command == "long":
        long(given.instances, given.seconds, given.jobs, given.seeds)
    elif given.command == "counts":
        counts()
    else:
        PAGE.write_text("\n".join(lines(read())) + "\n")
        PLOT.write_text(plot(read()))


if __name__ == "__main__":
    main()
