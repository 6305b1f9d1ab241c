"""The value `learnt` on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli.conftest import Command
from numpy.typing import NDArray


@pytest.mark.parametrize(
    "arguments",
    [
        ("sliding-tile/4x4-easy", "--construction", "astar", "--set", "construction.heuristic=learnt"),
        ("sliding-tile/4x4-easy", "--construction", "beam", "--set", "construction.policy=learnt", "--work", 2000),
        ("sokoban/random-10x10", "--construction", "batch-astar", "--set", "construction.heuristic=learnt(less=1)"),
    ],
)
def test_the_command_line_takes_the_word(matheur: Command, arguments: tuple[str | int, ...]) -> None:
    """A network that comes with the package finds a valid plan."""
    answer = matheur("solve", *arguments, "--neighbourhoods", "none", "--seconds", 60, "--json")
    assert answer.code == 0
    assert answer.json["feasible"]


def test_few_presses_are_found_by_the_policy(matheur: Command, tmp_path: Path) -> None:
    """A narrow beam finds a plan, and `shortcut` removes double presses: the plan is optimal."""
    presses = np.zeros(49, dtype=np.int64)
    presses[[0, 9, 11, 24, 30, 41, 47]] = 1
    board = lit(presses)
    path = tmp_path / "board.txt"
    path.write_text("\n".join("".join(map(str, row)) for row in board.reshape(7, 7)) + "\n")
    answer = matheur(
        "solve", path, "--construction", "beam", "--set", "construction.policy=learnt", "--neighbourhoods", "shortcut",
        "--problem", "lights-out", "--work", 5000, "--json",
    )  # fmt: skip
    assert answer.code == 0, answer.err
    assert answer.json["objective"] == 7


def lit(presses: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the lights that the presses turn on."""
    grid = np.pad(presses.reshape(7, 7), 1)
    around = grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:]
    return (grid[1:-1, 1:-1] + around).ravel() % 2
