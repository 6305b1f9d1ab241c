"""Iterative-deepening A* for the cube (Korf 1997) with the tables of the corners and of the first phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.announcing import announce
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search import deepening_kernels as kernels
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.classes import Classes, classes
from matheur.problems.rubik.search.coordinates import FLIPS, Coordinates, coordinates, corner_moves
from matheur.problems.rubik.search.pieces import SOLVED_STATE, inverse, turns_of
from matheur.problems.rubik.search.tables import DistanceTable, Progress, distance_table, is_kept, moves_of

__all__ = ["CubeTables", "Phase1Arrays", "cube_tables", "cube_tables_kept", "ida_star_cube", "sums_of"]

_DEPTH = 64

Phase1Arrays = tuple[NDArray[np.uint32], NDArray[np.int16], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]
"""Classes, twist images and entries of the large table, then flips and twists of the small ones; one part is empty."""


@dataclass(frozen=True, eq=False)
class CubeTables:
    """The tables of a metric.

    Attributes
    ----------
    metric
        `quarter` or `half`.
    corners, phase1
        Tables of the corners and of the first phase, see `matheur.problems.rubik.search.tables`.
    coordinates, classes
        Coordinates and classes that index the tables.
    """

    metric: Metric
    corners: DistanceTable
    phase1: DistanceTable
    coordinates: Coordinates
    classes: Classes

    @property
    def nbytes(self) -> int:
        """Total size of the tables in bytes."""
        return self.corners.packed.nbytes + self.phase1.packed.nbytes + self.classes.class_of.nbytes

    @property
    def phase1_arrays(self) -> Phase1Arrays:
        """The tables as arguments of `two_phase_kernels.search`."""
        known, none = self.classes, np.empty(0, dtype=np.uint8)
        return known.class_of, known.twist_image, self.phase1.packed, none, none

    def distances(self, state: NDArray[np.uint8]) -> tuple[int, ...]:
        """Distances of the corners, of the first phase along three axes, and of the first phase of the inverse cube."""
        corner, edge, corner_back, edge_back = sums_of(state).tolist()
        return (
            self._corners(corner),
            *(self._phase1(corner, edge, axis) for axis in range(3)),
            *(self._phase1(corner_back, edge_back, axis) for axis in range(3)),
        )

    def _corners(self, corner: int) -> int:
        pieces, one = corner >> 36, self.coordinates
        row = int(one.heads[pieces & 4095]) + int(one.tails[pieces >> 12])
        return self._entry(self.corners, row, corner & 4095)

    def _phase1(self, corner: int, edge: int, axis: int) -> int:
        pair = FLIPS * self.coordinates.place_of(edge, axis) + (edge >> 11 * axis & 2047)
        row, symmetry = divmod(int(self.classes.class_of[pair]), 16)
        return self._entry(self.phase1, row, int(self.classes.twist_image[symmetry, corner >> 12 * axis & 4095]))

    @staticmethod
    def _entry(table: DistanceTable, row: int, twist: int) -> int:
        index = 2187 * row + twist
        return int(table.packed[index // 2]) >> 4 * (index % 2) & 15


def cube_tables(
    metric: Metric, *, budget: Budget | None = None, progress: Progress | None = announce
) -> CubeTables | None:
    """Both tables from memory, the user's cache, or built in a few seconds; None if the budget ended first."""
    try:
        with (Budget() if budget is None else budget).watched():  # computing the indices of the tables takes a second
            coordinates(), corner_moves(), classes()
    except OutOfBudgetError:
        return None
    corners = distance_table("corners", metric, budget=budget, progress=progress)
    phase1 = None if corners is None else distance_table("phase1", metric, budget=budget, progress=progress)
    return None if corners is None or phase1 is None else CubeTables(metric, corners, phase1, coordinates(), classes())


def cube_tables_kept(metric: Metric) -> bool:
    """Whether both tables are available without being built."""
    return is_kept("corners", metric) and is_kept("phase1", metric)


