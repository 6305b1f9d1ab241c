"""A network that orders the open list by comparisons, the paper's other design (section 6), on 3 x 3 tiles.

    python experiments/ann_distance/relative.py --size bench
    python experiments/ann_distance/relative.py --report

Two networks with the same layers learn for the same time from the same states, which form a ball around the goal. One
learns the distance of a state, the other the difference between the distances of two states. Both guide A* on the same
random boards. A row of `results/relative.jsonl` is a network.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import protocol
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.learning import Model, TrainingOptions, comparison, learnt_heuristic, train
from matheur.methods.learning.training import Method
from matheur.methods.statespace import astar, bidirectional, relative_astar
from matheur.methods.statespace.answer import SearchAnswer
from matheur.problems.sliding_tile import SlidingTile, uniform
from matheur.problems.sliding_tile.domain import SlidingTileDomain, sliding_tile_domain

NAME = "relative"
METHODS: tuple[Method, ...] = ("distances", "pairs")
TITLES = {"distances": "estimates", "pairs": "comparisons"}


@dataclass(frozen=True)
class Size:
    """Processor seconds of a training, random boards, and maximum number of states that a search may expand."""

    seconds: float
    boards: int
    nodes: int


SIZES = {"smoke": Size(5, 3, 20_000), "bench": Size(60, 50, 20_000), "full": Size(600, 1000, 20_000)}


def run(size: str) -> None:
    """Make the missing trainings and searches."""
    wanted = SIZES[size]
    rng = np.random.default_rng(protocol.TEST_SEED)
    boards = [uniform(3, 3, rng) for _ in range(wanted.boards)]
    domain = sliding_tile_domain(SlidingTile(boards[0]))
    known = {(row["size"], row["method"]) for row in protocol.rows(NAME)}
    for method in METHODS:
        if (size, method) in known:
            continue
        options = TrainingOptions(method=method, network="compact", longest=60, every=10**9, halving=1000)
        model = train(domain, options, Budget(seconds=wanted.seconds, clock=time.process_time), 0)
        search(domain, model, wanted.nodes)  # compiles
        excess, expanded, evaluated, spent = [], [], [], 0.0
        for board in boards:
            one = sliding_tile_domain(SlidingTile(board))
            begun = time.process_time()
            answer, evaluations = search(one, model, wanted.nodes)
            spent += time.process_time() - begun
            if answer.plan is not None:
                assert SlidingTile(board).evaluate(answer.plan).feasible
                best = bidirectional(one).cost
                excess.append(int(answer.cost or 0) - int(best or 0))
                expanded.append(answer.expanded)
                evaluated.append(evaluations)
        if not excess:
            raise SystemExit(f"'{method}' solved none of {len(boards)} boards. Maybe more seconds of training?")
        protocol.append(
            NAME,
            size,
            {
                "size": size, "method": method, "boards": len(boards), "solved": len(excess),
                "parameters": model.parameters, "steps": model.training["steps"],
                "correlation": model.training["correlation"], "optimal": float(np.mean([one == 0 for one in excess])),
                "excess": float(np.mean(excess)), "expanded": float(np.mean(expanded)),
                "evaluations": float(np.mean(evaluated)), "cpu_seconds": round(spent / len(boards), 5),
                **protocol.origin(),
            },
        )  # fmt: skip


def search(domain: SlidingTileDomain, model: Model, nodes: int) -> tuple[SearchAnswer, int]:
    """A* with a network, and the number of its evaluations."""
    budget = Budget(work=nodes)
    if model.output == "distance":
        answer = astar(domain, learnt_heuristic(domain, model), budget=budget)
        return answer, answer.stored
    compare, asked = comparison(domain, model), 0

    def counted(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> NDArray[np.float32]:
        nonlocal asked
        asked += len(first)
        return compare(first, second)

    answer = relative_astar(domain, counted, budget=budget)
    return answer, asked


def report() -> str:
    """Comparison of both networks."""
    found = protocol.rows(NAME)
    if not found:
        return ""
    text = [
        "### Comparisons instead of estimates\n",
        "In the paper's other design, a network compares two states, and comparisons sort the open list. The rows are "
        "for random boards of 3 x 3 and networks with the same layers, trained for the same time on all known states "
        "around the goal (200,000 at most). The rank correlation is that of distances, or of differences of two "
        "distances. The paper's first tests found this design quite expensive, and these runs confirm it.\n",
        "| size | A* by | parameters | steps | rank corr. | boards | solved | optimal | mean excess | states expanded |"
        " evaluations | CPU ms |",
        "| --- | --- |" + " ---: |" * 10,
    ]
    for row in found:
        text.append(
            f"| {row['size']} | {TITLES[row['method']]} | {row['parameters']:,} | {row['steps']:,} |"
            f" {row['correlation']:.3f} | {row['boards']} | {row['solved']} | {row['optimal']:.1%} |"
            f" {row['excess']:.3f} | {row['expanded']:,.0f} | {row['evaluations']:,.0f} |"
            f" {1000 * row['cpu_seconds']:,.1f} |"
        )
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    chosen = protocol.parser(__doc__, SIZES)
    options = chosen.parse_args()
    if not options.report:
        run(options.size)
    print(report())
