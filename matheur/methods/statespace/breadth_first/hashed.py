"""Breadth-first levels in a hash table, for any domain with unit costs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first.symmetry import Quotient
from matheur.methods.statespace.domain import Domain, Successors
from matheur.methods.statespace.pace import limit_reached
from matheur.methods.statespace.table import OutOfMemoryBudgetError, StateTable

__all__ = ["HashedLevels", "lifted_plan"]

_BATCH = 4096


class HashedLevels:
    """The levels of a breadth-first search from one state, in the order of a hash table.

    A state takes 8 bytes per word, 7 to 14 bytes of slots and, if the domain is not reversible, 8 bytes for its parent.

    Parameters
    ----------
    domain
        A domain with unit costs.
    source
        uint64[words]: the state of depth 0.
    memory
        Memory limit in bytes for all tables.
    quotient
        Store one state of each class of symmetric states.
    stop_at_goal
        End as soon as a goal state has been reached.
    parents
        Store what `path` needs.

    Attributes
    ----------
    counts
        Number of states (with a quotient: all states of the classes) at each complete depth; a final 0 means that all
        states have been reached.
    starts
        Index of the first key of each complete level, and of the next level.
    table
        The keys, level by level.
    found
        Index of the first goal state reached, with `stop_at_goal`.
    met
        Index of the first state that lies in the table given to `advance`, and its index in that table.
    expanded, generated
        Numbers of expanded states and generated successors.
    """

    def __init__(
        self,
        domain: Domain,
        source: NDArray[np.uint64],
        *,
        memory: int,
        quotient: Quotient | None = None,
        stop_at_goal: bool = False,
        parents: bool = True,
    ) -> None:
        self._domain, self._quotient, self._stop_at_goal = domain, quotient, stop_at_goal
        words = domain.packing.words
        # If moves are irreversible, parents are stored, in proportion to the keys.
        self._keep_parents = parents and not domain.reversible
        share = (8 * words + 7) / (8 * words + 15) if self._keep_parents else 1.0
        self.table: StateTable = StateTable(words, int(memory * share))
        self._parents = np.empty(self.table.capacity if self._keep_parents else 0, dtype=np.int64)
        packing = domain.packing
        fields = [
            (1 << width) - 1 if fixed else 0 for width, fixed in zip(packing.widths, domain.goal_mask, strict=True)
        ]
        self._mask = packing.pack([fields])[0]
        self._goal = packing.pack(domain.goal[None])[0] & self._mask
        keys, sizes = self._representatives(source[None])
        self.table.add(keys)
        self.counts: list[int] = [int(sizes[0])]
        self.starts: list[int] = [0, 1]
        self.found: int | None = None
        self.met: tuple[int, int] | None = None
        self.expanded: int = 0
        self.generated: int = 0
        self._fresh = self._next = 0

    def _representatives(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        if self._quotient is None:
            return keys, np.ones(len(keys), dtype=np.int64)
        return self._quotient.canonical(keys)

    @property
    def representation(self) -> str:
        """`hash table`."""
        return "hash table"

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self.table.nbytes + (8 * self.table.count if self._keep_parents else 0)

    @property
    def depth(self) -> int:
        """The depth of the deepest complete level."""
        return len(self.counts) - 1

    @property
    def stored(self) -> int:
        """Number of states (with a quotient: classes) seen."""
        return self.table.count

    @property
    def waiting(self) -> int:
        """Number of states (classes) of the deepest complete level that are not yet expanded."""
        return self.starts[-1] - self._next

    @property
    def width(self) -> int:
        """Number of states (classes) of the deepest complete level."""
        return self.starts[-1] - self.starts[-2]

    @property
    def growth(self) -> float:
        """Ratio of the widths of the deepest complete level and the level before; the branching at depth 0."""
        if self.depth == 0:
            return float(self._domain.branching)
        return self.width / (self.starts[-2] - self.starts[-3])

    def advance(self, budget: Budget, meet: StateTable | None = None) -> str | None:
        """Complete the next level; returns None or what stopped it: a limit, `memory`, `goal` or `met` (common state).

        After a limit the next call continues where this one ended.
        """
        end = self.starts[-1]
        while self._next < end:
            limit = limit_reached(budget)
            if limit is not None:
                return limit
            at, before = self._next, self.table.count
            upto = min(end, at + budget.affordable(_BATCH))
            try:
                self._expand(at, upto)
            except OutOfMemoryBudgetError:
                return "memory"
            budget.spend(work=upto - at)
            self._next = upto
            if self.found is not None:
                return "goal"
            if meet is not None and self._meets(before, meet):
                return "met"
        self.starts.append(self.table.count)
        self.counts.append(self._fresh)
        self._fresh = 0
        return None

    def _meets(self, before: int, other: StateTable) -> bool:
        there = other.find(self.table.keys[before:])
        known = np.flatnonzero(there >= 0)
        if known.size:
            self.met = before + int(known[0]), int(there[known[0]])
        return bool(known.size)

    def _expand(self, begin: int, end: int) -> None:
        before = self.table.count
        parents = self.table.keys[begin:end]
        successors = self._domain.expand(parents)
        self.expanded += end - begin
        self.generated += len(successors.keys)
        keys, sizes = self._representatives(successors.keys)
        _, fresh = self.table.add(keys)
        self._fresh += int(sizes[fresh].sum())
        if self._keep_parents:
            self._parents[before : self.table.count] = begin + successors.parents[fresh]
        if self._stop_at_goal:
            goals = ((self.table.keys[before:] & self._mask) == self._goal).all(axis=1)
            self.found = before + int(goals.argmax()) if goals.any() else None

    def sample(self, most: int) -> NDArray[np.uint64]:
        """Keys [n, words] of up to `most` states of the deepest complete level."""
        return self.table.keys[self.starts[-2] : min(self.starts[-1], self.starts[-2] + most)].copy()

    def path(self, index: int) -> NDArray[np.uint64]:
        """Keys [n, words] of a shortest path from the state with this index back to the source."""
        keys = [self.table.keys[index]]
        while index > 0:
            index = self._parent(index)
            keys.append(self.table.keys[index])
        return np.array(keys)

    def _parent(self, index: int) -> int:
        if not self._domain.reversible:
            return int(self._parents[index])
        # The table is sorted by distance to the source, and one of the neighbours is a level nearer.
        around, _ = self._representatives(self._domain.expand(self.table.keys[index][None]).keys)
        found = self.table.find(around)
        return int(found[found >= 0].min())


def lifted_plan(
    domain: Domain, start: NDArray[np.uint64], keys: NDArray[np.uint64], quotient: Quotient | None
) -> NDArray[np.int32]:
    """Moves from the state `start` along keys [n, words]; the first key is `start` or its class."""
    state, plan = start, []
    for wanted in keys[1:]:
        found: Successors = domain.expand(state[None])
        classes = found.keys if quotient is None else quotient.canonical(found.keys)[0]
        chosen = int(np.flatnonzero((classes == wanted).all(axis=1))[0])
        plan.append(int(found.moves[chosen]))
        state = found.keys[chosen]
    return np.array(plan, dtype=np.int32)
