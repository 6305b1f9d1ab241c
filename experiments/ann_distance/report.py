"""Put the reports of this folder together: `docs/results-neural.md`.

    python experiments/ann_distance/report.py

Other folders may have parts of the page, too: `results/neural.md` in any folder beside this one is taken as it is. It
begins with a headline of the second level.
"""

from __future__ import annotations

import csv
import os
import platform
import textwrap
from datetime import date

import bootstrapping
import errors
import labels
import protocol
import searches
import training

import matheur

PAGE = protocol.HERE.parents[1] / "docs" / "results-neural.md"


def machine() -> str:
    """Processor and cores."""
    return f"{protocol.processor()}, {os.cpu_count()} cores"


def paper() -> str:
    """Table 1 of the paper."""
    with (protocol.HERE / "paper" / "table1.csv").open() as file:
        rows = list(csv.DictReader(file))
    lines = ["| class | A* with the network | A* with the 7-8 databases | ratio |", "| --- |" + " ---: |" * 3]
    for row in rows:
        net, nodes = int(row["ann"]), int(row["pdb78"])
        lines.append(f"| {row['class']} | {net:,} | {nodes:,} | {net / nodes:.2f} |")
    return "### The paper's Table 1: nodes expanded\n\n" + "\n".join(lines) + "\n"


def wrapped(text: str) -> str:
    """A paragraph of lines of at most 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def main() -> None:
    """Write the page."""
    parts = [
        "# Results: learnt heuristics\n",
        wrapped(
            "Written by scripts from rows that they have made; `experiments/ann_distance/report.py` puts them "
            "together. "
            f"{date.today():%Y-%m-%d}, matheur {matheur.__version__}, Python {platform.python_version()}, {machine()}. "
            "Labels and bootstrapping were made on an AMD EPYC. "
            "The machines were shared with other programs, so times are processor seconds of one thread."
        ),
        "## Distances of the 15-puzzle (ANN-distance)\n",
        wrapped(
            "The paper is Cahlík and Surynek 2019, [doi:10.5220/0008163104730478](https://doi.org/10.5220/"
            "0008163104730478); [experiments/ann_distance](../experiments/ann_distance/README.md) says how to repeat "
            "this. A plan of ours has been replayed by the puzzle's own evaluator; *optimal* means as long as the plan "
            "that `ida-star` proved optimal."
        ),
        paper(),
        *(one.report() for one in (labels, training, errors, searches, bootstrapping)),
    ]
    for path in sorted(protocol.HERE.parent.glob("*/results/neural.md")):
        text = path.read_text(encoding="utf-8").strip()
        if not text.startswith("## "):
            raise SystemExit(f"{path} does not begin with a headline of the second level")
        parts.append(text + "\n")
    PAGE.write_text("\n".join(one for one in parts if one), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
