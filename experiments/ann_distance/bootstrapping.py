"""Bootstrapping (Arfaee, Zilles and Holte 2011), future work of the paper: no tables and no labels.

    python experiments/ann_distance/bootstrapping.py --size smoke
    python experiments/ann_distance/bootstrapping.py --size 24-puzzle --hours 12
    python experiments/ann_distance/bootstrapping.py --report

`smoke` learns 3 x 3 tiles, `bench` and `full` 4 x 4, `24-puzzle` 5 x 5. `--hours` is the total of CPU hours. A run
continues from `scratch/bootstrapping.SIZE.checkpoint.npz`, even with more hours than before; an interruption loses
about 250 steps. Rows of `results/bootstrapping.jsonl` are measurements during the training and, at its end, searches of
random boards with the network and with Manhattan distance, with the same number of nodes.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace

import numpy as np
import protocol

from matheur.engine.budget import Budget
from matheur.methods.learning import Progress, TrainingOptions, train
from matheur.methods.statespace import batch_astar
from matheur.problems.sliding_tile import SlidingTile, uniform
from matheur.problems.sliding_tile.domain import sliding_tile_domain

NAME = "bootstrapping"
TESTED, BATCH = 50, 20


@dataclass(frozen=True)
class Size:
    """Board, options, CPU hours, and nodes of a test search."""

    side: int
    options: TrainingOptions
    hours: float
    nodes: int


_SMALL = TrainingOptions(method="bootstrap", longest=100, batch=200, patience=40, nodes=1000, every=200)
_LARGE = TrainingOptions(method="bootstrap", longest=500, batch=500, patience=50, nodes=3000, known=50_000, every=250)
_LARGEST = replace(_LARGE, longest=2000, nodes=10_000, network="compact", weak="manhattan")
SIZES = {
    "smoke": Size(3, _SMALL, 0.4 / 60, 1000),
    "bench": Size(4, _LARGE, 5 / 60, 10_000),
    "full": Size(4, _LARGE, 2, 10_000),
    "24-puzzle": Size(5, _LARGEST, 6, 50_000),
}


def run(size: str, hours: float | None) -> None:
    """Train, or continue a training, and search."""
    wanted = SIZES[size]
    rng = np.random.default_rng(protocol.TEST_SEED)
    boards = [uniform(wanted.side, wanted.side, rng) for _ in range(TESTED)]
    domain = sliding_tile_domain(SlidingTile(boards[0]))
    checkpoint = protocol.WORK / f"{NAME}.{size}.checkpoint.npz"
    before = [row for row in protocol.rows(NAME) if row["size"] == size]
    spent = before[-1]["cpu_seconds"] if before and checkpoint.exists() else 0.0
    begun = time.process_time()

    def show(progress: Progress) -> None:
        row = {"size": size, "cpu_seconds": round(spent + time.process_time() - begun, 1), **asdict(progress)}
        protocol.append(NAME, size, {**row, **protocol.origin()})
        print(row, flush=True)

    protocol.WORK.mkdir(parents=True, exist_ok=True)
    budget = Budget(seconds=3600 * (hours or wanted.hours) - spent, clock=time.process_time)
    model = train(domain, wanted.options, budget, 0, on_progress=show, checkpoint=checkpoint)
    found: protocol.Row = {"size": size, "cpu_seconds": round(spent + time.process_time() - begun, 1)}
    for name in ("network", "manhattan"):
        heuristic = protocol.network(domain, model) if name == "network" else domain.heuristics()[name]()
        lengths = []
        for board in boards:
            one = sliding_tile_domain(SlidingTile(board))
            answer = batch_astar(one, heuristic, weight=0.6, batch=BATCH, budget=Budget(work=wanted.nodes))
            if answer.plan is not None:
                assert SlidingTile(board).evaluate(answer.plan).feasible
                lengths.append(int(answer.cost or 0))
        found[name] = {"solved": len(lengths), "mean": float(np.mean(lengths)) if lengths else None}
    found["steps_learnt"], found["reach"] = model.training["steps"], model.training["reach"]
    protocol.append(NAME, size, {**found, "boards": TESTED, "nodes": wanted.nodes, **protocol.origin()})


def report() -> str:
    """Measurements during the training, and the searches at its end."""
    rows = protocol.rows(NAME)
    if not rows:
        return ""
    text = [
        "### Bootstrapping\n",
        "The network learns from the plans of its own searches; only the moves and the goal are given. Rank "
        "correlation and error are those of the estimates for states near the goal whose exact distance is known: all "
        "states of 3 x 3, and the nearest 50,000 of larger boards. No network has learnt from these distances. "
        "Searches start at the ends of random walks from the goal, which become longer as more searches succeed; their "
        "length shows the progress of the training.\n",
        "| size | board | CPU s | steps | rounds | steps of the walks | rank correlation | mean abs. error | bias |",
        "| --- | ---: |" + " ---: |" * 7,
    ]
    for size, wanted in SIZES.items():
        own = [row for row in rows if row["size"] == size and "steps" in row]
        for row in own[:: max(1, len(own) // 6)]:
            text.append(
                f"| {size} | {wanted.side} x {wanted.side} | {row['cpu_seconds']:,.0f} | {row['steps']:,} |"
                f" {row['updates']} | {row['reach']} | {row['correlation']:.3f} | {row['error']:.2f} |"
                f" {row['bias']:+.2f} |"
            )
    text += [
        f"\nAfter the training, random boards are solved by batch weighted A* (weight 0.6, {BATCH} states at a time) "
        "with at most the given number of nodes:\n",
        "| size | CPU s | nodes | boards | solved, network | mean length | solved, Manhattan distance | mean length |",
        "| --- |" + " ---: |" * 7,
    ]
    for row in {row["size"]: row for row in rows if "network" in row}.values():
        cells = []
        for name in ("network", "manhattan"):
            one = row[name]
            cells.append(f"{one['solved']} | " + ("" if one["mean"] is None else f"{one['mean']:.1f}"))
        text.append(
            f"| {row['size']} | {row['cpu_seconds']:,.0f} | {row['nodes']:,} | {row['boards']} | {' | '.join(cells)} |"
        )
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    chosen = protocol.parser(__doc__, SIZES)
    chosen.add_argument("--hours", type=float, help="CPU hours in all, instead of those of the size")
    options = chosen.parse_args()
    if not options.report:
        run(options.size, options.hours)
    print(report())
