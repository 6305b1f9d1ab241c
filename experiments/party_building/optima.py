"""Proved optima, or bounds, of squad-building puzzles, as references for the heuristics.

    python experiments/party_building/optima.py                            # the puzzles of PUZZLES, by branch and bound
    python experiments/party_building/optima.py --method highs --seconds 600 # a second proof by a MILP solver
    python experiments/party_building/optima.py --formation f433 --level 78 --synergy 0.7

Appends a JSON line for each puzzle and method to `results/optima.jsonl`. Existing lines are skipped, unless they hold
no proof and more seconds are given. The MILP methods search for parties below the best price in the file, if there is
one, as `--certify` does. Seconds are CPU seconds of the process and its children, so that other load matters little.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from puzzles import CARDS, FOLDER, write

from matheur.engine.budget import Budget
from matheur.methods.milp import SolverOptions, solve_model
from matheur.models.party import build
from matheur.problems.party import Party, load
from matheur.problems.party.operators.cheapest import find
from matheur.problems.party.operators.reduction import undominated
from matheur.solvers import MilpStatus

PUZZLES = (
    "75/0.8", "75/0.9", "80/0.6", "80/0.8", "80/0.9", "82/0.6", "82/0.8", "84/0.5", "84/0.6", "84/0.8", "84/0.9",
)  # fmt: skip
"""Mean level and synergy, of formation f442."""

Row = dict[str, Any]


def by_branch_and_bound(problem: Party, seconds: float, price: int | None) -> Row:
    """Lagrangian bounds, without an initial upper bound."""
    found = find(problem, Budget(seconds=seconds), None)
    status = "unknown" if found.price is None else "feasible"
    if found.complete:
        status = "infeasible" if found.price is None else "optimal"
    party = None if found.party is None else problem.encode(found.party)
    return {
        "status": status,
        "price": found.price,
        "bound": found.bound,
        "nodes": found.facts.get("subproblems"),
        "solution": party,
        "facts": dict(found.facts),
    }


def by_milp(problem: Party, solver: str, seconds: float, price: int | None) -> Row:
    """The whole model, without dominated candidates, below a known price."""
    budget = Budget(seconds=seconds)
    built = build(problem.instance, undominated(problem.instance), price_max=None if price is None else price - 1)
    answer = solve_model(
        built.model, SolverOptions(name=solver), budget, np.random.default_rng(0), absolute_gap=0.999 * built.step
    )
    row: Row = {"price": price, "bound": answer.bound, "nodes": answer.nodes, "below": price, "solution": None}
    if answer.has_solution:
        party = built.read(answer.values)
        row |= {"price": int(problem.evaluate(party).objective), "solution": problem.encode(party)}
    proved = answer.status in (MilpStatus.OPTIMAL, MilpStatus.INFEASIBLE)
    if proved:
        row["bound"] = row["price"]
    nothing = row["price"] is None
    row["status"] = ("infeasible" if nothing else "optimal") if proved else ("unknown" if nothing else "feasible")
    return row | {"facts": {"backend": answer.backend, "version": answer.version, "message": answer.message}}


def cpu_seconds() -> float:
    """CPU seconds of this process and its children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def rows(options: argparse.Namespace, done: list[Row]) -> Iterator[Row]:
    """Rows that are missing from the file, or not proved there."""
    with tempfile.TemporaryDirectory() as folder:
        for level, synergy in options.puzzles:
            key = {
                "cards": options.cards,
                "formation": options.formation,
                "level": str(level),
                "synergy": str(synergy),
            }
            known = [row for row in done if all(row[name] == value for name, value in key.items())]
            mine = [row for row in known if row["method"] == options.method]
            if any(row["status"] in ("optimal", "infeasible") or row["limit"] >= options.seconds for row in mine):
                continue
            path = write(Path(folder), options.formation, level, synergy, cards=options.cards, folder=options.data)
            problem = load(path)
            price = min((row["price"] for row in known if row["price"] is not None), default=None)
            before = cpu_seconds()
            if options.method == "branch-and-bound":
                row = by_branch_and_bound(problem, options.seconds, price)
            else:
                row = by_milp(problem, options.method, options.seconds, price)
            seconds = round(cpu_seconds() - before, 1)
            yield {**key, "method": options.method, "limit": options.seconds, "cpu_seconds": seconds, **row}


def read(path: Path) -> list[Row]:
    """Rows of the file; none if it is missing."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> None:
    """Make the requested proofs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", choices=["branch-and-bound", "highs", "scip"], default="branch-and-bound")
    parser.add_argument("--cards", choices=list(CARDS), default="fifa23")
    parser.add_argument("--formation", default="f442")
    parser.add_argument("--level", type=Decimal)
    parser.add_argument("--synergy", type=Decimal)
    parser.add_argument("--seconds", type=float, default=600.0, help="limit of each puzzle, by the clock")
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the public tables")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "optima.jsonl")
    options = parser.parse_args()
    pairs = [tuple(map(Decimal, one.split("/"))) for one in PUZZLES]
    if options.level is not None or options.synergy is not None:
        levels = sorted({level for level, _ in pairs}) if options.level is None else [options.level]
        shares = sorted({share for _, share in pairs}) if options.synergy is None else [options.synergy]
        pairs = [(level, share) for level in levels for share in shares]
    options.puzzles = pairs
    options.out.parent.mkdir(parents=True, exist_ok=True)
    done = read(options.out)
    with options.out.open("a") as file:
        for row in rows(options, done):
            file.write(json.dumps(row) + "\n")
            file.flush()
            shown = ("formation", "level", "synergy", "method", "status", "price", "bound", "nodes", "cpu_seconds")
            print(" ".join(f"{name}={row[name]}" for name in shown), flush=True)


if __name__ == "__main__":
    main()
