"""Improvement possible after a construction: each neighbourhood alone from the same boards, one JSON line per run.

    python benchmarks/edge_polish.py run --seconds 5 --seeds 2
    python benchmarks/edge_polish.py after --built 3 --seconds 3 --seeds 3
    python benchmarks/edge_polish.py pool
    python benchmarks/edge_polish.py table

Boards: generated ones with the colours of Brendan Owen's set 2, and META 2010 if `MATHEUR_DATA` has it. For each seed,
`backtracking` makes `--start` million placements (30 to 60 per second); every neighbourhood starts from the resulting
board and pool of elites. Each neighbourhood is then called repeatedly, alone, and accepts results that are as good or
better, until its time is over or it proves a local optimum. Seconds are processor seconds, child processes included.
`after` does the same with `ABLATION` after `backtracking` and after `beam`, each limited to `--built` seconds, and with
the construction itself, which gets the time of both.
`run` skips rows already in `benchmarks/results/edge_polish.jsonl`. `pool` polishes the best elites one by one. `table`
prints the sections that `benchmarks/backtracking.py page` includes in its page.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rows import Rows

from matheur.engine import Budget, Elite, ElitePool, Status
from matheur.problems.edge_matching import Board, EdgeMatching, generate, load
from matheur.problems.edge_matching.backtracking.operator import Backtracking
from matheur.problems.edge_matching.operators.assignment import Assignment
from matheur.problems.edge_matching.operators.beam import Beam
from matheur.problems.edge_matching.operators.border import Border
from matheur.problems.edge_matching.operators.exchange import Exchange
from matheur.problems.edge_matching.operators.merge import Merge
from matheur.problems.edge_matching.operators.region import Region
from matheur.problems.edge_matching.operators.swap_rotate import SwapRotate

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data")) / "edge_matching"
ROWS = Rows("edge_polish")

SIZES = (10, 12, 14, 16)
NEIGHBOURHOODS: dict[str, Any] = {
    "region, exact, windows 4 x 5": Region(rows=4, columns=5, nodes=2_000_000),
    "region, exact, 16 cells around 3": Region(grow=16, around=3, nodes=1_000_000),
    "region, exact, 20 cells around 6": Region(grow=20, around=6, nodes=2_000_000),
    "region, beam, 16 cells around 3": Region(method="beam", grow=16, around=3, iterations=100),
    "region, greedy, 16 cells around 3": Region(method="beam", beam=1, grow=16, around=3, iterations=1000),
    "region, MILP, windows 4 x 4": Region(method="milp", iterations=2),
    "region, clique, windows 6 x 6": Region(method="clique", rows=6, columns=6, iterations=2),
    "region, structured, windows 5 x 5": Region(method="structured", rows=5, columns=5, nodes=10_000_000, iterations=2),
    "border": Border(),
    "assignment, annealed": Assignment(k=16, iterations=100_000, temperature=0.2),
    "swap-rotate": SwapRotate(),
    "exchange, mismatches": Exchange(length=1000),
    "exchange, blocks of 2 x 2": Exchange(length=1000, guide="blocks-2"),
    "merge, exact, 16 cells": Merge(cells=16),
    "merge, exact, 24 cells": Merge(),
    "merge, structured, 32 cells": Merge(method="structured", cells=32, nodes=10_000_000, iterations=2),
    "merge, MILP, 24 cells": Merge(method="milp", iterations=2),
}
POLISHER = "region, exact, 16 cells around 3"

CONSTRUCTIONS = {"backtracking": Backtracking(), "beam": Beam()}
ABLATION = (
    "region, MILP, windows 4 x 4",
    "region, clique, windows 6 x 6",
    "region, exact, windows 4 x 5",
    POLISHER,
    "region, beam, 16 cells around 3",
    "region, greedy, 16 cells around 3",
    "assignment, annealed",
    "exchange, blocks of 2 x 2",
    "merge, exact, 24 cells",
)
LONGER = "the construction itself"


def boards() -> dict[str, EdgeMatching]:
    """The puzzles by name."""
    found = {f"generated {size}x{size}": EdgeMatching(generate(size, size, seed=1)[0]) for size in SIZES}
    for size in SIZES:
        file = DATA / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt"
        if file.exists():
            found[f"META {size}x{size}"] = load(file)
    return found


def clock() -> float:
    """Processor seconds of this process and of the solvers for which it has waited."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def polish(
    problem: EdgeMatching, operator: Any, start: Board, elites: Sequence[Elite], seconds: float, seed: int
) -> dict[str, Any]:
    """Run one neighbourhood alone."""
    pool = ElitePool()
    for elite in reversed(elites):
        pool.add(elite.key, elite.solution, elite.objective)
    budget = Budget(seconds=seconds, clock=clock, elites=pool)
    board, begin = start, problem.evaluate(start).objective
    objective, calls, optimum, first = begin, 0, False, None
    while objective > 0 and not (budget.exhausted or optimum):
        outcome = operator.explore(problem, board, budget.child(), np.random.default_rng((seed, calls)))
        calls += 1
        optimum = outcome.status is Status.LOCAL_OPTIMUM
        if outcome.solution is None:
            continue
        evaluation = problem.evaluate(outcome.solution)
        if not evaluation.feasible or evaluation.objective != outcome.objective:
            raise SystemExit(f"{operator}: {evaluation}")
        if evaluation.objective < objective:
            first = budget.elapsed if first is None else first
        if evaluation.objective <= objective:
            board, objective = outcome.solution, evaluation.objective
    return {
        "gain": int(begin - objective), "cpu": round(budget.elapsed, 2), "calls": calls, "proofs": len(budget.proofs),
        "optimum": optimum, "first": None if first is None else round(first, 2),
    }  # fmt: skip


