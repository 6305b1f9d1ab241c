"""Optimal plans for the cube by iterative deepening on a table of cosets, in one thread or several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.crew import run_tasks
from matheur.methods.statespace.pace import limit_reached
from matheur.problems.rubik.instance import Metric
from matheur.problems.rubik.search import exact_kernels as kernels
from matheur.problems.rubik.search.automaton import automaton
from matheur.problems.rubik.search.classes import classes
from matheur.problems.rubik.search.coordinates import TWISTS, coordinates
from matheur.problems.rubik.search.coset import CosetTable, coset_table
from matheur.problems.rubik.search.deepening import odd
from matheur.problems.rubik.search.ordered import ORDERS, cosets_of, ordered, words_of
from matheur.problems.rubik.search.pieces import SOLVED_STATE, replay, turns_of
from matheur.problems.rubik.search.tables import DistanceTable, Progress, distance_table, moves_of
from matheur.problems.rubik.stickers import MOVES, QUARTER_TURNS

__all__ = ["ExactTables", "exact_cube", "exact_tables"]

_DEPTH = 64
_SLICE = 1 << 17  # nodes between two checks of the limits: about 20 ms
_PREFIX, _SHORT = 3, 12  # number of first moves that define a task; largest threshold with a single task


@dataclass(frozen=True)
class _Rules:
    """Allowed moves, see `exact_kernels.deepen`."""

    automata: NDArray[np.int8]
    allowed: NDArray[np.int64]
    axes: NDArray[np.int64]
    about: NDArray[np.int64]


@lru_cache(maxsize=2)
def _rules(metric: Metric) -> _Rules:
    automata = np.stack([automaton(metric), automaton(metric, backwards=True)])
    allowed = ((automata >= 0).astype(np.int64) << np.arange(len(MOVES))).sum(axis=2)
    axes = np.array(["UDLRFB".index(name[0]) // 2 for name in MOVES], dtype=np.int64)
    about = np.array([sum(1 << int(move) for move in np.flatnonzero(axes == axis)) for axis in range(3)])
    return _Rules(automata, allowed, axes, about)


@dataclass(frozen=True, eq=False)
class ExactTables:
    """Tables of a metric.

    Attributes
    ----------
    phase1
        Table of the first phase, see `matheur.problems.rubik.search.tables`.
    large
        Table of cosets, see `matheur.problems.rubik.search.coset`; None to search without it.
    """

    phase1: DistanceTable
    large: CosetTable | None = None

    @property
    def metric(self) -> Metric:
        """`quarter` or `half`."""
        return self.phase1.metric

    @property
    def nbytes(self) -> int:
        """Total size of the tables in bytes."""
        return self.phase1.packed.nbytes + (0 if self.large is None else self.large.packed.nbytes)

    @property
    def largest(self) -> int:
        """The largest bound that the tables can give."""
        return max(self.phase1.largest, 0 if self.large is None else self.large.base + 3)

    def bounds(self, state: NDArray[np.uint8]) -> list[int]:
        """Lower bounds along three axes, then the same for the inverse cube."""
        found = []
        for place in cosets_of(words_of(state)):
            small = place // TWISTS // ORDERS * TWISTS + place % TWISTS
            bound = int(self.phase1.packed[small // 2]) >> 4 * (small % 2) & 15
            found.append(bound if self.large is None else max(bound, self.large.bound(place)))
        return found


def exact_tables(
    metric: Metric,
    *,
    large: bool = False,
    budget: Budget | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> ExactTables | None:
    """The tables from memory, the user's cache, or built; None if the budget ended first.

    The large table takes 845 MB, and two to three minutes of one core to build.
    """
    phase1 = distance_table("phase1", metric, budget=budget, progress=progress)
    if phase1 is None or not large:
        return None if phase1 is None else ExactTables(phase1)
    cosets = coset_table(metric, budget=budget, threads=threads, progress=progress)
    return None if cosets is None else ExactTables(phase1, cosets)


def exact_cube(
    tables: ExactTables,
    state: NDArray[np.uint8],
    *,
    budget: Budget | None = None,
    threads: int = 1,
    on_bound: Callable[[int], None] | None = None,
    bound: int = 0,
    most: int | None = None,
) -> SearchAnswer:
    """Find an optimal plan for a solvable cube.

    Parameters
    ----------
    tables
        Tables of the metric, see `exact_tables`.
    state
        State of the cube, see `matheur.problems.rubik.search.pieces`.
    budget
        Budget, whose unit of work is a visited state.
    threads
        Number of threads. It does not affect the plan, but the work of the last iteration depends on it.
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
    begun = budget.clock()
    state = np.asarray(state, dtype=np.uint8)
    if (state == SOLVED_STATE).all():
        return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
    heights = np.array(tables.bounds(state), dtype=np.int64)
    bound = max(1, bound, int(heights.max()))
    quarter = tables.metric == "quarter"
    if quarter and bound % 2 != odd(state):
        bound += 1
    most = _DEPTH - 2 if most is None else most
    search = _Search(tables, state, heights, budget, threads)
    limit: str | None = None
    while bound <= most and search.plan is None and limit is None:
        if on_bound is not None:
            on_bound(bound)
        limit = search.iterate(bound)
        if search.plan is None and limit is None:
            bound += 2 if quarter else 1
    plan = search.plan
    return SearchAnswer(
        plan=plan, cost=None if plan is None else len(plan), bound=bound, limit=limit if plan is None else None,
        expanded=search.nodes, generated=search.nodes, memory=tables.nbytes, seconds=budget.clock() - begun,
    )  # fmt: skip


