"""A*: optimal plans, most promising states first."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first.astar_kernels import BLOCK
from matheur.methods.statespace.best_first.frame import BestFirst, Ties
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic

__all__ = ["PausedAStar", "astar"]

_RAISED = 3  # bounds that tell what the next one takes


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
    """A cheapest plan, or with a weight w > 1 one that costs at most w times as much.

    States are expanded in the order of g + w h. A state that is reached more cheaply later is expanded again, so an
    inconsistent heuristic is as safe as a consistent one. The lower bound is the least g + h in the open list; an
    inadmissible heuristic leaves only the least g. A state takes 8 bytes and 8 for each word of its key, 5 to 13 bytes
    of hashed slots, and 4 to 5 bytes as long as it waits.

    Parameters
    ----------
    domain, heuristic
        Domain and heuristic with compiled `expander` and `estimator`.
    budget
        Limits; a unit of work is a state expanded.
    memory
        Bytes that the search may use.
    ties
        Which of the states of equal f comes first, see `BestFirst`.
    weight
        1 to 1000.
    block
        States of equal rank that are expanded together once there are many, 1 to 8. More are faster; with 1 exactly the
        states are expanded that `batch_astar` expands with weight 1 and batch 1, as long as all estimates are told
        apart (less than 64 at the start and 127 elsewhere).

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled (`batch_astar` takes those), or costs exceed 65535.

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
    """A* in parts, which says how far it has to go.

    Parameters
    ----------
    domain, heuristic, memory
        As for `astar`.

    Raises
    ------
    ValueError
        As `astar` does.
    """

    def __init__(self, domain: Domain, heuristic: Heuristic, *, memory: int = 2 << 30) -> None:
        self._search = BestFirst(domain, heuristic, Budget(), memory)
        self._raised = [(self._search.bound, 0)]  # each bound that a call ended with, and the states expanded by then
        self._seconds = 0.0
        self._ended = self._search.proved or self._search.limit is not None

    @property
    def ended(self) -> bool:
        """Whether nothing is left to do, as there is a plan, or none, or no memory."""
        return self._ended

    def run(self, budget: Budget) -> None:
        """Search as long as the budget allows."""
        begun, search = budget.clock(), self._search
        if not self.ended:
            search.resume(budget)
            while search.run():
                pass
            self._ended = search.limit in (None, "memory")
            if search.bound > self._raised[-1][0]:
                self._raised.append((search.bound, search.expanded))
        self._seconds += budget.clock() - begun

    def forecast(self, moves: int) -> float | None:
        """States that are still to be expanded until no plan costs less than `moves`.

        It is assumed that each further unit of the bound multiplies the states as the last ones did. `inf` if they
        would not fit into the memory; None as long as the bound has hardly been raised.
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
        """What is known by now."""
        return replace(self._search.answer(), seconds=self._seconds)
