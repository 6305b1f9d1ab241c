"""When a solve of the whole model had better leave its time to others."""

from __future__ import annotations

import math
from collections.abc import Callable

from matheur.engine.budget import Budget
from matheur.engine.gap import optimality_gap

__all__ = ["Stall", "Trial"]

_SHARE = 0.4  # of the seconds since the solve began
_PATIENT = 3.0  # times the seconds, as long as it has found little
_CLOSED = 0.2  # of the gap at the beginning


class Stall:
    """Says that a solve has found nothing for long: for some seconds, and for a large part of its time so far.

    As long as it has not closed a fifth of the gap between the solution that it begins with and its bound it has three
    times the seconds, since many solvers find nothing for long and then something far better. Where the gap is small it
    may go on: a proof may be near.

    Parameters
    ----------
    seconds
        Least seconds without a better solution, where it has found something.
    best
        The objective of the solution that it begins with; None if there is none.
    clock
        Monotonic clock.
    near
        Relative gap below which it may go on.
    """

    def __init__(
        self, seconds: float, best: int | float | None, clock: Callable[[], float], *, near: float = 0.01
    ) -> None:
        self._seconds, self._best, self._clock, self._near = seconds, best, clock, near
        self._bound: int | float | None = None
        self._first = best
        self._began = self._last = clock()

    def found(self, objective: int | float) -> None:
        """Note a solution."""
        if self._best is None or objective < self._best:
            self._best, self._last = objective, self._clock()
            self._first = objective if self._first is None else self._first

    def told(self, bound: int | float) -> None:
        """Note a bound."""
        self._bound = bound

    def over(self) -> bool:
        """Whether it has found nothing for long."""
        if self._best is None or self._first is None:
            return False
        now = self._clock()
        idle = now - self._last
        gap = optimality_gap(self._best, self._bound)
        if gap is not None and gap <= self._near:
            return False
        if self._bound is None or self._first - self._best < _CLOSED * (self._first - self._bound):
            return idle > _PATIENT * self._seconds
        return idle > max(self._seconds, _SHARE * (now - self._began))

    def watching(self, budget: Budget) -> Budget:
        """A part of a budget that is interrupted when the solve has found nothing for long."""
        part, interrupt = budget.child(), budget.interrupt
        part.interrupt = lambda: interrupt() or self.over()
        return part


class Trial(Stall):
    """Ends a first solve after some seconds, unless it is near to a proof: one that begins again has lost its tree.

    Parameters
    ----------
    trial
        Seconds after which it ends, or is a solve like any other.
    close
        Relative gap up to which it goes on; None: it ends in any case.
    seconds
        What `Stall` has from then on; None if it never stalls.
    clock
        Monotonic clock.
    """

    def __init__(self, trial: float, close: float | None, seconds: float | None, clock: Callable[[], float]) -> None:
        super().__init__(math.inf if seconds is None else seconds, None, clock)
        self._trial, self._close = trial, close
        self.passed: bool = False
        """Whether it continued after the trial."""

    def over(self) -> bool:
        """Whether the trial is over, or nothing has been found for long after it."""
        if not self.passed:
            if self._clock() - self._began < self._trial:
                return False
            gap = optimality_gap(self._best, self._bound)
            self.passed = self._close is not None and gap is not None and gap <= self._close
            return not self.passed
        return super().over()