def run(names: list[str], operators: list[str], begin: int, seconds: float, seeds: list[int]) -> None:
    """Run each board, seed and neighbourhood that has no row yet."""
    keys = ("instance", "seed", "neighbourhood", "begin", "seconds")
    done = {tuple(row[key] for key in keys) for row in ROWS if "begin" in row and "neighbourhood" in row}
    problems = boards()
    small = EdgeMatching(generate(6, 6, seed=1)[0])
    board = Backtracking().build(small, Budget(work=100), np.random.default_rng(0)).solution  # compiles, here and below
    for name in operators:
        NEIGHBOURHOODS[name].explore(small, board, Budget(work=20), np.random.default_rng(0))
    for seed in seeds:
        for instance in names:
            missing = [name for name in operators if (instance, seed, name, begin, seconds) not in done]
            if not missing or instance not in problems:
                continue
            problem, budget = problems[instance], Budget(work=1000 * begin)
            start = Backtracking().build(problem, budget, np.random.default_rng(seed)).solution
            assert start is not None
            about = {
                "instance": instance, "seed": seed, "begin": begin, "seconds": seconds,
                "score": int(problem.score(problem.evaluate(start).objective)), "elites": len(budget.elites),
            }  # fmt: skip
            for name in missing:
                found = polish(problem, NEIGHBOURHOODS[name], start, budget.elites.entries(), seconds, seed)
                ROWS.append(about | {"neighbourhood": name} | found)


def after(names: list[str], built: float, seconds: float, seeds: list[int]) -> None:
    """Run each board, seed, construction and neighbourhood that has no row yet."""
    keys = ("instance", "seed", "after", "neighbourhood", "built", "seconds")
    done = {tuple(row[key] for key in keys) for row in ROWS if "after" in row}
    problems = boards()
    small = EdgeMatching(generate(6, 6, seed=1)[0])
    for operator in CONSTRUCTIONS.values():
        board = operator.build(small, Budget(work=100), np.random.default_rng(0)).solution  # compiles, here and below
    for name in ABLATION:
        NEIGHBOURHOODS[name].explore(small, board, Budget(work=20), np.random.default_rng(0))
    for seed in seeds:
        for instance in names:
            for made_by, operator in CONSTRUCTIONS.items():
                wanted = [
                    name
                    for name in (*ABLATION, LONGER)
                    if (instance, seed, made_by, name, built, seconds) not in done and instance in problems
                ]
                if not wanted:
                    continue
                problem, budget = problems[instance], Budget(seconds=built, clock=clock)
                start = operator.build(problem, budget, np.random.default_rng(seed)).solution
                begin = problem.evaluate(start).objective
                about = {
                    "instance": instance, "seed": seed, "after": made_by, "built": built, "seconds": seconds,
                    "score": int(problem.score(begin)), "elites": len(budget.elites),
                }  # fmt: skip
                for name in wanted:
                    if name == LONGER:
                        longer = Budget(seconds=built + seconds, clock=clock)
                        reached = operator.build(problem, longer, np.random.default_rng(seed)).objective
                        found = {"gain": int(begin - reached), "cpu": round(longer.elapsed - built, 2)}
                    else:
                        found = polish(problem, NEIGHBOURHOODS[name], start, budget.elites.entries(), seconds, seed)
                    ROWS.append(about | {"neighbourhood": name} | found)


