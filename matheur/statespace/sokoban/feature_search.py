"""Plans of Sokoban levels with many boxes by feature space search; no plan is proved to be short."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.sokoban.instance import Instance
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.pace import Pace, limit_reached
from matheur.statespace.sokoban.feature_kernels import (
    EXPANDED,
    FINISHED,
    FOUND,
    FULL,
    GENERATED,
    GOAL,
    LOCKED_MAX,
    NODES,
    NUMBERS,
    PAUSED,
    REGIONS_MAX,
    WEIGHTS,
    movable,
    search,
    seed,
    side_masks,
)
from matheur.statespace.sokoban.floor import Floor
from matheur.statespace.sokoban.packing import packing_plan
from matheur.statespace.sokoban.push_search import _Level

class FeatureSearch:
    def __init__(self, instance: Instance, *, memory: int = 4 << 30) -> None:
        floor = Floor.of(instance)
        self._level = level = _Level.of(instance, floor)
        self._numbers = np.zeros(NUMBERS, dtype=np.int64)
        self._state = FINISHED
        if level is None:
            return
        self.plan = plan = packing_plan(floor, level.boxes)
        nodes = 1 << 20
        n=len(floor.cells)
        fcells = (len(plan.goals) + 1) * REGIONS_MAX * LOCKED_MAX
        masks = np.zeros((n, n), dtype=np.int8); side_masks(floor.adjacent, masks)
        able = np.zeros((n, 4), dtype=np.bool_); movable(floor.adjacent, np.array(floor.goals), masks, able)
        known = np.zeros(1 << 20, dtype=np.uint64)
        self._settings = (floor.adjacent, level.goal_of, floor.stuck, level.bit_of, level.cell_of, level.player_shift, masks, able, plan.goals, plan.rank, plan.locked, plan.near, known)
        self._tables = (
            np.full(4 * nodes, -1, dtype=np.int32), np.zeros((nodes, level.words), dtype=np.uint64), np.zeros(nodes, dtype=np.int32), np.zeros(nodes, dtype=np.int32), np.zeros((nodes, 2), dtype=np.int32),
            np.zeros((1 << 27, 4), dtype=np.int32), np.full((fcells, WEIGHTS), -1, dtype=np.int32), np.full(fcells, WEIGHTS, dtype=np.int32), np.zeros(fcells, dtype=np.int32))
        self._state = seed(level.player, level.boxes, *self._settings, *self._tables, self._numbers)

    def run(self, budget):
        pace = Pace(budget)
        limit=None
        while self._state == PAUSED and limit is None:
            limit = limit_reached(budget)
            if limit: break
            before=int(self._numbers[EXPANDED])
            self._state = search(pace.next(), len(self._level.boxes), *self._settings, *self._tables, self._numbers)
            pace.done(int(self._numbers[EXPANDED])-before)
        return self._state
