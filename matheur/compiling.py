"""Record of kernel compilations, and the clock of searches, which is paused during compilation.

A kernel is compiled when it is first called on a machine, in the middle of a search. This takes a second or more for
each kernel, which must not count against a time limit. There is one `Compilation` for this process. `matheur.kernels`
reports to it the kernels compiled here, and `matheur.engine.processes` those compiled by worker processes.

This module does not import numba: a search without kernels has the same clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Compilation", "compilation", "search_clock"]


class Compilation:
    """Counts and times compilations.

    Parameters
    ----------
    now
        Monotonic clock, replaceable in tests.
    """

    __slots__ = ("_depth", "_listeners", "_now", "_times", "compiled", "loaded")

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._depth = 0  # compilations are nested: a kernel's callees are compiled during its own compilation
        # Seconds of past compilations, and the start of the current one; one tuple, since a signal may interrupt.
        self._times: tuple[float, float | None] = (0.0, None)
        self._listeners: list[Callable[[int], None]] = []
        self.compiled: int = 0
        """Number of kernels compiled so far, each for one set of types, including those of workers."""
        self.loaded: int = 0
        """Number of kernels loaded from disk in this process."""

    def clock(self) -> float:
        """Monotonic seconds excluding compilations: the clock of time limits."""
        spent, began = self._times
        return (self._now() if began is None else began) - spent

    @property
    def seconds(self) -> float:
        """Seconds of all compilations so far; simultaneous compilations in several processes count once."""
        spent, began = self._times
        return spent if began is None else spent + self._now() - began

    def begin(self) -> None:
        """Record the beginning of a compilation."""
        self._depth += 1
        self.compiled += 1
        if self._depth == 1:
            self._times = (self._times[0], self._now())
        for listener in self._listeners:
            listener(self.compiled)

    def end(self) -> None:
        """Record the end of a compilation, successful or not."""
        self._depth -= 1
        if self._depth == 0:
            self._times = (self.seconds, None)
            for listener in self._listeners:
                listener(0)

    def tell(self, listener: Callable[[int], None]) -> None:
        """Call `listener` with the number of compilations so far whenever one begins, and with 0 when all have ended.

        It is called from the thread that compiles.
        """
        self._listeners.append(listener)

    @contextmanager
    def told_to(self, listener: Callable[[int], None]) -> Iterator[None]:
        """As `tell`, until the end of the block."""
        self.tell(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)


compilation = Compilation()
"""Record of this process."""

search_clock = compilation.clock
"""Monotonic clock in seconds that is paused while this process, or one of its workers, compiles kernels."""
