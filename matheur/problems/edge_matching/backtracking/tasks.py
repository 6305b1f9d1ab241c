"""Tasks of a search, their outcomes, and the protocol of the sources that hand them out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from matheur.problems.edge_matching.backtracking.quotas import Quota

__all__ = ["End", "Outcome", "Source", "Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """One start: how to fill the board, and for how long.

    The number of mismatches allowed is not part of a task, because each full board lowers it within a task.

    Attributes
    ----------
    walk
        Number of the walk, which determines the order of the cells.
    first
        Piece in the first cell; None for all that fit.
    quota
        Colours to spend first, and how soon.
    spread
        Maximum share by which the quota is weakened; the share is drawn when the start begins.
    firm
        Whether the whole quota is required nevertheless. The share is drawn in any case, so that later random numbers
        do not depend on this.
    limit
        Placements after which the start ends; None for no limit.
    trial
        Replaces `limit` as long as there is no full board, nor a board of another search to improve on.
    patience
        Placements after which the start ends if it has not passed the quota; None for no such limit.
    in_slices
        Whether the start ends only with the slice of the search in which it reaches the limit.
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
    """Why a task ended."""

    TRIED = "all that it allows was tried"
    STUCK = "the walk makes too little progress"
    STOPPED = "it came to a limit"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a task.

    Attributes
    ----------
    end
        Reason why the task ended.
    share
        Share of the quota drawn for the task.
    beyond
        Whether the task passed the depth where quotas end.
    placements
        Number of placements of the task.
    """

    end: End
    share: float
    beyond: bool
    placements: int


class Source(Protocol):
    """Hands out tasks, one after another, depending on earlier outcomes."""

    @property
    def ready(self) -> bool:
        """Whether the next task is known; if not, `next` takes some tenths of a second and may return None."""
        ...

    @property
    def complete(self) -> bool:
        """Whether the tasks together try all boards; False if other jobs try a part of them."""
        ...

    def next(self) -> Task | None:
        """The next task; None if it is not known yet, in which case the caller tries again."""
        ...

    def tell(self, outcome: Outcome) -> bool:
        """Record the outcome of the last task; True if all boards of the source were tried, without a quota."""
        ...

    def renew(self) -> None:
        """Note that more mismatches are allowed from now on, so that quotas already tried may allow more boards."""
