"""History of the best solutions of a run."""

from __future__ import annotations

from typing import Any

from matheur.compiling import search_clock
from matheur.engine.own_terms import in_own_terms

__all__ = ["Incumbents"]

_KEPT = 1000  # maximum number of points; beyond it, every other one is dropped


class Incumbents:
    """Objectives of the successive best solutions of a run, with times on the clock of the time limit from now on.

    Parameters
    ----------
    problem
        Problem in whose sense the objectives are recorded.
    """

    def __init__(self, problem: Any) -> None:
        self._problem, self._began = problem, search_clock()
        self._points: list[tuple[float, int | float]] = []

    def note(self, objective: int | float) -> None:
        """Record the objective of a new best solution."""
        self._points.append((round(search_clock() - self._began, 3), in_own_terms(self._problem, objective)))
        if len(self._points) > _KEPT:  # keep the first and the last
            del self._points[1:-1:2]

    @property
    def points(self) -> tuple[tuple[float, int | float], ...]:
        """Seconds and objective of each solution."""
        return tuple(self._points)
