"""Small random Sokoban levels and exhaustive searches on the definition, for comparison."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError
from matheur.problems.sokoban import Instance

Position = tuple[frozenset[int], int]
"""Cells of the boxes and of the player."""


def level_of(seed: int, *, boxes: int, rows: int = 5, columns: int = 6, walls: float = 0.15) -> Instance | None:
    """Boxes and goals thrown at random into a small room; None if that gives no level."""
    rng = np.random.default_rng(seed)
    grid = np.ones((rows, columns), dtype=np.bool_)
    grid[1:-1, 1:-1] = rng.random((rows - 2, columns - 2)) < walls
    free = rng.permutation(np.flatnonzero(~grid.ravel())).tolist()
    if len(free) < 2 * boxes + 1:
        return None
    goals = tuple(sorted(rng.permutation(free)[:boxes].tolist()))
    try:
        return Instance(rows, columns, tuple(grid.ravel().tolist()), goals, tuple(sorted(free[:boxes])), free[-1])
    except InputError:
        return None


def pushes_from(adjacent: NDArray[np.int64], boxes: frozenset[int], player: int) -> Iterator[Position]:
    """Positions after one push, on a floor."""
    for there in flood(adjacent, player, boxes):
        for move in range(4):
            box = int(adjacent[there, move])
            if box in boxes:
                to = int(adjacent[box, move])
                if to >= 0 and to not in boxes:
                    yield boxes - {box} | {to}, box


def flood(adjacent: NDArray[np.int64], start: int, taken: frozenset[int]) -> set[int]:
    """Cells that the player can walk to."""
    seen, waiting = {start}, [start]
    while waiting:
        for there in adjacent[waiting.pop()].tolist():
            if there >= 0 and there not in taken and there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def solvable(adjacent: NDArray[np.int64], goals: frozenset[int], boxes: frozenset[int], player: int) -> bool:
    """Whether all boxes can get to goals, by trying everything."""
    seen: set[tuple[frozenset[int], int]] = set()
    waiting = deque([(boxes, player)])
    while waiting:
        here, at = waiting.popleft()
        name = here, min(flood(adjacent, at, here))
        if name in seen:
            continue
        seen.add(name)
        if here <= goals:
            return True
        waiting.extend(pushes_from(adjacent, here, at))
    return False
