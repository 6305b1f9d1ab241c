"""Ctrl-C and SIGTERM as a flag that budgets ask."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from matheur.engine.budget import Budget

__all__ = ["Interrupt", "ctrl_c", "ctrl_c_ends", "heeds_ctrl_c", "interrupted"]

P = ParamSpec("P")
R = TypeVar("R")

_active: list[Interrupt] = []


def interrupted() -> bool:
    """Whether a signal has come to an `Interrupt` that is active: what waits for others has to ask."""
    return any(one() for one in _active)


class Interrupt:
    """A flag that the first signal sets; a second one raises KeyboardInterrupt for those who cannot wait.

    Use as a context manager in the main thread; the former handlers come back at the end.

    Parameters
    ----------
    numbers
        The signals that are heard.

    Examples
    --------
    >>> with Interrupt() as interrupt:
    ...     interrupt()
    False
    """

    def __init__(self, numbers: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM)) -> None:
        self.signal: int | None = None
        self._numbers = tuple(numbers)
        self._former: dict[int, Any] = {}

    def __call__(self) -> bool:
        return self.signal is not None

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if self.signal is not None:
            raise KeyboardInterrupt
        self.signal = number

    def __enter__(self) -> Interrupt:
        for number in self._numbers:
            self._former[number] = signal.signal(number, self._handle)
        _active.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _active.remove(self)
        for number, former in self._former.items():
            signal.signal(number, former)


@contextmanager
def ctrl_c(interrupt: Callable[[], bool] | None = None) -> Iterator[Callable[[], bool]]:
    """What says whether to stop: `interrupt`, or the first Ctrl-C where Python itself would handle it.

    That is in the main thread, unless somebody has set another handler; then only `interrupt` is asked. A second Ctrl-C
    raises KeyboardInterrupt.

    Parameters
    ----------
    interrupt
        Returns True to stop.
    """
    asked = interrupt or bool
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield asked
        return
    with Interrupt([signal.SIGINT]) as pressed:
        yield lambda: pressed() or asked()


@contextmanager
def ctrl_c_ends(budget: Budget) -> Iterator[None]:
    """Let the first Ctrl-C end a budget within the block, as in `ctrl_c`."""
    before = budget.interrupt
    with ctrl_c(before) as stop:
        budget.interrupt = stop
        try:
            yield
        finally:
            budget.interrupt = before


def heeds_ctrl_c(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose argument `interrupt` also says True after the first Ctrl-C, as in `ctrl_c`."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        given: Any = kwargs.pop("interrupt", None)
        with ctrl_c(given) as stop:
            more: Any = {**kwargs, "interrupt": stop}
            return function(*args, **more)

    return called
