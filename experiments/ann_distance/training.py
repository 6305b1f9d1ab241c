"""Train networks on the distances of `labels.py`, and measure their errors on states of unseen plans.

    python experiments/ann_distance/training.py --size bench
    python experiments/ann_distance/training.py --shipped
    python experiments/ann_distance/training.py --report

A training continues from `scratch/SIZE.checkpoint.npz`; `--minutes` is the total of processor minutes. Rows of
`results/training.jsonl` are measurements during the training; the last one of a size has errors by distance. The
network is `scratch/SIZE.npz`. The network of `bench`, which comes with matheur, was made by `matheur train`
(`matheur/problems/sliding_tile/trained/README.md`); `--shipped` measures it on labels made by `labels.py --size bench`.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import protocol

from matheur.engine.budget import Budget
from matheur.methods.learning import (
    Labels,
    Model,
    Progress,
    TrainingOptions,
    labelled_states,
    read_labels,
    read_model,
    shipped_model,
    train,
    write_model,
)
from matheur.methods.learning.evaluation import outputs_of
from matheur.methods.learning.measuring import Errors

EVERY, EVERY_ALONE = 2000, 500  # steps between checkpoints: a step of the paper's network takes 0.13 CPU s
TESTED, TESTED_ALONE = 400, 2000  # number of plans, or of boards without plans, that are held out of the training


def run(size: str, minutes: float | None, begin: Path | None, halving: int | None, rate: float) -> None:
    """Train, or continue a training."""
    wanted = protocol.SIZES[size]
    labels = labels_of(size)
    first = None if begin is None else read_model(begin)
    domain = protocol.domain_for(protocol.boards(1)[0])
    options = TrainingOptions(
        method="labelled", network=wanted.network, halving=halving or wanted.halving, rate=rate,
        every=EVERY_ALONE if wanted.alone else EVERY, longest=100, starts=1.0 if wanted.alone else 0.25,
    )  # fmt: skip
    before = [row for row in protocol.rows("training") if row["size"] == size]
    spent = before[-1]["cpu_seconds"] if before else 0.0
    begun = time.process_time()

    def show(progress: Progress) -> None:
        row = {"size": size, "cpu_seconds": round(spent + time.process_time() - begun, 1), **asdict(progress)}
        protocol.append("training", size, {**row, **protocol.origin()})
        print(row, flush=True)

    budget = Budget(seconds=60 * (minutes or wanted.minutes) - spent, clock=time.process_time)
    model = train(
        domain, options, budget, 0, labels=labels, begin=first, on_progress=show,
        checkpoint=protocol.WORK / f"{size}.checkpoint.npz",
    )  # fmt: skip
    write_model(protocol.model_path(size), model)
    measure(size, labels, model, spent + time.process_time() - begun, first)


def labels_of(size: str) -> Labels:
    """Labels that `labels.py` has made for a size."""
    wanted = protocol.SIZES[size]
    if not wanted.alone:
        return read_labels(protocol.PLANS).first(wanted.plans)
    return Labels.joined([read_labels(file).alone() for file, _ in protocol.chunks(wanted.plans)]).first(wanted.plans)


def measure(size: str, labels: Labels, model: Model, seconds: float, first: Model | None = None) -> None:
    """Append a row of the errors of a network on held-out plans; `first` is the network that it continued."""
    domain = protocol.domain_for(protocol.boards(1)[0])
    kept = TESTED if len(labels.moves) else TESTED_ALONE
    unseen = labelled_states(domain, labels.first(min(kept, len(labels) // 10)))
    found = outputs_of(model)(domain.packing.unpack(unseen.keys))[:, 0]
    protocol.append(
        "training",
        size,
        {
            "size": size, "network": model.training["network"], "parameters": model.parameters,
            "steps": model.training["steps"],
            "samples": model.training["samples"] + (0 if first is None else first.training["samples"]),
            "plans": len(labels),
            "cpu_seconds": round(seconds, 1), "bytes": 4 * model.parameters,
            "errors": asdict(Errors.of(found, unseen.distances)),
            "by_distance": Errors.by_distance(found, unseen.distances), **protocol.origin(),
        },
    )  # fmt: skip


def report() -> str:
    """Errors of the networks on unseen plans."""
    last = {row["size"]: row for row in protocol.rows("training") if "errors" in row}
    if not last:
        return ""
    text = [
        "### Training\n",
        "Errors before rounding, on all states of held-out plans; `over` is the share of rounded estimates that exceed "
        "the distance.\n",
        "| size | network | parameters | weights, MB | states learnt from | CPU s | mean abs. error | RMS | bias |"
        " over | rank corr. |",
        "| --- | --- |" + " ---: |" * 9,
    ]
    for size, row in last.items():
        one = row["errors"]
        text.append(
            f"| {size} | {row['network']} | {row['parameters']:,} | {row['bytes'] / 1e6:.2f} | {row['samples']:,} |"
            f" {row['cpu_seconds']:,.0f} | {one['absolute']:.3f} | {one['square']:.3f} | {one['bias']:+.3f} |"
            f" {one['over']:.1%} | {one['correlation']:.4f} |"
        )
    for size, row in last.items():
        text.append(f"\nMean signed error by distance, {size}:\n")
        text.append("| distance | " + " | ".join(f"{low}-{low + 9}" for low in range(1, 70, 10)) + " |")
        text.append("| --- |" + " ---: |" * 7)
        cells = []
        for low in range(1, 70, 10):
            some = [one for distance, one in row["by_distance"].items() if low <= int(distance) < low + 10]
            weights = [one["states"] for one in some]
            cells.append(f"{np.average([one['bias'] for one in some], weights=weights):+.2f}" if some else "")
        text.append("| bias | " + " | ".join(cells) + " |")
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    chosen = protocol.parser(__doc__)
    chosen.add_argument("--minutes", type=float)
    chosen.add_argument("--begin", type=Path, help="a network to begin with")
    chosen.add_argument("--halving", type=int, help="instead of that of the size")
    chosen.add_argument("--rate", type=float, default=1e-3)
    chosen.add_argument("--shipped", action="store_true", help="only measure the network that comes with matheur")
    options = chosen.parse_args()
    if options.shipped:
        shipped = shipped_model(protocol.domain_for(protocol.boards(1)[0]), "distance")
        measure("bench", labels_of("bench"), shipped, shipped.training["seconds"])
    elif not options.report:
        run(options.size, options.minutes, options.begin, options.halving, options.rate)
    print(report())
