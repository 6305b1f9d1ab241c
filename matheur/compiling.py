"""Compilation of kernels as it happens, and the clock of searches, which stands still meanwhile.

A kernel is compiled when it is called for the first time on a machine, in the middle of whatever calls it: a second or
more for each, on which no limit of time is to be spent. There is one `Compilation` for this process. `matheur.kernels`
tells it of kernels that are compiled here, and `matheur.engine.processes` of those that worker processes compile.

This module does not import numba: a search without kernels has the same clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Compilation", "compilation", "search_clock"]


class Compilation:
    """What is compiled, and how long that takes.

    Parameters
    ----------
    now
        Monotonic clock, replaceable in tests.
    """

    __slots__ = ("_depth", "_listeners", "_now", "_times", "compiled", "loaded")

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._depth = 0  # what a kernel calls is compiled inside of its own compilation
        # Seconds of past compilations, and when the present one began. Together: a signal may come between two writes.
        self._times: tuple[float, float | None] = (0.0, None)
        self._listeners: list[Callable[[int], None]] = []
        self.compiled: int = 0
        """Kernels that were compiled so far, each for one set of types; those of workers included."""
        self.loaded: int = 0
        """Kernels that were found on the disk, in this process."""

    def clock(self) -> float:
        """Seconds without those of compilations: the clock by which limits of time count."""
        spent, began = self._times
        return (self._now() if began is None else began) - spent

    @property
    def seconds(self) -> float:
        """Of all compilations so far; where several processes compile at the same time, it counts once."""
        spent, began = self._times
        return spent if began is None else spent + self._now() - began

    def begin(self) -> None:
        """A kernel is being compiled from now on."""
        self._depth += 1
        self.compiled += 1
        if self._depth == 1:
            self._times = (self._times[0], self._now())
        for listener in self._listeners:
            listener(self.compiled)

    def end(self) -> None:
        """A kernel has been compiled, or cannot be."""
        self._depth -= 1
        if self._depth == 0:
            self._times = (self.seconds, None)
            for listener in self._listeners:
                listener(0)

    def tell(self, listener: Callable[[int], None]) -> None:
        """Call `listener` when a compilation begins, with how many there were with it, and with 0 when all have ended.

        It is called from the thread that compiles.
        """
        self._listeners.append(listener)

    @contextmanager
    def told_to(self, listener: Callable[[int], None]) -> Iterator[None]:
        """The same until the block ends."""
        self.tell(listener)
        try:
            yield
        finally:
            self._listeners.remove(listener)


compilation = Compilation()
"""That of this process."""

search_clock = compilation.clock
"""Monotonic clock in seconds that stands still while this process, or a worker of it, compiles kernels."""
