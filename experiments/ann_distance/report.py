"""Combine the reports of this folder into `docs/results-neural.md`.

    python experiments/ann_distance/report.py

Other folders can contribute to the page: `results/neural.md` in any folder next to this one is included unchanged. It
must begin with a second-level heading.
"""

from __future__ import annotations

import textwrap

import bootstrapping
import errors
import labels
import protocol
import relative
import searches
import training

PAGE = protocol.HERE.parents[1] / "docs" / "results-neural.md"


def origins() -> str:
    """Places and times at which the rows were made."""
    names = ("labels", "training", "errors", "searches", relative.NAME, bootstrapping.NAME)
    found = [row for name in names for row in protocol.rows(name)]
    processors = sorted({row["processor"] for row in found if "processor" in row})
    days = sorted({row["date"] for row in found})
    return f"The rows were made between {days[0]} and {days[-1]}, on {' and '.join(processors)}."


def paper() -> str:
    """Table 1 of the paper."""
    lines = ["| class | A* with the network | A* with the 7-8 databases | ratio |", "| --- |" + " ---: |" * 3]
    for name, (net, nodes) in searches.PAPER.items():
        lines.append(f"| {name} | {net:,} | {nodes:,} | {net / nodes:.2f} |")
    return "### The paper's Table 1: nodes expanded\n\n" + "\n".join(lines) + "\n"


def wrapped(text: str) -> str:
    """Wrap a paragraph at 120 characters."""
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def main() -> None:
    """Write the page."""
    parts = [
        "# Results: learnt heuristics\n",
        wrapped(
            "Written by scripts from their stored rows; `experiments/ann_distance/report.py` combines the sections. "
            f"{origins()} The first labels and the first bootstrapping were made on an AMD EPYC. "
            "The machines were shared with other programs, so times are processor seconds of one thread."
        ),
        "## Distances of the 15-puzzle (ANN-distance)\n",
        wrapped(
            "The paper is Cahlík and Surynek 2019, [doi:10.5220/0008163104730478](https://doi.org/10.5220/"
            "0008163104730478); [experiments/ann_distance](../experiments/ann_distance/README.md) describes how to "
            "repeat the experiments. The puzzle's own evaluator replayed each of our plans; *optimal* means as long as "
            "the plan that `ida-star` proved optimal."
        ),
        paper(),
        *(one.report() for one in (labels, training, errors, searches, relative, bootstrapping)),
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
