"""Solve every instance of the paper exactly: optimum, proof, and a second proof by another search.

    python experiments/cubical_puzzle/exact.py --methods bidirectional,astar,bfs,ida-star

Each method solves every built-in puzzle in a process that has warmed up on another one; `--certify` proves each optimum
a second time. If `MATHEUR_DATA` (or `../shared/data` next to the checkout) exists, optima and distance distributions
are compared with the public ones. Rows are written to `results/exact.jsonl`, one JSON line per run; a wrong result ends
the script.
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

import matheur
from matheur.engine.files import write_atomic
from matheur.methods.statespace.breadth_first import distance_distribution
from matheur.problems.cubical import BUILTINS
from matheur.problems.cubical.domain import CubicalDomain
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("MATHEUR_DATA", HERE.parents[2] / "shared" / "data")) / "state_space"


def reference() -> dict[str, str]:
    """Public optima by the name of the built-in puzzle; empty if the data are missing."""
    if not DATA.is_dir():
        return {}
    rows = csv.DictReader((DATA / "cubic_instances.csv").open())
    levels = [(row, row["level"] if row["level"].startswith("row") else f"level{row['level']}") for row in rows]
    return {f"d{row['d']}-k{row['k']}-{level}": row["exact_optimal_len"] for row, level in levels}


def solved(name: str, method: str, certify: bool) -> dict[str, Any]:
    """Solve one puzzle by one method."""
    began = time.perf_counter()
    result = matheur.solve(f"cubical/{name}", construction=method, neighbourhoods=[], seconds=600, certify=certify)
    seconds = time.perf_counter() - began
    certificate = dict(result.certificate or {})
    second = certificate.get("second", {})
    return {
        "instance": name,
        "method": method,
        "status": result.status,
        "moves": None if result.objective is None else int(result.objective),
        "bound": result.bound,
        "reason": result.reason,
        "seconds": round(seconds, 4),
        "expanded": certificate.get("expanded"),
        "memory": certificate.get("memory"),
        "second_proof": second.get("method") or second.get("backend"),
        "plan": None if result.solution is None else result.problem.encode(result.solution),
    }


def compare_distributions() -> int:
    """Check every complete distribution of the public file; return the number of compared components."""
    components: dict[tuple[int, int, str], list[int]] = {}
    for row in csv.DictReader((DATA / "cubic_distance_distribution.csv").open()):
        components.setdefault((int(row["d"]), int(row["k"]), row["target"]), []).append(int(row["states"]))
    for (d, k, target), states in components.items():
        goal = [int(vertex) for vertex in target.split()]
        began = time.perf_counter()
        found = distance_distribution(CubicalDomain(d, k, goal, goal), memory=1 << 30)
        if np.asarray(found.counts).tolist() != states:
            raise SystemExit(f"another distribution for d={d} k={k}: {np.asarray(found.counts).tolist()}")
        print(f"distances d={d} k={k}: {sum(states):,} states in {time.perf_counter() - began:.2f} s, as published")
    return len(components)


def main() -> None:
    """Run, compare and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="bidirectional,astar,bfs,ida-star")
    parser.add_argument("--certify", action="store_true", help="prove each optimum a second time")
    parser.add_argument("--distributions", action="store_true", help="compare the public distance distributions, too")
    given = parser.parse_args()
    known = reference()
    about = {"date": date.today().isoformat(), "machine": f"{os.cpu_count()} cores, {platform.machine()}"}
    about["versions"] = versions()
    lines = []
    for method in given.methods.split(","):
        solved("d3-k2-level0", method, given.certify)  # compiles
        solved("d5-k3-level0", method, given.certify)
        for name in BUILTINS:
            if name == "demo":
                continue
            row = solved(name, method, given.certify)
            mine = "unreachable" if row["status"] == "infeasible" else str(row["moves"])
            if row["status"] not in ("optimal", "infeasible") or known.get(name, mine) != mine:
                raise SystemExit(f"{name} by {method}: {row}, published {known.get(name)}")
            print(f"{method:14} {name:14} {mine:>12} {row['seconds']:8.3f} s  {row['expanded'] or 0:>11,} expanded")
            lines.append(json.dumps({**row, "published": known.get(name), **about}))
    write_atomic(HERE / "results" / "exact.jsonl", ("\n".join(lines) + "\n").encode())
    if given.distributions and DATA.is_dir():
        compare_distributions()


if __name__ == "__main__":
    main()
