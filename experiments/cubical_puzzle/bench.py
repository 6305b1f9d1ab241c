"""Tables of the bench campaigns next to the paper's values, in Markdown, from `results/TABLE-SIZE.csv`.

    python experiments/cubical_puzzle/bench.py --size bench

Run the campaigns first (`run.py`). Puzzles that the paper does not have are left out.
"""

from __future__ import annotations

import argparse
import csv
import statistics
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLANNERS = {"table4": "table4_evolution", "table5": "table5_q_learning"}
SEARCHES = ("astar", "bidirectional", "bfs")
Row = dict[str, str]


def rows(table: str, size: str) -> dict[str, dict[str, list[Row]]]:
    """Rows by puzzle and variant."""
    found: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    with (HERE / "results" / f"{table}-{size}.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            found[row["instance"].removeprefix("cubical/")][row["variant"]].append(row)
    return found


def printed(name: str) -> dict[str, Row]:
    """Rows of the paper by puzzle."""
    with (HERE / "paper" / f"{name}.csv").open(newline="") as file:
        return {f"d{row['d']}-k{row['k']}-level{row['level']}": row for row in csv.DictReader(file)}


def searches(size: str) -> Iterator[str]:
    """Table 2: lengths and expanded states."""
    yield "| puzzle | paper: A* | ours | " + " | ".join(f"expanded by `{name}`" for name in SEARCHES) + " |"
    yield "| --- |" + " ---: |" * (2 + len(SEARCHES))
    paper = printed("table2_astar")
    for puzzle, variants in rows("table2", size).items():
        if puzzle in paper:
            lengths = {row["objective"] for made in variants.values() for row in made}
            works = " | ".join(f"{int(variants[name][0]['work']):,}" for name in SEARCHES)
            yield f"| `{puzzle}` | {paper[puzzle]['min'] or 'not solved'} | {' '.join(sorted(lengths))} | {works} |"


def planners(table: str, size: str) -> Iterator[str]:
    """Tables 4 and 5: success, and minimum, median and maximum number of moves."""
    paper, ours = printed(PLANNERS[table]), rows(table, size)
    variants = list(next(iter(ours.values())))
    yield "| puzzle | paper | " + " | ".join(f"`{name}`" for name in variants) + " |"
    yield "| --- | --- |" + " --- |" * len(variants)
    for puzzle, made in ours.items():
        if puzzle in paper:
            one = paper[puzzle]
            moves = f": {one['min']} / {one['median']} / {one['max']}" if one["min"] else ""
            cells = [f"{one['success_percent']} %{moves}", *(planned(made[name]) for name in variants)]
            yield f"| `{puzzle}` | {' | '.join(cells)} |"


def planned(made: list[Row]) -> str:
    """Summary of the runs of a variant on a puzzle."""
    scores = [float(row["score"]) for row in made if row["score"]]
    moves = f": {min(scores):g} / {statistics.median(scores):g} / {max(scores):g}" if scores else ""
    return f"{len(scores)} of {len(made)}{moves}"


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="bench")
    size = parser.parse_args().size
    for table in (searches(size), planners("table4", size), planners("table5", size)):
        print("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
