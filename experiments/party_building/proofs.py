"""Solve party puzzles by the default preset until the proof; one JSON line per run.

    python experiments/party_building/proofs.py               # the six puzzles on 10,001 cards, 5 seeds, 120 s
    python experiments/party_building/proofs.py --builtin type1 type2 type3 --seeds 3
    python experiments/party_building/proofs.py --seeds 0     # only the constructions
    python experiments/party_building/proofs.py --report      # docs/results-party.md

Lines are appended to `results/runs.jsonl`; existing runs are not repeated. Kernels are compiled beforehand. The
reference prices are the best of a simulated annealing of 4 million moves that came with the data.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import tempfile
import time
from collections import defaultdict
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from puzzles import write

import matheur
from matheur.problems.party import Party, builtin, load
from matheur.problems.party.operators.constructing import MATCH, MIXED, construct
from matheur.problems.party.operators.tables import Tables
from matheur.running.result import versions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "runs.jsonl"
PAGE = HERE.parents[1] / "docs" / "results-party.md"
REFERENCE = {"75-0.8": 6950, "75-0.9": 7550, "80-0.8": 9000, "82-0.6": 12750, "84-0.5": 63300, "84-0.8": None}
SECONDS = {"84-0.8": 400.0}
Row = dict[str, Any]
HEAD = """# Results: party building

Written by `experiments/party_building/proofs.py --report` from the rows in `experiments/party_building/results/`.
The puzzles have the formation f442 and the public table of 10,001 cards. The synergy is the mean equality of club,
league and country over 17 edges. Runs use the default preset on one core of a shared machine. *Reference* is the best
price of a simulated annealing of 4 million moves. Proofs are by branch and bound with Lagrangian bounds (by HiGHS for
an infeasible puzzle); prices are multiples of 50 coins. Seconds are medians over the seeds.

| level, synergy | reference | prices | in 10 s | reference after | found after | proved after | bound | seeds |
| --- | ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |""".splitlines()
TYPES = ("type1", "type2", "type3")
CONSTRUCTIONS = {
    "constructions": [
        "Our construction (`mixed`) without a synergy demand, 2,000 attempts each:",
        "",
        "| | feasible | milliseconds for an attempt |",
        "| --- | ---: | ---: |",
    ],
    "constructions with synergy": [
        "Constructions with all demands, including the synergy, 5,000 attempts each. The paper reports about 10 s per",
        "solution on average, on its own table and machine. The comparable rows are those of `match`, its own method.",
        "",
        "| | feasible | milliseconds for a feasible party |",
        "| --- | ---: | ---: |",
    ],
}
FIGURE4 = """## Synergy with and without guidance (figure 4 of the paper)

5,000 attempts each with all linear demands and no synergy demand (`figure4.py`). The last columns give the share of
the parties whose synergy lies in each tenth. `unguided` takes a random item of the filtered candidates, `match` is the
paper's guidance, and `mixed` is ours. The paper reports 0.35 as the largest synergy without guidance, on a puzzle that
it does not name.

