"""Construction by rules: it solves every board that can be solved."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.problems.sliding_tile import GOALS, Instance, SlidingTile, uniform
from matheur.problems.sliding_tile.operators.rule_based import RuleBased, solve_by_rules

ORDERS = ("rows", "columns", "rings", "shortest")


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 3), (3, 2)])
def test_every_small_board_is_solved(rows: int, columns: int, goal: str) -> None:
    """All arrangements: a plan that works for those of the right parity, `infeasible` for the others."""
    for tiles in permutations(range(rows * columns)):
        problem = SlidingTile(Instance(rows, columns, tiles, goal))  # type: ignore[arg-type]
        outcome = RuleBased().build(problem, Budget(), np.random.default_rng(0))
        if problem.infeasible_reason() is None:
            assert problem.evaluate(outcome.solution).feasible
            assert outcome.objective == len(outcome.solution)
        else:
            assert (outcome.status, outcome.solution) == (Status.INFEASIBLE, None)


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("order", ORDERS)
def test_boards_of_all_sizes_are_solved(order: str, goal: str) -> None:
    """Random boards of every rectangle up to 8 x 8."""
    rng = np.random.default_rng(3)
    for rows in range(2, 9):
        for columns in range(2, 9):
            board = uniform(rows, columns, rng, goal)  # type: ignore[arg-type]
            plan = solve_by_rules(board, order)  # type: ignore[arg-type]
            assert SlidingTile(board).evaluate(plan).feasible, board


def test_the_shortest_of_the_orders_is_taken() -> None:
    """`shortest` is never longer than the others."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        board = uniform(5, 6, rng)
        lengths = [len(solve_by_rules(board, order)) for order in ORDERS]  # type: ignore[arg-type]
        assert lengths[-1] == min(lengths)


@pytest.mark.parametrize(("rows", "columns"), [(1, 4), (4, 1)])
@pytest.mark.parametrize("goal", GOALS)
def test_single_lines(rows: int, columns: int, goal: str) -> None:
    """The blank goes to its end; tiles in another order are refused."""
    start = (1, 0, 2, 3) if goal == "blank-last" else (1, 2, 0, 3)
    board = Instance(rows, columns, start, goal)  # type: ignore[arg-type]
    assert SlidingTile(board).evaluate(solve_by_rules(board)).feasible
    with pytest.raises(ValueError, match="cannot be solved"):
        solve_by_rules(Instance(rows, columns, (2, 1, 0, 3), goal))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="cannot be solved"):
        solve_by_rules(Instance(2, 2, (2, 1, 3, 0), "blank-last"))


def test_unknown_orders_are_errors() -> None:
    """The message names the known ones."""
    with pytest.raises(ConfigurationError, match="rings"):
        RuleBased(order="spiral")  # type: ignore[arg-type]
