"""Result of a search over states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["SearchAnswer"]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The result of a search from a start to a goal.

    Attributes
    ----------
    plan
        int32[n]: move numbers from the start to a goal, or None.
    cost
        Cost of `plan`, or None.
    bound
        Proved lower bound on the cost of every plan.
    unreachable
        Whether the search has proved that no goal can be reached.
    limit
        None if the search ended by itself, else the limit that ended it: `time`, `work`, `memory`, `interrupt`,
        `target`, the largest `width` of beams, or `costs` that it cannot count.
    expanded, generated, stored
        Numbers of expanded states, generated successors, and distinct stored states.
    memory
        Peak size of the search's tables in bytes.
    seconds
        Wall-clock seconds.
    """

    plan: NDArray[np.int32] | None = None
    cost: int | None = None
    bound: int = 0
    unreachable: bool = False
    limit: str | None = None
    expanded: int = 0
    generated: int = 0
    stored: int = 0
    memory: int = 0
    seconds: float = 0.0

    @property
    def proved(self) -> bool:
        """Whether `plan` is proved optimal."""
        return self.cost is not None and self.cost <= self.bound
