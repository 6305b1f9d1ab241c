"""Plans by networks and learnt values alone, and the gains of `shortcut` and exact windows on them.

    python experiments/deepcubea/learnt.py --methods puzzle15-best --count 500
    python experiments/deepcubea/learnt.py --count 100
    python experiments/deepcubea/learnt.py --report

Instances are the first ones of DeepCubeA's test sets, read from `MATHEUR_DATA` or `../shared/data` next to the
checkout. Each method is a construction guided by the files that come with matheur (`matheur/problems/NAME/trained`),
not by any table or proof. Its plan is shortened by `shortcut`, and then by exact windows for `--seconds` CPU seconds.
The evaluator of the problem replays every plan before and after. Rows are appended to `results/learnt.jsonl`; existing
runs are not repeated. Seconds are those of one thread after networks are loaded and kernels compiled. The report writes
`results/neural.md`, a part of `docs/results-neural.md`.
"""

from __future__ import annotations

import os

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import argparse
import csv
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from machines import processor, processors
from windows import check

import matheur
from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.engine.registration import built_in
from matheur.engine.source import Source
from matheur.methods.learning import read_model
from matheur.problems.lights_out import Instance as Lights
from matheur.problems.lights_out import LightsOut
from matheur.problems.plans.anytime import BatchAStar, Beam
from matheur.problems.plans.exact import AStar
from matheur.problems.plans.shortcut import Shortcut
from matheur.problems.plans.window import Window
from matheur.problems.rubik import Instance as Cube
from matheur.problems.rubik import Rubik
from matheur.problems.sliding_tile import Instance as Tiles
from matheur.problems.sliding_tile import SlidingTile
from matheur.problems.sliding_tile.operators.guided_beam import GuidedBeam
from matheur.problems.sokoban import Sokoban, read_instance, split_levels

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "learnt.jsonl"
PART = HERE / "results" / "neural.md"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
PATIENCE = 600.0  # maximum CPU seconds of a construction

Row = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A construction, and windows that suit its plans.

    Attributes
    ----------
    set
        Set of instances.
    text
        Description in a table.
    operator
        Construction operator.
    window
        Window that shortens its plans.
    """

    set: str
    text: str
    operator: Any
    window: Window


_TILES = Window(length=16, nodes=1_000_000, seconds=2.0, iterations=100)
_OTHERS = Window(iterations=100)
METHODS = {
    "puzzle15-best": Method(
        "puzzle15", "A*, `learnt(less=4.5,images=2)`", AStar(heuristic="learnt(less=4.5,images=2)"), _TILES
    ),
    "puzzle15-astar": Method(
        "puzzle15", "A*, `learnt(less=1.5,images=2)`", AStar(heuristic="learnt(less=1.5,images=2)"), _TILES
    ),
    "puzzle15-quick": Method(
        "puzzle15", "batch A*, weight 0.4, 10 at a time", BatchAStar(heuristic="learnt", weight=0.4, batch=10), _TILES
    ),
    "puzzle15-policy": Method(
        "puzzle15", "beam of 256 by the policy", Beam(policy="learnt", width=256, width_max=256), _TILES
    ),
    "puzzle24-pairs": Method(
        "puzzle24", "beam of 1,000, values of pairs and tables", GuidedBeam(width=1000, width_max=1000), _TILES
    ),
    "cube3-network": Method(
        "cube3", "beam of 8,192 by the network alone", Beam(heuristic="learnt", width=8192, width_max=8192), _OTHERS
    ),
    "lightsout7-policy": Method(
        "lightsout7", "beam of 1,024 by the policy", Beam(policy="learnt", width=1024, width_max=1024), _OTHERS
    ),
    "sokoban-network": Method(
        "sokoban",
        "batch A*, `learnt(less=2)`, 100 at a time",
        BatchAStar(heuristic="learnt(less=2)", weight=1.0, batch=100),
        _OTHERS,
    ),
}
_STORED = {"sokoban": "boxoban_unfiltered_test_reference"}


def instances(name: str) -> list[tuple[Any, Row]]:
    """Problems of a set, each with the row of its file, which holds the known values."""
    path = DATA / f"{_STORED.get(name, f'deepcubea_{name}_test')}.csv"
    with path.open() as file:
        rows = list(csv.DictReader(file))
    if name == "sokoban":
        levels = split_levels((DATA / "boxoban_unfiltered_test.txt").read_text())
        made = [read_instance(Source("level", "\n".join(level.rows).encode())) for level in levels]
        return [(Sokoban(level), row) for level, row in zip(made, rows, strict=True)]
    side = {"puzzle15": 4, "puzzle24": 5}.get(name, 0)
    makes: dict[str, Callable[[Row], Any]] = {
        "cube3": lambda row: Rubik(Cube(row["facelets_urfdlb"])),
        "lightsout7": lambda row: LightsOut(Lights(7, 7, tuple(light == "1" for light in row["lights"]))),
    }
    make = makes.get(name) or (
        lambda row: SlidingTile(Tiles(side, side, tuple(map(int, row["tiles"].split())), "blank-last"))
    )
    return [(make(row), row) for row in rows]


def run(method: str, problem: Any, seconds: float) -> Row:
    """Make one plan, and shorten it."""
    chosen, rng = METHODS[method], np.random.default_rng(0)
    begun = time.process_time()
    budget = Budget(seconds=PATIENCE, clock=time.process_time)
    plan = chosen.operator.build(problem, budget, rng).solution
    row: Row = {"made_in": round(time.process_time() - begun, 4), "work": budget.spent_work, "made": None}
    if plan is None:
        return row
    row["made"] = check(problem, plan)
    for name, operator in (("shortcut", Shortcut()), ("window", chosen.window)):
        begun = time.process_time()
        budget = Budget(seconds=seconds, clock=time.process_time)
        while not budget.exhausted:
            outcome = operator.explore(problem, plan, budget, rng)
            plan = plan if outcome.solution is None else outcome.solution
            if outcome.status == Status.LOCAL_OPTIMUM:
                break
        row |= {name: check(problem, plan), f"{name}_in": round(time.process_time() - begun, 4)}
    return row


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def known(row: Row) -> Row:
    """Length of a shortest plan, and of DeepCubeA's plan."""
    optimum = next(row[key] for key in ("optimal_len", "optimal_len_qtm", "optimal_moves") if key in row)
    theirs = row.get("deepcubea_len") or row.get("deepcubea_moves")
    return {"optimum": int(optimum) if optimum else None, "deepcubea": int(theirs) if theirs else None}


