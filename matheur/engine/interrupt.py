"""Ctrl-C and SIGTERM as a flag that budgets ask."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

__all__ = ["Interrupt", "interrupted"]

_active: list[Interrupt] = []


def interrupted() -> bool:
    """Whether a signal has come to an `Interrupt` that is active: what waits for others has to ask."""
    return any(one() for one in _active)


class Interrupt:
    """A flag that the first signal sets; a second one raises KeyboardInterrupt for those who cannot wait.

    Use as a context manager in the main thread; the former handlers come back at the end.

    Examples
    --------
    >>> with Interrupt() as interrupt:
    ...     interrupt()
    False
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self._former: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal is not None

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number

    def __enter__(self) -> Interrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._former[number] = signal.signal(number, self._handle)
        _active.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _active.remove(self)
        for number, former in self._former.items():
            signal.signal(number, former)
