"""Count all perfect boards of an edge-matching puzzle part by part; an interrupted count can be continued.

    python experiments/eternity2/hunt/complete.py run --size 8 --jobs 2 --seconds 1500
    python experiments/eternity2/hunt/complete.py page

A part is a beginning of the first row: one fixed corner piece (so that no rotation of a board is counted twice), and
the `--prefix` pieces to its right; with `--order columns`, a beginning of the first column with the pieces below. Each
part is searched completely, row by row or column by column, and becomes a JSON line of `results/complete.jsonl`:
placements, boards, processor seconds, and one board, if there is any. Parts are taken in random order, so that the
finished ones allow an estimate of the total. `page` prints their section of `page.py`. Puzzles are Brendan Owen's set 2
(META 2010), read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from tools import DATA, results, rows_of

from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, load, write_bucas
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order

ROWS = rows_of("complete", quiet=("size", "order", "board", "parts"))

ORDERS = ("rows", "columns")
"""Of filling the board."""

Part = tuple[int, ...]
"""Placements (4 times the piece, and its rotation) of the first cells."""


def puzzle(size: int) -> Instance:
    """Puzzle of the set."""
    return load(DATA / "brendan_set2_meta2010" / f"pieces_{size:02d}x{size:02d}.txt").instance


def parts(instance: Instance, prefix: int, order: str) -> list[Part]:
    """All beginnings: the first corner piece and the given number of pieces that fit next to it, or below."""
    here, there = (1, 3) if order == "rows" else (2, 0)  # the sides that meet
    corner = next(piece for piece in range(instance.cells) if (instance.pieces[piece] == 0).sum() == 2)
    found: list[Part] = [(placement,) for placement in range(4 * corner, 4 * corner + 4) if instance.fits[placement, 0]]
    for cell in fill_order(instance.rows, instance.columns, order)[1 : prefix + 1]:
        fitting = np.flatnonzero(instance.fits[:, cell]).tolist()
        found = [
            (*part, placement)
            for part in found
            for placement in fitting
            if instance.sides[placement, there] == instance.sides[part[-1], here]
            and all(placement // 4 != other // 4 for other in part)
        ]
    return found


def count(size: int, order: str, part: Part) -> dict[str, Any]:
    """Row of a part."""
    problem, cells = EdgeMatching(puzzle(size)), fill_order(size, size, order)
    hints = tuple(
        Hint(cell, placement // 4, placement % 4) for cell, placement in zip(cells.tolist(), part, strict=False)
    )
    last = deque[Any](maxlen=1)
    began = time.process_time()
    boards, nodes = count_boards(replace(problem.instance, hints=hints), cells, last.append)
    if last and problem.evaluate(last[0]).objective != 0:
        raise AssertionError(f"not perfect: {last[0]}")
    return {
        "size": size, "order": order, "part": part, "nodes": nodes, "boards": boards,
        "cpu": round(time.process_time() - began, 2), "board": last[0].tolist() if last else None,
    }  # fmt: skip


def open_parts(size: int, prefix: int, order: str) -> tuple[list[Part], int]:
    """Parts without a row, in random order, and the number of all parts."""
    done = {tuple(row["part"]) for row in ROWS if (row["size"], row["order"]) == (size, order)}
    every = parts(puzzle(size), prefix, order)
    if not done <= set(every):
        raise SystemExit(f"the rows of size {size} are of another prefix")
    left = [part for part in every if part not in done]
    return [left[number] for number in np.random.default_rng(size).permutation(len(left))], len(every)


def run(size: int, prefix: int, order: str, jobs: int, seconds: float) -> None:
    """Count parts without a row; after the time limit, the started ones are finished."""
    tasks, number = open_parts(size, prefix, order)
    for row in results(partial(count, size, order), tasks, jobs, seconds):
        ROWS.append(row | {"parts": number})


def grouped(rows: list[dict[str, Any]], *names: str) -> list[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
    """Rows grouped by the named values, in the order of these values."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return sorted(groups.items())


def spent(rows: list[dict[str, Any]]) -> str:
    """Seconds of processors, and of graphics cards (rows with `card` and `seconds`)."""
    seconds: dict[str, float] = defaultdict(float)
    for row in rows:
        card = row.get("card", "")
        seconds[card] += row["seconds" if card else "cpu"]
    return " + ".join(f"{total:,.0f}{card and f' ({card})'}" for card, total in sorted(seconds.items()))


def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Results for each size."""
    if not rows:
        return
    yield ""
    yield (
        "Larger ones in parts, each a beginning of the first line (`complete.py`; turns divided out). Where "
        "parts are missing, the estimate is the mean of those that are done, times all.\n"
    )
    yield "| board | by | parts | solutions | placements | s | placements of all, estimated |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    for (size, order), group in grouped(rows, "size", "order"):
        nodes, number = [row["nodes"] for row in group], group[0]["parts"]
        estimated = f"{statistics.fmean(nodes) * number:.2g}" if len(group) < number else "-"
        yield (
            f"| META {size}x{size} | {order} | {len(group)} of {number} | {sum(row['boards'] for row in group)} | "
            f"{sum(nodes):,} | {spent(group)} | {estimated} |"
        )
    yield ""
    for (size, order), group in grouped(rows, "size", "order"):
        boards = [np.array(row["board"]) for row in group if row["board"]]
        if boards:
            instance = puzzle(size)
            links = [f"[{number}]({write_bucas(instance, board)})" for number, board in enumerate(boards, 1)]
            yield f"Boards of META {size}x{size}, one of each part by {order} that has any: {', '.join(links)}."


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--size", type=int, default=8)
    runner.add_argument("--prefix", type=int, default=3)
    runner.add_argument("--order", choices=ORDERS, default=ORDERS[0])
    runner.add_argument("--jobs", type=int, default=2)
    runner.add_argument("--seconds", type=float, default=600.0)
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        run(given.size, given.prefix, given.order, given.jobs, given.seconds)
    else:
        print("\n".join(lines(list(ROWS))))


if __name__ == "__main__":
    main()