![histograms of the synergy](../experiments/party_building/results/figure4.svg)
""".splitlines()


def rows() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def problem(name: str, folder: Path) -> Party:
    """A puzzle by level and synergy, or a built-in one."""
    if name in REFERENCE:
        level, synergy = name.split("-")
        return load(write(folder, "f442", Decimal(level), Decimal(synergy)))
    return Party(builtin(name))


def run(name: str, seed: int, seconds: float, folder: Path) -> Row:
    """Make one run of the default preset."""
    puzzle = problem(name, folder)
    incumbents: list[tuple[float, int]] = []
    bounds: list[tuple[float, int]] = []

    def watch(event: dict[str, Any]) -> None:
        if event["event"] == "incumbent":
            incumbents.append((round(event["seconds"], 2), event["objective"]))
        if event["event"] == "bound":
            bounds.append((round(event["seconds"], 2), event["bound"]))

    result = matheur.solve(puzzle, seconds=seconds, seed=seed, observers=[watch])
    reference = REFERENCE.get(name)
    reached = [at for at, price in incumbents if reference is not None and price <= reference]
    at_ten = [price for at, price in incumbents if at <= 10]
    return {
        "puzzle": name,
        "seed": seed,
        "limit": seconds,
        "status": result.status,
        "price": result.objective,
        "bound": result.bound,
        "reason": result.reason,
        "seconds": round(result.seconds, 2),
        "found_at": incumbents[-1][0] if incumbents else None,
        "reference_at": reached[0] if reached else None,
        "price_at_10": at_ten[-1] if at_ten else None,
        "incumbents": incumbents,
        "bounds": bounds,
        "versions": versions(),
        "machine": platform.machine(),
        "load": round(os.getloadavg()[0], 1),
        "date": str(date.today()),
    }


def constructions(folder: Path) -> Row:
    """Milliseconds per construction, and share of feasible parties without a synergy demand, at levels 75 and 84."""
    found: Row = {"puzzle": "constructions", "seed": 0, "limit": 0}
    for name in ("75-0.8", "84-0.5"):
        one = problem(name, folder).instance
        instance = replace(one, synergy=None)
        tables = Tables.of(instance)
        empty = np.full((2000, len(instance.slots)), -1, dtype=np.int32)
        rng = np.random.default_rng(0)
        for lookahead in (True, False):
            guidance = replace(MIXED, lookahead=lookahead)
            construct(tables, empty[:10], rng, attempts=1, guidance=guidance)
            begun = time.process_time()
            _, feasible = construct(tables, empty, rng, attempts=1, guidance=guidance)
            title = f"level {name[:2]}, {'look-ahead by slot' if lookahead else 'weak bound'}"
            found[title] = {
                "feasible": float(feasible.mean()),
                "milliseconds": round(1000 * (time.process_time() - begun) / len(empty), 4),
            }
    return {**found, "versions": versions(), "date": str(date.today())}


def with_synergy() -> Row:
    """Share of feasible parties that Algorithm 1 makes of a puzzle, synergy included, and CPU time per feasible one."""
    found: Row = {"puzzle": "constructions with synergy", "seed": 0, "limit": 0}
    for name in TYPES:
        tables = Tables.of(builtin(name))
        empty = np.full((5000, tables.slots), -1, dtype=np.int32)
        for way, guidance in (("match", MATCH), ("mixed", MIXED)):
            construct(tables, empty[:10], np.random.default_rng(0), attempts=1, guidance=guidance)
            begun = time.process_time()
            _, feasible = construct(tables, empty, np.random.default_rng(0), attempts=1, guidance=guidance)
            spent = time.process_time() - begun
            found[f"{name}, `{way}`"] = {
                "feasible": float(feasible.mean()),
                "milliseconds": round(1000 * spent / max(1, int(feasible.sum())), 3),
            }
    return {**found, "versions": versions(), "date": str(date.today())}


def report() -> str:
    """Lines of the page."""
    by_puzzle: dict[str, list[Row]] = defaultdict(list)
    for row in rows():
        by_puzzle[row["puzzle"]].append(row)
    lines = [*HEAD]
    for name, reference in REFERENCE.items():
        runs = by_puzzle.get(name, [])
        if runs:
            lines.append(_line(name, reference, runs))
    lines += ["", "Built-in puzzles of the paper's three types on 10,000 generated cards:", ""]
    lines += [
        "| puzzle | price (all seeds) | found after | proved after | bound | seeds |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    for name in TYPES:
        runs = by_puzzle.get(name, [])
        if runs:
            parts = _line(name, None, runs).split(" | ")
            lines.append(" | ".join([parts[0], parts[2], *parts[5:]]))
    for kind, told in CONSTRUCTIONS.items():
        made = by_puzzle.get(kind, [])
        if made:
            lines += ["", *told]
            for name, figures in made[-1].items():
                if isinstance(figures, dict) and "feasible" in figures:
                    lines.append(f"| {name} | {100 * figures['feasible']:.1f} % | {figures['milliseconds']:.2f} |")
    if (RESULTS.parent / "figure4-bench.md").exists():
        lines += ["", *FIGURE4, "", *(RESULTS.parent / "figure4-bench.md").read_text().strip().splitlines()[2:]]
    for extra in ("peers.md", "figure5.md", "fronts.md"):
        path = RESULTS.parent / extra
        if path.exists():
            # The addresses of the pictures are relative to the part, not to the page.
            folder = f"../{path.parent.relative_to(PAGE.parents[1])}/"
            lines += ["", re.sub(r"\]\((?=[\w-]+\.svg\))", f"]({folder}", path.read_text().strip())]
    dates = sorted({row["date"] for row in rows()})
    lines += ["", f"Dates: {', '.join(dates)}."]
    return "\n".join(lines) + "\n"


def _median(values: list[float | None], many: int) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    text = f"{statistics.median(known):.1f} s"
    return text if len(known) == many else f"{text} ({len(known)} of {many})"


def _line(name: str, reference: int | None, runs: list[Row]) -> str:
    prices = sorted({run["price"] for run in runs if run["price"] is not None})
    ten = sorted({run["price_at_10"] for run in runs if run["price_at_10"] is not None})
    proved = [run["seconds"] if run["status"] in ("optimal", "infeasible") else None for run in runs]
    infeasible = any(run["status"] == "infeasible" for run in runs)
    bounds = [run["bound"] for run in runs if run["bound"] is not None]
    cells = [
        name.replace("-", ", "),
        "" if reference is None else f"{reference}",
        "none exists (proved)" if infeasible else " ".join(map(str, prices)) or "-",
        " ".join(map(str, ten)) or "-",
        _median([run["reference_at"] for run in runs], len(runs)),
        _median([run["found_at"] for run in runs], len(runs)),
        _median(proved, len(runs)),
        "" if infeasible or not bounds else f"{max(bounds)}",
        str(len(runs)),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Make the missing runs, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--puzzles", nargs="+", default=list(REFERENCE), help="LEVEL-SYNERGY")
    parser.add_argument("--builtin", nargs="+", default=[])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if options.report:
        PAGE.write_text(report())
        return
    RESULTS.parent.mkdir(exist_ok=True)
    done = {(row["puzzle"], row["seed"]) for row in rows()}
    matheur.solve("party/demo", seconds=5)
    with tempfile.TemporaryDirectory() as folder:
        jobs = [(name, seed) for seed in range(options.seeds) for name in (options.builtin or options.puzzles)]
        if ("constructions", 0) not in done:
            _keep(constructions(Path(folder)))
        if ("constructions with synergy", 0) not in done:
            _keep(with_synergy())
        for name, seed in jobs:
            if (name, seed) not in done:
                _keep(run(name, seed, SECONDS.get(name, options.seconds), Path(folder)))


def _keep(row: Row) -> None:
    """Append a row, and print its main values."""
    with RESULTS.open("a") as file:
        file.write(json.dumps(row) + "\n")
    shown = {key: row.get(key) for key in ("puzzle", "seed", "status", "price", "bound", "seconds", "found_at")}
    print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
