"""Solve the Rubik's cubes of DeepCubeA's test set in quarter turns, as one JSON line per run.

    python experiments/deepcubea/rubik.py                              # two-phase 0.2 s, guided-beam 10 s, 100 cubes
    python experiments/deepcubea/rubik.py --methods guided-beam-learnt --seconds guided-beam-learnt=60
    python experiments/deepcubea/rubik.py --methods guided-beam --threads 2 --seconds guided-beam=20
    python experiments/deepcubea/rubik.py --methods ida-star --optimum 18
    python experiments/deepcubea/rubik.py --methods ida-star-large --optimum 19 --threads 2
    python experiments/deepcubea/rubik.py --methods ida-star-large --random 3 --threads 2
    python experiments/deepcubea/rubik.py --report

Methods: `two-phase` and `guided-beam` (the constructions, with the limit of `--seconds METHOD=SECONDS`),
`guided-beam-learnt` (with the network that comes with matheur in addition to the exact distances), and `ida-star` and
`ida-star-large`, which prove the optimum (without a limit, and only for cubes whose stored optimum is at most
`--optimum`, or for the first `--random` cubes of `matheur.problems.rubik.uniform`, seeds 0, 1, ...). `ida-star-large`
uses the large table of cosets (845 MB, built within a few minutes on first use). Limits and times are CPU seconds of
the process (all threads together), so that other load on the machine matters as little as possible; tables are loaded
and kernels compiled beforehand. Cubes are read from `MATHEUR_DATA` or `../shared/data` next to the checkout. Rows are
appended to `results/rubik.jsonl`, after the problem's own evaluator has replayed the plan on the stickers; existing
runs are not repeated. `--report` writes `results/rubik.md`: lengths next to the stored ones of DeepCubeA and of the
optimal solver, and next to DeepCubeA's printed ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import time
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from machines import FIRST, processor, processors

import matheur
from matheur.engine.budget import Budget
from matheur.problems.rubik import Instance, Rubik, generate, uniform
from matheur.problems.rubik.domain import rubik_domain
from matheur.problems.rubik.operators.guided_beam import GuidedBeam
from matheur.problems.rubik.operators.two_phase import TwoPhase

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "rubik.jsonl"
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"
LIMITS = {"two-phase": 0.2, "guided-beam": 10.0, "guided-beam-learnt": 10.0}
BEAMS = {"guided-beam": "none", "guided-beam-learnt": "auto"}
"""Values compared with the exact distances."""
EXACT = {"ida-star": "auto", "ida-star-large": "large"}
PAGE = HERE / "results" / "rubik.md"
_MEMORY = 1 << 32

Row = dict[str, Any]


def cubes(count: int) -> list[Row]:
    """First cubes of the set."""
    with (DATA / "deepcubea_cube3_test.csv").open() as file:
        return list(csv.DictReader(file))[:count]


def random_cubes(count: int) -> list[Row]:
    """Cubes drawn uniformly, in the columns of the set."""
    found = []
    for seed in range(count):
        facelets = uniform(np.random.default_rng(seed)).facelets
        found.append({"id": f"random {seed}", "facelets_urfdlb": facelets})
    return found


def run(method: str, seconds: float | None, threads: int, cube: Row) -> Row:
    """Make one run; the plan is checked on the stickers."""
    problem = Rubik(Instance(cube["facelets_urfdlb"]))
    budget = Budget(seconds=seconds, clock=time.process_time)
    before, begun = time.process_time(), time.perf_counter()
    if method in EXACT:
        answer = rubik_domain(problem).ida_star(EXACT[method], budget=budget, memory=_MEMORY, threads=threads)
        assert answer is not None
        solution, bound = answer.plan, answer.bound
    else:
        operator = TwoPhase() if method == "two-phase" else GuidedBeam(values=BEAMS[method], threads=threads)
        outcome = operator.build(problem, budget, np.random.default_rng(0))
        solution, bound = outcome.solution, outcome.bound
    took, wall = time.process_time() - before, time.perf_counter() - begun
    number = cube["id"] if str(cube["id"]).startswith("random") else int(cube["id"])
    row: Row = {"cube": number, "method": method, "limit": seconds, "threads": threads, "bound": bound, "length": None}
    if solution is not None:
        check = problem.evaluate(solution)
        if not check.feasible:
            raise RuntimeError(f"{method} on cube {cube['id']}: {check.violations}")
        row |= {"length": int(check.objective), "plan": " ".join(problem.encode(solution))}
    known = {"optimum": "optimal_len_qtm", "deepcubea": "deepcubea_len"}
    return row | {
        "cpu_seconds": round(took, 3),
        "wall_seconds": round(wall, 3),
        "work": budget.spent_work,
        **{name: int(cube[column]) for name, column in known.items() if column in cube},
        "version": matheur.__version__,
        "machine": platform.machine(),
        "processor": processor(),
        "load": round(os.getloadavg()[0], 1),
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def groups(rows: list[Row]) -> dict[tuple[str, float | None, int], list[Row]]:
    """Rows by method, limit and threads."""
    found: dict[tuple[str, float | None, int], list[Row]] = {}
    for row in sorted(rows, key=lambda one: (one["method"], one["limit"] or 0.0, one.get("threads", 1))):
        found.setdefault((row["method"], row["limit"], row.get("threads", 1)), []).append(row)
    return found


def table(rows: list[Row], cubes_of_set: list[Row]) -> list[str]:
    """Lengths and times by method, on the cubes of the set."""
    lines = [
        "| method | limit, CPU s | cubes | mean length | mean optimum | mean excess | optimal | not longer than "
        "DeepCubeA | mean CPU s | largest CPU s |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]

    def line(name: str, limit: str, pairs: list[tuple[int, int, int]], seconds: list[float]) -> str:
        lengths, optima, theirs = np.array(pairs, dtype=float).T
        means = f"{lengths.mean():.2f} | {optima.mean():.2f} | {(lengths - optima).mean():.2f}"
        shares = f"{(lengths <= optima).mean():.0%} | {(lengths <= theirs).mean():.0%}"
        return f"| {name} | {limit} | {len(pairs)} | {means} | {shares} | {np.mean(seconds):.2f} | {max(seconds):.2f} |"

    for (method, limit, threads), group in groups(rows).items():
        own = [row for row in group if row["length"] and "optimum" in row]
        if method in LIMITS and own:
            pairs = [(row["length"], row["optimum"], row["deepcubea"]) for row in own]
            name = f"`{method}`" if threads == 1 else f"`{method}`, {threads} threads"
            name += "" if processors(own) == FIRST else f", {processors(own)}"
            lines.append(line(name, str(limit), pairs, [row["cpu_seconds"] for row in own]))
    first = [
        (int(one["deepcubea_len"]), int(one["optimal_len_qtm"]), int(one["deepcubea_len"])) for one in cubes_of_set
    ]
    for name, chosen in (("DeepCubeA, stored, first 100", first[:100]), ("DeepCubeA, stored, all", first)):
        seconds = [float(one["deepcubea_time_s"]) for one in cubes_of_set[: len(chosen)]]
        lines.append(line(name, "-", chosen, seconds))
    lines.append("| DeepCubeA, printed | - | 1000 | 21.50 | - | - | 60.3% | - | - | - |")
    return lines


def proofs(rows: list[Row]) -> list[str]:
    """Proved optima by length."""
    lines = [
        "| search | threads | optimum | cubes | proved | mean states | mean CPU s | largest CPU s |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (method, _, threads), group in groups(rows).items():
        own = [row for row in group if method in EXACT]
        for random in (False, True):
            part = [row for row in own if str(row["cube"]).startswith("random") == random and row["length"]]
            for length in sorted({row["length"] for row in part}):
                some = [row for row in part if row["length"] == length]
                proved = sum(row["bound"] == row["length"] for row in some)
                seconds, whose = [row["cpu_seconds"] for row in some], ", random cubes" if random else ""
                lines.append(
                    f"| `{method}`{whose} | {threads} | {length} | {len(some)} | {proved} | "
                    f"{np.mean([row['work'] for row in some]):,.0f} | {np.mean(seconds):.2f} | {max(seconds):.2f} |"
                )
    return lines


def each(rows: list[Row]) -> list[str]:
    """Lengths of all methods, cube by cube."""
    names = [method for method in (*LIMITS, *EXACT) if any(row["method"] == method for row in rows)]
    best: dict[tuple[Any, str], int] = {}
    known: dict[Any, Row] = {}
    for row in rows:
        if "optimum" in row and row["length"]:
            key = row["cube"], row["method"]
            best[key] = min(best.get(key, row["length"]), row["length"])
            known[row["cube"]] = row
    lines = [
        f"| cube | optimum | DeepCubeA, stored | {' | '.join(f'`{name}`' for name in names)} |",
        "| ---: | ---: | ---: |" + " ---: |" * len(names),
    ]
    for cube in sorted(known):
        cells = " | ".join(str(best.get((cube, name), "")) for name in names)
        lines.append(f"| {cube} | {known[cube]['optimum']} | {known[cube]['deepcubea']} | {cells} |")
    return lines


def report(rows: list[Row]) -> None:
    """Write the section of the page, see `report.py`."""
    dates = sorted({row["date"] for row in rows})
    loads = [row["load"] for row in rows]
    page = f"""## Rubik's cube: DeepCubeA's cubes

