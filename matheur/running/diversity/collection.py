"""Collection of all distinct solutions found that are good enough."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from matheur.running.diversity.differences import Differences

__all__ = ["Collection"]

Rows = NDArray[np.int32]


class Collection:
    """Different solutions whose objective is within a tolerance of the best one.

    Parameters
    ----------
    differences
        Measure of the difference of solutions.
    within
        Tolerance in per cent above the best objective.
    """

    def __init__(self, differences: Differences, within: float) -> None:
        self.differences: Differences = differences
        self.within: float = within
        self.best: int | float = math.inf
        self._rows: dict[bytes, tuple[int | float, Rows]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, solution: Rows) -> bool:
        return self.differences.key(solution) in self._rows

    @property
    def cap(self) -> int | float:
        """The largest objective that is good enough."""
        if self.best == math.inf:
            return math.inf
        room = abs(self.best) * self.within / 100
        return self.best + (math.floor(room + 1e-9) if isinstance(self.best, int) else room)

    def add(self, solution: Rows, objective: int | float) -> bool:
        """Add a solution if it is good enough and new; of two at distance 0, keep the cheaper one."""
        if objective > self.cap:
            return False
        if objective < self.best:
            self.best = objective
            self._rows = {key: kept for key, kept in self._rows.items() if kept[0] <= self.cap}
        key = self.differences.key(solution)
        known = self._rows.get(key)
        if known is not None and known[0] <= objective:
            return False
        self._rows[key] = (objective, np.array(solution, dtype=np.int32))
        return known is None

    def meet(self, solution: Rows, objective: int | float) -> None:
        """As `add`, without a return value."""
        self.add(solution, objective)

    @property
    def solutions(self) -> list[tuple[int | float, Rows]]:
        """Objectives and solutions, cheapest first."""
        return sorted(self._rows.values(), key=lambda kept: (kept[0], kept[1].tolist()))

    def spread(self, count: int, distance: int) -> list[tuple[int | float, Rows]]:
        """Up to `count` solutions, pairwise at least `distance` apart: the cheapest, then always the farthest.

        Of equally far ones the cheapest is taken.
        """
        kept = self.solutions
        if not kept:
            return []
        rows = np.stack([row for _, row in kept])
        chosen = [0]
        nearest = self.differences.between(rows, rows[0])
        while len(chosen) < count:
            farthest = int(nearest.argmax())
            if nearest[farthest] < max(1, distance):
                break
            chosen.append(farthest)
            nearest = np.minimum(nearest, self.differences.between(rows, rows[farthest]))
        return [kept[number] for number in chosen]

    def bands(self, number: int) -> list[tuple[int | float, int | float, int]]:
        """Bands of about equal width from the best objective to the cap, as (above, up to, solutions met).

        The best objective itself is in the first band.
        """
        if not self._rows:
            return []
        width = (self.cap - self.best) / number
        edges = [self.best + width * band for band in range(number)] + [self.cap]
        if isinstance(self.best, int):
            edges = [math.floor(edge + 1e-9) for edge in edges]
        objectives = np.array([objective for objective, _ in self._rows.values()], dtype=float)
        which = np.clip(np.searchsorted(np.array(edges, dtype=float), objectives, side="left"), 1, number)
        counts = np.bincount(which, minlength=number + 1)
        return [(edges[band - 1], edges[band], int(counts[band])) for band in range(1, number + 1)]
