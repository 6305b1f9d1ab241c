"""Interruption of Python code that builds models, graphs or tables and cannot check the budget itself.

A timer checks several times a second, and raises an exception at the current point of the code, as Ctrl-C does in any
Python program. So a watched block must have no effect except its result. Compiled code finishes first, and imports and
the compilation of kernels are not interrupted, since a partly imported module is useless.

Signals reach only the main thread. In another thread, or if other code has set a timer, the block runs to its end. Code
in it that waits for other threads must call `enough`.
"""

from __future__ import annotations

import contextlib
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["OutOfBudgetError", "enough", "off", "watched"]

_TICK = 0.1  # seconds
_WHOLE = ("<frozen importlib", "/numba/")  # file names of code that must not be interrupted

_watches: list[Callable[[], bool]] = []
_ticking: list[bool] = []  # by watch: whether the timer is on, so that a late signal does not switch it on


class _OfThread(threading.local):
    """The watch of a thread other than the main one, which signals do not reach."""

    asked: Callable[[], bool] | None = None


_of_thread = _OfThread()


def enough() -> bool:
    """Whether the innermost watched block of this thread must stop; always False in the main thread."""
    return _of_thread.asked is not None and _of_thread.asked()


class OutOfBudgetError(Exception):
    """The time limit was reached, or the user requested a stop, during the construction of a model or a table."""


class _Stopped(BaseException):
    """Stops a watched block, passing through code that catches every `Exception`."""


@contextmanager
def watched(enough: Callable[[], bool]) -> Iterator[None]:
    """Stop the block once `enough` returns True; blocks shorter than a tenth of a second always finish.

    Parameters
    ----------
    enough
        Function called every tenth of a second. It must be fast.

    Raises
    ------
    OutOfBudgetError
        If the block was stopped.

    Examples
    --------
    >>> with watched(lambda: True):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    matheur.alarm.OutOfBudgetError
    """
    if threading.current_thread() is not threading.main_thread():
        outer, _of_thread.asked = _of_thread.asked, enough
        try:
            yield
        finally:
            _of_thread.asked = outer
        return
    if not _watches and signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return
    muted = logging.root.manager.disable

    def look(_number: int, frame: FrameType | None) -> None:
        if not (_ticking and _ticking[-1]):
            return
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)  # other code may have set a one-shot timer
        if _watches and enough() and not _in_one_piece(frame):
            logging.disable(logging.CRITICAL)  # suppress log messages of the stopped code about the exception
            raise _Stopped

    def forgotten(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, _Stopped):  # in a finaliser Python drops it: the next tick repeats it
            hook(unraisable)

    hook, sys.unraisablehook = sys.unraisablehook, forgotten
    former = signal.signal(signal.SIGALRM, look)
    _watches.append(enough)
    _ticking.append(True)
    try:
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)
        yield
    except _Stopped:
        raise OutOfBudgetError from None
    finally:
        off()
        _watches.pop()
        signal.signal(signal.SIGALRM, former)
        sys.unraisablehook = hook
        logging.disable(muted)
        _ticking.pop()
        if _watches:
            _ticking[-1] = True
            signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)


def off() -> None:
    """Switch off the timer for the rest of the watched block, for code that checks the budget itself and cleans up."""
    if _watches:
        _ticking[-1] = False
        signal.setitimer(signal.ITIMER_REAL, 0)


def _in_one_piece(frame: FrameType | None) -> bool:
    """Whether the running code or one of its callers must not be interrupted, such as the exit of the watch itself."""
    if frame is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        return True
    while frame is not None:
        name = frame.f_code.co_filename
        if any(part in name for part in _WHOLE):
            return True
        frame = frame.f_back
    return False
