"""Search perfect boards on a graphics card: plans for `perfect_boards.cu`, and their results.

    python experiments/eternity2/hunt/perfect_card.py quotas --size 9 --placements 3e13 PLAN
    python experiments/eternity2/hunt/perfect_card.py whole --size 9 --prefix 3 --order columns PLAN
    nvcc -O3 -std=c++17 -arch=sm_90 -DSIZE=9 -o perfect_boards experiments/eternity2/hunt/perfect_boards.cu
    ./perfect_boards PLAN 600 > ROWS
    python experiments/eternity2/hunt/perfect_card.py take PLAN ROWS --card "NVIDIA H200"

`quotas` plans trees of quotas that `perfect_choice.py` chooses, the most promising first; `take` appends a line to
`results/perfect_boards.jsonl` for each tree that was tried, in the format of `perfect_boards.py`, with seconds of the
card. `whole` plans the parts of a count of all boards that `complete.py` counts and that have no line in
`complete.jsonl` yet. The problem's own evaluator checks the boards.

The plan is text and contains only numbers: the size; two scans, by rows, and by columns as rows of the mirrored puzzle;
for each scan, the sides of all pieces: top, right, bottom, left; the number of tasks; for each task, its scan, its rare
colours (their number and values), its first placements (their number, and 4 times the piece plus counterclockwise
quarter turns), and, for each cell, the number of sides with rare colours that must be placed once it is filled. The
file `PLAN.json` next to it describes the tasks. A C++ compiler builds the same program for one thread of a processor
(`-x c++`).

Puzzles are Brendan Owen's set 2 (META 2010), read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import complete
import numpy as np
from complete import ORDERS, open_parts, parts, puzzle
from numpy.typing import ArrayLike, NDArray
from perfect_boards import ROWS
from perfect_choice import choose

from matheur.problems.edge_matching import Board, EdgeMatching, Instance
from matheur.problems.edge_matching.backtracking.quotas import exhaustion_curve
from matheur.problems.edge_matching.backtracking.sources.by_size import CURVE

OVERHEAD = 1e9  # placements that fit into the minimum time of a task
_MIRROR = [3, 2, 1, 0]  # sides of a piece in the mirrored puzzle


def _scanned(sides: NDArray[np.integer], order: str) -> NDArray[np.integer]:
    """Sides of pieces or placements in the order of a scan."""
    return sides if order == "rows" else sides[:, _MIRROR]


def _turned(instance: Instance, placements: ArrayLike, order: str) -> NDArray[np.integer]:
    """For each placement, 4 times the piece plus the quarter turns after which it looks like the placement."""
    chosen = np.asarray(placements, dtype=np.int64)
    pieces = chosen // 4
    sides, shown = _scanned(instance.pieces[pieces], order), _scanned(instance.sides[chosen], order)
    looks = np.stack([np.roll(sides, -turn, axis=1) for turn in range(4)], axis=1)
    return 4 * pieces + (looks == shown[:, None]).all(axis=2).argmax(axis=1)


def placed(instance: Instance, board: list[int], order: str) -> Board:
    """Convert a board of the program to a board of the puzzle."""
    placements = np.arange(4 * instance.cells, dtype=np.int32)
    at = dict(zip(_turned(instance, placements, order).tolist(), placements, strict=True))
    cells = np.array([at[value] for value in board], dtype=np.int32)
    return cells if order == "rows" else cells.reshape(instance.columns, instance.rows).T.ravel()


def write_plan(path: Path, instance: Instance, tasks: list[dict[str, Any]]) -> None:
    """Write the plan, and the description of its tasks: `order`, `colours`, `part` and `strength` of each."""
    lines = [str(instance.rows), str(len(ORDERS))]
    for order in ORDERS:
        lines += [" ".join(map(str, piece)) for piece in _scanned(instance.pieces, order).tolist()]
    lines.append(str(len(tasks)))
    for task in tasks:
        colours = np.array(task["colours"], dtype=np.int64)
        first = _turned(instance, task["part"], task["order"]).tolist()
        quota = exhaustion_curve(instance, colours, instance.cells, task["strength"], CURVE)[:-1]
        numbers = [ORDERS.index(task["order"]), len(colours), *colours, len(first), *first, *quota]
        lines.append(" ".join(map(str, numbers)))
    path.write_text("\n".join(lines) + "\n")
    _about(path).write_text(json.dumps({"size": instance.rows, "tasks": tasks}) + "\n")


def _about(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def quotas(given: argparse.Namespace) -> None:
    """Plan the most promising trees."""
    chosen = choose(given.size, given.placements, given.draws, given.seed, OVERHEAD)
    tasks = [
        {"order": one.order, "colours": list(one.colours), "part": [], "strength": one.strength}
        for one in chosen.quotas
    ]
    write_plan(given.plan, puzzle(given.size), tasks)
    print(f"{len(tasks)} trees, with {chosen.met:.1%} of the boards that were in none so far, {chosen.new:.1%} of all")


def whole(given: argparse.Namespace) -> None:
    """Plan the parts of all boards that have no row."""
    left, number = open_parts(given.size, given.prefix, given.order)
    tasks = [{"order": given.order, "colours": [], "part": list(part), "strength": 0.0} for part in left]
    write_plan(given.plan, puzzle(given.size), tasks)
    print(f"{len(tasks)} of {number} parts")


def take(given: argparse.Namespace) -> None:
    """Append the rows of tried tasks, except existing rows and an incomplete last line."""
    about = json.loads(_about(given.plan).read_text())
    size, tasks = about["size"], about["tasks"]
    problem = EdgeMatching(puzzle(size))
    first = tasks[0] if tasks else {"part": []}
    every = len(parts(problem.instance, len(first["part"]) - 1, first["order"])) if first["part"] else 0
    for line in given.rows.read_text().splitlines(keepends=True):
        if not line.endswith("\n"):
            break
        row = json.loads(line)
        task = tasks[row["task"]]
        boards = [placed(problem.instance, board, task["order"]) for board in row["boards"]]
        if any(problem.evaluate(board).objective != 0 for board in boards):
            raise AssertionError(f"not perfect: {row}")
        spent = {"seconds": row["seconds"], "card": given.card}
        if task["part"]:
            rows, key = complete.ROWS, {"size": size, "order": task["order"], "part": task["part"]}
            found = {
                "nodes": row["placements"], "boards": len(boards), **spent,
                "board": boards[0].tolist() if boards else None, "parts": every,
            }  # fmt: skip
        else:
            rows, key = ROWS, {"size": size} | {name: task[name] for name in ("colours", "order", "strength")}
            found = {
                "placements": row["placements"], "tree": row["placements"], **spent,
                "boards": [board.tolist() for board in boards],
            }  # fmt: skip
        if not rows.has(key):
            rows.append(key | found)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in (("quotas", quotas), ("whole", whole), ("take", take)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("plan", type=Path)
        if name == "take":
            command.add_argument("rows", type=Path)
            command.add_argument("--card", required=True, help="its name")
            continue
        command.add_argument("--size", type=int, default=9)
        if name == "whole":
            command.add_argument("--prefix", type=int, default=3)
            command.add_argument("--order", choices=ORDERS, default=ORDERS[0])
            continue
        command.add_argument("--placements", type=float, default=3e13)
        command.add_argument("--draws", type=int, default=20_000)
        command.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.function(given)


if __name__ == "__main__":
    main()
