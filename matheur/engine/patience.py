"""Time limit of a construction in a run that is limited only by operator calls.

Such a run has neither a deadline nor a work limit, so a construction that tries until its budget ends would never
return. A clock ends it: unlike a number of budget checks, it is fair to exact methods that check seldom, and unlike a
deadline, it is invisible to operators that plan by deadlines.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CONSTRUCTION_SECONDS", "CONSTRUCTION_SECONDS_IN_ALL", "Patience"]

CONSTRUCTION_SECONDS = 60.0
CONSTRUCTION_SECONDS_IN_ALL = 600.0


class Patience:
    """Ends a call of a construction after one minute without a solution, and after ten minutes in any case.

    The minute begins with the first check of `Budget.exhausted`: tables built before the search serve later runs, so
    they are completed.

    Parameters
    ----------
    clock
        Clock of the budget.
    """

    __slots__ = ("_begun", "_clock", "_ended", "_searching", "found")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock: Callable[[], float] = clock
        self._begun: float = clock()
        self._searching: float | None = None
        self.found: bool = False
        self._ended: float = 0.0

    def over(self, *, building: bool) -> bool:
        """Whether the call must end; `building` is True if the builder of a model or a table calls."""
        now = self._clock()
        if self._searching is None and not building:
            self._searching = now
        searched = 0.0 if self._searching is None else now - self._searching
        if not self._ended and not self.found and searched >= CONSTRUCTION_SECONDS:
            self._ended = CONSTRUCTION_SECONDS
        if not self._ended and now - self._begun >= CONSTRUCTION_SECONDS_IN_ALL:
            self._ended = CONSTRUCTION_SECONDS_IN_ALL
        return self._ended > 0

    @property
    def note(self) -> str | None:
        """A sentence for the user if the call was ended, else None."""
        if not self._ended:
            return None
        return (
            f"the construction was ended after {self._ended:g} seconds, as the run has no limit of time or work. "
            "Maybe give it one?"
        )
