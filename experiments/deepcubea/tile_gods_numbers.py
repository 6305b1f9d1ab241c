"""God's numbers of sliding tiles: the maximum number of slides for a board of each size, by breadth-first search.

    python experiments/deepcubea/tile_gods_numbers.py                # all rectangles of at most 12 cells
    python experiments/deepcubea/tile_gods_numbers.py --report

The search begins at the usual goal, with the blank in a corner. The counts of boards at each distance are stored, one
JSON line per size, in `results/tile_gods_numbers.jsonl`. They must add up to the number of solvable boards (half of the
arrangements; on a line, the places of the blank), and the largest distance must match the literature (sequence A151944
of the OEIS). Existing sizes are not searched again. 12 cells have 239,500,800 boards, which take 180 MB and a CPU
minute.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from datetime import date
from math import factorial
from pathlib import Path
from typing import Any

import matheur
from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first.ranked import ranked_levels
from matheur.problems.sliding_tile import Instance, SlidingTile
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.instance import goal_tiles

RESULTS = Path(__file__).resolve().parent / "results" / "tile_gods_numbers.jsonl"
KNOWN = {(2, 2): 6, (2, 3): 21, (2, 4): 36, (2, 5): 55, (2, 6): 80, (3, 3): 31, (3, 4): 53}
_MEMORY = 1 << 30

Row = dict[str, Any]


def search(rows: int, columns: int) -> Row:
    """Search all levels of a size.

    Raises
    ------
    RuntimeError
        If the counts differ from the known values.
    """
    cells = rows * columns
    domain = sliding_tile_domain(SlidingTile(Instance(rows, columns, goal_tiles(cells, "blank-last"))))
    before = time.process_time()
    levels = ranked_levels(domain, domain.packing.pack(domain.goal[None])[0], memory=_MEMORY)
    assert levels is not None
    while levels.counts[-1] > 0:
        levels.advance(Budget())
    counts = levels.counts[:-1]
    expected = cells - 1 if rows == 1 else KNOWN[rows, columns]
    if sum(counts) != (cells if rows == 1 else factorial(cells) // 2) or len(counts) - 1 != expected:
        raise RuntimeError(f"{rows} x {columns}: {counts}")
    return {
        "rows": rows,
        "columns": columns,
        "boards": sum(counts),
        "gods_number": len(counts) - 1,
        "farthest": counts[-1],
        "mean": round(sum(depth * count for depth, count in enumerate(counts)) / sum(counts), 3),
        "counts": counts,
        "cpu_seconds": round(time.process_time() - before, 2),
        "version": matheur.__version__,
        "machine": platform.machine(),
        "date": f"{date.today():%Y-%m-%d}",
    }


def done() -> list[Row]:
    """Read the stored rows."""
    return [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []


def report(rows: list[Row]) -> None:
    """Print one line per size."""
    print("size        boards  God's number  boards that far    mean   CPU s")
    for row in sorted(rows, key=lambda row: (row["rows"], row["columns"])):
        size = f"{row['rows']}x{row['columns']}"
        print(
            f"{size:5} {row['boards']:12,} {row['gods_number']:13} {row['farthest']:16} {row['mean']:7.2f}"
            f" {row['cpu_seconds']:7.1f}"
        )


def main() -> None:
    """Run the command given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=12, help="at most")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    if not options.report:
        known = {(row["rows"], row["columns"]) for row in done()}
        sizes = [(1, columns) for columns in range(2, 9)] + list(KNOWN)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        for rows, columns in sorted(sizes, key=lambda size: size[0] * size[1]):
            if rows * columns <= options.cells and (rows, columns) not in known:
                row = search(rows, columns)
                with RESULTS.open("a") as file:
                    file.write(json.dumps(row) + "\n")
    report(done())


if __name__ == "__main__":
    main()
