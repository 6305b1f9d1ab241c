"""Tables that are built in slices: the budget is asked between two, and what was built goes on with the next call."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Generic, TypeVar

from matheur.engine.budget import Budget

__all__ = ["Builds", "Steps"]

T = TypeVar("T")

Steps = Generator[None, None, T]
"""A build: it yields between slices of some 10 ms, and returns what it has built."""


class Builds(Generic[T]):
    """Builds by what they build; one that ran out of time is kept in memory and goes on where it was."""

    def __init__(self) -> None:
        self._open: dict[Hashable, Steps[T]] = {}

    def run(self, key: Hashable, begin: Callable[[], Steps[T]], budget: Budget | None) -> T | None:
        """Begin or go on with a build.

        Parameters
        ----------
        key
            What it builds.
        begin
            Called if there is no unfinished build of that.
        budget
            Its time and its interrupt count, not its work; None for no limit.

        Returns
        -------
        T or None
            What was built; None if the budget ended first.
        """
        steps = self._open.pop(key, None)
        steps = begin() if steps is None else steps
        while budget is None or not budget.out_of_time:
            try:
                next(steps)
            except StopIteration as end:
                built: T = end.value
                return built
        self._open[key] = steps
        return None
