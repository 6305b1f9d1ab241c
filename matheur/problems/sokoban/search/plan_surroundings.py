"""Shorter plans of a Sokoban level: A* among all placements of the boxes that are similar to those of a plan.

A placement is similar to one of the plan if up to three boxes are elsewhere: at their previous or next resting place in
the plan, or nearby. Boxes may thus be moved in another order or by another path along the whole plan at once; windows
of the plan (`plan_windows`), in contrast, cover all alternatives within a few moves.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import limit_reached
from matheur.problems.sokoban.instance import STEPS, Instance
from matheur.problems.sokoban.search.floor import Floor
from matheur.problems.sokoban.search.push_search import Level, PushSearch
from matheur.problems.sokoban.search.surrounding_kernels import surround

__all__ = ["STAGES", "Surroundings"]

STAGES = ((4, -1, -1), (16, -1, -1), (32, 0, -1), (64, 2, -1), (64, 6, -1), (64, 14, 0), (64, 30, 1), (64, 62, 4))
"""How many cells near a box are tried if one, two, three boxes stand elsewhere; -1: not even cells in the plan."""

_CLOSE, _RESTS = 64, 2
_TABLE_MIN, _TABLE_MAX = 1 << 12, 1 << 24
_STEP_MAX = 1 << 22  # placements around one of the plan: a fraction of a second


@dataclass(frozen=True, eq=False)
class _Path:
    """A plan push by push: cells of each box, and its previous and next resting places."""

    cells: NDArray[np.int64]
    rests: NDArray[np.int64]


class Surroundings:
    """Plans similar to a given plan of a level.

    Parameters
    ----------
    memory
        Memory of a search, in bytes.

    Raises
    ------
    ValueError
        As in `PushSearch`.
    """

    def __init__(self, instance: Instance, *, memory: int = 1 << 30) -> None:
        floor = Floor.of(instance)
        self._instance, self._floor, self._memory = instance, floor, memory
        self._level = Level.of(instance, floor)
        self._close: NDArray[np.int64] | None = None

    def shortened(self, answer: SearchAnswer, budget: Budget, *, stage: int) -> tuple[SearchAnswer, str | None]:
        """The answer with the cheapest plan in these surroundings, and the limit that prevented finding it, if any.

        The limit is one of the budget's, or `memory` if the surroundings are too large.

        Parameters
        ----------
        stage
            Size of the surroundings, an index into `STAGES`.
        """
        if answer.plan is None or answer.cost is None or self._level is None or len(answer.plan) == 0:
            return answer, None
        begun = budget.clock()
        kept = self._kept(self._level, self._path(self._level, answer.plan), STAGES[stage], budget)
        if kept is None:
            return answer, limit_reached(budget) or "memory"
        search = PushSearch(self._instance, memory=self._memory, most=answer.cost, kept=kept)
        found = search.run(budget)
        answer = replace(answer, expanded=answer.expanded + found.expanded)
        if found.plan is not None and found.cost is not None:
            answer = replace(answer, plan=found.plan, cost=found.cost)
        return replace(answer, seconds=answer.seconds + budget.clock() - begun), found.limit

    def _kept(self, level: Level, path: _Path, widths: tuple[int, ...], budget: Budget) -> NDArray[np.uint64] | None:
        """The placements; None if the budget ends first, or there are too many."""
        if self._close is None:
            self._close = _nearest(self._floor)
        boxes = path.cells.shape[1]
        ways = [max(0, width + _RESTS if width >= 0 else 0) for width in widths]
        one, two, three = boxes, boxes * (boxes - 1) // 2, boxes * (boxes - 1) * (boxes - 2) // 6
        step = 1 + one * ways[0] + two * ways[1] ** 2 + three * ways[2] ** 3
        if step > _STEP_MAX:
            return None
        size, chunk_size = _TABLE_MIN, max(1, _STEP_MAX // 8 // step)
        while size < min(4 * len(path.cells) * step, _TABLE_MAX):
            size *= 2
        kept, key = np.zeros(size, dtype=np.uint64), np.zeros(level.words, dtype=np.uint64)
        count = 0
        for first in range(0, len(path.cells), chunk_size):
            if limit_reached(budget) is not None:
                return None
            chunk = slice(first, first + chunk_size)
            count = surround(
                path.cells[chunk], path.rests[chunk], self._close, np.array(ways), level.bit_of, key, count, kept
            )
            if count < 0:
                return None
        return kept

    def _path(self, level: Level, plan: NDArray[np.int32]) -> _Path:
        number = {cell: i for i, cell in enumerate(self._floor.cells)}
        offsets = [down * self._instance.columns + right for down, right in STEPS]
        player, row = self._instance.player, level.boxes.tolist()
        owner = {self._floor.cells[cell]: i for i, cell in enumerate(row)}
        cells, moved, rest_of = [list(row)], [-1], [[cell] for cell in row]
        for move in plan.tolist():
            player += offsets[move]
            if player in owner:
                box, to = owner.pop(player), player + offsets[move]
                owner[to], row[box] = box, number[to]
                cells.append(list(row))
                moved.append(box)
        rests = np.full((len(cells), len(row), _RESTS), -1, dtype=np.int64)
        for box, seen in enumerate(rest_of):
            # A box rests in its cell when another one is moved next.
            ends = [i for i in range(1, len(cells)) if moved[i] == box and (i + 1 == len(cells) or moved[i + 1] != box)]
            stands = [*seen, *(cells[i][box] for i in ends)]
            turn = 0
            for step in range(len(cells)):
                rests[step, box, 0] = stands[max(0, turn - 1)] if cells[step][box] == stands[turn] else stands[turn]
                rests[step, box, 1] = stands[min(turn + 1, len(stands) - 1)]
                if turn < len(ends) and step + 1 == ends[turn]:
                    turn += 1
        return _Path(np.array(cells, dtype=np.int64), rests)


def _nearest(floor: Floor) -> NDArray[np.int64]:
    """int64[n, 64]: for each cell, nearby cells from which a box can reach a goal, the nearest first; then -1."""
    beside, alive = floor.adjacent.tolist(), floor.alive.tolist()
    close = np.full((len(beside), _CLOSE), -1, dtype=np.int64)
    for start in range(len(beside)):
        seen, waiting, found = {start}, deque([start]), list[int]()
        while waiting and len(found) < _CLOSE:
            for there in beside[waiting.popleft()]:
                if there >= 0 and there not in seen:
                    seen.add(there)
                    waiting.append(there)
                    if alive[there]:
                        found.append(there)
        found = found[:_CLOSE]
        close[start, : len(found)] = found
    return close
