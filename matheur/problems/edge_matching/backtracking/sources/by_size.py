"""Tasks for perfect boards: quotas of many sets of rare colours, whose trees are kept at similar sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.backtracking.quotas import LATER, Quota, rare_sets
from matheur.problems.edge_matching.backtracking.tasks import End, Outcome, Task
from matheur.problems.edge_matching.backtracking.walk import Walk
from matheur.problems.edge_matching.instance import Instance

__all__ = ["CURVE", "FAMILIES", "BySize", "QuotaTree"]

CURVE = LATER
FAMILIES = ((3, 3), (1, 2))
"""Numbers of frame colours and other colours of a set, in order of preference."""

_STRICTEST = 0.96
_SETS = 10_000  # all of them
_GROWTH = 4.0  # intended growth factor of a tree
_WHOLE = 100_000_000  # placements tried without a quota first, enough for a whole small puzzle
_SMALL = 1_000_000  # placements of a tree below which its growth is not informative
_STEP_MIN, _STEP_MAX = 0.0025, 0.03


class QuotaTree:
    """A source of all boards that a quota of some colours allows, then of all that a weaker quota allows, and so on.

    Parameters
    ----------
    number
        Number of the walk.
    beginnings
        Pieces in the first cell, each a task of its own; empty for a single task.
    colours
        Colours to spend first; empty for no quota.
    limit
        Placements after which the tasks end; None for no limit.

    Attributes
    ----------
    colours, number
        As given.
    strength
        Current strength of the quota; see `exhaustion_curve`. 0 for all boards.
    size
        Placements of the last quota that was tried completely; 0 before.
    whole
        True once all boards have been tried.
    nodes
        Number of placements of all quotas so far.
    ready, complete
        See `Source`.
    """

    ready = complete = True

    def __init__(
        self, number: int, beginnings: Sequence[int], colours: NDArray[np.int64], limit: int | None = None
    ) -> None:
        self.number, self.colours = number, tuple(colours.tolist())
        self._beginnings: list[int | None] = list(beginnings) or [None]
        self._limit = limit
        self.strength = _STRICTEST if self.colours else 0.0
        self.size = self.nodes = 0
        self.whole = False
        self._step = _STEP_MAX
        self._begin()

    def _begin(self) -> None:
        self._left = self._beginnings.copy()
        self._begun = self.nodes

    def next(self) -> Task:
        """The next part of this quota."""
        limit = None if self._limit is None else self._limit - self.nodes
        quota = Quota(self.colours, self.strength, CURVE)
        return Task(self.number, self._left.pop(), quota, limit=limit, in_slices=True)

    def tell(self, outcome: Outcome) -> bool:
        """Weaken the quota if all parts were tried; return True once all boards have been tried."""
        self.nodes += outcome.placements
        if not self._left:
            self._weaken()
        return self.whole

    def renew(self) -> None:
        """Nothing: no mismatch is ever allowed."""

    @property
    def tried(self) -> bool:
        """Whether the last task completed a quota."""
        return len(self._left) == len(self._beginnings)

    def _weaken(self) -> None:
        """Weaken the quota by a step that should make the tree `_GROWTH` times as large."""
        before, self.size = self.size, self.nodes - self._begun
        self.whole = self.whole or self.strength <= 0
        if before >= _SMALL and self.size > before:
            self._step *= math.log(_GROWTH) / math.log(self.size / before)
        elif self.size >= _SMALL:
            self._step /= 2
        self._step = min(max(self._step, _STEP_MIN), _STEP_MAX)
        self.strength = max(0.0, self.strength - self._step)
        self._begin()


class BySize:
    """Goes from one set of colours to the next, each by rows and by columns: the one with the smallest tree is next.

    First, a limited number of placements is tried without a quota, which covers small puzzles completely.

    The probability that a tree contains a perfect board depends on its number of placements, whatever the colours. The
    probability per placement falls as trees become larger (decision 66).

    Parameters
    ----------
    walks
        Walks of whole boards.
    job
        Number of this search, and the number of searches that divide the trees.
    families
        Numbers of frame colours and other colours of a set: the first pair for which the frame colours can be chosen
        in more than one way, else the last.

    Attributes
    ----------
    queue
        Heap of size, number and tree for each set and walk.
    ready, complete
        See `Source`.
    """

    ready = complete = True

    def __init__(
        self,
        instance: Instance,
        walks: Sequence[Walk],
        job: tuple[int, int] = (0, 1),
        families: tuple[tuple[int, int], ...] = FAMILIES,
    ) -> None:
        sets, numbered = _sets(instance, families), list(enumerate(walks))
        every = [QuotaTree(number, walk.beginnings, colours) for colours in sets for number, walk in numbered]
        none: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._first: QuotaTree | None = QuotaTree(0, walks[0].beginnings, none, _WHOLE)
        number, jobs = job[0], min(job[1], len(every))
        self.queue = [(0, place, tree) for place, tree in enumerate(every[number % jobs :: jobs])]
        heapify(self.queue)

    def next(self) -> Task:
        """The next part of the smallest tree."""
        return (self._first or self.queue[0][-1]).next()

    def tell(self, outcome: Outcome) -> bool:
        """Switch to the smallest tree when a quota is complete; return True once all boards have been tried."""
        if self._first is not None:
            if outcome.end is End.STOPPED:
                self._first = None
                return False
            return self._first.tell(outcome)
        tree = self.queue[0][-1]
        tree.tell(outcome)
        if tree.tried:
            heapreplace(self.queue, (tree.size, self.queue[0][1], tree))
        return tree.whole

    def renew(self) -> None:
        """Nothing: no mismatch is ever allowed."""


def _sets(instance: Instance, families: tuple[tuple[int, int], ...]) -> list[NDArray[np.int64]]:
    """All sets of a family; a single set without colours if there is none."""
    for frame, inside in families:
        sets = rare_sets(instance, _SETS, frame, inside)
        if len({tuple(sorted(colours[:frame])) for colours in sets}) > 1:  # there is a choice of frame colours
            return sets
    return sets or [np.zeros(0, dtype=np.int64)]
