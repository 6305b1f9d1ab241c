"""Estimates against exact distances on random boards (Figs. 3 and 4): the network, the pattern databases.

    python experiments/ann_distance/errors.py --size bench
    python experiments/ann_distance/errors.py --report

A row of `results/errors.jsonl` is an estimator; those that are there are not made again.
"""

from __future__ import annotations

import numpy as np
import protocol
from numpy.typing import NDArray

from matheur.engine.budget import Budget

NAMES = {
    "pdb": "7-8 databases",
    "pdb-mirrored": "7-8 databases, both views",
    "linear-conflict": "linear conflict",
    "network": "network",
}


def run(size: str) -> None:
    """Estimate what is missing."""
    count = protocol.SIZES[size].boards
    known = {(row["size"], row["estimator"]) for row in protocol.rows("errors")}
    if all((size, name) in known for name in NAMES):
        return
    boards = protocol.boards(count)
    domain = protocol.domain_for(boards[0])
    keys = domain.packing.pack(np.array([one.tiles for one in boards], dtype=np.uint8))
    exact = np.empty(count, dtype=np.int32)
    for number, board in enumerate(boards):
        answer = protocol.domain_for(board).ida_star(protocol.PARTITION, budget=Budget(), memory=1 << 32)
        assert answer is not None
        assert answer.proved
        exact[number] = answer.cost
    for name in NAMES:
        if (size, name) in known:
            continue
        if name == "network":
            values = protocol.network(domain, protocol.model_of(size, domain)).estimate(keys)
        elif name == "linear-conflict":
            values = domain.heuristics()[name]().estimate(keys)
        else:
            values = protocol.database(domain, mirrored=name == "pdb-mirrored").estimate(keys)
        protocol.append("errors", size, {"size": size, "estimator": name, "boards": count, **figures(values - exact)})


def figures(errors: NDArray[np.integer]) -> protocol.Row:
    """What a row says of errors."""
    return {
        "mean": float(errors.mean()),
        "spread": float(errors.std()),
        "over": float((errors > 0).mean()),
        "exact": float((errors == 0).mean()),
        "histogram": dict(protocol.histogram(errors)),
        **protocol.origin(),
    }


def report() -> str:
    """Both figures as tables."""
    found = protocol.rows("errors")
    if not found:
        return ""
    text = [
        "### Errors on random boards (Figs. 3 and 4)\n",
        "Estimate minus exact distance, on the boards of the test. In the plots of the paper the errors of the "
        "database lie between -14 and 0, those of the network between -4 and 6.\n",
        "| size | estimator | boards | mean | standard deviation | exact | too large | least | largest |",
        "| --- | --- |" + " ---: |" * 7,
    ]
    for row in found:
        errors = sorted(map(int, row["histogram"]))
        text.append(
            f"| {row['size']} | {NAMES[row['estimator']]} | {row['boards']} | {row['mean']:+.2f} |"
            f" {row['spread']:.2f} | {row['exact']:.1%} | {row['over']:.1%} | {errors[0]} | {errors[-1]} |"
        )
    sizes = {row["size"]: row["boards"] for row in found}
    size = max(sizes, key=lambda one: sizes[one])
    own = [row for row in found if row["size"] == size]
    values = sorted({int(error) for row in own for error in row["histogram"] if int(error) >= -16})
    text += [
        f"\nHow many boards have which error ({size}):\n",
        "| error | " + " | ".join(NAMES[row["estimator"]] for row in own) + " |",
        "| ---: |" + " ---: |" * len(own),
    ]
    for value in values:
        text.append(f"| {value} | " + " | ".join(str(row["histogram"].get(str(value), "")) for row in own) + " |")
    return "\n".join(text) + "\n"


if __name__ == "__main__":
    options = protocol.parser(__doc__).parse_args()
    if not options.report:
        run(options.size)
    print(report())
