"""Beams guided by pattern databases, as a construction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace import bfs
from matheur.problems.sliding_tile import GOALS, Instance, SlidingTile, generate, uniform
from matheur.problems.sliding_tile.domain import sliding_tile_domain
from matheur.problems.sliding_tile.operators import guided_beam
from matheur.problems.sliding_tile.operators.guided_beam import GuidedBeam
from matheur.problems.sliding_tile.operators.guiding import guide_for
from matheur.problems.sliding_tile.operators.rule_based import RuleBased
from matheur.problems.sliding_tile.search.geometry import Geometry
from matheur.problems.sliding_tile.search.guide import Guide


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (2, 4)])
def test_wide_beams_are_optimal_on_small_boards(rows: int, columns: int, goal: str) -> None:
    """A beam that leaves nothing out finds what breadth-first search does; the bound is admissible."""
    rng = np.random.default_rng(6)
    for _ in range(5):
        problem = SlidingTile(uniform(rows, columns, rng, goal))  # type: ignore[arg-type]
        outcome = GuidedBeam(patterns="3", width=1 << 16).build(problem, Budget(), rng)
        assert problem.evaluate(outcome.solution).feasible
        assert outcome.bound is not None
        assert outcome.bound <= outcome.objective == bfs(sliding_tile_domain(problem)).cost


def test_plans_get_shorter_with_width() -> None:
    """Every plan handed out works and is shorter than the one before; the rules' plan comes first."""
    problem = SlidingTile(uniform(4, 5, np.random.default_rng(2)))
    plans: list[int] = []

    def take(plan: np.ndarray, length: int) -> None:
        assert problem.evaluate(plan).feasible
        plans.append(length)

    budget = Budget(on_incumbent=take)
    outcome = GuidedBeam(patterns="4", width=64, width_max=4096).build(problem, budget, np.random.default_rng(0))
    assert plans == sorted(plans, reverse=True)
    assert len(plans) >= 3
    assert outcome.objective == plans[-1]
    assert outcome.bound is not None
    assert outcome.bound <= plans[-1]


def test_easy_boards_are_proved_by_deepening_first() -> None:
    """With nodes for it; without enough of them the beams follow, and the better bound of both is kept."""
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(12)))
    proved = GuidedBeam(patterns="4", nodes=50_000_000).build(problem, Budget(), np.random.default_rng(0))
    assert proved.objective == proved.bound
    beams = GuidedBeam(patterns="4", nodes=1000, width_max=4096).build(problem, Budget(), np.random.default_rng(0))
    assert beams.objective is not None
    assert beams.bound is not None
    assert proved.objective is not None
    assert beams.bound <= proved.objective <= beams.objective


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (6, 6), (4, 5)])
def test_boards_near_the_goal_need_no_tables(rows: int, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few slides from it, a shortest plan is found and proved before any table is built."""
    monkeypatch.setattr(guided_beam, "guide_for", pytest.fail)
    monkeypatch.setattr(guided_beam, "prove", pytest.fail)
    for seed in range(3):
        problem = SlidingTile(generate(rows, columns, seed=seed, moves=14)[0])
        outcome = GuidedBeam(nodes=1000).build(problem, Budget(), np.random.default_rng(0))
        assert problem.evaluate(outcome.solution).feasible
        assert outcome.objective == outcome.bound == bfs(sliding_tile_domain(problem)).cost


@pytest.mark.parametrize(("rows", "columns"), [(4, 5), (6, 6)])
def test_large_boards_have_a_short_plan_before_large_tables(
    rows: int, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a clock, tables of two or three tiles guide the first beams, so that reading others costs no plan."""
    problem = SlidingTile(uniform(rows, columns, np.random.default_rng(3)))
    long = len(RuleBased().build(problem, Budget(), np.random.default_rng(0)).solution)
    used: list[str] = []

    def only_small(board: Geometry, patterns: str, *others: Any, **options: Any) -> Guide | None:
        used.append(patterns)
        return guide_for(board, patterns, *others, **options) if patterns in ("2", "3") else None

    monkeypatch.setattr(guided_beam, "guide_for", only_small)
    budget = Budget(seconds=100, clock=lambda: 0.0)
    outcome = GuidedBeam(width=256, width_max=256).build(problem, budget, np.random.default_rng(0))
    assert used == ["3" if rows * columns <= 25 else "2", "auto"]
    assert problem.evaluate(outcome.solution).feasible
    assert len(outcome.solution) < 0.7 * long


def test_limits_and_unsolvable_boards() -> None:
    """Work limits are kept and reproducible; a wrong parity is said so; single lines need no beam."""
    problem = SlidingTile(uniform(4, 4, np.random.default_rng(5)))
    budgets = [Budget(work=20_000) for _ in range(2)]
    runs = [
        GuidedBeam(patterns="4").build(problem, budget, np.random.default_rng(seed))
        for seed, budget in enumerate(budgets)
    ]
    assert budgets[0].spent_work == budgets[1].spent_work <= 20_000
    assert runs[0].objective == runs[1].objective
    swapped = SlidingTile(Instance(2, 2, (2, 1, 3, 0), "blank-last"))
    assert GuidedBeam().build(swapped, Budget(), np.random.default_rng(0)).status == Status.INFEASIBLE
    line = SlidingTile(Instance(1, 3, (0, 1, 2), "blank-last"))
    assert GuidedBeam().build(line, Budget(), np.random.default_rng(0)).objective == 2


@pytest.mark.parametrize(
    "options", [{"width": 0}, {"width": 8, "width_max": 4}, {"excess": -1}, {"share": 0.0}, {"threads": 65}]
)
def test_senseless_options_are_errors(options: dict[str, float]) -> None:
    """At construction, in one line."""
    with pytest.raises(ConfigurationError):
        GuidedBeam(**options)  # type: ignore[arg-type]
