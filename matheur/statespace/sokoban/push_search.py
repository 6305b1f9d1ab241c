"""Optimal plans of Sokoban levels by A* over pushes, in moves or in pushes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.sokoban.instance import MOVES, Instance
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.pace import Pace, limit_reached
from matheur.statespace.sokoban.push_kernels import (
    ENTRIES,
    EXPANDED,
    FINISHED,
    FOUND,
    FULL,
    GOAL,
    LEVEL,
    NODES,
    NUMBERS,
    PAUSED,
    search,
    seed,
)

__all__ = ["Floor", "fits", "push_astar"]

_FAR = 1 << 20
_GOALS_MAX = 10
_NODES, _LEVELS = 1 << 13, 1 << 10


@dataclass(frozen=True, eq=False)
class Floor:
    """The cells that matter, numbered from 0.

    Attributes
    ----------
    cells
        Cell of the level of each number.
    adjacent
        int64[n, 4]: U D L R, -1 for a wall.
    goals
        Numbers of the goals that boxes can be brought to.
    distance
        int64[goals, n]: pushes from a cell to a goal when no other box is there, with the player where it helps.
    """

    cells: tuple[int, ...]
    adjacent: NDArray[np.int64]
    goals: tuple[int, ...]
    distance: NDArray[np.int64]

    @staticmethod
    def of(instance: Instance) -> Floor:
        """The floor of a level; boxes that the player cannot get to are walls."""
        closed = set(instance.boxes) - set(instance.region)
        cells = tuple(cell for cell in instance.region if cell not in closed)
        number = {cell: i for i, cell in enumerate(cells)}
        adjacent = np.full((len(cells), len(MOVES)), -1, dtype=np.int64)
        for i, cell in enumerate(cells):
            for move in range(len(MOVES)):
                there = instance.beside(cell, move)
                if there in number:
                    adjacent[i, move] = number[there]
        goals = tuple(number[goal] for goal in instance.goals if goal in number)
        distance = np.full((len(goals), len(cells)), _FAR, dtype=np.int64)
        for row, goal in enumerate(goals):
            distance[row, goal] = 0
            waiting = deque([goal])
            while waiting:
                cell = waiting.popleft()
                for move in range(len(MOVES)):
                    there = int(adjacent[cell, move])
                    if there >= 0 and adjacent[there, move] >= 0 and distance[row, there] == _FAR:
                        distance[row, there] = distance[row, cell] + 1
                        waiting.append(there)
        return Floor(cells, adjacent, goals, distance)

    @property
    def width(self) -> int:
        """Bits of a cell."""
        return max(1, (len(self.cells) - 1).bit_length())


def fits(instance: Instance) -> bool:
    """Whether player and boxes fit into one word, and the goals are few enough for exact matchings."""
    floor = Floor.of(instance)
    boxes = [box for box in instance.boxes if box in floor.cells]
    return (len(boxes) + 1) * floor.width <= 64 and len(floor.goals) <= _GOALS_MAX


@dataclass
class _Tables:
    """What the kernel works on."""

    nodes: int
    levels: int
    table: NDArray[np.int32] = field(init=False)
    keys: NDArray[np.uint64] = field(init=False)
    spent: NDArray[np.int32] = field(init=False)
    parents: NDArray[np.int32] = field(init=False)
    entries: NDArray[np.int32] = field(init=False)
    heads: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.table = np.full(4 * self.nodes, -1, dtype=np.int32)
        self.keys = np.zeros(self.nodes, dtype=np.uint64)
        self.spent, self.parents = (np.zeros(self.nodes, dtype=np.int32) for _ in range(2))
        self.entries = np.zeros((2 * self.nodes, 3), dtype=np.int32)
        self.heads = np.full(self.levels, -1, dtype=np.int32)

    @property
    def arrays(self) -> tuple[NDArray[np.int32], ...]:
        return self.table, self.keys, self.spent, self.parents, self.entries, self.heads  # type: ignore[return-value]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def larger(self, numbers: NDArray[np.int64]) -> _Tables:
        """Twice the room with the same content."""
        other = _Tables(2 * self.nodes, 2 * self.levels)
        nodes = int(numbers[NODES])
        for old, new in ((self.keys, other.keys), (self.spent, other.spent), (self.parents, other.parents)):
            new[:nodes] = old[:nodes]
        other.entries[: len(self.entries)] = self.entries
        other.heads[: len(self.heads)] = self.heads
        _rehash(other, nodes)
        return other


def _rehash(tables: _Tables, nodes: int) -> None:
    """Put all keys into an empty table, the vectorised way: those that collide try the next place."""
    mask = np.uint64(tables.table.size - 1)
    place = tables.keys[:nodes] * np.uint64(0x9E3779B97F4A7C15)
    place = (place ^ (place >> np.uint64(29))) & mask
    waiting = np.arange(nodes)
    while waiting.size:
        wanted = place[waiting].astype(np.int64)
        free = tables.table[wanted] < 0
        tables.table[wanted[free]] = waiting[free]
        lost = tables.table[wanted] != waiting
        waiting = waiting[lost]
        place[waiting] = (place[waiting] + np.uint64(1)) & mask


def push_astar(instance: Instance, *, budget: Budget | None = None, memory: int = 4 << 30) -> SearchAnswer:
    """An optimal plan in the level's own cost.

    Parameters
    ----------
    budget
        A unit of work is a node expanded.
    memory
        Bytes of all tables together.

    Returns
    -------
    SearchAnswer
        `unreachable` if the level has no solution.

    Raises
    ------
    ValueError
        If the level is too large for the compact keys, see `fits`.
    """
    if not fits(instance):
        raise ValueError("the level has too many boxes or cells for the push search. Maybe use astar or batch-astar?")
    budget = Budget() if budget is None else budget
    begun, pace = budget.clock(), Pace(budget)
    floor = Floor.of(instance)
    number = {cell: i for i, cell in enumerate(floor.cells)}
    stuck = any(box not in number and box not in instance.goals for box in instance.boxes)
    boxes = np.array(sorted(number[box] for box in instance.boxes if box in number), dtype=np.int64)
    goal_of = np.full(len(floor.cells), -1, dtype=np.int64)
    goal_of[list(floor.goals)] = np.arange(len(floor.goals))
    pushes = instance.cost == "pushes"
    tables, numbers = _Tables(_NODES, _LEVELS), np.zeros(NUMBERS, dtype=np.int64)
    if stuck or len(boxes) > len(floor.goals):
        return SearchAnswer(unreachable=True)
    start = (number[instance.player], boxes, floor.width, pushes, floor.adjacent, floor.distance)
    if seed(*start, *tables.arrays, numbers) >= _FAR:
        return SearchAnswer(unreachable=True)
    answer, limit, peak = PAUSED, None, tables.nbytes
    while answer not in (FOUND, FINISHED) and limit is None:
        limit = limit_reached(budget)
        if limit is not None:
            break
        before = int(numbers[EXPANDED])
        answer = search(
            pace.next(), len(boxes), floor.width, pushes, floor.adjacent, floor.distance, goal_of, *tables.arrays,
            numbers,
        )  # fmt: skip
        pace.done(int(numbers[EXPANDED]) - before)
        if answer == FULL:
            if 3 * tables.nbytes > memory:
                limit = "memory"
            else:
                peak = max(peak, 3 * tables.nbytes)
                tables = tables.larger(numbers)
    plan = _plan(instance, floor, tables, int(numbers[GOAL]), len(boxes)) if answer == FOUND else None
    cost = int(tables.spent[numbers[GOAL]]) if answer == FOUND else None
    return SearchAnswer(
        plan=plan,
        cost=cost,
        bound=int(numbers[LEVEL]) if answer != FINISHED else 0,
        unreachable=answer == FINISHED,
        limit=limit,
        expanded=int(numbers[EXPANDED]),
        generated=int(numbers[ENTRIES]),
        stored=int(numbers[NODES]),
        memory=peak,
        seconds=budget.clock() - begun,
    )


def _plan(instance: Instance, floor: Floor, tables: _Tables, goal: int, many: int) -> NDArray[np.int32]:
    """Walks and pushes from node to node."""
    mask, nodes = (1 << floor.width) - 1, [goal]
    while tables.parents[nodes[-1]] >= 0:
        nodes.append(int(tables.parents[nodes[-1]]))
    player = floor.cells.index(instance.player)
    plan: list[int] = []
    placements = [
        {int(tables.keys[node]) >> floor.width * (i + 1) & mask for i in range(many)} for node in reversed(nodes)
    ]
    for before, after in pairwise(placements):
        box, there = (before - after).pop(), (after - before).pop()
        move = floor.adjacent[box].tolist().index(there)
        plan += _walk(floor, player, int(floor.adjacent[box, move ^ 1]), before)
        plan.append(move)
        player = box
    return np.array(plan, dtype=np.int32)


def _walk(floor: Floor, here: int, there: int, boxes: set[int]) -> list[int]:
    """Moves of a shortest walk around the boxes."""
    came = {here: (-1, -1)}
    waiting = deque([here])
    while there not in came:
        cell = waiting.popleft()
        for move, beside in enumerate(floor.adjacent[cell].tolist()):
            if beside >= 0 and beside not in boxes and beside not in came:
                came[beside] = (cell, move)
                waiting.append(beside)
    moves: list[int] = []
    while there != here:
        there, move = came[there]
        moves.append(move)
    return moves[::-1]
