"""All cubes within a few moves of the solved one, so that a search may end before it gets there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.cache import load_table, store_table
from matheur.errors import ConfigurationError
from matheur.problems.rubik.instance import Metric
from matheur.statespace.rubik.perimeter_kernels import enter, expand, look_up
from matheur.statespace.rubik.pieces import SOLVED_STATE, replay, symmetries, turns_of
from matheur.statespace.rubik.tables import KIND, Progress, moves_of
from matheur.statespace.slices import Builds, Steps

__all__ = ["DEPTHS", "Perimeter", "build_perimeter", "perimeter"]

DEPTHS = {"quarter": 8, "half": 7}
"""Moves from the solved cube that are kept by default: some 10^6 classes of states."""

_FORM = 1
_CHUNK = 1 << 12
_BITS = {"quarter": (8, 8, 8, 8, 8, 12, 16, 18, 21, 24), "half": (8, 8, 8, 8, 12, 15, 19, 22, 26)}
# Slots by depth, as powers of two: at least twice the number of classes.
_kept: dict[tuple[str, int], Perimeter] = {}
_builds: Builds[Perimeter] = Builds()


@dataclass(frozen=True, eq=False)
class Perimeter:
    """Distances of states near the solved cube.

    Attributes
    ----------
    metric, depth
        All states of at most this distance are there.
    slots
        uint64[2^n]: see `perimeter_kernels`.
    classes
        Number of classes of symmetric states.
    seconds
        How long it took to build.
    """

    metric: Metric
    depth: int
    slots: NDArray[np.uint64]
    classes: int
    seconds: float

    def distances(self, states: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Distances of states [n, 20], -1 where it is more than `depth`."""
        found = np.empty(len(states), dtype=np.int64)
        look_up(np.ascontiguousarray(states), *_images(), self.slots, found)
        return found

    def plan(self, state: NDArray[np.uint8]) -> list[int]:
        """A shortest plan from a state that is there.

        Raises
        ------
        ValueError
            If it is not.
        """
        plan: list[int] = []
        left = int(self.distances(state[None])[0])
        while left > 0:
            after = np.array([replay(state, [move]) for move in range(moves_of(self.metric))])
            nearer = np.flatnonzero(self.distances(after) == left - 1)
            if not nearer.size:
                break
            plan.append(int(nearer[0]))
            state, left = after[nearer[0]], left - 1
        if left or not (state == SOLVED_STATE).all():
            raise ValueError(f"the state is not within {self.depth} moves of the solved cube")
        return plan


def perimeter(
    metric: Metric, depth: int, *, budget: Budget | None = None, progress: Progress | None = None
) -> Perimeter | None:
    """The table from memory, the user's cache, or built; None if the budget ended first."""
    if (metric, depth) not in _kept:
        content = {"table": "perimeter", "metric": metric, "depth": depth, "form": _FORM}
        kept = load_table(KIND, content, "uint64", (_slots(metric, depth),))
        if kept is not None:
            slots = kept[0]
            found: Perimeter | None = Perimeter(metric, depth, slots, int(np.count_nonzero(slots)), kept[1].seconds)
        else:
            found = build_perimeter(metric, depth, budget=budget, progress=progress)
            if found is not None and found.seconds > 0.2:
                store_table(KIND, f"rubik perimeter {depth} {metric}", content, found.slots, found.seconds)
        if found is None:
            return None
        _kept[metric, depth] = found
    return _kept[metric, depth]


def build_perimeter(
    metric: Metric, depth: int, *, budget: Budget | None = None, progress: Progress | None = None
) -> Perimeter | None:
    """Breadth-first search over classes of states; None if the budget ended first, and the next call goes on.

    Raises
    ------
    ConfigurationError
        If it would take too much memory.
    """
    if not 0 <= depth < len(_BITS[metric]):
        raise ConfigurationError(f"a perimeter is 0 to {len(_BITS[metric]) - 1} moves deep ({depth})")
    return _builds.run((metric, depth), lambda: _steps(metric, depth, progress), budget)


def _steps(metric: Metric, depth: int, progress: Progress | None) -> Steps[Perimeter]:
    begun = time.perf_counter()
    slots = np.zeros(_slots(metric, depth), dtype=np.uint64)
    turns, moves = turns_of(), moves_of(metric)
    frontier = SOLVED_STATE[None].copy()
    enter(SOLVED_STATE, 0, *_images(), slots)
    total = 1
    for distance in range(1, depth + 1):
        most = 2 * moves * len(frontier)
        following = np.empty((min(most, slots.size), 20), dtype=np.uint8)
        count = 0
        for begin in range(0, len(frontier), _CHUNK):
            yield
            end = min(begin + _CHUNK, len(frontier))
            found = expand(
                begin, end, frontier, distance, moves, turns.source, turns.value, *_images(), slots, following, count
            )
            count = int(found)
            if progress is not None and distance == depth:
                progress(f"cubes within {depth} moves", end / len(frontier))
        frontier = following[:count].copy()
        total += count
    return Perimeter(metric, depth, slots, total, time.perf_counter() - begun)


def _slots(metric: str, depth: int) -> int:
    return 1 << _BITS[metric][min(depth, len(_BITS[metric]) - 1)]


@lru_cache(maxsize=1)
def _images() -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Images of states by target: where component i of image k comes from, and what becomes of it."""
    known = symmetries()
    source = np.argsort(known.place, axis=1)
    value = np.take_along_axis(known.value, source[:, :, None], axis=1)
    return np.ascontiguousarray(source), np.ascontiguousarray(value)
