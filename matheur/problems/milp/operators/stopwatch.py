"""Running time of something that is paused and continued."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Stopwatch"]


class Stopwatch:
    """Adds up the time of its `with` blocks.

    Parameters
    ----------
    clock
        Function that returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._before = 0.0
        self._since: float | None = None

    def __enter__(self) -> None:
        self._since = self._clock()

    def __exit__(self, *_: object) -> None:
        self._before, self._since = self.seconds, None

    @property
    def seconds(self) -> float:
        """Seconds in blocks so far, including the current one."""
        return self._before + (0.0 if self._since is None else self._clock() - self._since)
