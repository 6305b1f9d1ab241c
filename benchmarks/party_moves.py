"""Speed and quality of what makes and moves parties: constructions, annealing, descents.

    python benchmarks/party_moves.py [--parts speed constructions synergy levels annealing] [--seeds 5] [--seconds 10]

- `speed`: constructions, annealing steps and items judged, descents and polished parties per second.
- `constructions`: share of constructions that are feasible, and their prices, for each way to choose and each bound.
- `synergy`: best synergy of 5000 constructions with and without guidance (figure 4 of the paper on the Party Building
  Puzzle).
- `levels`: share of constructions that meet a level, with the bound by slot and with the weak one.
- `annealing`: price and seconds to the last improvement of the annealing, for each seed.

Puzzles are the built-in ones and, if `MATHEUR_DATA` (or `../shared/data` beside the checkout) is there, formation f442
with the public card table of 2023. One core; the load of the machine is printed with the figures, and speeds are per
second of processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numba
import numpy as np

import matheur
from matheur.engine import Budget
from matheur.operators.party import move_kernels as kernels
from matheur.operators.party.annealing import Annealing
from matheur.operators.party.constructing import MATCH, MIXED, UNGUIDED, Guidance, construct_counted
from matheur.operators.party.moving import any_party, begin, puzzle_of, state_of, weights
from matheur.operators.party.polishing import polish
from matheur.operators.party.replace import Replace
from matheur.operators.party.swap import Swap
from matheur.operators.party.tables import Tables
from matheur.problems.party import Party
from matheur.problems.party.builtin import builtin
from matheur.problems.party.load import load

DATA = Path(os.environ.get("MATHEUR_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "assignment/sbc"
DEMANDS = ((75, "0.8"), (75, "0.9"), (80, "0.8"), (82, "0.6"), (84, "0.5"))
CONSTRUCTIONS = 2000


def squad(level: int | None, synergy: str, formation: str = "f442", cards: str = "cards_fifa23_10k.csv") -> Party:
    """A puzzle on a public card table: equality of club, league and country."""
    shape = next(
        one
        for one in json.loads((DATA / "formations_links.json").read_text())["formations"]
        if one["name"] == formation
    )
    positions = "positions" if "fc25" in cards else "position"
    puzzle = {
        "format": "matheur-party",
        "version": 1,
        "cards": str((DATA / cards).resolve()),
        "columns": {"id": "id", "price": "cost", "position": positions},
        "slots": [
            {"name": name, "accepts": [position]}
            for name, position in zip(shape["slots"], shape["position"], strict=True)
        ],
        "edges": [[shape["slots"][a], shape["slots"][b]] for a, b in shape["links"]],
        "synergy": {"terms": [{"column": name} for name in ("club", "league", "country")], "min": float(synergy)},
        "constraints": []
        if level is None
        else [{"type": "sum", "column": "rating", "op": ">=", "value": level * len(shape["slots"])}],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "puzzle.json"
        path.write_text(json.dumps(puzzle))
        return load(path)


def puzzles() -> Iterator[tuple[str, Party]]:
    """Names and puzzles."""
    if DATA.is_dir():
        for level, synergy in DEMANDS:
            yield f"f442 {level} / {synergy}", squad(level, synergy)
    for name in ("type1", "type2", "type3"):
        yield name, Party(builtin(name))


def made(problem: Party, guidance: Guidance, count: int, seed: int = 0) -> tuple[Any, Any, float]:
    """Parties, whether each is feasible, and the seconds of processor time; the first call compiles."""
    tables = Tables.of(problem.instance)
    empty = np.full((count, tables.slots), -1, dtype=np.int32)
    construct_counted(tables, empty[:1], np.random.default_rng(0), attempts=1, guidance=guidance)
    start = time.process_time()
    genomes, feasible, _ = construct_counted(tables, empty, np.random.default_rng(seed), attempts=1, guidance=guidance)
    return genomes, feasible, time.process_time() - start


def show_speed(options: argparse.Namespace) -> None:
    """Rates of the kernels."""
    for name, problem in puzzles():
        tables, rng = Tables.of(problem.instance), np.random.default_rng(0)
        genomes, feasible, seconds = made(problem, MIXED, CONSTRUCTIONS)
        state, puzzle = state_of(tables, rng), puzzle_of(tables)
        start = any_party(tables, rng)
        assert start is not None
        begin(state, puzzle, start, weights(tables, 1000.0))
        kernels.anneal(500.0, 1.0, 1, 0, 64, 4096, state, puzzle)
        judged, clock = int(state.sums[kernels.LOOKED]), time.process_time()
        kernels.anneal(500.0, 1 - 1e-4, 50_000, 0, 64, 4096, state, puzzle)
        spent = time.process_time() - clock
        judged = int(state.sums[kernels.LOOKED]) - judged
        print(
            f"{name:16} constructions {1e3 * seconds / CONSTRUCTIONS:6.3f} ms each, annealing {50 / spent:5.0f} k "
            f"steps/s = {judged / spent / 1e6:4.0f} M items/s",
            end="",
        )
        parties = genomes[feasible][:100]
        if len(parties):
            for move in (Replace(), Swap()):
                move.explore(problem, parties[0], Budget(), rng)
                clock = time.process_time()
                work = sum(move.explore(problem, party, Budget(), rng).work for party in parties)
                spent = time.process_time() - clock
                print(f", {type(move).__name__.lower()} {1e3 * spent / len(parties):.2f} ms ({work} scans)", end="")
            polish(tables, parties[:1], rng)
            clock = time.process_time()
            polish(tables, parties, rng)
            print(f", polish {1e3 * (time.process_time() - clock) / len(parties):.2f} ms", end="")
        print()


def show_constructions(options: argparse.Namespace) -> None:
    """Feasible constructions and their prices."""
    ways = {"mixed": MIXED, "mixed, weak bound": replace(MIXED, lookahead=False), "match": MATCH, "unguided": UNGUIDED}
    for name, problem in puzzles():
        tables = Tables.of(problem.instance)
        for way, guidance in ways.items():
            genomes, feasible, _ = made(problem, guidance, CONSTRUCTIONS)
            prices = [tables.price(genome) for genome in genomes[feasible]]
            shown = f"{min(prices):8d} {statistics.median(prices):10.0f}" if prices else f"{'-':>8} {'-':>10}"
            print(f"{name:16} {way:18} feasible {feasible.mean():7.2%}, least and median price {shown}")


def show_synergy(options: argparse.Namespace) -> None:
    """Figure 4: the best synergy of 5000 attempts, a level demanded and no synergy."""
    if not DATA.is_dir():
        return
    for level in (None, 75, 80, 84):
        problem = squad(level, "0")
        for way, guidance in (("guided", MIXED), ("match only", MATCH), ("unguided", UNGUIDED)):
            genomes, feasible, _ = made(problem, guidance, 5000)
            found = [float(problem.synergy(genome) or 0) for genome in genomes[feasible]]
            print(
                f"level {level or '-':>3} {way:11} best synergy of 5000 {max(found, default=0):.3f}, "
                f"mean {statistics.mean(found) if found else 0:.3f}, complete {feasible.mean():.1%}"
            )


def show_levels(options: argparse.Namespace) -> None:
    """Share of constructions that meet the level: the bound by slot against the weak one."""
    if not DATA.is_dir():
        return
    for level in (70, 75, 80, 84, 86):
        problem = squad(level, "0")
        rates = [made(problem, replace(UNGUIDED, lookahead=bound), CONSTRUCTIONS)[1].mean() for bound in (True, False)]
        print(f"level {level}: {rates[0]:7.2%} with the bound by slot, {rates[1]:7.2%} with the weak one")


def show_annealing(options: argparse.Namespace) -> None:
    """Prices, and processor seconds to the last improvement."""
    for name, problem in puzzles():
        prices, seconds, totals = [], [], []
        for seed in range(options.seeds):
            offers: list[float] = []
            clock = time.process_time()
            budget = Budget(
                seconds=options.seconds,
                on_incumbent=lambda *_, offers=offers, clock=clock: offers.append(time.process_time() - clock),
            )
            outcome = Annealing().build(problem, budget, np.random.default_rng(seed))
            prices.append(outcome.objective)
            seconds.append(offers[-1] if offers else float("nan"))
            totals.append(time.process_time() - clock)
        print(
            f"{name:16} {' '.join(str(price) for price in prices)}; last improvement after "
            f"{' '.join(f'{one:.2f}' for one in seconds)} s, ended after {statistics.median(totals):.1f} s"
        )


PARTS = {
    "speed": show_speed,
    "constructions": show_constructions,
    "synergy": show_synergy,
    "levels": show_levels,
    "annealing": show_annealing,
}


def main() -> None:
    """Print the parts that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    versions = f"matheur {matheur.__version__}, numba {numba.__version__}, numpy {np.__version__}"
    print(
        f"{datetime.now(UTC):%Y-%m-%d}, {versions}, Python {platform.python_version()}, {platform.machine()}, "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    )
    for part in options.parts:
        print(f"-- {part}")
        PARTS[part](options)


if __name__ == "__main__":
    main()
