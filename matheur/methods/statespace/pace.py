"""How long a search computes between two checks of its budget."""

from __future__ import annotations

from matheur.engine.budget import Budget

__all__ = ["FIRST", "Pace", "limit_reached"]

FIRST = 1 << 8
"""Work of the first slice, unless a unit of work is known to be slow."""

_MOST = 1 << 20
_SHORT, _LONG = 0.01, 0.04


def limit_reached(budget: Budget) -> str | None:
    """The limit that has ended a search: `interrupt`, `work`, `time`, or None."""
    if budget.interrupt():
        return "interrupt"
    if budget.work_left == 0 or budget.iterations_left == 0:
        return "work"
    return "time" if budget.seconds_left == 0 else None


class Pace:
    """Sizes of slices of 10 to 40 ms each, within the remaining budget.

    The course of a search must not depend on where its slices end.

    Parameters
    ----------
    budget
        Budget that counts the work.
    first
        Work of the first slice.
    """

    def __init__(self, budget: Budget, first: int = FIRST) -> None:
        self.budget = budget
        self._size = first
        self._begun = budget.clock()

    def next(self) -> int:
        """Work of the next slice, 0 if the budget has ended."""
        self._begun = self.budget.clock()
        return self.budget.affordable(self._size)

    def done(self, work: int) -> None:
        """Count the work of a slice and adapt to its duration."""
        self.budget.spend(work=work)
        took = self.budget.clock() - self._begun
        if took > _LONG:
            self._size = max(1, min(self._size // 2, int(work * _LONG / took)))
        elif took < _SHORT and work >= self._size:
            self._size = min(2 * self._size, _MOST)
