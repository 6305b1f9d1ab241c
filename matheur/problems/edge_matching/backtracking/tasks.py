"""A search is a source of tasks and walks that carry them out: what a task is, how it ends, who hands tasks out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from matheur.problems.edge_matching.backtracking.quotas import Quota

__all__ = ["End", "Outcome", "Source", "Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """One start: how the board is to be filled, and for how long.

    How many mismatches are allowed is no part of it: each full board lowers that, in the middle of a task.

    Attributes
    ----------
    walk
        Number of the walk, which stands for an order of the cells.
    first
        The piece in the first cell, None for all that fit.
    quota
        Colours to be spent first, and how soon.
    spread
        The start asks for less than the quota, by a share that is drawn from 0 to this when it begins.
    firm
        Whether it asks for the whole quota nevertheless. The share is drawn in any case, so that later random numbers
        do not depend on that.
    limit
        Placements after which the start ends, None for none.
    trial
        The same as long as there is no full board, and none of another search to be bettered.
    patience
        Placements after which it ends if it has not come beyond the quota, None for no such limit.
    in_slices
        Whether it ends only with the slice of the search in which it comes to the limit.
    """

    walk: int
    first: int | None
    quota: Quota
    spread: float = 0.0
    firm: bool = False
    limit: int | None = None
    trial: int | None = None
    patience: int | None = None
    in_slices: bool = False


class End(Enum):
    """Why a task has ended."""

    TRIED = "all that it allows was tried"
    STUCK = "the walk makes too little progress"
    STOPPED = "it came to a limit"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task.

    Attributes
    ----------
    end
        Why it has ended.
    share
        The drawn share of the quota that it asked for.
    beyond
        Whether it came beyond the depth where quotas end.
    placements
        Placements of the task.
    """

    end: End
    share: float
    beyond: bool
    placements: int


class Source(Protocol):
    """Hands out tasks, one after the other, by what came of those before."""

    @property
    def ready(self) -> bool:
        """Whether the next task is known; if not, `next` takes some tenths of a second and may have none yet."""
        ...

    @property
    def complete(self) -> bool:
        """Whether its tasks together try all boards; False where other jobs have a part of them."""
        ...

    def next(self) -> Task | None:
        """The next task, None if it is not known yet: then ask again."""
        ...

    def tell(self, outcome: Outcome) -> bool:
        """Take note of what came of the last task; True if all boards of the source were tried, without a quota."""
        ...

    def renew(self) -> None:
        """From now on more mismatches are allowed: quotas that were tried may allow more boards."""
