"""Sliding tiles, Lights Out, Sokoban and Rubik's cube for the contract of operators: optima, longer plans."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.methods.statespace import bfs
from matheur.methods.statespace.domains import domain_of
from matheur.problems import lights_out, rubik, sliding_tile, sokoban

TILES = ("2x3", "3x3", "2x4", "3x3-any-goal")
LIGHTS = ("3x3", "3x4-king", "2x3-states")
LEVELS = ("room", "corner")
CUBES = ("three-turns", "four-turns")

_TILES = {
    "2x3": sliding_tile.Instance(2, 3, (4, 1, 2, 5, 0, 3), "blank-first"),
    "3x3": sliding_tile.Instance(3, 3, (1, 2, 3, 5, 0, 6, 4, 7, 8)),
    "2x4": sliding_tile.Instance(2, 4, (1, 2, 3, 4, 0, 5, 6, 7)),
    "3x3-any-goal": sliding_tile.Instance(3, 3, (1, 3, 4, 8, 2, 0, 7, 6, 5), "1 2 3 8 0 4 7 6 5"),
}
_LEVELS = {
    "room": "#######\n#@    #\n# $ . #\n#   $.#\n#     #\n#######\n",
    "corner": "#######\n#@    #\n# $#  #\n#  . .#\n# $   #\n#     #\n#######\n",
}


@cache
def tiles(name: str) -> sliding_tile.SlidingTile:
    """Return the board with a name of `TILES`."""
    return sliding_tile.SlidingTile(_TILES[name])


@cache
def lights(name: str) -> lights_out.LightsOut:
    """Return the board with a name of `LIGHTS`."""
    size, _, pattern = name.partition("-")
    rows, columns = (int(side) for side in size.split("x"))
    rules: dict[str, Any] = {
        "": {},
        "king": {"pattern": "king"},
        "states": {"states": 3, "edges": "torus", "pattern": "011", "target": (1,) * (rows * columns)},
    }[pattern]
    return lights_out.LightsOut(lights_out.generate(rows, columns, seed=5, presses=4, **rules)[0])


@cache
def level(name: str) -> sokoban.Sokoban:
    """Return the level with a name of `LEVELS`."""
    return sokoban.TYPE.read(Source(name, _LEVELS[name].encode()), {})


@cache
def cube(name: str) -> rubik.Rubik:
    """Return the cube with a name of `CUBES`."""
    return rubik.Rubik(rubik.generate(seed=5, moves=3 + CUBES.index(name))[0])


@cache
def optimal_plan(problem: Any) -> NDArray[np.int32]:
    """Find an optimal plan by breadth-first search, which has its own tests."""
    plan = bfs(domain_of(problem)).plan
    assert plan is not None
    return plan


def optimum(problem: Any) -> int:
    """Return the least number of moves of a puzzle."""
    return len(optimal_plan(problem))


def some_plan(problem: Any) -> NDArray[np.int32]:
    """Return the optimal plan after a detour of some moves, to and fro, as a read-only array."""
    plan = optimal_plan(problem)
    for first in range(len(problem.instance.reach) if problem.name == "lights-out" else 4):
        back = first if problem.name == "lights-out" else first ^ 1
        times = problem.instance.states if problem.name == "lights-out" else 2
        whole = np.concatenate([[first, back] * times, plan]).astype(np.int32)
        if problem.evaluate(whole).feasible:
            whole.setflags(write=False)
            return whole
    raise AssertionError(f"no way to and fro in {problem.name}")
