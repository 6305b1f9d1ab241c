"""Scores and times of edge-matching constructions on META 2010 and Eternity II, as one JSON line per run.

    python benchmarks/backtracking.py run --seconds 60 --seeds 10
    python benchmarks/backtracking.py run --plan '{"layered": false}' --label "one board at a time"
    python benchmarks/backtracking.py run --method beam --seconds 10 --seeds 3
    python benchmarks/backtracking.py run --method evolution --seconds 30 --seeds 3 --instances "META 10x10"
    python benchmarks/backtracking.py long --seconds 600 --jobs 2
    python benchmarks/backtracking.py counts
    python benchmarks/backtracking.py page

Seconds are processor seconds of one thread (`time.process_time`), which reduces the influence of other programs on the
machine; those of `long` are wall-clock seconds of the preset `record` with several processes and a pool.
`run` iterates over seeds and then instances, and skips the rows already in `benchmarks/results/backtracking.jsonl`; the
problem's own evaluator checks every board. `counts` counts the solutions of small boards. `page` writes
`docs/results-edge-matching.md` and its picture (`backtracking_page.py`), with the section of `edge_polish.py`. The
tables that `experiments/eternity2/hunt/page.py` writes contain all runs. The data sets are read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import backtracking_page
import numpy as np
from backtracking_page import INSTANCES, LONG_AIMS
from memory import by_part, watched
from rows import Rows

import matheur
from matheur.engine import Budget, Event
from matheur.engine.elite_files import list_elites, read_elite
from matheur.errors import InputError
from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, load
from matheur.problems.edge_matching.backtracking.operator import NODES_PER_WORK, Backtracking
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.operators.beam import STATES_PER_WORK, Beam
from matheur.problems.edge_matching.operators.evolution import BOARDS_PER_WORK, Evolution

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[1] / "shared" / "data")) / "edge_matching"
ROWS = Rows("backtracking", quiet=("board",))


@dataclass(frozen=True)
class Planned(Backtracking):
    """Backtracking with some fields of its plan changed.

    Attributes
    ----------
    changes
        Values by the name of a field of `Plan`.
    """

    changes: Mapping[str, Any] = field(default_factory=dict)

    def plan(self, instance: Instance, scan: str, budget: Budget, reached: int | None = None) -> Plan:
        """The plan for the size, with the changes."""
        return replace(Backtracking.plan(self, instance, scan, budget, reached), **self.changes)


METHODS: dict[str, tuple[Any, int]] = {
    "backtracking": (Planned, NODES_PER_WORK),
    "beam": (Beam, STATES_PER_WORK),
    "evolution": (Evolution, BOARDS_PER_WORK),
}
STARTER = 139  # the piece that every board of Eternity II has at row 8, column 7 (from 0)
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
    """Read the existing rows; the oldest do not name their method."""
    return [{"method": "backtracking"} | row for row in ROWS]


def run(method: str, names: list[str], seconds: float, seeds: list[int], options: dict[str, Any], label: str) -> None:
    """Run each instance and seed that has no row yet."""
    done = {
        (row["instance"], row["seed"], row["seconds"], row["label"])
        for row in read()
        if row["kind"] == "run" and row["method"] == method
    }
    kind, per_work = METHODS[method]
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
            ROWS.append({
                "kind": "run", "method": method, "label": label, "options": options, "instance": name, "seed": seed,
                "seconds": seconds, "score": int(score), "times": times[-8:], "cpu": round(spent, 1),
                "rate": round(budget.spent_work * per_work / spent / 1e6, 2), "board": text_of(outcome.solution),
            })  # fmt: skip


def long(
    names: list[str],
    seconds: float,
    jobs: int,
    seeds: list[int],
    until_aim: bool = False,
    target: int | None = None,
    pool: Path | None = None,
    settings: Sequence[str] = (),
    label: str = "default",
) -> None:
    """Run the preset `record` once for each instance and seed without a row: processes that share a pool.

    A run ends early when it reaches `target` or, with `until_aim`, the target score for its time. With `pool`, it
    continues with the elites of that folder (one board), whose best score is `begun`; several consecutive runs thus
    form a run of days. Settings are those of `matheur solve --set`.
    """
    known = {
        (row["instance"], row["seed"], row["seconds"], row["jobs"])
        for row in read()
        if row["kind"] == "portfolio" and row["label"] == label
    }
    Backtracking().build(puzzle("META 10x10"), Budget(work=1000), np.random.default_rng(0))  # compiles
    for seed, name in ((seed, name) for seed in seeds for name in names):
        if (name, seed, seconds, jobs) in known:
            continue
        problem, times = puzzle(name), list[list[float]]()
        aim = LONG_AIMS.get(seconds, {}).get(name) if until_aim else target
        begun = best_of(pool, problem) if pool else 0

        def listen(event: Event, times: Any = times) -> None:
            if event["event"] == "incumbent":
                times.append([int(event["score"]), round(event["seconds"], 1)])

        with tempfile.TemporaryDirectory() as folder, watched(os.getpid()) as looks:
            result = matheur.solve(
                problem, preset="record", seconds=seconds, target=aim, jobs=jobs, seed=seed,
                pool=pool or f"{folder}/pool", settings=settings,
                checkpoint=f"{folder}/state.json", trace=f"{folder}/trace.jsonl", observers=[listen],
            )  # fmt: skip
        evaluation = problem.evaluate(result.solution)
        if not evaluation.feasible or evaluation.objective != result.objective:
            raise SystemExit(f"{name}, seed {seed}: {evaluation}")
        ROWS.append({
            "kind": "portfolio", "method": "record", "label": label, "instance": name, "seed": seed,
            "seconds": seconds, "jobs": jobs, "begun": begun, "score": int(problem.score(evaluation.objective)),
            "times": times[-8:], "wall": round(result.seconds, 1),
            "rate": round(result.work * NODES_PER_WORK / result.seconds / 1e6, 2), "board": text_of(result.solution),
            "memory": [[round(least), round(most)] for _, _, least, most in by_part(looks, seconds)],
        })  # fmt: skip


def best_of(pool: Path, problem: EdgeMatching) -> int:
    """Best score of the elites of a folder; 0 if it has none of this board."""
    scores = [0]
    for file in list_elites(pool) if pool.is_dir() else []:
        with suppress(InputError):  # of another board, or damaged: the run ignores it as well
            scores.append(int(problem.score(read_elite(problem, file).elite.objective)))
    return max(scores)


def text_of(board: Any) -> str:
    """Piece (from 1) and rotation of each cell."""
    return " ".join(f"{value // 4 + 1}/{value % 4}" for value in board.tolist())


def counts() -> None:
    """Count solutions of small boards up to rotation, and placements of a row-by-row scan."""
    for folder, size in COUNTS:
        instance = load(DATA / folder / f"pieces_{size:02d}x{size:02d}.txt").instance
        began = time.process_time()
        boards, nodes = count_boards(instance, look_ahead=False)
        spent = time.process_time() - began
        ROWS.append({"kind": "count", "instance": f"{folder} {size}x{size}", "solutions": boards // 4, "nodes": nodes,
               "cpu": round(spent, 2)})  # fmt: skip


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--method", default="backtracking", choices=list(METHODS))
    runner.add_argument("--seconds", type=float, default=60.0)
    runner.add_argument("--seeds", type=int, default=10)
    runner.add_argument("--instances", nargs="+", default=list(INSTANCES), choices=INSTANCES)
    runner.add_argument("--options", type=json.loads, default={})
    runner.add_argument("--plan", type=json.loads, default={}, help="fields of the plan of backtracking")
    runner.add_argument("--label", default="default")
    longer = commands.add_parser("long")
    longer.add_argument("--seconds", type=float, default=600.0)
    longer.add_argument("--jobs", type=int, default=2)
    longer.add_argument("--seeds", type=int, nargs="+", default=[1])
    longer.add_argument("--instances", nargs="+", default=list(INSTANCES), choices=INSTANCES)
    ends = longer.add_mutually_exclusive_group()
    ends.add_argument("--until-aim", action="store_true")
    ends.add_argument("--target", type=int)
    longer.add_argument("--pool", type=Path)
    longer.add_argument("--set", dest="settings", action="append", default=[])
    longer.add_argument("--label", default="default")
    commands.add_parser("counts")
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        seeds = list(range(1, given.seeds + 1))
        options = given.options | ({"changes": given.plan} if given.plan else {})
        run(given.method, given.instances, given.seconds, seeds, options, given.label)
    elif given.command == "long":
        long(
            given.instances, given.seconds, given.jobs, given.seeds, given.until_aim, given.target, given.pool,
            given.settings, given.label,
        )  # fmt: skip
    elif given.command == "counts":
        counts()
    else:
        backtracking_page.write(read())


if __name__ == "__main__":
    main()
