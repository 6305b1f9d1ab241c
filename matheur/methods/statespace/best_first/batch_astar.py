"""Batch weighted A* (Agostinelli, McAleer, Shmakov, Baldi 2019): many states are expanded and estimated at once."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first import open_list_kernels as kernels
from matheur.methods.statespace.best_first.open_list import NO_PLAN, OpenList, new_block
from matheur.methods.statespace.best_first.open_list_kernels import Order
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.methods.statespace.packed_goal import packed_start, starts_at_goal
from matheur.methods.statespace.table import OutOfMemoryBudgetError

__all__ = ["batch_astar"]

_BLOCK = 1 << 11
_ESTIMATED_AT_ONCE = 1 << 16
_EXPANDED_AT_ONCE = 1 << 15
_TOO_DEAR = "a plan costs more than 2**31 - 1. Maybe the costs of the domain can be scaled down."


def batch_astar(
    domain: Domain,
    heuristic: Heuristic,
    *,
    weight: float = 1.0,
    batch: int = 1000,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    until: Literal["first", "proved"] = "first",
    on_plan: Callable[[NDArray[np.int32], int], None] | None = None,
) -> SearchAnswer:
    """Search by `weight * cost + estimate`, taking the best `batch` states at a time.

    With weight 1 and batch 1 this is A*. A smaller weight is greedier. A larger batch lets a heuristic evaluate many
    states at once, and finds shorter plans for small weights, since it also explores states off the greedy path.

    Parameters
    ----------
    domain, heuristic
        Domain and heuristic, compiled or not. A heuristic that is not compiled is called once per batch, on at most
        65536 states, and only on new states. Its estimates may be real numbers (`Heuristic.scale`).
    weight
        0 to 1; rounded to a fraction with a denominator of at most 1000, so that priorities are integers.
    batch
        Number of states per batch. Ties: smaller estimate, then the most recent state.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Memory limit in bytes; a state takes 24 for its record, 8 for each word of its key and 7 to 14 for its slots.
    until
        `first`: stop after the first batch that contains a goal state, with the cheapest goal state in it. `proved`:
        continue, without the states that cannot lead to a better plan, until the best plan is proved optimal.
    on_plan
        Called with every plan and its cost; each plan is cheaper than the previous one.

    Returns
    -------
    SearchAnswer
        With an admissible heuristic `bound` is the smallest cost plus estimate of a waiting state, for any weight; with
        an inadmissible one it is 0 unless the search was exhaustive.

    Raises
    ------
    ValueError
        If the weight or the batch is out of range, or a cost exceeds 2**31 - 1.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"the weight must be 0 to 1 ({weight})")
    if batch < 1:
        raise ValueError(f"a batch has at least one state ({batch})")
    ratio = Fraction(weight).limit_denominator(1000)
    order = Order(ratio.numerator * heuristic.scale, ratio.denominator, int(heuristic.admissible))
    search = _Search(domain, heuristic, order, batch, Budget() if budget is None else budget, memory)
    return search.run(until == "first", on_plan)


