"""Gains of windows on evolved or learnt plans, compared with searching from scratch, on the published cubical puzzles.

    python experiments/cubical_puzzle/plan_windows.py [--planner q-learning] [--seeds 10] [--out FILE.md]
        [--instances d4-k3-level4 ...]

For each puzzle: optimum; share of seeds in which the paper's planner (with its parameters) finds a plan, with its
median length and seconds; median length and seconds after `shortcut` alone, `window` alone, and both in a descent, from
the same plans; moves gained per second by both; share of those plans proved optimal; and the seconds to the proof of
A*, bidirectional search, and the default preset. Seconds are CPU seconds of this process after kernels are compiled.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import matheur
from matheur.problems.cubical import BUILTINS, Cubical, builtin

PURE = ("astar", "bidirectional")
PLANNERS = ("evolution", "q-learning")
CHAINS: dict[str, list[str]] = {"shortcut": ["shortcut"], "window": ["window"], "both": ["shortcut", "window"]}
DEFAULT = [name for name in BUILTINS if name != "demo" and name[:2] in ("d4", "d5")]


def planner_of(name: str, problem: Cubical) -> dict[str, Any]:
    """Settings of a planner of the paper; Q-learning as its authors ran it."""
    if name == "evolution":
        return {"preset": "paper"}
    ball = 100 if problem.instance.dimension < 5 else 100_000
    settings = ["construction.variant=repository", f"construction.ball={ball}"]
    return {"construction": "q-learning", "settings": settings, "neighbourhoods": []}


def timed(problem: Cubical, **settings: Any) -> tuple[matheur.Result, float]:
    """Make a run; return it with its CPU seconds."""
    begin = time.process_time()
    result = matheur.solve(problem, **settings)
    return result, time.process_time() - begin


def middle(values: Sequence[float], form: str) -> str:
    """Median, or a dash."""
    return format(median(values), form) if values else "-"


def row(name: str, planner: str, seeds: int, seconds: float) -> str:
    """One line of the table."""
    problem = Cubical(builtin(name))
    pure = [timed(problem, construction=one, neighbourhoods=[], seconds=seconds) for one in PURE]
    pure.append(timed(problem, seconds=seconds))
    optimum = pure[0][0].objective if pure[0][0].status == "optimal" else None
    lengths: list[float] = []
    spent: list[float] = []
    after: dict[str, list[tuple[float, float, bool]]] = {chain: [] for chain in CHAINS}
    for seed in range(seeds):
        evolved, took = timed(problem, **planner_of(planner, problem), seed=seed, seconds=seconds)
        if evolved.objective is None:
            continue
        lengths.append(evolved.objective)
        spent.append(took)
        for chain, names in CHAINS.items():
            better, took = timed(
                problem, start=evolved.solution, neighbourhoods=names, schedule="descent", seed=seed, seconds=seconds,
                settings=["restart_after=none"],
            )  # fmt: skip
            assert better.objective is not None
            after[chain].append((better.objective, took, better.status == "optimal"))
    gains = [(before - now, took) for before, (now, took, _) in zip(lengths, after["both"], strict=True)]
    rate = sum(gain for gain, _ in gains) / max(1e-9, sum(took for _, took in gains))
    cells = [
        name,
        str(optimum),
        f"{len(lengths)}/{seeds}",
        middle(lengths, "g"),
        middle(spent, ".2f"),
        *(
            f"{middle([one for one, _, _ in runs], 'g')} ({middle([took for _, took, _ in runs], '.3f')})"
            for runs in after.values()
        ),
        f"{rate:.0f}" if gains else "-",
        f"{sum(proved for _, _, proved in after['both'])}/{len(lengths)}",
        *(f"{took:.3f}" if result.status == "optimal" else f"> {took:.1f}" for result, took in pure),
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--instances", nargs="+", default=DEFAULT, choices=list(BUILTINS), metavar="NAME")
    parser.add_argument("--planner", choices=PLANNERS, default="evolution")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", type=Path, help="write the table to this file, too")
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    warm = Cubical(builtin("d3-k1-level2"))
    for chain in CHAINS.values():
        plan = matheur.solve(warm, **planner_of(arguments.planner, warm), seconds=20).solution
        matheur.solve(warm, start=plan, neighbourhoods=chain, seconds=5)
    for one in (*PURE, "beam"):
        matheur.solve(warm, construction=one, neighbourhoods=[], seconds=5)
    head = ["puzzle", "optimum", "found", arguments.planner, "s", *(f"+ {chain} (s)" for chain in CHAINS)]
    head += ["moves/s", "proved", "A* s", "both ends s", "default s"]
    about = f"{datetime.now(UTC):%Y-%m-%d}; {platform.platform()}, Python {platform.python_version()}; "
    lines = [about + f"{arguments.seeds} seeds.", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    print("\n".join(lines))
    for name in arguments.instances:
        lines.append(row(name, arguments.planner, arguments.seeds, arguments.seconds))
        print(lines[-1], flush=True)
    if arguments.out is not None:
        arguments.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
