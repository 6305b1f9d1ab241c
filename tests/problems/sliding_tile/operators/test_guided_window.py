"""Windows that are planned again by guided beams."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace import bfs
from matheur.problems.sliding_tile import GOALS, SlidingTile, uniform
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.operators.guided_window import GuidedWindow, with_shorter
from matheur.problems.sliding_tile.operators.rule_based import solve_by_rules
from matheur.problems.sliding_tile.search.beam import beam_tiles
from matheur.problems.sliding_tile.search.geometry import boards_along, geometry
from matheur.problems.sliding_tile.search.guide import guide_by_name


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4)])
def test_beams_between_any_two_boards(rows: int, columns: int, goal: str) -> None:
    """Wherever the blank belongs: the plan leads there, is optimal if the beam is wide, and the bound is admissible."""
    rng = np.random.default_rng(4)
    board = geometry(rows, columns, goal)
    guide = guide_by_name(board, "3")
    assert guide is not None
    for _ in range(12):
        start = uniform(rows, columns, rng, goal)  # type: ignore[arg-type]
        walk = solve_by_rules(start)
        target = boards_along(board, start.tiles, walk)[int(rng.integers(1, len(walk) + 1))]
        toward, labels = guide.toward(target.tolist())
        answer = beam_tiles(toward, labels[list(start.tiles)].tolist(), width=1 << 15)
        assert answer.plan is not None
        assert (boards_along(board, start.tiles, answer.plan)[-1] == target).all()
        domain = sliding_tile_domain(SlidingTile(start))
        true = bfs(domain.between(domain.start, target.astype(np.uint8))).cost
        assert answer.bound <= answer.cost == true  # type: ignore[operator]


def test_plans_of_rules_get_much_shorter() -> None:
    """Every plan handed out works; the same seed and work give the same plan."""
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(7)))
    plan = solve_by_rules(problem.instance)
    operator = GuidedWindow(patterns="4", width=500, length=10, longest=40, iterations=40)
    handed: list[int] = []

    def take(found: np.ndarray, length: int) -> None:
        assert problem.evaluate(found).feasible
        handed.append(length)

    outcomes = [
        operator.explore(problem, plan, Budget(work=400_000, on_incumbent=take), np.random.default_rng(1))
        for _ in range(2)
    ]
    assert outcomes[0].status == Status.IMPROVED
    assert outcomes[0].solution is not None
    assert outcomes[0].objective == problem.evaluate(outcomes[0].solution).objective == min(handed)
    assert outcomes[0].objective < 0.8 * len(plan)
    assert outcomes[1].objective == outcomes[0].objective
    assert (outcomes[0].solution == outcomes[1].solution).all()


def test_windows_side_by_side() -> None:
    """Threads share the windows of a round: plans work, two runs find the same, all that was looked at counts."""
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(7)))
    plan = solve_by_rules(problem.instance)
    operator = GuidedWindow(patterns="4", width=500, length=10, longest=40, iterations=41, threads=3)
    handed: list[int] = []

    def take(found: np.ndarray, length: int) -> None:
        assert problem.evaluate(found).feasible
        handed.append(length)

    budgets = [Budget(on_incumbent=take) for _ in range(2)]
    outcomes = [operator.explore(problem, plan, budget, np.random.default_rng(1)) for budget in budgets]
    assert handed == [*handed[: len(handed) // 2]] * 2
    assert outcomes[0].objective == problem.evaluate(outcomes[0].solution).objective == min(handed)
    assert outcomes[0].objective < 0.8 * len(plan)
    assert (outcomes[0].solution == outcomes[1].solution).all()
    assert budgets[0].spent_work == budgets[1].spent_work > 10_000


def test_of_shorter_segments_that_overlap_the_first_counts() -> None:
    """Others take their places, whatever the order of the windows."""
    plan = np.arange(20, dtype=np.int32)
    segments = [
        (10, 16, np.full(2, 77, dtype=np.int32)), (12, 18, np.full(1, 88, dtype=np.int32)),
        (2, 6, np.full(3, 99, dtype=np.int32)), (16, 18, np.empty(0, dtype=np.int32)),
    ]  # fmt: skip
    assert with_shorter(plan, segments).tolist() == [0, 1, 99, 99, 99, 6, 7, 8, 9, 77, 77, 18, 19]


@pytest.mark.parametrize(
    "options",
    [{"length": 0}, {"length": 9, "longest": 8}, {"width": 0}, {"patience": 0}, {"excess": -1}, {"threads": 0}],
)
def test_senseless_options_are_errors(options: dict[str, int]) -> None:
    """At construction."""
    with pytest.raises(ConfigurationError):
        GuidedWindow(**options)
