"""Whole runs of the engine on plans."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from problems.plans.puzzles import cube, detour, unsolvable

import matheur
from matheur.engine import schedules
from matheur.running.configuration import preset_names, resolve

PUZZLE = cube(4, 3, "4 1 5 13 7", "13 7 5 4 1")  # optimum 11


def test_the_default_preset_proves_the_paper_s_puzzles() -> None:
    """A* alone: no neighbourhood is called."""
    result = matheur.solve(PUZZLE, seconds=60)
    assert (result.status, result.objective, result.bound) == ("optimal", 11, 11)
    assert list(result.operators) == ["portfolio"]


def test_windows_prove_what_a_beam_has_found() -> None:
    """The plan of a narrow beam is shortened; the whole plan as one window is the proof."""
    result = matheur.solve(
        PUZZLE,
        work=500_000,
        construction="beam",
        neighbourhoods=["shortcut", "window"],
        settings=["construction.width_max=16"],
    )
    assert (result.status, result.objective) == ("optimal", 11)
    assert result.operators["window"].calls > 0


def test_a_proof_that_there_is_no_plan() -> None:
    """The status is `infeasible`, with a reason."""
    result = matheur.solve(unsolvable(), seconds=60)
    assert result.status == "infeasible"
    assert result.reason


def test_the_paper_preset_runs_its_algorithm() -> None:
    """The evolutionary algorithm with the paper's parameters, and nothing else."""
    assert preset_names("cubical") == ["default", "paper", "paper-astar", "paper-q-learning"]
    values = resolve("cubical", preset="paper").to_dict()
    assert (values["construction"]["name"], values["construction"]["population"], values["neighbourhoods"]) == (
        "evolution",
        1000,
        (),
    )
    result = matheur.solve(cube(3, 1, "6 4 5 1", "4 1 5 6"), preset="paper", seed=1)
    assert result.objective is not None
    assert result.objective >= 6


@pytest.mark.parametrize("schedule", schedules.names())
def test_evolved_plans_are_improved_under_any_schedule(schedule: str) -> None:
    """What evolution finds, windows prove optimal or make so; incumbents only get better, bounds only larger."""
    events: list[Any] = []
    result = matheur.solve(
        cube(3, 2, "5 6 4 1", "4 1 5 6"),
        construction="evolution",
        settings=["construction.variant=paper"],
        neighbourhoods=["shortcut", "window"],
        schedule=schedule,
        work=200_000,
        seed=5,
        observers=[events.append],
    )
    assert (result.status, result.objective, result.score) == ("optimal", 9, 9)
    found = [event["objective"] for event in events if event["event"] == "incumbent"]
    assert found == sorted(found, reverse=True)
    assert len(found) > 1


def test_a_target_is_a_number_of_moves() -> None:
    """The search stops as soon as a plan is no longer than the target."""
    result = matheur.solve(PUZZLE, construction="beam", neighbourhoods=["shortcut", "window"], target=14, work=500_000)
    assert result.stopped in ("target", "optimal")
    assert result.objective is not None
    assert result.objective <= 14


def test_the_same_seed_gives_the_same_run() -> None:
    """Work limits make runs reproducible, plan for plan."""
    puzzle = cube(5, 4, "30 29 0 17 4 1", "17 30 0 29 4 1")
    start = detour(puzzle, np.random.default_rng(0), 12)
    runs = [matheur.solve(puzzle, start=start, neighbourhoods=["window"], work=30_000, seed=4) for _ in range(2)]
    assert puzzle.encode(runs[0].solution) == puzzle.encode(runs[1].solution)
    assert runs[0].work == runs[1].work <= 30_000
