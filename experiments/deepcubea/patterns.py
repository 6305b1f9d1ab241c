"""Move patterns in plans of cubes, and plans of mirrored cubes (Figure 4 of Agostinelli et al. 2019).

    python experiments/deepcubea/patterns.py --size smoke    # eight near cubes, solved exactly
    python experiments/deepcubea/patterns.py --size bench    # stored plans of the set; 10 cubes and their mirror images
    python experiments/deepcubea/patterns.py --size full     # 1,000 cubes and their mirror images: about 6 CPU hours

Shares of the triplets a b a^-1 (conjugates), a b a, a a b and a b b among all triplets of successive moves, where b is
neither a nor its inverse; and the number of plans of mirrored cubes (left to right) that are the mirrored plans of the
cubes. `bench` and `full` read the paper's test set from `MATHEUR_DATA` or `../shared/data` next to the checkout, with
the plans of an optimal solver (Rokicki's), and our plans of `results/rubik.jsonl`. Fresh plans of `bench` and `full`
are appended to `results/patterns.jsonl`, so that an interrupted run can be continued; a plan depends only on the
method, which uses no clock. The report is `results/patterns-SIZE.md`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from rubik import RESULTS, cubes

from matheur.engine.budget import Budget
from matheur.problems.plans.exact import IdaStar
from matheur.problems.rubik import MOVES, Instance, Rubik, facelets_of, generate, parse_moves
from matheur.problems.rubik.cubies import Cubies
from matheur.problems.rubik.operators.guided_beam import GuidedBeam
from matheur.problems.rubik.operators.two_phase import TwoPhase
from matheur.problems.rubik.search.pieces import state_of, symmetries

HERE = Path(__file__).resolve().parent
PLANS = HERE / "results" / "patterns.jsonl"
PATTERNS = ("a b a^-1", "a b a", "a a b", "a b b")
PAPER = {
    "DeepCubeA, printed": (13.11, 8.86, 4.96, 4.92, 58.30, 69.54),
    "optimal solver, printed": (9.15, 9.63, 5.30, 5.35, 74.50, None),
}
"""Shares of the patterns; of mirrored plans; of equal lengths among the others."""


@dataclass(frozen=True)
class Method:
    """A construction that reproduces its plans: without a clock, limited by its work or a width."""

    operator: Any
    work: int | None


METHODS = {
    "two-phase": Method(TwoPhase(), 10_000_000),
    "guided-beam": Method(GuidedBeam(width=1 << 18, width_max=1 << 18), None),
    "ida-star": Method(IdaStar(), None),
}


def mirror() -> int:
    """Number of the symmetry that mirrors a cube left to right."""
    wanted = {"U": "U'", "R": "L'", "F": "F'"}
    moves = symmetries().move
    return next(
        k for k in range(len(moves)) if all(MOVES[moves[k, MOVES.index(one)]] == other for one, other in wanted.items())
    )


def mirrored_plan(plan: Iterable[int]) -> list[int]:
    """Plan that solves the mirrored cube."""
    return [int(symmetries().move[mirror(), move]) for move in plan]


def mirrored(cube: Instance) -> Instance:
    """Cube as shown by a mirror on its left."""
    known, k, state = symmetries(), mirror(), state_of(cube.cubies)
    image = np.empty(20, dtype=np.int64)
    image[known.place[k]] = known.value[k, np.arange(20), state]
    corners, edges = image[:8], image[8:]
    pieces = (corners // 3, corners % 3, edges // 2, edges % 2)
    return Instance(facelets_of(Cubies(*(tuple(part.tolist()) for part in pieces))), cube.metric)


def triplets(plans: Iterable[Sequence[int]]) -> tuple[list[float], int]:
    """Percentage of each of `PATTERNS` among all triplets, and the number of triplets; quarter turns only."""
    counts, many = np.zeros(len(PATTERNS), dtype=np.int64), 0
    for plan in plans:
        for a, b, c in zip(plan, plan[1:], plan[2:], strict=False):
            many += 1
            counts += (
                b // 2 != a // 2 and c == a ^ 1,
                b // 2 != a // 2 and c == a,
                a == b and c // 2 != a // 2,
                b // 2 != a // 2 and c == b,
            )
    return (100 * counts / max(1, many)).tolist(), many


def plan_of(method: str, cube: Instance) -> list[int]:
    """Plan in quarter turns."""
    chosen, problem = METHODS[method], Rubik(cube)
    outcome = chosen.operator.build(problem, Budget(work=chosen.work), np.random.default_rng(0))
    if outcome.solution is None or not problem.evaluate(outcome.solution).feasible:
        raise RuntimeError(f"no plan by {method}")
    return np.asarray(outcome.solution).tolist()


def kept_plans() -> dict[tuple[str, int, str, bool], list[int]]:
    """Stored plans by method, its work, facelets, and whether the cube is a mirror image."""
    rows = [json.loads(line) for line in PLANS.read_text().splitlines()] if PLANS.exists() else []
    return {(row["method"], row["work"], row["cube"], row["mirrored"]): parse_moves(row["plan"]) for row in rows}


def pairs(method: str, cubes_: Sequence[Instance], *, keep: bool) -> list[tuple[list[int], list[int]]]:
    """Plans of cubes and of their mirror images."""
    there, found = kept_plans() if keep else {}, []
    for cube in cubes_:
        plans = []
        for other in (False, True):
            key = (method, METHODS[method].work or 0, cube.facelets, other)
            if key not in there:
                there[key] = plan_of(method, mirrored(cube) if other else cube)
                row = dict(zip(("method", "work", "cube", "mirrored"), key, strict=True))
                if keep:
                    with PLANS.open("a") as file:
                        file.write(json.dumps({**row, "plan": " ".join(MOVES[move] for move in there[key])}) + "\n")
            plans.append(there[key])
        found.append((plans[0], plans[1]))
    return found


def settled(plan: Sequence[int]) -> list[int]:
    """Plan with the commuting turns about one axis in the order of their numbers; quarter turns only."""
    return [move for _, turns in groupby(plan, lambda move: move // 4) for move in sorted(turns)]


def symmetric(found: Sequence[tuple[list[int], list[int]]]) -> tuple[float, float | None]:
    """Percentage of mirror-image plans that are the mirrored plans; of the others, percentage with the same length.

    Turns of opposite faces may be in any order.
    """
    others = [(one, other) for one, other in found if settled(mirrored_plan(one)) != settled(other)]
    same = [len(one) == len(other) for one, other in others]
    return 100 * (1 - len(others) / len(found)), 100 * float(np.mean(same)) if same else None


def line(name: str, plans: int | None, shares: Sequence[float], mirror_: Sequence[float | None] = (None, None)) -> str:
    """Row of the table."""
    cells = [name, "" if plans is None else f"{plans:,}"]
    return " | ".join([*cells, *("-" if one is None else f"{one:.2f}" for one in (*shares, *mirror_))])


def stored() -> list[str]:
    """Rows of stored plans: of the optimal solver for the whole set, and of our methods for its first cubes."""
    optimal = [parse_moves(row["optimal_solution"]) for row in cubes(1000)]
    lines = [line("optimal solver, its stored plans", len(optimal), triplets(optimal)[0])]
    rows = [json.loads(text) for text in RESULTS.read_text().splitlines()]
    for method in ("guided-beam", "guided-beam-learnt", "two-phase"):
        plans = [parse_moves(row["plan"]) for row in rows if row["method"] == method and row.get("plan")]
        if plans:
            lines.append(line(f"`{method}`, plans of `rubik.py`", len(plans), triplets(plans)[0]))
    return lines


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("smoke", "bench", "full"), default="smoke")
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS), help="for fresh plans")
    parser.add_argument("--count", type=int, help="cubes with their mirror images")
    given = parser.parse_args()
    smoke = given.size == "smoke"
    count = given.count or {"smoke": 8, "bench": 10, "full": 1000}[given.size]
    methods = given.methods or (["ida-star"] if smoke else ["two-phase", "guided-beam"])
    if smoke:
        set_ = [generate(seed=seed, moves=10)[0] for seed in range(count)]
    else:
        set_ = [Instance(row["facelets_urfdlb"]) for row in cubes(count)]
    lines = [line(name, None, values[:4], values[4:]) for name, values in PAPER.items()]
    lines += [] if smoke else stored()
    for method in methods:
        found = pairs(method, set_, keep=not smoke)
        shares = triplets([plan for one in found for plan in one])[0]
        lines.append(line(f"`{method}`, cubes and mirror images", 2 * len(found), shares, symmetric(found)))
    heads = ["plans of", "plans", *PATTERNS, "mirrored plan", "else same length"]
    table = [
        "| " + " | ".join(heads) + " |",
        "| --- |" + " ---: |" * (len(heads) - 1),
        *(f"| {one} |" for one in lines),
    ]
    text = "Per cent of all triplets of moves; per cent of mirrored cubes.\n\n" + "\n".join(table) + "\n"
    print(text)
    if not smoke:
        (HERE / "results" / f"patterns-{given.size}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
