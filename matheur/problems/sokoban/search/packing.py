"""A good order in which to fill the goals of a level, found by unpacking the solved level with pulls."""

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
        int64[g]: cells of the goals, in the order in which they are filled.
    rank
        int64[n]: position of a cell in `goals`, -1 for other cells.
    locked
        bool[g + 1, n]: whether a box in a cell can reach no other goal when the first k goals are filled.
    near
        int64[g + 1, n]: pushes from a cell to the nearest remaining goal when the first k goals are filled.
    """

    goals: NDArray[np.int64]
    rank: NDArray[np.int64]
    locked: NDArray[np.bool_]
    near: NDArray[np.int64]


def packing_plan(floor: Floor, boxes: NDArray[np.int64]) -> PackingPlan:
    """A plan for boxes in these cells of the floor."""
    order = max((_taken_apart(floor, boxes, region) for region in _regions(floor)), key=lambda one: one[0])[1]
    goals = np.array(order, dtype=np.int64)
    rank = np.full(len(floor.cells), -1, dtype=np.int64)
    rank[goals] = np.arange(len(goals))
    near = np.stack([_pushes(floor, order[:filled], order[filled:]) for filled in range(len(order) + 1)])
    locked = near >= _UNREACHED
    near[-1], locked[-1] = 0, False
    return PackingPlan(goals, rank, locked, near)


def _regions(floor: Floor) -> list[int]:
    """One cell of each possible region of the player when all goals are filled."""
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
    """Number of goals that could be emptied, and all goals in the order of filling.

    Boxes are pulled to the initial cells of the boxes, the one with the shortest way first; a box that is pulled out
    later has to be pushed in earlier.
    """
    reach = _Reach(floor)
    sinks = {int(box) for box in boxes} - set(floor.goals) or set(np.flatnonzero(floor.alive).tolist()) - set(
        floor.goals
    )
    left, emptied = {goal: goal for goal in floor.goals}, list[int]()  # current cell of the box of each goal
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
    """A goal whose box can at least be pulled to a cell where it frees another box; it counts as emptied."""
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
    """Cells to which a box can be pulled, with the workspace of the kernel."""

    def __init__(self, floor: Floor) -> None:
        cells = len(floor.cells)
        self._floor = floor
        self._open = np.ones(cells, dtype=np.bool_)
        self._work = reach_of(cells)

    def __call__(self, box: int, player: int, others: set[int]) -> list[tuple[int, int]]:
        """Cells of the box and sides of the player, the nearest first."""
        taken = np.zeros(len(self._floor.cells), dtype=np.bool_)
        taken[list(others)] = True
        reached = _flood(self._floor, player, others | {box})
        sides = sum(1 << move for move, there in enumerate(self._floor.adjacent[box].tolist()) if there in reached)
        many = box_reach(box, sides, True, taken, self._floor.adjacent, self._open, self._work)
        return [divmod(entry, 4) for entry in self._work.queue[:many].tolist()]


def _pushes(floor: Floor, filled: list[int], left: list[int]) -> NDArray[np.int64]:
    """Pushes from every cell to the nearest remaining goal, past boxes on the filled goals."""
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
