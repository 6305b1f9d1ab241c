"""Labels for the 15-puzzle: random boards solved by IDA* with pattern databases.

    python experiments/ann_distance/labels.py --size ann-distance
    python experiments/ann_distance/labels.py --report

`bench` labels all states on the plans: the file `scratch/labels.npz` (folder: `MATHEUR_SCRATCH`) is continued until it
has the plans of the size. `ann-distance` and `full` label only the random boards, as the paper did, in files
`scratch/boards-NNN.npz` of 20,000; `full` continues those of `ann-distance`. `smoke` uses smaller databases than the
others (6-6-3 instead of 7-8). A row of `results/labels.jsonl` describes the final labels.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import protocol

from matheur.engine.budget import Budget
from matheur.methods.learning import LabellingOptions, Labels, make_labels

BOARDS = 6_000_000  # number in the paper
WIDTH, BAR = 3, 40  # slides per bar of the histogram, and characters of the longest bar


def run(size: str) -> None:
    """Make the missing labels."""
    protocol.WORK.mkdir(parents=True, exist_ok=True)
    wanted = protocol.SIZES[size]
    if wanted.alone:  # in separate files: little is copied, and an interruption loses only seconds
        files = protocol.chunks(wanted.plans)
        made = [solved(wanted, protocol.CHUNK, seed, file).alone() for file, seed in files]
    else:
        files = [(protocol.PLANS, protocol.LABEL_SEED)]
        made = [solved(wanted, wanted.plans, protocol.LABEL_SEED, protocol.PLANS)]
    lengths = np.concatenate([one.lengths for one in made])
    if any((row["size"], row["plans"]) == (size, len(lengths)) for row in protocol.rows("labels")):
        return
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
    """Plans in a file, which is continued if it exists."""

    def show(labels: Labels) -> None:
        if len(labels) % 10_000 == 0:
            print(f"{file.name}: {len(labels)} plans, {labels.facts['cpu_seconds']} CPU s", flush=True)

    domain = protocol.domain_for(protocol.boards(1)[0])
    options = LabellingOptions(heuristic=wanted.heuristic)
    return make_labels(domain, plans, options, Budget(), seed, file=file, on_progress=show)


def report() -> str:
    """Largest sets of labels: all states on plans, and random boards alone."""
    found = sorted(protocol.rows("labels"), key=lambda row: row["plans"])
    largest = {bool(row.get("alone")): row for row in found}
    if not largest:
        return ""
    text = ["### Labels (Fig. 2)\n"]
    if False in largest:
        row = largest[False]
        text.append(
            f"{row['plans']:,} random boards were solved by `ida-star` with the 7-8 databases in "
            f"{row['cpu_seconds']:,.0f} CPU seconds. All {row['states']:,} states on the plans are labelled, in a file "
            f"of {row['bytes'] / 1e6:.1f} MB.\n"
        )
    if True in largest:
        row = largest[True]
        needed = row["cpu_seconds"] / row["plans"] * BOARDS / 3600
        text.append(
            f"For the paper's network, {row['plans']:,} random boards were labelled without the other states on their "
            f"plans, in {row['cpu_seconds']:,.0f} CPU seconds. At this speed, the 6 million boards of the paper take "
            f"{needed:.1f} CPU hours.\n"
        )
    return "\n".join([*text, *_figure2(max(largest.values(), key=lambda one: one["plans"]))]) + "\n"


def _figure2(row: protocol.Row) -> list[str]:
    """Histogram of lengths."""
    counts = {int(length): count for length, count in row["lengths"].items()}
    lengths = np.repeat(list(counts), list(counts.values()))
    quantiles = np.percentile(lengths, [5, 25, 50, 75, 95]).astype(int).tolist()
    lows = range(min(counts) // WIDTH * WIDTH, max(counts) + 1, WIDTH)
    bins = [sum(counts.get(low + more, 0) for more in range(WIDTH)) for low in lows]
    text = [
        f"Optimal lengths of {row['plans']:,} random boards: mean {row['mean']:.2f} (paper: about 52 to 53, most "
        f"between 35 and 65); the 5, 25, 50, 75 and 95 % quantiles are {', '.join(map(str, quantiles))}.\n",
        "| slides | boards | |", "| --- | ---: | --- |",
    ]  # fmt: skip
    for low, count in zip(lows, bins, strict=True):
        bar = "#" * round(BAR * count / max(bins))
        text.append(f"| {low}-{low + WIDTH - 1} | {count:,} | {f'`{bar}`' if bar else ''} |")
    return text


if __name__ == "__main__":
    options = protocol.parser(__doc__).parse_args()
    if not options.report:
        run(options.size)
    print(report())
