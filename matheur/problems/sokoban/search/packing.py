"""In which order the goals of a level are best filled: the solved level taken apart by pulls."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.sokoban.search.box_kernels import box_reach, reach_of
from matheur.problems.sokoban.search.floor import Floor

__all__ = ["PackingPlan", "packing_plan"]

_UNREACHED = 1000


@dataclass(frozen=True, eq=False)
class PackingPlan:
    """The goals in the order in which they are filled.

    Attributes
    ----------
    goals
        int64[g]: cells of the floor, the first one to be filled first.
    rank
        int64[n]: place of a cell in `goals`, -1 for other cells.
    locked
        bool[g + 1, n]: with the first k goals filled, whether a box in a cell can get to no other goal.
    near
        int64[g + 1, n]: pushes from a cell to the nearest goal that is left when the first k are filled.
    """

    goals: NDArray[np.int64]
    rank: NDArray[np.int64]
    locked: NDArray[np.bool_]
    near: NDArray[np.int64]


def packing_plan(floor: Floor, boxes: NDArray[np.int64]) -> PackingPlan:
    """A plan for boxes that stand in these cells of the floor."""
    order = max((_taken_apart(floor, boxes, region) for region in _regions(floor)), key=lambda one: one[0])[1]
    goals = np.array(order, dtype=np.int64)
    rank = np.full(len(floor.cells), -1, dtype=np.int64)
    rank[goals] = np.arange(len(goals))
    near = np.stack([_pushes(floor, order[:filled], order[filled:]) for filled in range(len(order) + 1)])
    locked = near >= _UNREACHED
    near[-1], locked[-1] = 0, False
    return PackingPlan(goals, rank, locked, near)


def _regions(floor: Floor) -> list[int]:
    """A cell of each region that the player can be in when all goals are filled."""
    closed, found = set(floor.goals), list[int]()
    for cell in range(len(floor.cells)):
        if cell not in closed:
            found.append(cell)
            closed |= _flood(floor, cell, set(floor.goals))
    return found or [floor.goals[0]]


def _flood(floor: Floor, start: int, taken: set[int]) -> set[int]:
    seen, waiting = {start}, [start]
    while waiting:
        for there in floor.adjacent[waiting.pop()].tolist():
            if there >= 0 and there not in taken and there not in seen:
                seen.add(there)
                waiting.append(there)
    return seen


def _taken_apart(floor: Floor, boxes: NDArray[np.int64], player: int) -> tuple[int, list[int]]:
    """How many goals could be emptied, and all in the order of filling.

    Boxes are pulled to where the boxes of the level begin, the one that gets there soonest first; one that is pulled
    later is to be pushed in earlier.
    """
    reach = _Reach(floor)
    sinks = {int(box) for box in boxes} - set(floor.goals) or set(np.flatnonzero(floor.alive).tolist()) - set(
        floor.goals
    )
    left, emptied = {goal: goal for goal in floor.goals}, list[int]()  # where the box of a goal stands
    while left:
        found = None
        for goal, box in left.items():
            for index, (cell, side) in enumerate(reach(box, player, set(left.values()) - {box})):
                if cell in sinks and (found is None or index < found[0]):
                    found = index, goal, int(floor.adjacent[cell, side])
                    break
        if found is None:
            found = _parked(floor, reach, left, player, sinks)
            if found is None:
                break
        _, goal, player = found
        if goal in left and goal not in emptied:
            emptied.append(goal)
        left.pop(goal, None)
    frozen = [goal for goal in floor.goals if goal not in emptied]
    return len(emptied), frozen + emptied[::-1]


def _parked(
    floor: Floor, reach: _Reach, left: dict[int, int], player: int, sinks: set[int]
) -> tuple[int, int, int] | None:
    """A goal whose box can at least be pulled off to where another box gets free; it counts as emptied."""
    for goal, box in left.items():
        others = set(left.values()) - {box}
        for cell, side in reach(box, player, others):
            stands = int(floor.adjacent[cell, side])
            if cell == box or stands in others:
                continue
            for other in others:
                if any(there in sinks for there, _ in reach(other, stands, (others | {cell}) - {other})):
                    return 0, goal, stands
    return None


class _Reach:
    """Where a box can be pulled, with the arrays that the kernel needs."""

    def __init__(self, floor: Floor) -> None:
        cells = len(floor.cells)
        self._floor = floor
        self._open = np.ones(cells, dtype=np.bool_)
        self._work = reach_of(cells)

    def __call__(self, box: int, player: int, others: set[int]) -> list[tuple[int, int]]:
        """Cells and sides of the player, the nearest first."""
        taken = np.zeros(len(self._floor.cells), dtype=np.bool_)
        taken[list(others)] = True
        reached = _flood(self._floor, player, others | {box})
        sides = sum(1 << move for move, there in enumerate(self._floor.adjacent[box].tolist()) if there in reached)
        many = box_reach(box, sides, True, taken, self._floor.adjacent, self._open, self._work)
        return [divmod(entry, 4) for entry in self._work.queue[:many].tolist()]


def _pushes(floor: Floor, filled: list[int], left: list[int]) -> NDArray[np.int64]:
    """Pushes from every cell to the nearest of the goals that are left, past boxes on the filled ones."""
    away = np.full(len(floor.cells), _UNREACHED, dtype=np.int64)
    away[left] = 0
    walls, waiting = set(filled), deque(left)
    while waiting:
        cell = waiting.popleft()
        for move in range(4):
            there = int(floor.adjacent[cell, move])
            if there < 0 or there in walls or away[there] < _UNREACHED:
                continue
            beyond = int(floor.adjacent[there, move])
            if beyond >= 0 and beyond not in walls:
                away[there] = away[cell] + 1
                waiting.append(there)
    return away
