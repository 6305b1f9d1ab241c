"""Ctrl-C and SIGTERM as a flag that budgets check."""

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
    """Whether an active `Interrupt` has received a signal; code that waits for other processes must check this."""
    return any(one() for one in _active)


class Interrupt:
    """A flag that the first signal sets; a second signal raises KeyboardInterrupt.

    Use as a context manager in the main thread; the previous handlers are restored at the end.

    Parameters
    ----------
    numbers
        Signals to handle.

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
    """Function that returns whether to stop: after `interrupt`, or after the first Ctrl-C if Python itself handles it.

    Python handles it in the main thread, unless another handler is set; otherwise only `interrupt` counts. A second
    Ctrl-C raises KeyboardInterrupt.

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
    """Context in which the first Ctrl-C ends a budget, as in `ctrl_c`."""
    before = budget.interrupt
    with ctrl_c(before) as stop:
        budget.interrupt = stop
        try:
            yield
        finally:
            budget.interrupt = before


def heeds_ctrl_c(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator: the argument `interrupt` also returns True after the first Ctrl-C, as in `ctrl_c`."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        given: Any = kwargs.pop("interrupt", None)
        with ctrl_c(given) as stop:
            more: Any = {**kwargs, "interrupt": stop}
            return function(*args, **more)

    return called
