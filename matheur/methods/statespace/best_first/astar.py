"""A*: optimal plans, most promising states first."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first.astar_kernels import BLOCK
from matheur.methods.statespace.best_first.frame import BestFirst, Ties, TooCostlyError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic

__all__ = ["PausedAStar", "astar"]

_RAISED = 3  # bounds from which the work for the next one is estimated


def astar(
    domain: Domain,
    heuristic: Heuristic,
    *,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    ties: Ties = "large-g",
    weight: float | Fraction = 1,
    block: int = BLOCK,
) -> SearchAnswer:
    """A cheapest plan, or, with a weight w > 1, a plan that costs at most w times as much.

    States are expanded in the order of g + w h. A state that is later reached more cheaply is expanded again, so an
    inconsistent heuristic is as safe as a consistent one. The lower bound is the least g + h in the open list, or the
    least g for an inadmissible heuristic. A state takes 8 bytes and 8 for each word of its key, 5 to 13 bytes of hashed
    slots, and 4 to 5 bytes while it is open.

    Parameters
    ----------
    domain, heuristic
        Domain and heuristic with compiled `expander` and `estimator`.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Memory limit in bytes.
    ties
        Order of states of equal f, see `BestFirst`.
    weight
        Factor of h, 1 to 1000.
    block
        Number of states of equal rank that are expanded together when there are many, 1 to 8. Larger blocks are faster.
        With 1 the search expands the same states as `batch_astar` with weight 1 and batch 1, as long as all estimates
        have their own class (less than 64 at the start and 127 elsewhere).

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled (use `batch_astar` for these), or costs exceed 65535.

    References
    ----------
    Hart, Nilsson, Raphael (1968), doi:10.1109/TSSC.1968.300136; Pohl (1970), doi:10.1016/0004-3702(70)90007-X.
    """
    budget = Budget() if budget is None else budget
    search = BestFirst(domain, heuristic, budget, memory, ties=ties, weight=weight, block=block)
    while search.run():
        pass
    return search.answer()


class PausedAStar:
    """A* that can be paused, and that forecasts its remaining work. It ends if costs exceed what it can count.

    Parameters
    ----------
    domain, heuristic, memory
        As for `astar`.

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled.
    """

    def __init__(self, domain: Domain, heuristic: Heuristic, *, memory: int = 2 << 30) -> None:
        self._search = BestFirst(domain, heuristic, Budget(), memory)
        self._raised = [(self._search.bound, 0)]  # bounds at the ends of calls, and the states expanded by then
        self._seconds = 0.0
        self._ended = self._search.proved or self._search.limit is not None

    @property
    def ended(self) -> bool:
        """Whether the search has ended: with a plan, with the proof that none exists, or by memory or costs."""
        return self._ended

    def run(self, budget: Budget) -> None:
        """Search until the budget ends."""
        begun, search = budget.clock(), self._search
        if not self.ended:
            search.resume(budget)
            try:
                while search.run():
                    pass
            except TooCostlyError:
                search.limit = "costs"
            self._ended = search.limit in (None, "memory", "costs")
            if search.bound > self._raised[-1][0]:
                self._raised.append((search.bound, search.expanded))
        self._seconds += budget.clock() - begun

    def forecast(self, moves: int) -> float | None:
        """Estimated number of states to expand before all plans that cost less than `moves` are excluded.

        Each further unit of the bound is assumed to multiply the states by the same factor as the last ones. `inf` if
        they would not fit into the memory; None while the bound has hardly been raised.
        """
        search = self._search
        if self.ended or search.bound >= moves:
            return 0.0
        if len(self._raised) < _RAISED:
            return None
        (before, few), (bound, many) = self._raised[-2:]
        steps = (moves - bound) / (bound - before)
        power = steps * math.log(max(1, many) / max(1, few)) + math.log(max(1, many))
        room = search.memory / search.used * max(1, search.expanded)  # states that fit, roughly
        return math.inf if power > math.log(room) else max(0.0, math.exp(power) - search.expanded)

    def answer(self) -> SearchAnswer:
        """The result so far."""
        return replace(self._search.answer(), seconds=self._seconds)
