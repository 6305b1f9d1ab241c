"""Optimal plans of Sokoban levels by A* over pushes, in moves or in pushes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import FIRST, Pace, limit_reached
from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.search.deadlock_kernels import room_of, terrain_of
from matheur.problems.sokoban.search.floor import FAR, Floor
from matheur.problems.sokoban.search.push_kernels import (
    BOUND,
    ENTRIES,
    EXPANDED,
    FINISHED,
    FOUND,
    FULL,
    GOAL,
    NODES,
    NUMBERS,
    PAUSED,
    SHALLOW,
    WANTED,
    rehash,
    search,
    seed,
)
from matheur.problems.sokoban.settled import Settled

__all__ = ["GOALS_MAX", "WEIGHT_MAX", "Level", "PushSearch", "push_astar"]

GOALS_MAX = 256
"""Goals that boxes are assigned to, at most: a step takes time with the cube of their number, here 0.02 s."""

WEIGHT_MAX = 100
"""Largest factor of the estimate."""

_WORD = 64
_ANY, _ALL = 1 << 40, np.zeros(1, dtype=np.uint64)
_NODES, _LEVELS = 1 << 13, 1 << 10
_CORRAL_CELLS = 1000
_SLICE = 10_000_000  # largest number of assignment steps in the first slice: a fraction of a second


@dataclass
class _Tables:
    """Tables of the kernel; the number of nodes is a power of two."""

    nodes: int
    levels: int
    words: int
    table: NDArray[np.int32] = field(init=False)
    keys: NDArray[np.uint64] = field(init=False)
    spent: NDArray[np.int32] = field(init=False)
    estimates: NDArray[np.int32] = field(init=False)
    parents: NDArray[np.int32] = field(init=False)
    entries: NDArray[np.int32] = field(init=False)
    heads: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        self.table = np.full(4 * self.nodes, -1, dtype=np.int32)
        self.keys = np.zeros((self.nodes, self.words), dtype=np.uint64)
        self.spent, self.estimates, self.parents = (np.zeros(self.nodes, dtype=np.int32) for _ in range(3))
        self.entries = np.zeros((2 * self.nodes, 3), dtype=np.int32)
        self.heads = np.full(self.levels, -1, dtype=np.int32)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.table, self.keys, self.spent, self.estimates, self.parents, self.entries, self.heads

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def larger(self, nodes: int, levels: int, numbers: NDArray[np.int64]) -> _Tables:
        """Larger tables with the same content."""
        other = _Tables(nodes, levels, self.words)
        there = int(numbers[NODES])
        for old, new in (
            (self.keys, other.keys), (self.spent, other.spent), (self.estimates, other.estimates),
            (self.parents, other.parents),
        ):  # fmt: skip
            new[:there] = old[:there]
        other.entries[: len(self.entries)] = self.entries
        other.heads[: len(self.heads)] = self.heads
        rehash(there, other.table, other.keys)
        return other


@dataclass(frozen=True, eq=False)
class Level:
    """A level in the form of the kernel."""

    floor: Floor
    boxes: NDArray[np.int64]
    player: int
    pushes: bool
    distance: NDArray[np.int64]
    goal_of: NDArray[np.int64]
    bit_of: NDArray[np.int64]
    cell_of: NDArray[np.int64]
    words: int
    player_shift: int

    @staticmethod
    def of(instance: Instance, floor: Floor) -> Level | None:
        """The level, or None if a box can reach no goal."""
        number = {cell: i for i, cell in enumerate(floor.cells)}
        boxes = np.array(sorted(number[box] for box in instance.boxes if box in number), dtype=np.int64)
        if any(box not in number and box not in instance.goals for box in instance.boxes):
            return None
        if len(boxes) > len(floor.goals) or not floor.alive[boxes].all():
            return None
        goal_of = np.full(len(floor.cells), -1, dtype=np.int64)
        goal_of[list(floor.goals)] = np.arange(len(floor.goals))
        cell_of = np.flatnonzero(floor.alive)
        bit_of = np.full(len(floor.cells), -1, dtype=np.int64)
        bit_of[cell_of] = np.arange(len(cell_of))
        width = max(1, (len(floor.cells) - 1).bit_length())
        words = -(-(len(cell_of) + width) // _WORD)
        distance = np.zeros((len(floor.cells) + 1, len(floor.goals)), dtype=np.int64)
        distance[:-1] = floor.distance.T
        return Level(
            floor, boxes, number[instance.player], instance.cost == "pushes", distance, goal_of, bit_of, cell_of, words,
            _WORD - width,
        )  # fmt: skip

    def decoded(self, key: NDArray[np.uint64]) -> set[int]:
        """Cells of the boxes of a node."""
        whole = sum(int(word) << _WORD * i for i, word in enumerate(key))
        return {int(cell) for bit, cell in enumerate(self.cell_of) if whole >> bit & 1}


class PushSearch:
    """A* over pushes that can be interrupted and resumed.

    Parameters
    ----------
    weight
        Factor of the estimate, 1 to `WEIGHT_MAX`: a larger one finds a plan sooner, which costs up to this multiple of
        the optimum.
    memory
        Memory of all tables together, in bytes.
    most
        Upper limit: only plans with a lower cost are searched for, see `below`.
    kept
        Placements of the boxes to which the search is restricted, see `push_kernels.place_of`; None for all. A
        restricted search proves nothing.
    corrals
        Whether corrals prune the search; only if pushes are counted, on up to 1000 cells, and with `kept` None.

    Raises
    ------
    ValueError
        If the level has more than `GOALS_MAX` goals, or the weight is out of range.
    """

    def __init__(
        self,
        instance: Instance,
        *,
        weight: int = 1,
        memory: int = 4 << 30,
        most: int | None = None,
        kept: NDArray[np.uint64] | None = None,
        corrals: bool = True,
    ) -> None:
        if not 1 <= weight <= WEIGHT_MAX:
            raise ValueError(f"the weight is 1 to {WEIGHT_MAX} ({weight})")
        cells = Settled.of(instance).cells
        goals = len(set(instance.goals).intersection(cells))
        if goals > GOALS_MAX:
            raise ValueError(
                f"the push search takes levels of up to {GOALS_MAX} goals without a frozen box ({goals}). "
                "Maybe fewer goals, or --construction feature-search?"
            )
        floor = Floor.of(instance, cells)
        self._weight, self._memory = weight, memory
        self._most, self._kept = most, kept
        self._corrals = corrals and kept is None and instance.cost == "pushes" and len(floor.cells) <= _CORRAL_CELLS
        self._numbers = np.zeros(NUMBERS, dtype=np.int64)
        self._level = Level.of(instance, floor)
        self._state = FINISHED
        if self._level is not None:
            self._begin(self._level)

    def _begin(self, level: Level) -> None:
        floor, levels = level.floor, _LEVELS
        terrain = terrain_of(floor, alone=self._corrals)
        self._room = room_of(len(floor.cells), len(floor.goals))
        self._settings = self._weight, level.pushes, terrain, level.distance, level.bit_of, level.player_shift
        while True:
            self._tables = _Tables(_NODES, levels, level.words)
            self._peak = self._tables.nbytes
            estimate = int(seed(level.player, level.boxes, *self._settings, *self._tables.arrays, self._numbers))
            if estimate >= FAR:
                return
            if self._weight * estimate < levels:
                self._state = PAUSED
                return
            levels = 2 * self._weight * estimate

    def below(self, cost: int) -> None:
        """Search only for plans with a lower cost from now on; if there is none, `cost` is the bound."""
        self._most = cost if self._most is None else min(self._most, cost)

    def run(self, budget: Budget) -> SearchAnswer:
        """Continue until a plan is found, the search is complete, the memory is full, or the budget ends.

        A unit of work is a node expanded; the answer counts the expanded, generated and stored nodes of all runs.
        """
        begun, limit, numbers, level = budget.clock(), None, self._numbers, self._level
        pace = Pace(budget, 1 if level is None else _first(len(level.boxes), len(level.floor.goals)))
        most = _ANY if self._most is None else self._most
        kept = _ALL if self._kept is None else self._kept
        while level is not None and self._state not in (FOUND, FINISHED) and limit is None:
            limit = limit_reached(budget)
            if limit is not None:
                break
            before = int(numbers[EXPANDED])
            self._state = search(
                pace.next(), most, kept, self._corrals, self._room, len(level.boxes), level.cell_of, *self._settings,
                *self._tables.arrays, numbers,
            )  # fmt: skip
            pace.done(int(numbers[EXPANDED]) - before)
            if self._state in (FULL, SHALLOW) and not self._grow():
                limit = "memory"
        if self._state == FINISHED or level is None:
            answer = self._finished()
        elif self._state == FOUND:
            plan, cost = _plan(level, self._tables, int(numbers[GOAL])), int(self._tables.spent[numbers[GOAL]])
            answer = SearchAnswer(plan, cost, self._bound)
        else:
            answer = SearchAnswer(bound=self._bound, limit=limit)
        return replace(
            answer,
            expanded=int(numbers[EXPANDED]),
            generated=int(numbers[ENTRIES]),
            stored=int(numbers[NODES]),
            memory=0 if level is None else self._peak,
            seconds=budget.clock() - begun,
        )

    def _finished(self) -> SearchAnswer:
        """The answer of a completed search."""
        if self._kept is not None:
            return SearchAnswer()
        return SearchAnswer(unreachable=True) if self._most is None else SearchAnswer(bound=self._most)

    @property
    def _bound(self) -> int:
        return 0 if self._kept is not None else -(-int(self._numbers[BOUND]) // self._weight)

    def _grow(self) -> bool:
        tables = self._tables
        if 3 * tables.nbytes > self._memory:
            return False
        self._peak = max(self._peak, 3 * tables.nbytes)
        levels = max(tables.levels, 2 * int(self._numbers[WANTED]))
        nodes = tables.nodes * (2 if self._state == FULL else 1)
        self._tables = tables.larger(nodes, levels, self._numbers)
        return True


def _first(boxes: int, goals: int) -> int:
    """Number of nodes in the first slice: each box is pushed in four directions, with a new assignment to the goals."""
    return max(1, min(FIRST, _SLICE // (4 * boxes * goals**2 + 1)))


def push_astar(
    instance: Instance, *, weight: int = 1, budget: Budget | None = None, memory: int = 4 << 30
) -> SearchAnswer:
    """A plan, optimal in the level's own cost if the weight is 1; see `PushSearch`.

    Returns
    -------
    SearchAnswer
        Answer with a plan, or with `unreachable` if the level has no solution.

    Raises
    ------
    ValueError
        As in `PushSearch`.
    """
    return PushSearch(instance, weight=weight, memory=memory).run(Budget() if budget is None else budget)


def _plan(level: Level, tables: _Tables, goal: int) -> NDArray[np.int32]:
    """Walks and pushes from node to node."""
    nodes = [goal]
    while tables.parents[nodes[-1]] >= 0:
        nodes.append(int(tables.parents[nodes[-1]]))
    beside = level.floor.adjacent.tolist()
    player = level.player
    plan: list[int] = []
    below = np.uint64((1 << level.player_shift) - 1)
    keys = tables.keys[nodes[::-1]]
    keys[:, -1] &= below
    for before, after in pairwise(map(level.decoded, keys)):
        box, there = (before - after).pop(), (after - before).pop()
        move = beside[box].index(there)
        plan += _walk(beside, player, beside[box][move ^ 1], before)
        plan.append(move)
        player = box
    return np.array(plan, dtype=np.int32)


def _walk(beside: list[list[int]], here: int, there: int, boxes: set[int]) -> list[int]:
    """Moves of a shortest walk around the boxes."""
    came = {here: (-1, -1)}
    waiting = deque([here])
    while there not in came:
        cell = waiting.popleft()
        for move, other in enumerate(beside[cell]):
            if other >= 0 and other not in boxes and other not in came:
                came[other] = (cell, move)
                waiting.append(other)
    moves: list[int] = []
    while there != here:
        there, move = came[there]
        moves.append(move)
    return moves[::-1]