class _Stack:
    """The arrays of one thread."""

    def __init__(self) -> None:
        self.states = np.zeros((_DEPTH, 20), dtype=np.uint8)
        self.words = np.zeros((_DEPTH, 4), dtype=np.uint64)
        self.heights = np.zeros((_DEPTH, 6), dtype=np.int64)
        self.lasts = np.zeros((_DEPTH, 2), dtype=np.int64)
        self.turned = np.zeros(_DEPTH, dtype=np.int64)
        self.child_moves = np.zeros((_DEPTH, 18), dtype=np.int64)
        self.child_words = np.zeros((_DEPTH, 18, 4), dtype=np.uint64)
        self.child_heights = np.zeros((_DEPTH, 18, 6), dtype=np.int64)
        self.counts = np.zeros((_DEPTH, 2), dtype=np.int64)
        self.numbers = np.zeros(kernels.NUMBERS, dtype=np.int64)

    def plan(self) -> NDArray[np.int32]:
        """The moves on the stack: at the front, or at the back if the node was inverted."""
        front, back = [], []
        for i in range(int(self.numbers[kernels.DEPTH])):
            move = int(self.child_moves[i, self.counts[i, 1] - 1])
            if self.turned[i]:
                back.append(move ^ 1 if move < QUARTER_TURNS else move)
            else:
                front.append(move)
        return np.array(front + back[::-1], dtype=np.int32)


class _Search:
    """Iterations over increasing thresholds."""

    def __init__(
        self, tables: ExactTables, state: NDArray[np.uint8], heights: NDArray[np.int64], budget: Budget, threads: int
    ) -> None:
        self.tables, self.state, self.heights = tables, state, heights
        self.budget, self.threads = budget, threads
        self.words = words_of(state)
        self.stacks = [_Stack() for _ in range(threads)]
        self.plan: NDArray[np.int32] | None = None
        self.task = -1  # number of the task that found the plan
        self.nodes = 0
        self.limit: str | None = None
        self.beginnings = _prefixes(tables.metric, _PREFIX)

    def iterate(self, threshold: int) -> str | None:
        """Run one iteration; returns the limit that ended it."""
        depth = _PREFIX if threshold > _SHORT else 0
        tasks = np.unique(self.beginnings[:, :depth], axis=0)
        self.limit, self.task = None, len(tasks)
        before = [int(stack.numbers[kernels.NODES]) for stack in self.stacks]

        def enough() -> bool:
            self._book(before)
            self.limit = self.limit or limit_reached(self.budget)
            return self.limit is not None

        def call(thread: int, task: int, stopped: Callable[[], bool]) -> None:
            if task < self.task:
                self._search(self.stacks[thread], threshold, task, tasks[task], stopped)

        run_tasks(len(tasks), self.threads, call, enough)
        self._book(before)
        return self.limit

    def _book(self, before: list[int]) -> None:
        """Book the work of the threads since the last call."""
        for number, stack in enumerate(self.stacks):
            now = int(stack.numbers[kernels.NODES])
            self.nodes += now - before[number]
            self.budget.spend(work=now - before[number])
            before[number] = now

    def _search(
        self, stack: _Stack, threshold: int, task: int, prefix: NDArray[np.int64], stopped: Callable[[], bool]
    ) -> None:
        """Search all plans that begin with these moves."""
        one, known, turns, tables = ordered(), classes(), turns_of(), self.tables
        rules, large = _rules(tables.metric), tables.large
        numbers = stack.numbers
        numbers[kernels.DEPTH], numbers[kernels.THRESHOLD] = 0, threshold
        numbers[kernels.PREFIX] = len(prefix)
        numbers[kernels.BASE], numbers[kernels.LARGEST] = -1 if large is None else large.base, tables.largest
        packed = tables.phase1.packed if large is None else large.packed
        stack.states[0], stack.words[0], stack.heights[0] = self.state, self.words, self.heights
        stack.lasts[0], stack.turned[0], stack.counts[0, 0] = 0, 0, -1
        while task < self.task and not stopped():
            answer = kernels.deepen(
                self.budget.affordable(_SLICE), rules.automata, rules.allowed, rules.axes, rules.about,
                turns.source, turns.value, one.corner_change, one.edge_change, coordinates().source, one.places,
                one.order_image, known.class_of, known.twist_image, packed, tables.phase1.packed, SOLVED_STATE, prefix,
                stack.states, stack.words, stack.heights, stack.lasts, stack.turned, stack.child_moves,
                stack.child_words, stack.child_heights, stack.counts, numbers,
            )  # fmt: skip
            if answer == kernels.FOUND:
                plan = stack.plan()
                if not (replay(self.state, plan) == SOLVED_STATE).all():
                    raise AssertionError("the plan of an exact search does not solve the cube")
                if task < self.task:
                    self.plan, self.task = plan, task
            if answer != kernels.PAUSED:
                return


@lru_cache(maxsize=4)
def _prefixes(metric: Metric, depth: int) -> NDArray[np.int64]:
    """int64[n, depth]: all sequences of `depth` first moves, in order."""
    table, moves = automaton(metric), moves_of(metric)
    waiting: list[tuple[tuple[int, ...], int]] = [((), 0)]
    for _ in range(depth):
        waiting = [
            ((*path, move), int(table[state, move]))
            for path, state in waiting
            for move in range(moves)
            if table[state, move] >= 0
        ]
    return np.array([path for path, _ in waiting], dtype=np.int64)
