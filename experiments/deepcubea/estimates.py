"""Estimates of a network by scramble depth, compared with exact distances (Figure 3 of Agostinelli et al. 2019).

    python experiments/deepcubea/estimates.py --size smoke     # the cube, up to 8 turns, 30 cubes each
    python experiments/deepcubea/estimates.py --size bench     # up to 15 turns, 40 cubes each
    python experiments/deepcubea/estimates.py --size full      # 100,000 cubes of 1 to 30 turns: about 350 CPU hours
    python experiments/deepcubea/estimates.py --puzzle sliding-tile/4x4 --deepest 40
    python experiments/deepcubea/estimates.py --networks a.npz b.npz   # such as after 1,000 and 100,000 steps

For each depth: the share of states that greedy steps by the network solve, its mean estimate, and the mean true
distance, proved by an exact search. Over all states: the number of estimates that do not exceed the distance, the
number that exceed it by at most one, and the mean excess (the paper's overestimation count). Without `--networks`, the
script uses the network of distances that comes with matheur; several networks of one training give the curves of the
figure.

States are ends of random walks from the goal that never undo the last move. Distances of `bench` and `full` are stored
in `results/distances.jsonl`, block by block, so that an interrupted run can be continued. `full` proves those of the
cube with the large table (845 MB, see `rubik.py`). The report is `results/estimates-SIZE.md`.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.errors import MatheurError
from matheur.methods.learning import Model, Use, read_model, shipped_model
from matheur.methods.learning.labelling import LabellingOptions, exact_search
from matheur.methods.learning.measuring import greedy_solved
from matheur.methods.learning.sampling import walks
from matheur.methods.learning.use import outputs_by_key
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.running.loading import load_instance

HERE = Path(__file__).resolve().parent
DISTANCES = HERE / "results" / "distances.jsonl"
BLOCK = 20
"""States of a line of the file."""
PAPER = {"not too large": 66.8, "too large by at most 1": 97.4, "mean excess": 0.24}

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Size:
    """Depths 1 to `deepest`, number of states of each, and the heuristic of the exact search."""

    deepest: int
    states: int
    heuristic: str = "auto"


SIZES = {"smoke": Size(8, 30), "bench": Size(15, 40), "full": Size(30, 3340, "large")}


@dataclass(frozen=True)
class Sample:
    """States of one depth with their distances."""

    depth: int
    keys: Keys
    distances: NDArray[np.int64]


def kept_distances() -> dict[tuple[str, int, int], list[int]]:
    """Stored distances by fingerprint and goal, depth, and number of the block."""
    rows = [json.loads(line) for line in DISTANCES.read_text().splitlines()] if DISTANCES.exists() else []
    return {(row["domain"], row["depth"], row["block"]): row["distances"] for row in rows}


def samples(domain: Domain, size: Size, *, keep: bool) -> list[Sample]:
    """States of all depths; the same in every call."""
    there = kept_distances() if keep else {}
    search = exact_search(domain, LabellingOptions(heuristic=size.heuristic, memory=1 << 32))
    found = []
    for depth in range(1, size.deepest + 1):
        keys, distances = [], []
        for block in range(-(-size.states // BLOCK)):
            drawn = walks(domain, BLOCK, depth, np.random.default_rng([depth, block]))
            ends = drawn.keys[drawn.steps == depth]
            name = (domain.fingerprint, depth, block)
            if name not in there:
                there[name] = [_distance(search, state) for state in domain.packing.unpack(ends)]
                if keep:
                    row = {"domain": name[0], "depth": depth, "block": block, "distances": there[name]}
                    with DISTANCES.open("a") as file:
                        file.write(json.dumps(row) + "\n")
            keys.append(ends)
            distances += there[name]
        found.append(
            Sample(depth, np.concatenate(keys)[: size.states], np.array(distances[: size.states], dtype=np.int64))
        )
    return found


def _distance(search: Any, state: NDArray[np.uint8]) -> int:
    answer = search(state, Budget())
    if not answer.proved:
        raise RuntimeError("an exact search has ended without a proof (memory?)")
    return int(answer.cost)


def report(name: str, model: Model, domain: Domain, found: list[Sample]) -> str:
    """Tables of a network."""
    evaluate, pack = outputs_by_key(model, domain, Use(cache=0)), domain.packing.pack
    lines = [
        f"Network `{name}`, {model.parameters:,} parameters, {domain.name}:\n",
        "| depth | states | solved greedily, per cent | mean estimate | mean distance |",
        "| ---: | ---: | ---: | ---: | ---: |",
    ]
    excess = []
    for one in found:
        estimates = evaluate(one.keys)[:, 0].astype(np.float64)
        estimates[domain.is_goal(one.keys)] = 0.0
        excess.append(estimates - one.distances)
        steps = 2 * one.depth + 10
        solved = greedy_solved(domain, one.keys, lambda states: evaluate(pack(states)), steps)
        lines.append(
            f"| {one.depth} | {len(one.keys):,} | {100 * solved:.1f} | {estimates.mean():.2f} |"
            f" {one.distances.mean():.2f} |"
        )
    over = np.concatenate(excess)
    values = (100 * (over <= 0).mean(), 100 * (over <= 1).mean(), np.maximum(over, 0).mean())
    said = ", ".join(f"{what} {one:.2f}" for what, one in zip(PAPER, values, strict=True))
    printed = ", ".join(f"{what} {one:g}" for what, one in PAPER.items())
    lines.append(
        f"\nOf {len(over):,} estimates, per cent and moves: {said}. DeepCubeA's of 100,000 cubes of 1 to 30 turns: "
        f"{printed}.\n"
    )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="smoke")
    parser.add_argument("--puzzle", default="rubik/demo", help="an instance with the goal")
    parser.add_argument("--networks", nargs="+", type=Path, help="files of networks of distances")
    parser.add_argument("--deepest", type=int, help="moves of the longest scramble")
    parser.add_argument("--states", type=int, help="of each depth")
    given = parser.parse_args()
    one = SIZES[given.size]
    try:
        domain = domain_of(load_instance(given.puzzle)[1])
        models = {path.stem: read_model(path) for path in given.networks or ()}
        models = models or {"learnt": shipped_model(domain, "distance")}
    except MatheurError as error:
        parser.error(str(error))
    heuristic = one.heuristic if given.puzzle.startswith("rubik") else "auto"
    size = Size(given.deepest or one.deepest, given.states or one.states, heuristic)
    found = samples(domain, size, keep=given.size != "smoke")
    text = "\n".join(report(name, model, domain, found) for name, model in models.items())
    print(text)
    if given.size != "smoke" and not (given.networks or given.deepest or given.states):
        (HERE / "results" / f"estimates-{given.size}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
