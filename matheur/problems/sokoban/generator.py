"""Random solvable levels: rooms dug by a walk, boxes pulled away from their goals."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.errors import ConfigurationError, InputError
from matheur.problems.sokoban.instance import MOVES, Cost, Instance

__all__ = ["BOXES_MAX", "SIDE_MAX", "generate"]

SIDE_MAX, BOXES_MAX = 40, 40
_TRIES = 400
_CROWDED = 12


def generate(
    rows: int,
    columns: int,
    *,
    seed: int,
    boxes: int = 4,
    pulls: int | None = None,
    cost: Cost = "moves",
    title: str = "",
) -> tuple[Instance, list[int]]:
    """A level and a plan that solves it.

    A walk digs rooms, goals are drawn from cells where a box can be pulled away, and the player pulls boxes at random,
    walking from one to the next; in reverse, this is a solution.

    Parameters
    ----------
    pulls
        Number of pulls; 12 per box if None.

    Raises
    ------
    ConfigurationError
        If the sizes are invalid, or no level was found.
    """
    if not (5 <= rows <= SIDE_MAX and 5 <= columns <= SIDE_MAX):
        raise ConfigurationError(f"a level has 5 to {SIDE_MAX} rows and columns ({rows} x {columns})")
    if not 1 <= boxes <= BOXES_MAX or boxes > (rows - 2) * (columns - 2) // 6:
        raise ConfigurationError(
            f"a level of {rows} x {columns} has 1 to {min(BOXES_MAX, (rows - 2) * (columns - 2) // 6)} boxes ({boxes})"
        )
    many = 12 * boxes if pulls is None else pulls
    if not 1 <= many <= 10_000:
        raise ConfigurationError(f"pulls must be 1 to 10000 ({pulls})")
    rng = np.random.default_rng(seed)
    for _ in range(_TRIES):
        walls = _rooms(rows, columns, rng)
        made = _pulled(rows, columns, walls, boxes, many, rng)
        if made is None:
            continue
        placed, goals, player, plan = made
        if set(placed) & set(goals) and boxes > 1 and len(set(placed) & set(goals)) > boxes // 2:
            continue
        try:
            return Instance(
                rows, columns, tuple(walls), tuple(sorted(goals)), tuple(sorted(placed)), player, cost, title
            ), plan
        except InputError:
            continue
    raise ConfigurationError(f"no level of {rows} x {columns} with {boxes} boxes was found with seed {seed}")


def _rooms(rows: int, columns: int, rng: Generator) -> list[bool]:
    """Walls, with about half of the interior cleared by a walk that removes small patterns of cells."""
    walls = [True] * (rows * columns)
    row, column = rows // 2, columns // 2
    for _ in range(rows * columns):
        for r in range(row, row + int(rng.integers(1, 3))):
            for c in range(column, column + int(rng.integers(1, 3))):
                if 0 < r < rows - 1 and 0 < c < columns - 1:
                    walls[r * columns + c] = False
        down, right = ((-1, 0), (1, 0), (0, -1), (0, 1))[int(rng.integers(4))]
        row, column = min(rows - 2, max(1, row + down)), min(columns - 2, max(1, column + right))
        if walls.count(False) * 2 > (rows - 2) * (columns - 2):
            break
    return walls


def _pulled(
    rows: int, columns: int, walls: list[bool], boxes: int, pulls: int, rng: Generator
) -> tuple[list[int], list[int], int, list[int]] | None:
    """Boxes pulled away from goals: boxes, goals, player, and the reversed plan; None if no box can be pulled."""
    offsets = (-columns, columns, -1, 1)
    floor = [cell for cell in range(rows * columns) if not walls[cell]]
    if len(floor) < boxes + 4:
        return None
    chosen = rng.permutation(floor)[: boxes + 1].tolist()
    goals, player = chosen[:boxes], chosen[boxes]
    placed = list(goals)
    back: list[int] = []  # moves in reverse order
    for pulled in range(pulls):
        came = _walk(player, walls, placed, offsets)
        choices = [
            (i, move, cell)
            for i, box in enumerate(placed)
            for move in range(len(MOVES))
            if (cell := box + offsets[move]) in came
            and not walls[cell + offsets[move]]
            and cell + offsets[move] not in placed
        ]
        if not choices:
            if boxes <= _CROWDED or pulled < 3 * boxes:
                return None
            break  # many boxes lock the player in sooner or later
        i, move, cell = choices[int(rng.integers(len(choices)))]
        # The player stands at `cell`, next to the box, and pulls it there by moving one step further.
        walk = []
        place = cell
        while place != player:
            step = came[place]
            walk.append(step)
            place -= offsets[step]
        back += [step ^ 1 for step in reversed(walk)]
        placed[i] = cell
        player = cell + offsets[move]
        back.append(move ^ 1)
    return placed, goals, player, back[::-1]


def _walk(player: int, walls: list[bool], placed: list[int], offsets: tuple[int, ...]) -> dict[int, int]:
    """Cells that the player can reach, with the last step of a shortest path."""
    came, waiting = {player: -1}, [player]
    for cell in waiting:
        for move, offset in enumerate(offsets):
            there = cell + offset
            if not walls[there] and there not in placed and there not in came:
                came[there] = move
                waiting.append(there)
    return came
