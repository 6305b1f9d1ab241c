"""Solve the levels of a Sokoban collection: a table by level, and totals.

    python benchmarks/sokoban.py COLLECTION [--seconds 60] [--work N] [--jobs 2] [--levels 1,5,10-20]
        [--construction feature-search] [--nodes N] [--cost pushes] [--first]

Each level gets the given CPU seconds of its process (other programs on the machine do not count), or the given work,
after a first run on a small level that compiles the kernels. The evaluator replays every plan.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from processes import results

from matheur.engine.budget import Budget
from matheur.engine.operators import operator_class
from matheur.engine.source import Source
from matheur.problems.sokoban import Instance, Sokoban, builtin, read_levels
from matheur.problems.sokoban.operators.feature_search import FeatureSearch

_FOREVER = 1e9


@dataclass(frozen=True)
class Task:
    """A level and the way to solve it."""

    number: int
    level: Instance
    construction: str
    options: dict[str, Any]
    seconds: float
    work: int | None
    first: bool


@dataclass(frozen=True)
class Row:
    """Result for a level."""

    number: int
    boxes: int
    moves: int | None
    pushes: int | None
    first: float | None
    seconds: float
    work: int
    status: str

    def __str__(self) -> str:
        first = "-" if self.first is None else f"{self.first:.1f}"
        cells = (self.number, self.boxes, self.moves or "-", self.pushes or "-", first, f"{self.seconds:.1f}")
        return f"| {' | '.join(map(str, cells))} | {self.work} | {self.status} |"


def tried(task: Task) -> Row:
    """Run the construction on a level."""
    operator: Any = operator_class("sokoban", "construction", task.construction)(**task.options)
    rng, found = np.random.default_rng(0), list[float]()
    for one in (operator, FeatureSearch()):
        one.build(Sokoban(builtin("two-rooms")), Budget(work=1000), rng)
    problem, begun = Sokoban(task.level), time.process_time()
    budget = Budget(
        seconds=task.seconds,
        work=task.work,
        target=math.inf if task.first else None,
        clock=time.process_time,
        on_incumbent=lambda plan, cost: found.append(time.process_time() - begun),
    )
    outcome = operator.build(problem, budget, rng)
    seconds = time.process_time() - begun
    moves = pushes = None
    status = "no plan" if outcome.solution is None else "plan"
    if outcome.solution is not None:
        evaluation = problem.evaluate(outcome.solution)
        if not evaluation.feasible:
            raise AssertionError(f"the plan of level {task.number} is wrong: {evaluation.violations}")
        moves = len(outcome.solution)
        pushes = Sokoban(replace(task.level, cost="pushes")).evaluate(outcome.solution).objective
        if outcome.bound is not None and outcome.bound >= evaluation.objective:
            status = "optimal"
    return Row(
        task.number,
        len(task.level.boxes),
        moves,
        pushes,
        found[0] if found else None,
        seconds,
        budget.spent_work,
        status,
    )


def chosen(text: str, many: int) -> list[int]:
    """Parse the numbers of levels, such as `1,5,10-20`."""
    numbers = list[int]()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return [number for number in numbers if 1 <= number <= many]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--work", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--levels", default="1-100000")
    parser.add_argument("--construction", default="feature-search")
    parser.add_argument("--nodes", type=int, help="the construction's option")
    parser.add_argument("--cost", choices=("moves", "pushes"), default="moves")
    parser.add_argument("--first", action="store_true", help="stop at the first plan")
    arguments = parser.parse_args()
    source = Source(arguments.collection.name, arguments.collection.read_bytes())
    levels = [replace(level, cost=arguments.cost) for level in read_levels(source)]
    options = {} if arguments.nodes is None else {"nodes": arguments.nodes}
    tasks = [
        Task(
            number,
            levels[number - 1],
            arguments.construction,
            options,
            arguments.seconds,
            arguments.work,
            arguments.first,
        )
        for number in chosen(arguments.levels, len(levels))
    ]
    print("| level | boxes | moves | pushes | first plan, s | CPU s | work | status |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
    rows = list[Row]()
    for row in results(tried, tasks, arguments.jobs, _FOREVER):
        rows.append(row)
        print(row, flush=True)
    solved = [row for row in rows if row.moves is not None]
    missing = ", ".join(str(row.number) for row in sorted(rows, key=lambda row: row.number) if row.moves is None)
    print(f"\n{len(solved)} of {len(rows)} levels have a plan, {sum(row.status == 'optimal' for row in rows)} proved")
    print(f"moves {sum(row.moves or 0 for row in solved)}, CPU {sum(row.seconds for row in rows):.0f} s")
    print(f"without a plan: {missing or 'none'}")


if __name__ == "__main__":
    main()
