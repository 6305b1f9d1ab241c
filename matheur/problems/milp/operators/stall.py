"""Detect that a solve of the whole model should leave its time to other searches."""

from __future__ import annotations

from typing import Protocol

from matheur.engine.gap import optimality_gap

__all__ = ["Stall"]

_SHARE = 0.4  # share of the seconds since the solve began
_PATIENT = 3.0  # factor of the seconds while the solve has closed little of the gap
_CLOSED = 0.2  # share of the initial gap
_POOR = 1.0  # above this gap, the first solution of the tree may be far better


class Progress(Protocol):
    """Progress of a solve; see `matheur.problems.milp.operators.whole.Whole`."""

    best: int | float | None
    found_at: float
    bound: int | float | None

    @property
    def seconds(self) -> float:
        """Seconds used."""


class Stall:
    """Detect that a solve has found nothing for long: for some seconds, and for a large part of its time so far.

    Until the solve has closed a fifth of the gap between its first solution and its bound, it has three times the
    seconds, since many solvers find nothing for long and then something far better. It never stalls if the gap is
    small, since a proof may be near, or if it has found nothing and the gap is large: its first solution may then be
    worth more than everything that other searches find.

    Parameters
    ----------
    seconds
        Minimum number of seconds without a better solution.
    solve
        The solve to watch, from now on.
    bound
        A bound from another source, used while the solve has reported none.
    near
        Relative gap up to which the solve may continue.
    """

    def __init__(
        self, seconds: float, solve: Progress, *, bound: int | float | None = None, near: float = 0.01
    ) -> None:
        self._patience, self._solve, self._bound, self._near = seconds, solve, bound, near
        self._first, self._began = solve.best, solve.seconds

    def over(self) -> bool:
        """Whether the solve has found nothing for long."""
        best, bound, now = self._solve.best, self._solve.bound, self._solve.seconds
        if best is None:
            return False
        if self._first is None:
            self._first = best
        gap = optimality_gap(best, self._bound if bound is None else bound)
        if gap is not None and (gap <= self._near or (gap > _POOR and self._solve.found_at <= self._began)):
            return False
        idle = now - max(self._began, self._solve.found_at)
        if bound is None or self._first - best < _CLOSED * (self._first - bound):
            return idle > _PATIENT * self._patience
        return idle > max(self._patience, _SHARE * (now - self._began))
