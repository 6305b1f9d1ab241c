"""When a solve of the whole model had better leave its time to others."""

from __future__ import annotations

from typing import Protocol

from matheur.engine.gap import optimality_gap

__all__ = ["Stall"]

_SHARE = 0.4  # of the seconds since the solve began
_PATIENT = 3.0  # times the seconds, as long as it has found little
_CLOSED = 0.2  # of the gap at the beginning
_POOR = 1.0  # gap of a solution that is far behind what the first one of a tree may be


class Progress(Protocol):
    """How far a solve has come; see `matheur.problems.milp.operators.whole.Whole`."""

    best: int | float | None
    found_at: float
    bound: int | float | None

    @property
    def seconds(self) -> float:
        """Seconds that it has had."""


class Stall:
    """Says that a solve has found nothing for long: for some seconds, and for a large part of its time so far.

    As long as it has not closed a fifth of the gap between the solution that it begins with and its bound it has three
    times the seconds, since many solvers find nothing for long and then something far better. It may go on where the
    gap is small, as a proof may be near, and where it has found nothing and the gap is large: then its first solution
    may be worth more than all that others find.

    Parameters
    ----------
    seconds
        Least seconds without a better solution, where it has found something.
    solve
        What is watched, from now on.
    bound
        A bound from elsewhere, for a solve that has told none.
    near
        Relative gap below which it may go on.
    """

    def __init__(
        self, seconds: float, solve: Progress, *, bound: int | float | None = None, near: float = 0.01
    ) -> None:
        self._patience, self._solve, self._bound, self._near = seconds, solve, bound, near
        self._first, self._began = solve.best, solve.seconds

    def over(self) -> bool:
        """Whether it has found nothing for long."""
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
