"""Two alternating feature space searches: levels that one does not solve are often solved by the other."""

from __future__ import annotations

from dataclasses import replace

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.pace import limit_reached
from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.search.feature_search import FeatureSearch

__all__ = ["FeaturePair"]

_TURN = 1 << 12
_LATER = (3 << 12, 1 << 12)


class FeaturePair:
    """Searches with both feature spaces that alternate after some thousand nodes; can be interrupted and resumed.

    After its first turn, the search by effort gets three times as many nodes, since it solves more of the difficult
    levels.

    Parameters
    ----------
    memory
        Memory of both searches together, in bytes.

    Raises
    ------
    ValueError
        As in `FeatureSearch`.
    """

    def __init__(self, instance: Instance, *, memory: int = 1 << 30) -> None:
        self._searches = [FeatureSearch(instance, memory=memory // 2, by_lock=by_lock) for by_lock in (False, True)]
        self._answers = [SearchAnswer(limit="work"), SearchAnswer(limit="work")]
        self._turn, self._left = 0, _TURN

    def run(self, budget: Budget) -> SearchAnswer:
        """As `FeatureSearch.run`, for both searches."""
        begun, limit = budget.clock(), None
        while limit is None:
            limit = limit_reached(budget)
            open_ = [number for number, answer in enumerate(self._answers) if answer.limit not in (None, "memory")]
            if limit is not None or not open_:
                break
            if self._turn not in open_ or self._left == 0:
                self._turn = 1 - self._turn if 1 - self._turn in open_ else self._turn
                self._left = _LATER[self._turn] if self._answers[self._turn].expanded >= _TURN else _TURN
            before = self._answers[self._turn].expanded
            answer = self._searches[self._turn].run(budget.child(work=self._left))
            self._answers[self._turn] = answer
            self._left -= answer.expanded - before
            if answer.plan is not None:
                return self._summed(answer, None, begun, budget)
        if limit is None and any(answer.limit == "memory" for answer in self._answers):
            limit = "memory"
        found = next((answer for answer in self._answers if answer.plan is not None), SearchAnswer())
        return self._summed(found, None if found.plan is not None else limit, begun, budget)

    def _summed(self, answer: SearchAnswer, limit: str | None, begun: float, budget: Budget) -> SearchAnswer:
        return replace(
            answer,
            limit=limit,
            expanded=sum(one.expanded for one in self._answers),
            generated=sum(one.generated for one in self._answers),
            stored=sum(one.stored for one in self._answers),
            memory=sum(one.memory for one in self._answers),
            seconds=budget.clock() - begun,
        )
