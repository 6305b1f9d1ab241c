"""Search perfect boards by quotas: each set of rare colours, by rows and by columns, with trees of a given size.

    python experiments/eternity2/hunt/perfect_boards.py run --size 9 --jobs 2 --seconds 3600
    python experiments/eternity2/hunt/perfect_boards.py run --size 9 --colours 2 8 10 --order rows
    python experiments/eternity2/hunt/perfect_boards.py page

The quota of each set is weakened (`sources.by_size.QuotaTree`) until its tree has half of `--tree` placements. Each is
a JSON line of `results/perfect_boards.jsonl`: placements (including those of stricter quotas), placements of the last
tree, processor seconds, and the boards. Sets and orders come in random order; existing rows are not repeated. Rows of
`perfect_card.py` have `seconds` of a graphics card, `card`, instead of `cpu`. `page` prints their section of `page.py`;
`perfect_odds.py` estimates the probability that they find a board.

Puzzles are Brendan Owen's set 2 (META 2010), read from `MATHEUR_DATA`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from complete import ORDERS, grouped, puzzle, spent
from tools import results, rows_of

from matheur.problems.edge_matching import EdgeMatching
from matheur.problems.edge_matching.backtracking.plan import Plan
from matheur.problems.edge_matching.backtracking.quotas import rare_sets
from matheur.problems.edge_matching.backtracking.search import Search, scan_walks
from matheur.problems.edge_matching.backtracking.slip_tables import fill_order
from matheur.problems.edge_matching.backtracking.sources.by_size import QuotaTree
from matheur.problems.edge_matching.backtracking.tasks import Outcome

ROWS = rows_of("perfect_boards", quiet=("boards",))
SLICE = 500_000_000  # placements per slice
ALL = 1_000_000  # maximum number of sets


@dataclass(frozen=True)
class Task:
    """A set of colours, and an order, to try."""

    size: int
    colours: tuple[int, ...]
    order: str
    tree: float


def family(text: str) -> tuple[int, int]:
    """Numbers of frame colours and other colours of a set, from `1+2`."""
    frame, inside = map(int, text.split("+"))
    return frame, inside


class Tree(QuotaTree):
    """Quotas of decreasing strength, up to the first whose tree is large enough.

    Attributes
    ----------
    enough
        Required size of that tree in placements.
    tried_strength
        Strength of the last quota whose tree was searched completely.
    """

    enough: float
    tried_strength: float

    def tell(self, outcome: Outcome) -> bool:
        """Continue with the next quota; return True once that tree, or the tree of all boards, has been searched."""
        strength = self.strength
        whole = super().tell(outcome)
        if not self.tried:
            return False
        self.tried_strength = strength
        return whole or self.size >= self.enough


class Harvest(Search):
    """A search that keeps all perfect boards."""

    boards: dict[bytes, list[int]]

    def _take(self) -> bool:
        problem = EdgeMatching(self._instance)
        for number in range(self.walk.found):
            board = self.walk.full(number)
            if problem.evaluate(board).objective != 0:
                raise AssertionError(f"not perfect: {board}")
            self.boards[board.tobytes()] = board.tolist()
        return False


def search(task: Task) -> dict[str, Any]:
    """Row of a task."""
    instance, rng, began = puzzle(task.size), np.random.default_rng(1), time.process_time()
    walk = scan_walks(instance, (task.order,))[0]
    tree = Tree(0, walk.beginnings, np.array(task.colours))
    tree.enough = task.tree / 2
    plan = Plan(fill_order(instance.rows, instance.columns, task.order), total=0, opening=1.0, restart=None)
    harvest = Harvest(instance, tree, [walk], plan, rng)
    harvest.boards = boards = {}
    while not harvest.done:
        harvest.advance(SLICE)
    return {
        "size": task.size, "colours": list(task.colours), "order": task.order,
        "strength": round(tree.tried_strength, 4), "placements": tree.nodes,
        "tree": tree.size, "cpu": round(time.process_time() - began, 2),
        "boards": list(boards.values()),
    }  # fmt: skip


def run(given: argparse.Namespace) -> None:
    """Try sets without a row; after the time limit, the started ones are finished."""
    instance = puzzle(given.size)
    if not scan_walks(instance):
        raise SystemExit(f"{given.size} x {given.size} is too large")
    if not set(given.colours) <= set(instance.pieces.ravel().tolist()) - {0}:
        raise SystemExit(f"colours that the puzzle does not have: {given.colours}")
    sets = [one for many in given.families for one in rare_sets(instance, ALL, *many)]
    chosen = [tuple(given.colours)] if given.colours else [tuple(one.tolist()) for one in sets]
    done = {(row["size"], *row["colours"], row["order"]) for row in ROWS if row["tree"] >= given.tree / 2}
    tasks = [
        Task(given.size, tuple(sorted(colours)), order, given.tree)
        for colours in chosen
        for order in given.order
        if (given.size, *sorted(colours), order) not in done
    ]
    shuffled = [tasks[number] for number in np.random.default_rng(given.seed).permutation(len(tasks))]
    for row in results(search, shuffled, given.jobs, given.seconds):
        ROWS.append(row)


def lines(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Results for each size."""
    if not rows:
        return
    yield ""
    yield (
        "Perfect boards by quotas of many sets of colours, each by rows or by columns, as strict as leaves a tree of "
        "some billion placements (`perfect_boards.py`; on a graphics card, `perfect_card.py`):\n"
    )
    yield "| board | sets and orders | perfect boards | placements | s |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for (size,), group in grouped(rows, "size"):
        boards = {tuple(board) for row in group for board in row["boards"]}
        yield (
            f"| META {size}x{size} | {len(group)} | {len(boards)} | {sum(row['placements'] for row in group):,} | "
            f"{spent(group)} |"
        )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("--size", type=int, default=9)
    runner.add_argument("--colours", type=int, nargs="+", default=[], help="only this set")
    runner.add_argument(
        "--families", type=family, nargs="+", default=[(2, 2), (3, 3), (3, 4)],
        help="colours of the frame and others, as in 1+2",
    )  # fmt: skip
    runner.add_argument("--order", nargs="+", default=list(ORDERS), choices=ORDERS)
    runner.add_argument("--tree", type=float, default=2e9, help="placements")
    runner.add_argument("--jobs", type=int, default=2)
    runner.add_argument("--seconds", type=float, default=3600.0)
    runner.add_argument("--seed", type=int, default=1)
    commands.add_parser("page")
    given = parser.parse_args()
    if given.command == "run":
        run(given)
    else:
        print("\n".join(lines(list(ROWS))))


if __name__ == "__main__":
    main()