class _Search:
    """A running batch search."""

    def __init__(
        self, domain: Domain, heuristic: Heuristic, order: Order, batch: int, budget: Budget, memory: int
    ) -> None:
        self.domain, self.heuristic, self.order, self.batch = domain, heuristic, order, batch
        self.budget, self.memory = budget, memory
        self.pace = Pace(budget)
        self.compiled = domain.expander is not None and heuristic.estimator is not None
        self.plan: NDArray[np.int32] | None = None
        self.cost = NO_PLAN

    def run(self, first: bool, on_plan: Callable[[NDArray[np.int32], int], None] | None) -> SearchAnswer:
        """Run batches until a plan, a proof or a limit."""
        begun = self.budget.clock()
        if starts_at_goal(self.domain):
            if on_plan is not None:
                on_plan(np.empty(0, dtype=np.int32), 0)
            return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0)
        try:
            self._prepare()
        except OutOfMemoryBudgetError:
            return SearchAnswer(limit="memory")
        answer, limit = kernels.PAUSED, None
        while answer != kernels.EMPTY and limit is None:
            limit = limit_reached(self.budget)
            if limit is None:
                answer, limit = self._compiled_batches() if self.compiled else self._batch()
            if answer == kernels.REACHED:
                self._keep_plan(on_plan)
                if first:
                    break
                if self.budget.reached(self.cost):
                    limit = "target"
        return self._answer(answer == kernels.EMPTY, limit, self.budget.clock() - begun)

    def _prepare(self) -> None:
        """Create the tables, with the start in the queue."""
        words, branching = self.domain.packing.words, self.domain.branching
        if self.compiled:
            self.block = new_block(max(_BLOCK, 2 * branching), words)
            reserved = sum(array.nbytes for array in self.block)
        else:
            self.chosen = np.empty(max(1, min(self.batch, _EXPANDED_AT_ONCE // branching)), dtype=np.int32)
            at_once = min(_ESTIMATED_AT_ONCE, self.batch * branching)
            # Successors take an array of the domain and a copy.
            reserved = 4 * self.batch * branching + at_once * (8 * words + 4)
            reserved += len(self.chosen) * (4 + 8 * words + 2 * branching * (8 * words + 16))
        self.open = OpenList(self.domain, self.order, self.batch, self.memory, reserved)
        start = np.zeros(1, dtype=np.int32)
        kernels.push(
            self.open.store, self.order, words, start, self.heuristic.estimate(packed_start(self.domain))
        )  # fmt: skip

    def _compiled_batches(self) -> tuple[int, str | None]:
        """Run a slice of batches inside one kernel."""
        expander, estimator = self.domain.expander, self.heuristic.estimator
        assert expander is not None
        assert estimator is not None
        numbers, left = self.open.numbers, self.budget.work_left
        before = int(numbers[kernels.EXPANDED])
        answer = kernels.run(
            expander.address, expander.data, estimator.address, estimator.data, self.open.goal, self.open.mask,
            self.domain.branching, self.batch, self.pace.next(), NO_PLAN if left is None else left, self.open.room,
            self.open.store, self.order, self.block,
        )  # fmt: skip
        self.pace.done(int(numbers[kernels.EXPANDED]) - before)
        if answer == kernels.TOO_DEAR:
            raise ValueError(_TOO_DEAR)
        if answer == kernels.FULL:
            try:
                self.open.reserve(len(self.block.parents))
            except OutOfMemoryBudgetError:
                return answer, "memory"
        return answer, None

    def _batch(self) -> tuple[int, str | None]:
        """Run one batch, calling the domain and the heuristic from Python."""
        opened, numbers, words = self.open, self.open.numbers, self.domain.packing.words
        if numbers[kernels.AT] == numbers[kernels.POPPED]:
            size = self.budget.affordable(self.batch)
            if kernels.pop(opened.store, self.order, words, opened.goal, opened.mask, size):
                return kernels.REACHED, None
            if numbers[kernels.POPPED] == 0:
                return kernels.EMPTY, None
        pending, limit = np.empty(0, dtype=np.int32), None
        while numbers[kernels.AT] < numbers[kernels.POPPED] and limit is None:
            try:
                pending = np.concatenate([pending, self._expand(len(pending))])
                limit = limit_reached(self.budget)
            except OutOfMemoryBudgetError:
                limit = "memory"
        self._file(pending)
        return kernels.PAUSED, limit

    def _expand(self, unfiled: int) -> NDArray[np.int32]:
        """Expand some states of the batch; returns the records that are new or cheaper."""
        opened, numbers, words = self.open, self.open.numbers, self.domain.packing.words
        before = int(numbers[kernels.AT])
        rows = self.chosen[: kernels.take(opened.store, self.order, words, self.chosen)]
        if len(rows) == 0:
            return rows.copy()
        found = self.domain.expand(opened.keys(rows))
        count = len(found.keys)
        try:
            opened.reserve(count, unfiled)
        except OutOfMemoryBudgetError:
            numbers[kernels.AT] = before
            raise
        pending = np.empty(count, dtype=np.int32)
        keys = np.ascontiguousarray(found.keys, dtype=np.uint64).reshape(-1)
        end = kernels.insert(
            opened.store, words, keys, found.moves, found.costs, rows[found.parents], count, pending, 0
        )  # fmt: skip
        if end < 0:
            raise ValueError(_TOO_DEAR)
        numbers[kernels.EXPANDED] += len(rows)
        numbers[kernels.GENERATED] += count
        self.budget.spend(work=len(rows))
        return pending[:end]

    def _file(self, pending: NDArray[np.int32]) -> None:
        """Estimate the new states and add all to the queue."""
        opened, words = self.open, self.domain.packing.words
        for start in range(0, len(pending), _ESTIMATED_AT_ONCE):
            some = pending[start : start + _ESTIMATED_AT_ONCE]
            keys = np.empty(len(some) * words, dtype=np.uint64)
            fresh = kernels.gather(opened.store, words, some, keys)
            estimates = np.empty(0, dtype=np.int32)
            if fresh > 0:
                values = self.heuristic.estimate(keys[: fresh * words].reshape(-1, words))
                estimates = np.ascontiguousarray(values, dtype=np.int32)
            kernels.push(opened.store, self.order, words, some, estimates)

    def _keep_plan(self, on_plan: Callable[[NDArray[np.int32], int], None] | None) -> None:
        self.plan, self.cost = self.open.path(int(self.open.numbers[kernels.GOAL]))
        self.open.numbers[kernels.BEST] = self.cost
        if on_plan is not None:
            on_plan(self.plan, self.cost)

    def _answer(self, exhausted: bool, limit: str | None, seconds: float) -> SearchAnswer:
        opened = self.open
        kernels.put_back(opened.store, self.order, self.domain.packing.words)
        bound = opened.bound()
        return SearchAnswer(
            plan=self.plan,
            cost=None if self.plan is None else self.cost,
            bound=0 if bound == NO_PLAN else bound,
            unreachable=exhausted and bound == NO_PLAN,
            limit=limit,
            expanded=int(opened.numbers[kernels.EXPANDED]),
            generated=int(opened.numbers[kernels.GENERATED]),
            stored=opened.count,
            memory=max(opened.peak, opened.nbytes),
            seconds=seconds,
        )