def sums_of(state: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The sums of corners and edges of a state, and of its inverse: uint64[4]."""
    one, words = coordinates(), []
    for cube in (state, inverse(state)):
        words.append(one.corner[np.arange(8), cube[:8]].sum())
        words.append(one.edge[np.arange(12), cube[8:]].sum())
    return np.array(words, dtype=np.uint64)


def odd(state: NDArray[np.uint8]) -> bool:
    """Whether an odd number of quarter turns is needed."""
    corners = (state[:8] // 3).tolist()
    return sum(a > b for i, a in enumerate(corners) for b in corners[i + 1 :]) % 2 == 1


def ida_star_cube(
    tables: CubeTables,
    state: NDArray[np.uint8],
    *,
    budget: Budget | None = None,
    on_bound: Callable[[int], None] | None = None,
    bound: int = 0,
    most: int | None = None,
) -> SearchAnswer:
    """Find an optimal plan for a solvable cube.

    Parameters
    ----------
    state
        State of the cube, see `matheur.problems.rubik.search.pieces`.
    budget
        Budget, whose unit of work is a visited state.
    on_bound
        Called with every new lower bound.
    bound
        Lower bound that is already proved.
    most
        Length of the longest plan to look for; None for no limit.

    Returns
    -------
    SearchAnswer
        The answer; if there is no plan of at most `most` moves, it has no plan, and its bound is larger than `most`.
    """
    budget = Budget() if budget is None else budget
    return _Search(tables, state).run(budget, on_bound, bound, _DEPTH - 2 if most is None else most)


class _Search:
    """State of an iterative-deepening search."""

    def __init__(self, tables: CubeTables, state: NDArray[np.uint8]) -> None:
        self.tables, self.state = tables, np.asarray(state, dtype=np.uint8)
        self.states = np.zeros((_DEPTH, 20), dtype=np.uint8)
        self.words = np.zeros((_DEPTH, 4), dtype=np.uint64)
        self.lasts = np.zeros(_DEPTH, dtype=np.int64)
        self.child_moves = np.zeros((_DEPTH, 18), dtype=np.int64)
        self.child_words = np.zeros((_DEPTH, 18, 4), dtype=np.uint64)
        self.counts = np.zeros((_DEPTH, 2), dtype=np.int64)
        self.indices = np.zeros(18, dtype=np.int64)
        self.numbers = np.zeros(kernels.NUMBERS, dtype=np.int64)
        self.nodes = 0

    def run(self, budget: Budget, on_bound: Callable[[int], None] | None, bound: int, most: int) -> SearchAnswer:
        begun, pace = budget.clock(), Pace(budget)
        if (self.state == SOLVED_STATE).all():
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        quarter = self.tables.metric == "quarter"
        bound = max(1, bound, *self.tables.distances(self.state))
        if quarter and bound % 2 != odd(self.state):
            bound += 1
        answer, limit = kernels.DONE, None
        while bound <= most:
            if on_bound is not None:
                on_bound(bound)
            answer, limit = self._iterate(bound, pace)
            if answer != kernels.DONE:
                break
            bound += 2 if quarter else 1
        plan = self._plan() if answer == kernels.FOUND else None
        return SearchAnswer(
            plan=plan, cost=None if plan is None else len(plan), bound=bound, limit=limit, expanded=self.nodes,
            generated=self.nodes, memory=self.tables.nbytes, seconds=budget.clock() - begun,
        )  # fmt: skip

    def _iterate(self, threshold: int, pace: Pace) -> tuple[int, str | None]:
        """Run one iteration in slices; returns how it ended, and the limit that ended it."""
        one, known, turns = self.tables.coordinates, self.tables.classes, turns_of()
        self.numbers[:] = (0, threshold, 0, self.tables.corners.largest, self.tables.phase1.largest, 1)
        self.states[0], self.words[0], self.lasts[0], self.counts[0, 0] = self.state, sums_of(self.state), 0, -1
        while True:
            limit = limit_reached(pace.budget)
            if limit is not None:
                return kernels.PAUSED, limit
            before = int(self.numbers[kernels.NODES])
            answer = kernels.deepen(
                pace.next(), automaton(self.tables.metric), moves_of(self.tables.metric), turns.source, turns.value,
                one.corner_change, one.edge_change, one.source, one.placing, one.heads, one.tails, known.class_of,
                known.twist_image, self.tables.corners.packed, self.tables.phase1.packed, SOLVED_STATE, self.states,
                self.words, self.lasts, self.child_moves, self.child_words, self.counts, self.indices, self.numbers,
            )  # fmt: skip
            done = int(self.numbers[kernels.NODES]) - before
            self.nodes += done
            pace.done(done)
            if answer != kernels.PAUSED:
                return int(answer), None

    def _plan(self) -> NDArray[np.int32]:
        """The moves on the stack: the last move tried at each level."""
        depth = int(self.numbers[kernels.DEPTH])
        return np.array([self.child_moves[i, self.counts[i, 1] - 1] for i in range(depth)], dtype=np.int32)
