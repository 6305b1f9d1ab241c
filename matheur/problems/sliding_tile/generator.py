"""Random boards that can be solved, by a random walk or uniformly."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.errors import ConfigurationError, InputError
from matheur.problems.sliding_tile.instance import SIDE_MAX, Goal, Instance, goal_tiles
from matheur.problems.sliding_tile.solvability import reachable

__all__ = ["MOVES_MAX", "generate", "uniform", "walk"]

MOVES_MAX = 1_000_000
# The blank's step for each move of a tile, as (rows down, columns right), and the move that reverses it.
_STEP = ((1, 0), (-1, 0), (0, 1), (0, -1))
_BACK = (1, 0, 3, 2)


def generate(
    rows: int, columns: int, *, seed: int, goal: Goal = "blank-last", moves: int | None = None, title: str = ""
) -> tuple[Instance, list[int]]:
    """A board reached by a random walk from the goal, and the plan that reverses the walk.

    Parameters
    ----------
    moves
        Length of the walk, in which no move reverses the previous one; 10 per cell and tile if None.

    Raises
    ------
    ConfigurationError
        If the size, the goal or the moves are invalid.
    """
    _check(rows, columns, goal)
    steps = 10 * (rows * columns) ** 2 if moves is None else moves
    if not 0 <= steps <= MOVES_MAX:
        raise ConfigurationError(f"the walk has 0 to {MOVES_MAX} moves ({steps})")
    tiles, plan = walk(rows, columns, goal, steps, np.random.default_rng(seed))
    return Instance(rows, columns, tuple(tiles), goal, title), plan


def walk(rows: int, columns: int, goal: str, steps: int, rng: Generator) -> tuple[list[int], list[int]]:
    """Tiles after a random walk from the goal, and the plan back to the goal without its loops."""
    tiles = list(goal_tiles(rows * columns, goal))
    row, column = divmod(tiles.index(0), columns)
    way: list[int] = []
    last = -1
    for _ in range(steps):
        choices = [
            move
            for move, (down, right) in enumerate(_STEP)
            if 0 <= row + down < rows and 0 <= column + right < columns and (last < 0 or move != _BACK[last])
        ]
        if not choices:  # a line of two cells, or the end of a line
            choices = [_BACK[last]]
        last = choices[int(rng.integers(len(choices)))]
        down, right = _STEP[last]
        here, there = row * columns + column, (row + down) * columns + column + right
        tiles[here], tiles[there] = tiles[there], 0
        row, column = row + down, column + right
        if way and way[-1] == _BACK[last]:
            way.pop()
        else:
            way.append(last)
    return tiles, [_BACK[move] for move in reversed(way)]


def uniform(rows: int, columns: int, rng: Generator, goal: Goal = "blank-last", title: str = "") -> Instance:
    """A board drawn uniformly from all solvable boards (at least two rows and columns).

    Raises
    ------
    ConfigurationError
        If the size or the goal is invalid.
    """
    _check(rows, columns, goal)
    if min(rows, columns) < 2:
        raise ConfigurationError(f"uniform boards have at least two rows and two columns ({rows} x {columns})")
    tiles = rng.permutation(rows * columns).tolist()
    if not reachable(rows, columns, tiles, goal):
        first, second = [cell for cell, tile in enumerate(tiles) if tile][:2]
        tiles[first], tiles[second] = tiles[second], tiles[first]
    return Instance(rows, columns, tuple(tiles), goal, title)


def _check(rows: int, columns: int, goal: str) -> None:
    if not (1 <= rows <= SIDE_MAX and 1 <= columns <= SIDE_MAX) or rows * columns < 2:
        raise ConfigurationError(
            f"a board has 2 cells or more, and 1 to {SIDE_MAX} rows and columns ({rows} x {columns})"
        )
    try:
        goal_tiles(rows * columns, goal)
    except InputError as error:
        raise ConfigurationError(error.message) from None