def pool(names: list[str], begin: int, seconds: float, seeds: list[int]) -> None:
    """Polish the best elites of a run, each alone by `POLISHER`."""
    problems = boards()
    done = {(row["instance"], row["seed"], row["begin"], row["seconds"]) for row in ROWS if "elites_after" in row}
    for seed in seeds:
        for instance in names:
            if instance not in problems or (instance, seed, begin, seconds) in done:
                continue
            problem, budget = problems[instance], Budget(work=1000 * begin)
            Backtracking().build(problem, budget, np.random.default_rng(seed))
            elites = budget.elites.entries()[:8]
            gains = [
                polish(problem, NEIGHBOURHOODS[POLISHER], elite.solution, [], seconds, seed)["gain"] for elite in elites
            ]
            before = [int(problem.score(elite.objective)) for elite in elites]
            after = [score + gain for score, gain in zip(before, gains, strict=True)]
            ROWS.append(
                {"instance": instance, "seed": seed, "begin": begin, "seconds": seconds}
                | {"elites_before": before, "elites_after": after}
            )


def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Section of the page; nothing without rows."""
    if not rows:
        return
    dates = sorted({row["date"] for row in rows})
    yield "## What polishing adds\n"
    yield (
        "Each neighbourhood runs alone, from the board (and the elites) of `backtracking` after a given number of "
        f"placements; `benchmarks/edge_polish.py`, {' to '.join(dict.fromkeys((dates[0], dates[-1])))}. *Gain* is the "
        "number of additional matched edges, one value per seed. Seconds are processor seconds, including the solvers; "
        "a neighbourhood that proves a local optimum stops. Calls and proofs are medians; a proof is a remembered "
        "region that no filling improves.\n"
    )
    single = [row for row in rows if "neighbourhood" in row and "begin" in row]
    for begin, seconds in sorted({(row["begin"], row["seconds"]) for row in single}, reverse=True):
        yield from _table([row for row in single if (row["begin"], row["seconds"]) == (begin, seconds)])
    elites = sorted((row for row in rows if "elites_after" in row), key=lambda row: _order(row["instance"]))
    if elites:
        yield (
            f"The best elites of a run (full boards, and abandoned starts), each polished alone for "
            f'{elites[0]["seconds"]:g} s by "{POLISHER}", after {elites[0]["begin"]} million placements:\n'
        )
        yield "| board | seed | before | after | mean gain |"
        yield "| --- | ---: | --- | --- | ---: |"
        for row in elites:
            before, after = row["elites_before"], row["elites_after"]
            gain = statistics.mean(after) - statistics.mean(before)
            shown = (" ".join(map(str, scores)) for scores in (before, after))
            yield f"| {row['instance']} | {row['seed']} | {' | '.join(shown)} | {gain:.1f} |"
        yield ""
    yield from _ablation([row for row in rows if "after" in row])


def _table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Table of all neighbourhoods from the same boards."""
    yield f"After {rows[0]['begin']} million placements, {rows[0]['seconds']:g} s each:\n"
    places = sorted({row["instance"] for row in rows}, key=_order)
    yield "| neighbourhood | " + " | ".join(places) + " | gain | gain per 100 s | calls | proofs |"
    yield "| --- |" + " ---: |" * (len(places) + 4)
    starts = [{row["seed"]: row["score"] for row in rows if row["instance"] == place} for place in places]
    yield "| *score before* | " + " | ".join(_figures(start) for start in starts) + " | | | | |"
    for name in NEIGHBOURHOODS:
        group = [row for row in rows if row["neighbourhood"] == name]
        if not group:
            continue
        gains = [{row["seed"]: row["gain"] for row in group if row["instance"] == place} for place in places]
        gain, spent = sum(row["gain"] for row in group), sum(row["cpu"] for row in group)
        calls, proofs = (statistics.median(row[key] for row in group) for key in ("calls", "proofs"))
        optimum = " (local optimum)" if all(row["optimum"] for row in group) else ""
        yield (
            f"| {name} | {' | '.join(_figures(figures) for figures in gains)} | {gain} | "
            f"{100 * gain / max(spent, 0.01):.1f} | {calls:g}{optimum} | {proofs:g} |"
        )
    yield ""


