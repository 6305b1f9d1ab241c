"""How long a construction may take in a run that nothing but operator calls limits.

Such a run has neither a deadline nor work to spend, so that a construction which tries until its budget ends would
never come back. A clock ends it: unlike a number of looks at the budget it is fair to exact methods that look seldom,
and unlike a deadline it is not seen by operators that plan by one.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["CONSTRUCTION_SECONDS", "CONSTRUCTION_SECONDS_IN_ALL", "Patience"]

CONSTRUCTION_SECONDS = 60.0
CONSTRUCTION_SECONDS_IN_ALL = 600.0


class Patience:
    """Ends one call of a construction that has nothing yet after a minute, and any after ten.

    The minute begins with the first look at `Budget.exhausted`: tables that are built before the search are of use to
    later runs, so they are not given up for it.

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
        """Whether the call has to end; `building` if it is a builder of a model or a table that asks."""
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
        """A sentence for the user if the call had to end, else None."""
        if not self._ended:
            return None
        return (
            f"the construction was ended after {self._ended:g} seconds, as the run has no limit of time or work. "
            "Maybe give it one?"
        )
