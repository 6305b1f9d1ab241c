"""All cubes within a few moves of the solved cube, so that searches can end there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.announcing import announce
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.cache import load_table, store_table
from matheur.engine.stored import Stored
from matheur.engine.unfinished import Unfinished
from matheur.errors import ConfigurationError, InputError
from matheur.methods.statespace.slices import Builds, Kept, Steps, enough_of
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search.perimeter_kernels import enter, expand, look_up
from matheur.problems.rubik.search.pieces import SOLVED_STATE, replay, symmetries, turns_of
from matheur.problems.rubik.search.tables import KIND, Progress, moves_of

__all__ = ["DEPTHS", "Perimeter", "build_perimeter", "perimeter"]

DEPTHS = {"quarter": 8, "half": 7}
"""Default depths in moves from the solved cube: about 10^6 classes of states."""

_FORM = 1
_CHUNK = 1 << 12
_LARGE = 1 << 20  # slots: smaller tables are not kept in the cache
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
        Metric, and largest distance of the states in the table.
    slots
        uint64[2^n]: see `perimeter_kernels`.
    classes
        Number of classes of symmetric states.
    seconds
        Time that it took to build.
    """

    metric: Metric
    depth: int
    slots: NDArray[np.uint64]
    classes: int
    seconds: float

    def distances(self, states: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Distances of states [n, 20]; -1 for distances of more than `depth`."""
        found = np.empty(len(states), dtype=np.int64)
        look_up(np.ascontiguousarray(states), *_images(), self.slots, found)
        return found

    def plan(self, state: NDArray[np.uint8]) -> list[int]:
        """An optimal plan from a state in the table.

        Raises
        ------
        ValueError
            If the state is not in the table.
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
    metric: Metric, depth: int, *, budget: Budget | None = None, progress: Progress | None = announce
) -> Perimeter | None:
    """The table from memory, the user's cache, or built; None if the budget ended first."""
    if (metric, depth) not in _kept:
        content = _content(metric, depth)
        try:
            kept = load_table(KIND, content, "uint64", (_slots(metric, depth),), enough=enough_of(budget))
        except OutOfBudgetError:
            return None
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
    """Breadth-first search over classes of states.

    Returns None if the budget ended first; the next call continues from there, even in another process.

    Raises
    ------
    ConfigurationError
        If the table would take too much memory.
    """
    if not 0 <= depth < len(_BITS[metric]):
        raise ConfigurationError(f"a perimeter is 0 to {len(_BITS[metric]) - 1} moves deep ({depth})")
    kept = None
    if _slots(metric, depth) >= _LARGE:
        kept = Kept(f"rubik perimeter {depth} {metric}", _content(metric, depth), 12 * _slots(metric, depth))
    return _builds.run((metric, depth), lambda state: _Growth(metric, depth, progress, state).steps(), budget, kept)


class _Growth:
    """State of a breadth-first search over classes of states."""

    def __init__(self, metric: Metric, depth: int, progress: Progress | None, state: Unfinished | None) -> None:
        self.begun = time.perf_counter() - (0.0 if state is None else state.seconds)
        self.metric, self.depth, self.progress = metric, depth, progress
        self.slots = np.zeros(_slots(metric, depth), dtype=np.uint64)
        self.frontier, self.following = SOLVED_STATE[None].copy(), np.empty((0, 20), dtype=np.uint8)
        self.distance, self.begin, self.count, self.total = 1, 0, 0, 1
        if state is None:
            enter(SOLVED_STATE, 0, *_images(), self.slots)
        else:
            self._restore(state)

    def _restore(self, state: Unfinished) -> None:
        """Continue where another process stopped."""
        numbers = Stored(state.numbers)
        self.distance, self.begin, self.count, self.total = (
            numbers.count(key) for key in ("distance", "begin", "count", "total")
        )
        self.slots = state.array("slots", np.uint64, self.slots.shape)
        self.frontier = state.array("frontier", np.uint8, (numbers.count("size"), 20))
        found = state.array("found", np.uint8, (self.count, 20))
        many = int(np.count_nonzero(self.slots))
        if (
            not 1 <= self.distance <= self.depth
            or self.begin > len(self.frontier)
            or many != self.total + self.count
            or 2 * many > self.slots.size
            or max(self.frontier.max(initial=0), found.max(initial=0)) > 23
        ):
            raise InputError("the stored state is damaged (impossible classes of cubes)")
        self._make_room()
        self.following[: self.count] = found

    def _snapshot(self) -> Unfinished:
        numbers = {key: getattr(self, key) for key in ("distance", "begin", "count", "total")}
        arrays: dict[str, NDArray[Any]] = {
            "slots": self.slots,
            "frontier": self.frontier,
            "found": self.following[: self.count],
        }
        return Unfinished({**numbers, "size": len(self.frontier)}, arrays, time.perf_counter() - self.begun)

    def _make_room(self) -> None:
        """Allocate room for the states of a level."""
        most = 2 * moves_of(self.metric) * len(self.frontier)
        self.following = np.empty((min(most, self.slots.size), 20), dtype=np.uint8)

    def steps(self) -> Steps[Perimeter]:
        """Run the search in slices."""
        turns, moves = turns_of(), moves_of(self.metric)
        while self.distance <= self.depth:
            if self.begin == 0:
                self._make_room()
            while self.begin < len(self.frontier):
                yield self._snapshot
                end = min(self.begin + _CHUNK, len(self.frontier))
                self.count = int(
                    expand(
                        self.begin, end, self.frontier, self.distance, moves, turns.source, turns.value, *_images(),
                        self.slots, self.following, self.count,
                    )
                )  # fmt: skip
                self.begin = end
                if self.progress is not None and self.distance == self.depth:
                    self.progress(f"tables of the cube: all within {self.depth} turns (kept)", end / len(self.frontier))
            self.frontier = self.following[: self.count].copy()
            self.total += self.count
            self.distance, self.begin, self.count = self.distance + 1, 0, 0
        return Perimeter(self.metric, self.depth, self.slots, self.total, time.perf_counter() - self.begun)


def _content(metric: str, depth: int) -> dict[str, object]:
    return {"table": "perimeter", "metric": metric, "depth": depth, "form": _FORM}


def _slots(metric: str, depth: int) -> int:
    return 1 << _BITS[metric][min(depth, len(_BITS[metric]) - 1)]


@lru_cache(maxsize=1)
def _images() -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Images of states by target: the source of component i of image k, and its image."""
    known = symmetries()
    source = np.argsort(known.place, axis=1)
    value = np.take_along_axis(known.value, source[:, :, None], axis=1)
    return np.ascontiguousarray(source), np.ascontiguousarray(value)
