"""Compilation of kernels as it happens, and a clock that stands still meanwhile.

A kernel is compiled when it is called for the first time on a machine, in the middle of whatever calls it: a second or
more for each, on which the time limit of a job is not to be spent. This module imports numba.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from numba.core.event import Listener, register, unregister

__all__ = ["Compilation"]

_KIND = "numba:compile"


class Compilation(Listener):
    """Listens to numba, in this process, while it is entered; kernels that come from the disk cache are not compiled.

    Parameters
    ----------
    on_change
        Called when a compilation begins, with how many there were with it, and when it ends, with 0. From the thread
        that compiles.
    now
        Monotonic clock.
    """

    def __init__(self, on_change: Callable[[int], None], now: Callable[[], float] = time.monotonic) -> None:
        self._on_change, self._now = on_change, now
        self._kernels, self._depth = 0, 0  # what a kernel calls is compiled inside of its own compilation
        self._began = self._spent = 0.0

    def clock(self) -> float:
        """Seconds without those of compilations."""
        spent, began, inside = self._spent, self._began, self._depth > 0
        return (began if inside else self._now()) - spent

    def on_start(self, _: Any) -> None:
        """A compilation begins."""
        self._depth += 1
        if self._depth == 1:
            self._began = self._now()
            self._kernels += 1
            self._on_change(self._kernels)

    def on_end(self, _: Any) -> None:
        """A compilation ends."""
        self._depth -= 1
        if self._depth == 0:
            self._spent += self._now() - self._began
            self._on_change(0)

    def __enter__(self) -> Compilation:
        register(_KIND, self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        unregister(_KIND, self)