def measure(methods: list[str], count: int, seconds: float) -> None:
    """Make the missing runs on the first instances."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    there = {(row["method"], row["instance"], row["limit"]) for row in done()}
    for method in methods:
        name = METHODS[method].set
        problems = instances(name)[:count]
        missing = [number for number in range(len(problems)) if (method, number, seconds) not in there]
        if missing:
            run(method, problems[missing[0]][0], seconds)  # compiles, loads
        for number in missing:
            problem, row = problems[number]
            facts = {"version": matheur.__version__, "processor": processor(), "date": f"{date.today():%Y-%m-%d}"}
            facts["load"] = round(os.getloadavg()[0], 1)
            found = {"set": name, "method": method, "instance": number, "limit": seconds, **known(row)}
            with RESULTS.open("a") as file:
                file.write(json.dumps({**found, **run(method, problem, seconds), **facts}) + "\n")


def report(rows: list[Row]) -> str:
    """Section of the page."""
    lines = [
        "## DeepCubeA's test sets by what was learnt\n",
        "Plans from the networks and values that come with matheur (`learnt`, `auto`), without tables or proofs unless "
        "a row says so; then `shortcut`, and exact windows on its plan. Values are means over the first instances of "
        "each set. *Excess* is the number of moves above the optimum; *s* are CPU seconds of one thread. "
        f"`python experiments/deepcubea/learnt.py`, {max(row['date'] for row in rows)}, {processors(rows)}.\n",
        "| set | construction | instances | solved | plan | excess | optimal | s | after `shortcut` | optimal | s | "
        "after windows | optimal | s | optimum | DeepCubeA, stored |",
        "| --- | --- |" + " ---: |" * 14,
    ]
    for method, chosen in METHODS.items():
        own = [row for row in rows if row["method"] == method]
        made = [row for row in own if row["made"] is not None]
        if not made:
            continue
        optima = np.array([row["optimum"] for row in made])
        cells = [chosen.set, chosen.text, f"{len(own)}", f"{len(made) / len(own):.1%}"]
        for step in ("made", "shortcut", "window"):
            lengths = np.array([row[step] for row in made])
            cells.append(f"{lengths.mean():.2f}")
            if step == "made":
                cells.append(f"{(lengths - optima).mean():.3f}")
            cells += [f"{(lengths == optima).mean():.1%}", f"{np.mean([row[f'{step}_in'] for row in made]):.2f}"]
        theirs = [row["deepcubea"] for row in made]
        cells += [f"{optima.mean():.2f}", f"{np.mean(theirs):.2f}" if None not in theirs else "-"]
        lines.append("| " + " | ".join(cells) + " |")
    lines.append(
        "\nThe gains of the neighbourhoods differ by puzzle. On 4 x 4 tiles, exact windows make quick plans optimal in "
        "less time than A* with the network needs for optimal plans. On Lights Out, whose boards have one solution "
        "each, `shortcut` makes all plans optimal. On Sokoban, windows remove most of the excess. On 5 x 5 tiles and "
        "the cube, they gain little or nothing, because the windows that can be solved are shorter than the parts that "
        "would have to change."
    )
    return "\n".join(lines) + "\n"


def others() -> str:
    """Published results of other networks, from `paper/learnt.csv`."""
    with (HERE / "paper" / "learnt.csv").open() as file:
        rows = list(csv.DictReader(file))
    lines = [
        "\nOther systems, as reported by their authors (seconds are on their machines, with GPUs):\n",
        "| " + " | ".join(rows[0]) + " |",
        "|" + " --- |" * len(rows[0]),
    ]
    return "\n".join([*lines, *("| " + " | ".join(row.values()) + " |" for row in rows)]) + "\n"


def trainings() -> str:
    """Description of the trainings, as stored in the files of the networks."""
    lines = [
        "\nTraining of the networks (commands: `matheur/problems/NAME/trained/README.md`; seconds are those of the "
        "training, with other programs on the same cores):\n",
        "| file | MB | parameters | method | last training: steps | last training: states | last training: s |",
        "| --- | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    folders = [one.trained for one in built_in().values()]
    for place in sorted((one for folder in folders for one in folder.glob("*.npz")), key=lambda one: one.name):
        if place.name.endswith(("-distances.npz", "-davi.npz", "-policy.npz")):
            model = read_model(place)
            facts = model.training
            lines.append(
                f"| `{place.name}` | {len(place.read_bytes()) / 1e6:.2f} | {model.parameters:,} | {facts['method']} |"
                f" {facts['steps']:,} | {facts['samples']:,} | {facts['seconds']:,.0f} |"
            )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), default=list(METHODS))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        measure(options.methods, options.count, options.seconds)
    rows = done()
    if rows:
        text = report(rows) + trainings() + others()
        PART.write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    main()
