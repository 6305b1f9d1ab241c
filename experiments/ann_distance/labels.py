"""Labels for the 15-puzzle: random boards solved by IDA* with pattern databases, all states on the way labelled.

    python experiments/ann_distance/labels.py --size full
    python experiments/ann_distance/labels.py --report

The file `scratch/labels.npz` (folder: `MATHEUR_SCRATCH`) is continued until it has the plans of the size; a larger size
begins with the plans of a smaller one. `smoke` makes smaller databases than the others (6-6-3 instead of 7-8). A row of
`results/labels.jsonl` says what was there in the end.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import protocol

from matheur.engine.budget import Budget
from matheur.methods.learning import LabellingOptions, Labels, make_labels

STATES = 6_000_000


def run(size: str) -> None:
    """Make what is missing."""
    protocol.WORK.mkdir(parents=True, exist_ok=True)
    wanted = protocol.SIZES[size]
    if wanted.alone:  # in files, so that little is copied, and a run that is interrupted loses seconds
        files = protocol.chunks(wanted.plans)
        made = [solved(wanted, protocol.CHUNK, seed, file).alone() for file, seed in files]
    else:
        files = [(protocol.PLANS, protocol.LABEL_SEED)]
        made = [solved(wanted, wanted.plans, protocol.LABEL_SEED, protocol.PLANS)]
    lengths = np.concatenate([one.lengths for one in made])
    states = len(lengths) if wanted.alone else sum(one.states for one in made)
    protocol.append(
        "labels",
        size,
        {
            "size": size, "alone": wanted.alone, "plans": len(lengths), "states": states,
            "mean": float(lengths.mean()), "lengths": dict(protocol.histogram(lengths)),
            "cpu_seconds": round(sum(one.facts["cpu_seconds"] for one in made), 1),
            "bytes": sum(file.stat().st_size for file, _ in files), **protocol.origin(),
        },
    )  # fmt: skip


def solved(wanted: protocol.Size, plans: int, seed: int, file: Path) -> Labels:
    """Plans in a file, which is continued."""

    def show(labels: Labels) -> None:
        if len(labels) % 10_000 == 0:
            print(f"{file.name}: {len(labels)} plans, {labels.facts['cpu_seconds']} CPU s", flush=True)

    domain = protocol.domain_for(protocol.boards(1)[0])
    options = LabellingOptions(heuristic=wanted.heuristic)
    return make_labels(domain, plans, options, Budget(), seed, file=file, on_progress=show)


def report() -> str:
    """The largest set of labels."""
    found = protocol.rows("labels")
    if not found:
        return ""
    row = max(found, key=lambda one: one["plans"])
    lengths = np.array([int(length) for length, count in row["lengths"].items() for _ in range(count)])
    quantiles = np.percentile(lengths, [5, 25, 50, 75, 95]).astype(int).tolist()
    needed = row["cpu_seconds"] / row["states"] * STATES
    return (
        "### Labels (Fig. 2)\n\n"
        f"{row['plans']:,} random boards were solved by `ida-star` with the 7-8 databases in {row['cpu_seconds']:,.0f} "
        f"CPU seconds; every state on the plans is labelled, {row['states']:,} in all, in a file of "
        f"{row['bytes'] / 1e6:.1f} MB. At this speed the 6 million of the paper take {needed:,.0f} CPU seconds. The "
        f"mean length of a plan is {row['mean']:.2f} (paper: about 52 to 53, most between 35 and 65), with 5, 25, 50, "
        f"75 and 95 % at {', '.join(map(str, quantiles))}.\n"
    )


if __name__ == "__main__":
    options = protocol.parser(__doc__).parse_args()
    if not options.report:
        run(options.size)
    print(report())
