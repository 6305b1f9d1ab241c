"""Base of the planners that learn about states from plans: a growing table, slices, and the report of plans."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.methods.statespace.packed_goal import packed_goal, packed_start
from matheur.methods.statespace.planners.goal_ball import GoalBall
from matheur.methods.statespace.planners.growing_table import GrowingTable

__all__ = ["UNKNOWN", "Learner", "OnPlan"]

UNKNOWN = 1e-7
"""Weight of an unknown state."""

OnPlan = Callable[[NDArray[np.int32], int], None]


class Learner(ABC):
    """The table of states, the slices, and the report of plans.

    Attributes
    ----------
    kernels
        Module with the kernels.
    kinds
        Types of the columns of the table.
    ready
        Whether memory sufficed for the ball and the start.
    """

    kernels: Any
    kinds: tuple[Any, ...]
    ready = False

    def __init__(self, domain: Domain, near: GoalBall, rng: np.random.Generator, memory: int, fixed: int) -> None:
        assert domain.expander is not None
        self.domain, self.near, self.expander = domain, near, domain.expander
        self.words = domain.packing.words
        self.fixed = fixed + near.nbytes + domain.branching * 8 * (self.words + 3)
        self.table = GrowingTable(self.words, self.kinds, self.kernels.enter, memory - self.fixed)
        self.random = np.array([rng.integers(0, 1 << 63)], dtype=np.uint64)
        self.numbers = np.zeros(self.kernels.NUMBERS, dtype=np.int64)
        self.goal = packed_goal(domain)
        self.successors = np.empty(domain.branching * self.words, dtype=np.uint64)
        self.moves = np.empty(domain.branching, dtype=np.int32)
        self.costs = np.empty(domain.branching, dtype=np.int32)
        self.plan: NDArray[np.int32] | None = None
        self.cost: int | None = None
        start = packed_start(domain)
        inside = np.flatnonzero((near.keys == start).all(axis=1))
        self.start = int(inside[0]) if inside.size else len(near)

    @property
    def count(self) -> int:
        """Entries in the table."""
        return int(self.numbers[self.kernels.COUNT])

    def enter(self, of_ball: Sequence[NDArray[Any]], of_start: Sequence[Any]) -> bool:
        """Enter the ball and the start with their columns; False if memory does not suffice."""
        many = len(self.near)
        if not self.table.grow(0, 2 * many + 2):
            return False
        for column, values, value in zip(self.table.columns, of_ball, of_start, strict=True):
            column[:many], column[many] = values, value
        count = self.table.add(0, self.near.keys)
        if self.start == many:
            count = self.table.add(many, packed_start(self.domain))
        self.numbers[self.kernels.COUNT] = count
        return True

    def run(self, budget: Budget, on_plan: OnPlan | None) -> SearchAnswer:
        """Walk until all walks are made, a limit is reached, or no improvement is possible."""
        if not self.ready:
            return self.answer(budget, "memory")
        if self.near.closed and self.start == len(self.near):
            return replace(self.answer(budget, None), unreachable=True)
        pace, limit = Pace(budget), None
        while limit is None:
            allowance = pace.next()
            limit = limit_reached(budget)
            if limit is not None:
                break
            before = int(self.numbers[self.kernels.EXPANDED])
            status = self.slice(allowance, budget.work_left)
            pace.done(int(self.numbers[self.kernels.EXPANDED]) - before)
            if status == self.kernels.DONE:
                break
            if status == self.kernels.IMPROVED:
                self.improve(on_plan)
                limit = "target" if budget.reached(self.cost) else None
            elif status != self.kernels.PAUSED and not self.make_room(status):
                limit = "memory"
        return self.answer(budget, limit)

    @abstractmethod
    def slice(self, allowance: int, left: int | None) -> int:
        """Make about `allowance` steps, and never more than `left` (None: no limit); returns why the kernel ended."""

    @abstractmethod
    def improve(self, on_plan: OnPlan | None) -> None:
        """Fetch the plan that the kernel has found, and report it."""

    def make_room(self, status: int) -> bool:
        """Enlarge the arrays that were full; False if memory does not suffice."""
        del status
        return self.table.grow(self.count)

    def offer(self, plan: NDArray[np.int32], cost: int, on_plan: OnPlan | None) -> None:
        """Store and report a plan if it is better."""
        if self.cost is None or cost < self.cost:
            self.plan, self.cost = plan, cost
            if on_plan is not None:
                on_plan(plan.copy(), cost)

    @property
    def bound(self) -> int:
        """Proved lower bound on the cost of a plan."""
        inside = self.start < len(self.near)
        return int(self.near.distance[self.start]) if inside else self.near.radius + 1

    def answer(self, budget: Budget, limit: str | None) -> SearchAnswer:
        """The result so far."""
        return SearchAnswer(
            self.plan,
            self.cost,
            bound=self.bound,
            limit=limit,
            expanded=int(self.numbers[self.kernels.EXPANDED]) + self.near.expanded,
            generated=int(self.numbers[self.kernels.GENERATED]) + self.near.generated,
            stored=self.count,
            memory=max(self.near.peak, self.fixed + self.table.peak if self.ready else 0),
            seconds=budget.elapsed,
        )
