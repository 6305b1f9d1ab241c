"""Inputs and results of a search."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from matheur.engine.statistics import OperatorStatistics

__all__ = ["Named", "Pause", "SearchResult"]

S = TypeVar("S")
Op = TypeVar("Op", covariant=True)

_NEARLY = 0.9


@dataclass(frozen=True, slots=True)
class Named(Generic[Op]):
    """An operator with its name in the configuration and the limits of a call.

    Attributes
    ----------
    seconds, work
        Limits of one call; None for no limit.
    share
        Largest share of the remaining seconds that a construction may use once there is a solution.
    """

    name: str
    operator: Op
    seconds: float | None = None
    work: int | None = None
    share: float = 1.0

    def limit(self, left: float) -> float | None:
        """Seconds of a call if `left` seconds remain; None for no limit of its own."""
        limits = [self.seconds, self.share * left if self.share < 1 and left < math.inf else None]
        return min((limit for limit in limits if limit is not None), default=None)

    def ended_by_share(self, elapsed: float, left: float) -> bool:
        """Whether a call that took `elapsed` seconds and left `left` took nearly all of its share."""
        return self.share < 1 and left < (1 - _NEARLY * self.share) * (left + elapsed)


@dataclass(frozen=True, slots=True)
class Pause:
    """Totals of the whole run at which a search returns, to be continued later; None for no such total.

    Unlike the limits of a budget, they are checked only between two operator calls, and operators do not see them.
    """

    seconds: float | None = None
    work: int | None = None
    iterations: int | None = None

    def due(self, *, seconds: float, work: int, iterations: int) -> bool:
        """Whether one of the totals is reached."""
        spent = ((seconds, self.seconds), (work, self.work), (iterations, self.iterations))
        return any(limit is not None and value >= limit for value, limit in spent)


@dataclass(frozen=True, slots=True)
class SearchResult(Generic[S]):
    """Result of a search.

    Attributes
    ----------
    solution, objective
        The best solution and its re-evaluated objective, None if there is none.
    found_by
        Name of the operator that found it.
    bound, bound_source
        Proved lower bound of the objective and who proved it (an operator's name, or "trivial"); None if unknown.
    certificate
        Description of the proof of the bound or of infeasibility: method, backend, version, gap settings.
    infeasible
        A sentence if the instance was proved to have no solution, else None.
    stopped
        Reason for the end: `optimal`, `target`, `local-optimum`, `finished` (all operators ended before the budget),
        `budget`, `interrupt`, `infeasible`, `pause`.
    state
        Plain JSON values from which `LocalSearch.run` can continue.
    note
        A sentence about a call that the engine ended, see `matheur.engine.patience`; None if there was none.
    """

    solution: S | None
    objective: int | float | None
    found_by: str
    bound: int | float | None
    bound_source: str | None
    certificate: dict[str, Any] | None
    infeasible: str | None
    stopped: str
    seconds: float
    work: int
    iterations: int
    operators: dict[str, OperatorStatistics]
    state: dict[str, Any]
    note: str | None = None
