"""Iterative-deepening A* (Korf 1985): an optimal plan in memory linear in its length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first.ida_star_kernels import (
    COST,
    DEPTH,
    DONE,
    EXPANDED,
    FOUND,
    FULL,
    GENERATED,
    HOPELESS,
    ITERATION,
    NEXT,
    NOTHING,
    NUMBERS,
    PAUSED,
    THRESHOLD,
    deepen,
)
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.methods.statespace.packed_goal import packed_goal, packed_start, starts_at_goal

__all__ = ["TABLE_ENTRIES", "ida_star"]

TABLE_ENTRIES = 1 << 20
"""Default number of states in the table."""

_ITERATIONS = (1 << 24) - 1
_DEPTH = 64


def ida_star(
    domain: Domain,
    heuristic: Heuristic,
    *,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    on_bound: Callable[[int], None] | None = None,
    table_entries: int = TABLE_ENTRIES,
) -> SearchAnswer:
    """Depth-first searches with growing thresholds.

    Each iteration cuts off the nodes whose cost so far plus estimate exceeds the threshold; the next threshold is the
    smallest sum cut off. With an admissible heuristic every threshold is a lower bound, and the first plan is optimal.
    A move back to the previous state is never tried; other repeated states are recognised if a small table still holds
    them, which `ida_star_kernels` shows to be sound.

    Parameters
    ----------
    domain, heuristic
        Domain and heuristic with compiled `expander` and `estimator`. Costs may be zero or more.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Memory limit in bytes for the stack and the table.
    on_bound
        Called with every new lower bound, if the heuristic is admissible.
    table_entries
        Number of states in the table, rounded up to a power of two; 0 for no table. It pays off if many paths lead to a
        state (cubical puzzles), and costs up to half of the speed if few do.

    Returns
    -------
    SearchAnswer
        `unreachable` if an iteration cut nothing off. If there is no plan and the table is small compared with the
        state space, that may never happen: give such a search a budget. `stored` counts the entries of the table.

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled.
    """
    if domain.expander is None or heuristic.estimator is None:
        what = f"domain '{domain.name}'" if domain.expander is None else f"heuristic '{heuristic.name}'"
        raise ValueError(
            f"IDA* needs compiled functions, {what} has none. Maybe use batch_astar or beam, or for a network "
            "engine=compiled."
        )
    budget = Budget() if budget is None else budget
    if starts_at_goal(domain):
        return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
    if _Stack.bytes_of(2 * domain.branching + _DEPTH, _DEPTH, domain.packing.words) > memory // 2:
        return SearchAnswer(limit="memory")
    return _Search(domain, heuristic, table_entries, memory).run(budget, on_bound)


@dataclass
class _Stack:
    """The rows and levels of `ida_star_kernels`."""

    keys: NDArray[np.uint64]
    moves: NDArray[np.int32]
    costs: NDArray[np.int32]
    estimates: NDArray[np.int32]
    node: NDArray[np.int64]
    end: NDArray[np.int64]
    gone: NDArray[np.int64]

    @staticmethod
    def bytes_of(rows: int, depth: int, words: int) -> int:
        return rows * (8 * words + 12) + 24 * depth

    @staticmethod
    def empty(rows: int, depth: int, words: int) -> _Stack:
        moves, costs, estimates = (np.zeros(rows, dtype=np.int32) for _ in range(3))
        node, end, gone = (np.zeros(depth, dtype=np.int64) for _ in range(3))
        return _Stack(np.zeros((rows, words), dtype=np.uint64), moves, costs, estimates, node, end, gone)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        return self.keys, self.moves, self.costs, self.estimates, self.node, self.end, self.gone

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.arrays)

    def larger(self) -> _Stack:
        """A stack of twice the size with the same content."""
        other = _Stack.empty(2 * len(self.keys), 2 * len(self.node), self.keys.shape[1])
        for old, new in zip(self.arrays, other.arrays, strict=True):
            new[: len(old)] = old
        return other


class _Search:
    """A running iterative deepening."""

    def __init__(self, domain: Domain, heuristic: Heuristic, table_entries: int, memory: int) -> None:
        self.domain, self.heuristic, self.memory = domain, heuristic, memory
        words = domain.packing.words
        self.start = packed_start(domain)
        self.goal, self.mask = packed_goal(domain)
        entries = 1 << (table_entries - 1).bit_length() if table_entries > 0 else 0
        while 8 * entries * (words + 1) > memory // 2:
            entries //= 2
        self.seen = np.zeros((entries, words + 1), dtype=np.uint64)
        self.stack = _Stack.empty(2 * domain.branching + _DEPTH, _DEPTH, words)
        self.numbers = np.zeros(NUMBERS, dtype=np.int64)
        self.peak = self.seen.nbytes + self.stack.nbytes
        self.iterations = self.bound = 0

    def run(self, budget: Budget, on_bound: Callable[[int], None] | None) -> SearchAnswer:
        """Iterate until a plan or a limit."""
        begun = budget.clock()
        answer, limit, pace = DONE, None, Pace(budget)
        threshold = int(self.heuristic.estimate(self.start)[0])
        if threshold >= INFINITE:
            threshold, self.numbers[HOPELESS] = int(NOTHING), 1
        while answer == DONE and limit is None and threshold < NOTHING:
            if self.heuristic.admissible and threshold > self.bound:
                self.bound = threshold
                if on_bound is not None:
                    on_bound(threshold)
            self._begin(threshold)
            answer, limit = self._iterate(pace)
            threshold = int(self.numbers[NEXT])
        trusted = self.heuristic.admissible or self.numbers[HOPELESS] == 0
        return SearchAnswer(
            plan=self._plan() if answer == FOUND else None,
            cost=int(self.numbers[COST]) if answer == FOUND else None,
            bound=self.bound,
            unreachable=answer == DONE and trusted,
            limit=limit,
            expanded=int(self.numbers[EXPANDED]),
            generated=int(self.numbers[GENERATED]),
            stored=len(self.seen),
            memory=self.peak,
            seconds=budget.clock() - begun,
        )

    def _begin(self, threshold: int) -> None:
        """Reset the stack to the start."""
        number = self.iterations % _ITERATIONS + 1
        if number == 1 and self.iterations > 0:
            self.seen[:] = 0
        self.iterations += 1
        stack = self.stack
        stack.keys[0], stack.moves[0], stack.costs[0] = self.start[0], -1, 0
        stack.node[0], stack.end[0], stack.gone[0] = -1, 1, 0
        self.numbers[[DEPTH, THRESHOLD, NEXT, ITERATION]] = 0, threshold, NOTHING, number

    def _iterate(self, pace: Pace) -> tuple[int, str | None]:
        """Run one iteration in slices; returns how it ended and the limit that ended it."""
        expander, estimator = self.domain.expander, self.heuristic.estimator
        assert expander is not None
        assert estimator is not None
        while True:
            limit = limit_reached(pace.budget)
            if limit is not None:
                return PAUSED, limit
            before = int(self.numbers[EXPANDED])
            answer = deepen(
                expander.address, expander.data, estimator.address, estimator.data, self.goal, self.mask,
                self.domain.branching, pace.next(), *self.stack.arrays, self.seen, self.numbers,
            )  # fmt: skip
            pace.done(int(self.numbers[EXPANDED]) - before)
            if answer == FULL:
                # The old and the new stack are both in memory for a moment.
                peak = self.seen.nbytes + 3 * self.stack.nbytes
                if peak > self.memory:
                    return PAUSED, "memory"
                self.peak = max(self.peak, peak)
                self.stack = self.stack.larger()
            elif answer != PAUSED:
                return answer, None

    def _plan(self) -> NDArray[np.int32]:
        """The moves on the stack, without the place of the start."""
        rows = self.stack.node[2 : self.numbers[DEPTH] + 1]
        return self.stack.moves[rows]
