"""Estimates compared with exact distances on random boards (Figs. 3 and 4): the network, the pattern databases.

    python experiments/ann_distance/errors.py --size bench
    python experiments/ann_distance/errors.py --report

A row of `results/errors.jsonl` is an estimator; existing rows are not repeated.
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
    """Compute missing estimates: sizes with the same boards differ only in the networks."""
    count = protocol.SIZES[size].boards
    found = protocol.rows("errors")
    known = {row["estimator"] for row in found if row["boards"] == count and row["estimator"] != "network"}
    known |= {"network" for row in found if (row["size"], row["estimator"]) == (size, "network")}
    missing = [name for name in NAMES if name not in known]
    if not missing:
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
    for name in missing:
        if name == "network":
            values = protocol.network(domain, protocol.model_of(size, domain)).estimate(keys)
        elif name == "linear-conflict":
            values = domain.heuristics()[name]().estimate(keys)
        else:
            values = protocol.database(domain, mirrored=name == "pdb-mirrored").estimate(keys)
        protocol.append("errors", size, {"size": size, "estimator": name, "boards": count, **figures(values - exact)})


def figures(errors: NDArray[np.integer]) -> protocol.Row:
    """Statistics of errors in a row."""
    return {
        "mean": float(errors.mean()),
        "spread": float(errors.std()),
        "over": float((errors > 0).mean()),
        "exact": float((errors == 0).mean()),
        "histogram": dict(protocol.histogram(errors)),
        **protocol.origin(),
    }


def report() -> str:
    """Tables of both figures."""
    found = protocol.rows("errors")
    if not found:
        return ""
    text = [
        "### Errors on random boards (Figs. 3 and 4)\n",
        "An error is the estimate minus the exact distance, on the test boards. In the paper's plots, the errors of "
        "the database lie between -14 and 0 and those of the network between -4 and 6.\n",
        "| estimator | boards | mean | standard deviation | exact | too large | least | largest |",
        "| --- |" + " ---: |" * 7,
    ]
    most = max(row["boards"] for row in found)
    own = [row for row in found if row["boards"] == most]
    for row in own:
        errors = sorted(map(int, row["histogram"]))
        text.append(
            f"| {_name(row)} | {row['boards']} | {row['mean']:+.2f} |"
            f" {row['spread']:.2f} | {row['exact']:.1%} | {row['over']:.1%} | {errors[0]} | {errors[-1]} |"
        )
    values = sorted({int(error) for row in own for error in row["histogram"] if int(error) >= -16})
    text += [
        "\nNumber of boards by error:\n",
        "| error | " + " | ".join(_name(row) for row in own) + " |",
        "| ---: |" + " ---: |" * len(own),
    ]
    for value in values:
        text.append(f"| {value} | " + " | ".join(str(row["histogram"].get(str(value), "")) for row in own) + " |")
    return "\n".join(text) + "\n"


def _name(row: protocol.Row) -> str:
    """Name of the estimator of a row."""
    name = NAMES[row["estimator"]]
    return f"{name} {protocol.title(row['size'])}" if row["estimator"] == "network" else name


if __name__ == "__main__":
    options = protocol.parser(__doc__).parse_args()
    if not options.report:
        run(options.size)
    print(report())
