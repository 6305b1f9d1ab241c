"""Puzzles for the contract of operators, with optimal plans and longer plans."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from matheur.problems.cubical import Cubical, Instance

# Puzzles of the repository; an exhaustive search has proved that these plans are optimal.
_PUZZLES: dict[str, tuple[Instance, str]] = {
    "d3k1": (
        Instance(3, 1, ("green", "purple", "red", "blue"), (6, 4, 5, 1), (4, 1, 5, 6)),
        "purple:0 green:4 blue:3 purple:1 blue:2 blue:6",
    ),
    "d3k2": (
        Instance(3, 2, ("green", "purple", "red", "blue"), (6, 1, 4, 5), (4, 1, 5, 6)),
        "purple:2 blue:7 red:5 purple:1 green:4 blue:6",
    ),
    "d4k3": (
        Instance(4, 3, ("green", "purple", "red", "blue", "yellow"), (4, 7, 13, 5, 1), (13, 7, 5, 4, 1)),
        "green:12 purple:14 yellow:8 blue:4 red:5 purple:7 yellow:1 green:13",
    ),
}
PUZZLES = tuple(_PUZZLES)


@cache
def puzzle(name: str) -> Cubical:
    """Return the puzzle with a name of `PUZZLES`."""
    return Cubical(_PUZZLES[name][0])


def _optimal_plan(problem: Cubical) -> NDArray[np.int32]:
    plan = next(plan for instance, plan in _PUZZLES.values() if instance == problem.instance)
    return problem.decode(plan.split())


def optimum(problem: Cubical) -> int:
    """Return the least number of moves of a puzzle."""
    return len(_optimal_plan(problem))


def some_plan(problem: Cubical, seed: int = 0, detours: int = 5) -> NDArray[np.int32]:
    """Return the optimal plan with detours of four moves, to and fro, as a read-only array."""
    rng = np.random.default_rng(seed)
    one, plan = problem.instance, _optimal_plan(problem).tolist()
    for _ in range(detours):
        step = int(rng.integers(len(plan) + 1))
        away = []
        for _ in range(2):
            away.append(_some_move(problem, [*plan[:step], *away], rng))
        back = []
        for i in reversed(range(2)):
            ring = away[i] // one.vertices
            back.append(ring * one.vertices + _places(problem, [*plan[:step], *away[:i]])[ring])
        plan[step:step] = [*away, *back]
    whole = np.array(plan, dtype=np.int32)
    assert problem.evaluate(whole).feasible
    whole.setflags(write=False)
    return whole


def _places(problem: Cubical, plan: list[int]) -> list[int]:
    places = list(problem.instance.start)
    for move in plan:
        places[move // problem.instance.vertices] = move % problem.instance.vertices
    return places


def _some_move(problem: Cubical, plan: list[int], rng: np.random.Generator) -> int:
    """Return a move that is possible after the plan: the evaluator only finds that the goal is not reached."""
    one = problem.instance
    while True:
        move = int(rng.integers(len(one.rings) * one.vertices))
        if not any(text.startswith("move") for text in problem.evaluate(np.array([*plan, move])).violations):
            return move
