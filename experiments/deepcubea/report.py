"""Combine the sections of the scripts of this folder into `docs/results-state-space.md`.

    python experiments/deepcubea/report.py

The section of a script is `results/NAME.md`, which begins with a second-level heading and is written by its `--report`.
If a script writes no section, the output of its `--report` is used. Scripts without rows are left out.
`results/speeds.md` was measured once.
"""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

from machines import FIRST

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
PAGE = HERE.parents[1] / "docs" / "results-state-space.md"
TITLES = {
    "sliding_tile_exact": "Sliding tiles: proofs",
    "tile_gods_numbers": "Sliding tiles: God's numbers of small boards",
    "sliding_tile_large": "Sliding tiles: large boards",
    "rubik": "Rubik's cube",
    "lights_out": "Lights Out",
    "sokoban": "Sokoban",
    "windows": "Windows on plans of every origin",
    "speeds": "States a second",
}


def part(name: str) -> str:
    """Section of a script; empty without rows."""
    if name == "speeds":
        path = RESULTS / "speeds.md"
        return path.read_text(encoding="utf-8") if path.exists() else ""
    if not (RESULTS / f"{name}.jsonl").exists():
        return ""
    done = subprocess.run(
        [sys.executable, str(HERE / f"{name}.py"), "--report"], capture_output=True, text=True, check=True
    )
    written = RESULTS / f"{name}.md"
    if written.exists():
        text = written.read_text(encoding="utf-8").strip()
        if not text.startswith("## "):
            raise SystemExit(f"{written} does not begin with a headline of the second level")
        return text + "\n"
    if done.stdout.startswith("## "):
        return done.stdout.strip() + "\n"
    return f"## {TITLES[name]}\n\n`python experiments/deepcubea/{name}.py`\n\n```\n{done.stdout.strip()}\n```\n"


def main() -> None:
    """Write the page."""
    parts = [text for text in map(part, TITLES) if text]
    rows = [json.loads(line) for file in RESULTS.glob("*.jsonl") for line in file.read_text().splitlines()]
    dates = sorted({row["date"] for row in rows if "date" in row})
    versions = sorted({row["version"] for row in rows if "version" in row})
    head = [
        "# Results: sliding tiles, Rubik's cube, Lights Out, Sokoban",
        "Written by `experiments/deepcubea/report.py` from the rows of the scripts next to it; "
        "[experiments/deepcubea](../experiments/deepcubea/README.md) describes the runs. "
        f"Measured {dates[0]} to {dates[-1]} with matheur {' and '.join(versions)} ({FIRST}, unless a table names "
        "another processor). Machines were shared with other programs, so times "
        "are processor seconds unless a table says otherwise.",
        "The test sets are those of Agostinelli, McAleer, Shmakov and Baldi 2019 (DeepCubeA, "
        "[doi:10.1038/s42256-019-0070-z](https://doi.org/10.1038/s42256-019-0070-z)), Korf's, and Boxoban. DeepCubeA's "
        "*stored* results are the plans, nodes and seconds of each instance in its public repository, made on its "
        "authors' machines with four GPUs; its *printed* results are the values in the article. They differ, and the "
        "stored ones are better. Each of our results is a plan that the problem's own evaluator has replayed; *proved* "
        "or *optimal* means that a complete search ended with the cost of the plan as its bound.",
    ]
    parts = [textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n" for text in head] + parts
    PAGE.write_text("\n".join(parts), encoding="utf-8")
    print(f"{PAGE}: {len(parts) - len(head)} parts")


if __name__ == "__main__":
    main()
