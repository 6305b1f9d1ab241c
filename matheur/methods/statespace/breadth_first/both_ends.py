"""Breadth-first search from both ends."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.breadth_first.hashed import HashedLevels, lifted_plan
from matheur.methods.statespace.breadth_first.symmetry import quotient_of
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.table import OutOfMemoryBudgetError

__all__ = ["BothEnds", "bidirectional"]


def bidirectional(
    domain: Domain, *, budget: Budget | None = None, memory: int = 2 << 30, quotient: bool = False
) -> SearchAnswer:
    """An optimal plan by two breadth-first searches that meet, or the proof that no plan exists.

    Whole levels are expanded, always on the side whose deepest level is smaller. If levels a and b are complete and the
    sides have no common state, every plan has more than a + b moves. A state of level a + 1 that the other side knows
    lies in its level b, so the first such state gives an optimal plan. Work is counted in expanded states.

    Parameters
    ----------
    memory
        Memory limit in bytes for both hash tables together.
    quotient
        Store one state of each class under `Domain.automorphisms`.

    Raises
    ------
    ValueError
        If the moves have different costs or cannot be undone, if there is more than one goal state, or if no symmetries
        are known for the quotient.
    """
    search = BothEnds(domain, memory=memory, quotient=quotient)
    search.run(Budget() if budget is None else budget)
    return search.answer()


class BothEnds:
    """The two searches of `bidirectional`, which can be continued by further calls.

    Parameters
    ----------
    domain, memory, quotient
        As for `bidirectional`.

    Raises
    ------
    ValueError
        As for `bidirectional`.
    """

    def __init__(self, domain: Domain, *, memory: int = 2 << 30, quotient: bool = False) -> None:
        if not domain.unit_costs:
            raise ValueError(f"'bidirectional' needs moves of cost 1 ({domain.name}). Maybe use A*.")
        if not domain.reversible:
            raise ValueError(f"the moves of '{domain.name}' cannot be taken back. Maybe use 'bfs' or A*.")
        if not domain.goal_mask.all():
            raise ValueError(f"'{domain.name}' has more than one goal state. Maybe use 'bfs' or A*.")
        self._domain = domain
        self._start, goal = domain.packing.pack(np.stack([domain.start, domain.goal]))
        self._solved = bool((self._start == goal).all())
        self._classes = None if self._solved else quotient_of(domain, quotient)
        self._sides: list[HashedLevels] = []
        self._met: tuple[int, int] | None = None
        self._seconds = 0.0
        self.limit: str | None = None
        if self._solved:
            return
        try:
            self._sides = [
                HashedLevels(domain, key, memory=memory // 2, quotient=self._classes) for key in (self._start, goal)
            ]
        except OutOfMemoryBudgetError:
            self.limit = "memory"

    @property
    def ended(self) -> bool:
        """Whether the search has ended: with a plan, with the proof that none exists, or for lack of memory."""
        dead_end = any(side.counts[-1] == 0 for side in self._sides)
        return self._solved or self._met is not None or dead_end or self.limit == "memory"

    def run(self, budget: Budget) -> None:
        """Expand levels until both sides know a common state, or until the budget ends."""
        begun = budget.clock()
        if not self.ended:
            self.limit = None
        while not self.ended and self.limit is None:
            one = 0 if self._sides[0].width <= self._sides[1].width else 1
            side, other = self._sides[one], self._sides[1 - one]
            limit = side.advance(budget, meet=other.table)
            if side.met is not None:
                self._met = side.met if one == 0 else (side.met[1], side.met[0])
            else:
                self.limit = limit
        self._seconds += budget.clock() - begun

    def forecast(self, moves: int) -> float | None:
        """Estimated number of states to expand before all plans with fewer than `moves` moves are excluded.

        Levels are assumed to grow at the rate of the last one. `inf` if they would not fit into the memory. Unlike the
        forecast of A*, it is always available.
        """
        if self.ended:
            return 0.0
        sides = self._sides
        widths, growths = [float(side.width) for side in sides], [side.growth for side in sides]
        waiting = [float(side.waiting) for side in sides]
        stored = [float(side.stored) for side in sides]
        total = 0.0
        for _ in range(sides[0].depth + sides[1].depth + 1, moves):
            one = 0 if widths[0] <= widths[1] else 1
            total += waiting[one]
            widths[one] *= growths[one]
            waiting[one] = widths[one]
            stored[one] += widths[one]
            if stored[one] > sides[one].table.capacity:
                return math.inf
        return total

    def answer(self) -> SearchAnswer:
        """The result so far."""
        if self._solved:
            return SearchAnswer(np.empty(0, dtype=np.int32), 0, stored=1, seconds=self._seconds)
        sides = self._sides
        if not sides:
            return SearchAnswer(bound=1, limit=self.limit, stored=2, seconds=self._seconds)
        plan = None if self._met is None else self._plan(self._met)
        return SearchAnswer(
            plan=plan,
            cost=None if plan is None else len(plan),
            bound=sides[0].depth + sides[1].depth + 1 if plan is None else len(plan),
            unreachable=plan is None and not all(side.counts[-1] for side in sides),
            limit=self.limit,
            expanded=sum(side.expanded for side in sides),
            generated=sum(side.generated for side in sides),
            stored=sum(side.stored for side in sides),
            memory=sum(side.nbytes for side in sides),
            seconds=self._seconds,
        )

    def _plan(self, meeting: tuple[int, int]) -> NDArray[np.int32]:
        """The moves of the plan through the common state."""
        first, second = self._sides[0].path(meeting[0])[::-1], self._sides[1].path(meeting[1])
        return lifted_plan(self._domain, self._start, np.concatenate([first, second[1:]]), self._classes)
