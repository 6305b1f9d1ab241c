"""Tables 1, 3 and 4 of Salassa et al. 2017 with our solvers, one JSON line per run.

    python experiments/eternity2/run.py table1 --sizes 3-6
    python experiments/eternity2/run.py greedy --solvers highs,scip --sizes 10,12,14,16 --seeds 5
    python experiments/eternity2/run.py search --start milp-greedy --target 168 --seeds 3
    python experiments/eternity2/run.py search --start random --target 163 --seeds 3

The instances are Brendan Owen's set 2 (= META 2010), read from `MATHEUR_DATA` or `../shared/data` beside the checkout.
Lines are appended to `results/NAME.jsonl`; `report.py` turns them into `docs/results.md`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import matheur
from matheur.clique import build
from matheur.models.edge_matching import full
from matheur.problems.edge_matching import EdgeMatching, Hint, load
from matheur.result import versions

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data"))


def puzzle(size: int) -> EdgeMatching:
    """The META 2010 puzzle of a size."""
    return load(DATA / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt")


def pinned(size: int) -> EdgeMatching:
    """The same with tile 1 in the top-left corner, as the paper's clique graphs have it."""
    options = {"hints": [(0, 0, 1, None)]}
    path = DATA / "edge_matching" / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt"
    return load(path, **options)


def facts(**values: Any) -> dict[str, Any]:
    """A row with what every row carries."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, load {os.getloadavg()[0]:.1f}"
    return {**values, "date": date.today().isoformat(), "machine": machine, "versions": versions()}


def solved(problem: EdgeMatching, **options: Any) -> dict[str, Any]:
    """One run: score, status, seconds."""
    began = time.perf_counter()
    result = matheur.solve(problem, **options)
    check = problem.evaluate(result.solution) if result.solution is not None else None
    if check is not None and (not check.feasible or check.objective != result.objective):
        raise SystemExit(f"a wrong result: {check}")
    return {
        "score": result.score,
        "score_max": result.score_max,
        "status": result.status,
        "stopped": result.stopped,
        "seconds": round(time.perf_counter() - began, 2),
    }


def table1(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Clique graphs and searches, MILP sizes and solves, on 3x3 to 8x8."""
    for size in arguments.sizes:
        problem, corner = puzzle(size), pinned(size)
        graph = build(puzzle(size).instance, hints=[Hint(cell=0, piece=0)]).graph
        model = full.build(problem.instance, "gap", frame_filter=False).model
        yield facts(
            table="sizes",
            size=size,
            nodes=graph.n,
            edges=graph.edges,
            variables=sum(1 for _ in model.component_data_objects(ctype=_var())),
            constraints=sum(1 for _ in model.component_data_objects(ctype=_constraint())),
        )
        for selections in arguments.selections:
            for seed in range(arguments.seeds):
                row = solved(
                    corner,
                    construction="clique",
                    neighbourhoods=[],
                    seed=seed,
                    seconds=arguments.time,
                    settings=[f"construction.selections={selections}"],
                )
                yield facts(table="clique", size=size, selections=selections, seed=seed, **row)
        for solver in arguments.solvers:
            for formulation in arguments.formulations:
                if size > arguments.milp_to:
                    continue
                row = solved(
                    problem,
                    construction="milp-full",
                    neighbourhoods=[],
                    solver=solver,
                    seconds=arguments.time,
                    settings=[f"construction.formulation={formulation}"],
                )
                yield facts(table="milp", size=size, solver=solver, formulation=formulation, **row)


def greedy(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The greedy construction by region height and solver (Table 3)."""
    for size in arguments.sizes:
        for solver in arguments.solvers:
            for seed in range(arguments.seeds):
                settings = [f"construction.height={arguments.height}", *arguments.set]
                row = solved(
                    puzzle(size),
                    construction="milp-greedy",
                    neighbourhoods=[],
                    solver=solver,
                    seed=seed,
                    seconds=arguments.time,
                    settings=["construction.passes=1", *settings],
                )
                yield facts(
                    table="greedy", size=size, height=arguments.height, solver=solver, seed=seed,
                    settings=arguments.set, **row,
                )  # fmt: skip


def search(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The multi-neighbourhood search (Tables 3 and 4)."""
    for size in arguments.sizes:
        for solver in arguments.solvers:
            for seed in range(arguments.seeds):
                row = solved(
                    puzzle(size),
                    preset=arguments.preset,
                    construction=arguments.start,
                    solver=solver,
                    seed=seed,
                    seconds=arguments.time,
                    target=arguments.target,
                )
                yield facts(
                    table="search", size=size, preset=arguments.preset, start=arguments.start, solver=solver,
                    seed=seed, limit=arguments.time, target=arguments.target, **row,
                )  # fmt: skip


def _var() -> Any:
    from pyomo.environ import Var

    return Var


def _constraint() -> Any:
    from pyomo.environ import Constraint

    return Constraint


def _sizes(text: str) -> list[int]:
    if "-" in text:
        first, last = map(int, text.split("-"))
        return list(range(first, last + 1))
    return [int(part) for part in text.split(",")]


def main() -> None:
    """Run one experiment and append its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    for function, sizes, limit in ((table1, "3-6", 600.0), (greedy, "10,12,14,16", 600.0), (search, "10", 300.0)):
        command = commands.add_parser(function.__name__, help=function.__doc__)
        command.set_defaults(function=function)
        command.add_argument("--sizes", type=_sizes, default=_sizes(sizes))
        command.add_argument("--solvers", type=lambda text: text.split(","), default=["highs"])
        command.add_argument("--seeds", type=int, default=3)
        command.add_argument("--time", type=float, default=limit, help="seconds per run")
        command.add_argument("--name", default=function.__name__, help="results/NAME.jsonl")
    chosen = commands.choices
    chosen["table1"].add_argument("--selections", type=_sizes, default=[1_000_000, 10_000_000])
    chosen["table1"].add_argument(
        "--formulations", type=lambda text: text.split(","), default=["exact", "match", "gap"]
    )
    chosen["table1"].add_argument("--milp-to", type=int, default=5, help="largest size that is solved as a MILP")
    chosen["greedy"].add_argument("--height", type=int, default=1)
    chosen["greedy"].add_argument("--set", action="append", default=[])
    chosen["search"].add_argument("--preset", default="paper")
    chosen["search"].add_argument("--start", default="milp-greedy")
    chosen["search"].add_argument("--target", type=float, default=None)
    arguments = parser.parse_args()
    out = HERE / "results" / f"{arguments.name}.jsonl"
    out.parent.mkdir(exist_ok=True)
    with out.open("a") as file:
        for row in arguments.function(arguments):
            file.write(json.dumps(row) + "\n")
            file.flush()
            shown = {key: value for key, value in row.items() if key not in ("versions", "machine", "date")}
            print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
