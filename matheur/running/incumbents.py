"""When each better solution came."""

from __future__ import annotations

from typing import Any

from matheur.compiling import search_clock
from matheur.engine.own_terms import in_own_terms

__all__ = ["Incumbents"]

_KEPT = 1000  # of more every other one is dropped


class Incumbents:
    """Better and better solutions of a run, by the clock of its time limit, which starts now.

    Parameters
    ----------
    problem
        In whose sense objectives are given.
    """

    def __init__(self, problem: Any) -> None:
        self._problem, self._began = problem, search_clock()
        self._points: list[tuple[float, int | float]] = []

    def note(self, objective: int | float) -> None:
        """A solution has just been found that is better than all before."""
        self._points.append((round(search_clock() - self._began, 3), in_own_terms(self._problem, objective)))
        if len(self._points) > _KEPT:  # neither the first nor the last
            del self._points[1:-1:2]

    @property
    def points(self) -> tuple[tuple[float, int | float], ...]:
        """Seconds and objective of each."""
        return tuple(self._points)
