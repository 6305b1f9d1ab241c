"""The relevant part of a Sokoban level, as arrays."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sokoban.instance import MOVES, STEPS, Instance
from matheur.problems.sokoban.settled import Settled

__all__ = ["FAR", "Floor"]

FAR = 1 << 20
"""Distance of a cell from which a goal cannot be reached."""


@dataclass(frozen=True, eq=False)
class Floor:
    """The relevant cells of a level, numbered from 0.

    Attributes
    ----------
    cells
        Cell of the level of each number.
    adjacent
        int64[n, 4]: U D L R, -1 for a wall.
    goals
        Numbers of the goals that boxes can be brought to.
    distance
        int64[goals, n]: pushes from a cell to a goal without other boxes, with the player in the best place; `FAR` if
        impossible.
    """

    cells: tuple[int, ...]
    adjacent: NDArray[np.int64]
    goals: tuple[int, ...]
    distance: NDArray[np.int64]

    @staticmethod
    def of(instance: Instance, cells: tuple[int, ...] | None = None) -> Floor:
        """The floor of a level; unless the cells are given, boxes that no plan moves are walls."""
        cells = Settled.of(instance).cells if cells is None else cells
        number = {cell: i for i, cell in enumerate(cells)}
        # The floor is enclosed by walls, so a step never leaves the level or its row.
        offsets = [down * instance.columns + right for down, right in STEPS]
        beside = [[number.get(cell + offset, -1) for offset in offsets] for cell in cells]
        goals = tuple(number[goal] for goal in instance.goals if goal in number)
        distance = np.full((len(goals), len(cells)), FAR, dtype=np.int64)
        for row, goal in enumerate(goals):
            away = {goal: 0}
            waiting = deque([goal])
            while waiting:
                cell = waiting.popleft()
                for move in range(len(MOVES)):
                    there = beside[cell][move]
                    if there >= 0 and there not in away and beside[there][move] >= 0:
                        away[there] = away[cell] + 1
                        waiting.append(there)
            distance[row, list(away)] = list(away.values())
        return Floor(cells, np.array(beside, dtype=np.int64).reshape(-1, len(MOVES)), goals, distance)

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """bool[n]: whether a box in a cell can reach a goal."""
        alive: NDArray[np.bool_] = np.any(self.distance < FAR, axis=0)
        return alive

    @property
    def stuck(self) -> NDArray[np.bool_]:
        """bool[n, 2]: whether walls or dead cells prevent every vertical and every horizontal push of a box."""
        wall = self.adjacent < 0
        dead = wall | ~self.alive[self.adjacent]
        ends = np.arange(0, len(MOVES), 2)
        return np.asarray(wall[:, ends] | wall[:, ends + 1] | (dead[:, ends] & dead[:, ends + 1]))
