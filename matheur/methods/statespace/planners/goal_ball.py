"""All states near the goal, with their exact distances: the target of planners that walk from the start."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.packed_goal import packed_goal
from matheur.methods.statespace.table import OutOfMemoryBudgetError, StateTable

__all__ = ["BALL", "GoalBall", "ball_of", "goal_ball"]

BALL = 1000
"""Default number of states around the goal whose distances planners know."""

_BLOCK = 1 << 10


@dataclass(frozen=True, eq=False)
class GoalBall:
    """The states within `radius` of the goal, nearest first.

    Attributes
    ----------
    keys
        uint64[n, words].
    distance
        int32[n]: exact cost to the goal.
    level
        int32[n]: number of smaller distances that occur, which is the number of moves if all costs are 1.
    toward
        int32[n]: number of the next state on a cheapest way to the goal, -1 for the goal.
    radius
        Distance that every state outside the ball exceeds; -1 for an empty ball.
    closed
        Whether the ball contains every state from which the goal can be reached.
    expanded, generated
        Numbers of expanded states and generated successors.
    peak
        Peak size of its tables in bytes during construction.
    """

    keys: NDArray[np.uint64]
    distance: NDArray[np.int32]
    level: NDArray[np.int32]
    toward: NDArray[np.int32]
    radius: int
    closed: bool
    expanded: int = 0
    generated: int = 0
    peak: int = 0

    def __len__(self) -> int:
        return len(self.distance)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.keys.nbytes + self.distance.nbytes + self.level.nbytes + self.toward.nbytes


def ball_of(domain: Domain) -> int:
    """The domain's own number of states around the goal (attribute `ball`), or `BALL`."""
    return int(getattr(domain, "ball", BALL))


def goal_ball(domain: Domain, size: int, *, budget: Budget, memory: int) -> GoalBall:
    """Breadth-first search backwards from the goal, whole levels, until `size` states are known.

    Parameters
    ----------
    domain
        The domain. If moves cannot be undone, or the goal leaves components free, the ball is empty.
    size
        Number of states to find. The last level is completed, so there may be more.
    budget
        Limits; a unit of work is a state expanded. If it ends early, the ball is smaller.
    memory
        Memory limit in bytes; the ball ends with the last level that fits.
    """
    if size < 1 or not domain.reversible or not bool(domain.goal_mask.all()):
        return _empty(domain)
    try:
        growth = _Growth(domain, budget, memory)
    except OutOfMemoryBudgetError:
        return _empty(domain)
    return growth.to(size)


def _empty(domain: Domain) -> GoalBall:
    none = np.empty(0, dtype=np.int32)
    return GoalBall(np.empty((0, domain.packing.words), dtype=np.uint64), none, none, none, -1, False)


class _Growth:
    """Dijkstra's algorithm, level by level: `pending` holds generated states by their distance."""

    def __init__(self, domain: Domain, budget: Budget, memory: int) -> None:
        self.domain, self.budget, self.memory = domain, budget, memory
        words = domain.packing.words
        goal, _ = packed_goal(domain)
        self.table = StateTable(words, memory // 2)
        self.pending = {0: [(goal[None], np.full(1, -1, dtype=np.int32))]}
        self.toward: list[NDArray[np.int32]] = []
        self.levels: list[tuple[int, int]] = []  # distance, states
        self.expanded = self.generated = 0
        self.waiting = 8 * words + 4
        self.peak = 2 * self.table.nbytes
        successor = 8 * words + 8 + 4 + 4
        self.block = max(1, min(_BLOCK, memory // (8 * domain.branching * successor)))

    def to(self, size: int) -> GoalBall:
        """Settle levels until there are `size` states, or the budget or the memory ends."""
        closed = False
        while not closed:
            distance, first = min(self.pending), self.table.count
            if not self._settle(distance) or self.table.count >= size or not self._expand(distance, first):
                break
            closed = not self.pending
        count = sum(many for _, many in self.levels)
        return GoalBall(
            self.table.keys[:count].copy(),
            np.repeat(*(np.array(column, dtype=np.int32) for column in zip(*self.levels, strict=True))),
            np.repeat(np.arange(len(self.levels), dtype=np.int32), [many for _, many in self.levels]),
            np.concatenate(self.toward),
            self.levels[-1][0],
            closed,
            self.expanded,
            self.generated,
            self.peak,
        )

    def _settle(self, distance: int) -> bool:
        """Number the new states of a level; False if they do not fit."""
        batches = self.pending.pop(distance)
        self.waiting -= sum(keys.nbytes + toward.nbytes for keys, toward in batches)
        try:
            _, fresh = self.table.add(np.concatenate([keys for keys, _ in batches]))
        except OutOfMemoryBudgetError:
            return False
        if fresh.any():
            self.levels.append((distance, int(fresh.sum())))
            self.toward.append(np.concatenate([toward for _, toward in batches])[fresh])
        return True

    def _expand(self, distance: int, first: int) -> bool:
        """Generate the neighbours of the states from number `first` on; False if a limit ended it early."""
        at = first
        while at < self.table.count:
            if self.budget.exhausted:
                return False
            block = self.table.keys[at : at + self.budget.affordable(self.block)]
            found = self.domain.expand(block)
            self.budget.spend(work=len(block))
            self.expanded, self.generated = self.expanded + len(block), self.generated + len(found.keys)
            new = self.table.find(found.keys) < 0
            if not self._keep(distance, found.keys[new], (at + found.parents[new]).astype(np.int32), found.costs[new]):
                return False
            at += len(block)
        return True

    def _keep(
        self, distance: int, keys: NDArray[np.uint64], parents: NDArray[np.int32], costs: NDArray[np.int32]
    ) -> bool:
        """Store new states until their distance is processed; False if memory does not suffice."""
        self.waiting += keys.nbytes + parents.nbytes
        # A level is joined before it is settled, and the table is copied in the end.
        needed = 2 * (self.table.nbytes + self.waiting)
        if needed > self.memory:
            return False
        self.peak = max(self.peak, needed)
        for cost in np.unique(costs).tolist():
            same = costs == cost
            self.pending.setdefault(distance + cost, []).append((keys[same], parents[same]))
        return True