def _ablation(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Gain of each neighbourhood after each construction; nothing without rows."""
    if not rows:
        return
    begun = [row for row in rows if row["neighbourhood"] == LONGER]
    yield "## What each neighbourhood adds after a construction\n"
    yield (
        "All constructions have the same number of seconds. Then each neighbourhood runs alone for the same number of "
        "seconds, from the board and the elites of the construction. All seconds are processor seconds, including the "
        "solvers. Cells show the additional matched edges, one value per seed, and in brackets the edges gained per "
        "100 s. The last row has no neighbourhood: the construction runs again with the same seed and the seconds of "
        "both. (A beam with more time is a different beam and may end with a lower score. A beam of 4,096 boards takes "
        "about 0.3 s on 16 x 16; where its score is far below the others, the limit stopped it.) The sample is small, "
        f"{len(begun)} boards and {len(rows)} runs; 0 means no gain within these seconds.\n"
    )
    for built, seconds in sorted({(row["built"], row["seconds"]) for row in rows}, reverse=True):
        for made_by in CONSTRUCTIONS:
            these = [row for row in rows if (row["built"], row["seconds"], row["after"]) == (built, seconds, made_by)]
            if these:
                yield f"After {built:g} s of `{made_by}`, {seconds:g} s each:\n"
                yield from _added(these)


def _added(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Gains of all of `ABLATION` after one construction."""
    places = sorted({row["instance"] for row in rows}, key=_order)
    yield "| neighbourhood | " + " | ".join(places) + " | gain | gain per 100 s |"
    yield "| --- |" + " ---: |" * (len(places) + 2)
    starts = [{row["seed"]: row["score"] for row in rows if row["instance"] == place} for place in places]
    yield "| *score before* | " + " | ".join(_figures(start) for start in starts) + " | | |"
    for name in (*ABLATION, LONGER):
        group = [row for row in rows if row["neighbourhood"] == name]
        cells = []
        for place in places:
            here = [row for row in group if row["instance"] == place]
            cells.append(f"{_figures({row['seed']: row['gain'] for row in here})} ({_rate(here)})" if here else "-")
        yield f"| {name} | {' | '.join(cells)} | {sum(row['gain'] for row in group)} | {_rate(group)} |"
    yield ""


def _rate(rows: list[dict[str, Any]]) -> str:
    """Edges gained per 100 processor seconds."""
    return f"{100 * sum(row['gain'] for row in rows) / max(sum(row['cpu'] for row in rows), 0.01):.0f}"


def _figures(by_seed: dict[int, int]) -> str:
    return " ".join(str(by_seed[seed]) for seed in sorted(by_seed)) or "-"


def _order(instance: str) -> tuple[int, str]:
    return int(instance.partition("x")[2]), instance


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    names = [f"{kind} {size}x{size}" for size in SIZES for kind in ("generated", "META")]
    runner.add_argument("--start", type=int, default=100)
    runner.add_argument("--seconds", type=float, default=5.0)
    runner.add_argument("--seeds", type=int, default=2)
    runner.add_argument("--instances", nargs="+", default=names, choices=names)
    runner.add_argument("--neighbourhoods", nargs="+", default=list(NEIGHBOURHOODS), choices=list(NEIGHBOURHOODS))
    pooled = commands.add_parser("pool")
    pooled.add_argument("--start", type=int, default=100)
    pooled.add_argument("--seconds", type=float, default=0.5)
    pooled.add_argument("--seeds", type=int, default=1)
    pooled.add_argument("--instances", nargs="+", default=names, choices=names)
    ablation = commands.add_parser("after")
    ablation.add_argument("--built", type=float, default=3.0)
    ablation.add_argument("--seconds", type=float, default=3.0)
    ablation.add_argument("--seeds", type=int, default=3)
    ablation.add_argument("--instances", nargs="+", default=[f"META {size}x{size}" for size in SIZES], choices=names)
    commands.add_parser("table")
    given = parser.parse_args()
    if given.command == "run":
        run(given.instances, given.neighbourhoods, given.start, given.seconds, list(range(1, given.seeds + 1)))
    elif given.command == "after":
        after(given.instances, given.built, given.seconds, list(range(1, given.seeds + 1)))
    elif given.command == "pool":
        pool(given.instances, given.start, given.seconds, list(range(1, given.seeds + 1)))
    else:
        print("\n".join(lines(list(ROWS))))


if __name__ == "__main__":
    main()
