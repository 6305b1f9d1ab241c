"""Sokoban cases of users: rooms of goals with one door, which must be filled in the right order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.engine.source import Source
from matheur.problems.sokoban import Sokoban, read_levels
from matheur.problems.sokoban.operators.feature_search import FeatureSearch
from matheur.problems.sokoban.operators.push_astar import PushAStar

DATA = Path(__file__).parent / "data" / "b"


def room(rows: int, columns: int, high: int) -> Sokoban:
    """Build a level with boxes in rows on the left and a room of goals with one door on the right."""
    wide, line = 2 * columns + 1, 3 + high // 2
    height = max(2 * rows + 1, high + 2)
    goals = rows * columns // high
    text = ["#" * (wide + 10 + goals)]
    for row in range(height):
        boxes = " " + "".join("$ " for _ in range(columns)) if row % 2 and row // 2 < rows else " " * wide
        inside = line - high // 2 <= row < line - high // 2 + high
        door = "   " if row == line else "###"
        text.append(f"#{boxes}{door}  {'.' * goals}####" if inside else f"#{boxes}{'#' * (9 + goals)}")
    text += ["#" * (wide + 10 + goals)]
    text[1] = "#@" + text[1][2:]
    return Sokoban(read_levels(Source("room", "\n".join(text).encode()))[0])


@pytest.mark.parametrize(("name", "most"), [("so_goal_room_6", 169), ("so_goal_room_12", 409)])
def test_the_rooms_of_the_cases(name: str, most: int) -> None:
    """Both constructions find valid plans that are at most as long as those of the users."""
    path = DATA / f"{name}.xsb"
    problem = Sokoban(read_levels(Source(path.name, path.read_bytes()))[0])
    for operator in (FeatureSearch(), PushAStar(nodes=2000)):
        outcome = operator.build(problem, Budget(work=30_000), np.random.default_rng(0))
        assert outcome.status is Status.IMPROVED
        assert outcome.objective == problem.evaluate(outcome.solution).objective <= most


@pytest.mark.parametrize(("name", "most"), [("so_goal_room_6", 149), ("so_goal_room_12", 373)])
def test_short_plans_of_the_rooms(name: str, most: int) -> None:
    """The default reaches the optimum of the small room and almost that of the larger one, with little work."""
    path = DATA / f"{name}.xsb"
    problem, offered = Sokoban(read_levels(Source(path.name, path.read_bytes()))[0]), list[int]()
    budget = Budget(work=100_000, on_incumbent=lambda _, cost: offered.append(cost))
    outcome = PushAStar(nodes=2000).build(problem, budget, np.random.default_rng(0))
    assert outcome.objective == problem.evaluate(outcome.solution).objective <= most
    assert offered == sorted(set(offered), reverse=True)
    assert offered[-1] == outcome.objective


@pytest.mark.parametrize(("rows", "columns", "high"), [(3, 4, 3), (3, 5, 3), (4, 5, 5), (5, 6, 5)])
def test_rooms_of_many_boxes(rows: int, columns: int, high: int) -> None:
    """Both constructions solve rooms of 12, 15, 20 and 30 boxes with little work."""
    problem = room(rows, columns, high)
    assert len(problem.instance.boxes) == rows * columns == len(problem.instance.goals)
    outcome = FeatureSearch(nodes=0).build(problem, Budget(work=2000), np.random.default_rng(0))
    assert outcome.status is Status.IMPROVED
    assert problem.evaluate(outcome.solution).feasible
    default = PushAStar(nodes=1000).build(problem, Budget(work=4000), np.random.default_rng(0))
    assert problem.evaluate(default.solution).feasible
    assert default.objective == len(default.solution) <= len(outcome.solution)