Lengths are in quarter turns, for the first cubes of the set. Optima are from the optimal solver in DeepCubeA's
repository. Limits and times are CPU seconds of a process, after loading tables and kernels. Runs of {dates[0]} to
{dates[-1]}; the load of the two cores was {min(loads):.0f} to {max(loads):.0f}. A quiet machine does better in the same
time.

{chr(10).join(table(rows, cubes(1000)))}

The widths of the beams were tuned on some of these cubes.

Proved optima, each with a bound equal to its length. States are the states examined; seconds are summed over all
threads.

{chr(10).join(proofs(rows))}

### Cube by cube

{chr(10).join(each(rows))}

`python experiments/deepcubea/rubik.py`
"""
    PAGE.write_text(page)


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--methods", nargs="+", choices=(*LIMITS, *EXACT), default=list(LIMITS))
    parser.add_argument("--seconds", nargs="*", default=[], metavar="METHOD=SECONDS")
    parser.add_argument("--optimum", type=int, default=18)
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        report(done())
        return
    limits: dict[str, float | None] = {**LIMITS, **dict.fromkeys(EXACT)}
    limits |= {name: float(value) for name, _, value in (one.partition("=") for one in options.seconds)}
    chosen = random_cubes(options.random) if options.random else cubes(options.count)
    known = {(row["cube"], row["method"], row["limit"], row.get("threads", 1)) for row in done()}
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    for method in options.methods:
        threads = 1 if method == "two-phase" else options.threads
        run(method, limits[method] and 1.0, threads, {"id": 0, "facelets_urfdlb": _near()})
        for cube in chosen:
            if method in EXACT and int(cube.get("optimal_len_qtm", 0)) > options.optimum:
                continue
            number = cube["id"] if options.random else int(cube["id"])
            if (number, method, limits[method], threads) not in known:
                row = run(method, limits[method], threads, cube)
                with RESULTS.open("a") as file:
                    file.write(json.dumps(row) + "\n")


def _near() -> str:
    """A cube a few moves from the goal, for compiling kernels and loading tables."""
    return generate(seed=1, moves=11)[0].facelets


if __name__ == "__main__":
    main()
