"""Plans of Sokoban levels with many boxes by feature space search, without bounds on their length."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.search.box_kernels import reach_of
from matheur.problems.sokoban.search.deadlock_kernels import room_of, terrain_of
from matheur.problems.sokoban.search.feature_kernels import (
    ADVISERS,
    EXPANDED,
    FINISHED,
    FOUND,
    FULL,
    GENERATED,
    GOAL,
    MOVES,
    NODES,
    NUMBERS,
    PAUSED,
    ROWS,
    WEIGHTS,
    Coding,
    Desk,
    Order,
    Store,
    feature_cells,
    search,
    seed,
)
from matheur.problems.sokoban.search.floor import Floor
from matheur.problems.sokoban.search.macro_plans import BoxMove, single_moves
from matheur.problems.sokoban.search.packing import packing_plan
from matheur.problems.sokoban.search.push_kernels import rehash
from matheur.problems.sokoban.search.push_search import Level

__all__ = ["WORK_MAX", "FeatureSearch"]

WORK_MAX = 15_000_000
"""Boxes times cells that they can stand in times cells, at most: about a second for a step."""

_NODES, _MOVES, _ROWS = 1 << 12, 1 << 15, 1 << 6
_SLICE = 2_000_000  # upper limit of the same: a fraction of a second
_BUCKETS = 24


class FeatureSearch:
    """Feature space search that can be interrupted and resumed.

    Parameters
    ----------
    memory
        Memory of all growing arrays, in bytes.
    by_lock
        Whether the third feature is the number of boxes that the plan locks out instead of the effort for its next
        goal; an adviser then prefers boxes closer to any goal instead of less effort for all boxes.

    Raises
    ------
    ValueError
        If the level is so large that a single step may take seconds.
    """

    def __init__(self, instance: Instance, *, memory: int = 1 << 30, by_lock: bool = False) -> None:
        floor = Floor.of(instance)
        self._memory, self._by_lock = memory, by_lock
        self._level = Level.of(instance, floor)
        self._numbers = np.zeros(NUMBERS, dtype=np.int64)
        self._state, self._peak = FINISHED, 0
        if self._level is not None and len(self._level.boxes):
            self._begin(self._level)

    def _begin(self, level: Level) -> None:
        floor, cells, many = level.floor, len(level.floor.cells), len(level.boxes)
        cost = many * len(level.cell_of) * cells
        if cost > WORK_MAX:
            raise ValueError(
                f"the product of boxes, cells for boxes and cells is {cost}, the feature search takes up to {WORK_MAX}"
            )
        self._slice = max(1, _SLICE // cost)
        plan = packing_plan(floor, level.boxes)
        self._fixed = (
            terrain_of(floor),
            Coding(level.bit_of, level.cell_of, level.player_shift),
            Order(plan.goals, plan.rank, plan.locked, plan.near, self._by_lock),
            reach_of(cells),
            room_of(cells, len(floor.goals)),
            Desk(
                taken=np.zeros(cells, dtype=np.bool_),
                forced=np.zeros(cells, dtype=np.bool_),
                boxes=np.zeros(many, dtype=np.int64),
                mark=np.zeros(cells, dtype=np.int8),
                flood=np.zeros(cells, dtype=np.int64),
                steps=np.zeros(cells, dtype=np.int64),
                walls=np.zeros(cells, dtype=np.int64),
                away=np.zeros(cells, dtype=np.int64),
                buckets=np.zeros(_BUCKETS, dtype=np.int64),
                links=np.zeros((4 * cells + 1, 2), dtype=np.int64),
                key=np.zeros(level.words, dtype=np.uint64),
            ),
        )
        self._step = 4 * many * len(level.cell_of) + 2 * ADVISERS
        moves = max(_MOVES, 2 * self._step)
        self._store = Store(
            table=np.full(2 * _NODES, -1, dtype=np.int32),
            keys=np.zeros((_NODES, level.words), dtype=np.uint64),
            weights=np.zeros(_NODES, dtype=np.int32),
            parents=np.zeros(_NODES, dtype=np.int32),
            made=np.zeros((_NODES, 2), dtype=np.int32),
            moves=np.zeros((moves, 4), dtype=np.int32),
            row_of=np.full(feature_cells(len(floor.goals)), -1, dtype=np.int32),
            heads=np.full((_ROWS, WEIGHTS), -1, dtype=np.int32),
            lightest=np.zeros(_ROWS, dtype=np.int32),
            active=np.zeros(_ROWS, dtype=np.int32),
        )
        self._peak = self._nbytes
        self._state = seed(level.player, level.boxes, *self._fixed, self._store, self._numbers)

    @property
    def _nbytes(self) -> int:
        return sum(array.nbytes for array in self._store)

    def run(self, budget: Budget) -> SearchAnswer:
        """Continue until a plan is found, the memory is full, or the budget ends.

        A unit of work is a node expanded; the answer counts the expanded, generated and stored nodes of all runs. The
        search may end without a plan and without a limit; this proves nothing.
        """
        begun, pace, limit, numbers = budget.clock(), Pace(budget), None, self._numbers
        if self._level is not None and not len(self._level.boxes):
            return SearchAnswer(np.zeros(0, dtype=np.int32), 0)
        while self._state in (PAUSED, FULL) and limit is None:
            limit = limit_reached(budget)
            if limit is not None:
                break
            before = int(numbers[EXPANDED])
            self._state = search(min(pace.next(), self._slice), *self._fixed, self._store, numbers)
            pace.done(int(numbers[EXPANDED]) - before)
            if self._state == FULL and not self._grow():
                limit = "memory"
        answer = SearchAnswer(limit=limit)
        if self._level is not None and self._state == FOUND:
            plan = self._plan(self._level)
            pushes = _pushes(self._level, plan)
            answer = SearchAnswer(plan, pushes if self._level.pushes else len(plan))
        return replace(
            answer,
            expanded=int(numbers[EXPANDED]),
            generated=int(numbers[GENERATED]),
            stored=int(numbers[NODES]),
            memory=self._peak,
            seconds=budget.clock() - begun,
        )

    def _grow(self) -> bool:
        """Double the full arrays, unless this takes too much memory."""
        store, numbers = self._store, self._numbers
        parts = store._asdict()
        names = list[str]()
        if numbers[NODES] + 1 >= len(store.keys):
            names += ["keys", "weights", "parents", "made"]
        if numbers[MOVES] + self._step >= len(store.moves):
            names.append("moves")
        if numbers[ROWS] + 1 >= len(store.heads):
            names += ["heads", "lightest", "active"]
        more = sum(parts[name].nbytes for name in names)
        if self._nbytes + 2 * more > self._memory:
            return False
        self._peak = max(self._peak, self._nbytes + 2 * more)
        try:
            for name in names:
                parts[name] = np.concatenate([parts[name], np.zeros_like(parts[name])])
            if "keys" in names:
                parts["table"] = np.full(2 * len(store.table), -1, dtype=np.int32)
                rehash(int(numbers[NODES]), parts["table"], parts["keys"])
        except MemoryError:  # less memory is available than the option allows
            return False
        self._store = Store(**parts)
        return True

    def _plan(self, level: Level) -> NDArray[np.int32]:
        node, moves = int(self._numbers[GOAL]), list[BoxMove]()
        beside = level.floor.adjacent
        while self._store.parents[node] >= 0:
            box, code = self._store.made[node].tolist()
            moves.append(BoxMove(box, code >> 2, int(beside[code >> 2, code & 3])))
            node = int(self._store.parents[node])
        steps = single_moves(beside, level.boxes.tolist(), level.player, moves[::-1], pushes=level.pushes)
        return np.array(steps, dtype=np.int32)


def _pushes(level: Level, plan: NDArray[np.int32]) -> int:
    """Number of pushes in a plan."""
    beside, boxes, player, count = level.floor.adjacent.tolist(), set(level.boxes.tolist()), level.player, 0
    for move in plan.tolist():
        player = beside[player][move]
        if player in boxes:
            boxes.remove(player)
            boxes.add(beside[player][move])
            count += 1
    return count
