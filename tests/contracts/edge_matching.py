"""Solvable puzzles for the contract of operators: the best objective is 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from matheur.problems.edge_matching import EdgeMatching, Hint, Instance, builtin, generate
from matheur.problems.edge_matching.instance import Board


def _hinted() -> Instance:
    instance, solution = generate(4, 4, seed=5)
    cells = (0, 6, 13)
    hints = tuple(Hint(cell, int(solution[cell]) // 4, int(solution[cell]) % 4 if cell else None) for cell in cells)
    return replace(instance, hints=hints, name="hinted")


def _unframed() -> Instance:
    instance, solution = generate(3, 4, seed=2)
    shown = instance.sides[solution]
    shown[shown == 0] = 9
    return Instance(3, 4, shown, name="unframed")


@cache
def puzzle(name: str) -> EdgeMatching:
    """Return the puzzle with a name of `PUZZLES`."""
    return EdgeMatching(PUZZLES[name]())


PUZZLES: dict[str, Callable[[], Instance]] = {
    "4x4": lambda: builtin("4x4"),
    "3x5": lambda: generate(3, 5, seed=3, name="3x5")[0],
    "hinted": _hinted,
    "unframed": _unframed,
}


def some_board(problem: EdgeMatching, seed: int = 0) -> Board:
    """Return a random feasible board as a read-only array."""
    from matheur.engine import Budget
    from matheur.problems.edge_matching.operators.random_board import RandomBoard

    board = RandomBoard().build(problem, Budget(), np.random.default_rng(seed)).solution
    assert board is not None
    board.setflags(write=False)
    return board
