"""Stops Python code that builds something and cannot ask on its way whether to go on: models, graphs, tables.

A timer asks several times a second, and an exception is raised where the code happens to be, as Ctrl-C does it in any
Python program. So a block under watch must have no effect but its result. Compiled code comes to its end first, and
imports and the compilation of kernels are let through: half of a module would be of no use to anybody.

Signals reach the main thread only. In another thread, or while somebody else has set a timer, the block runs to its
end. What waits for other threads in it asks `enough`.
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
_WHOLE = ("<frozen importlib", "/numba/")  # places of code that is not to be left half done

_watches: list[Callable[[], bool]] = []


class _OfThread(threading.local):
    """The watch of a thread that no signal reaches."""

    asked: Callable[[], bool] | None = None


_of_thread = _OfThread()


def enough() -> bool:
    """Whether the innermost watched block of this thread, which is not the main one, has to stop."""
    return _of_thread.asked is not None and _of_thread.asked()


class OutOfBudgetError(Exception):
    """The time has ended, or the user wants to stop, while something was built."""


class _Stopped(BaseException):
    """Passes through code that catches every `Exception`."""


@contextmanager
def watched(enough: Callable[[], bool]) -> Iterator[None]:
    """Stop the block once `enough` says so; what is built in a tenth of a second is built in any case.

    Parameters
    ----------
    enough
        Asked every tenth of a second. Must be quick.

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
        signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)  # somebody may have set the timer for once
        if _watches and enough() and not _in_one_piece(frame):
            logging.disable(logging.CRITICAL)  # what is stopped may have words for it, which are no news to anybody
            raise _Stopped

    def forgotten(unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, _Stopped):  # Python forgets it in a finalizer: the next tick repeats it
            hook(unraisable)

    hook, sys.unraisablehook = sys.unraisablehook, forgotten
    former = signal.signal(signal.SIGALRM, look)
    _watches.append(enough)
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
        if _watches:
            signal.setitimer(signal.ITIMER_REAL, _TICK, _TICK)


def off() -> None:
    """End the watch that goes on, for the rest of its block: what follows asks for itself, and has to clean up."""
    if _watches:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _in_one_piece(frame: FrameType | None) -> bool:
    """Whether the code at work, or what has called it, is not to be stopped; the exit of the watch itself is not."""
    if frame is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        return True
    while frame is not None:
        name = frame.f_code.co_filename
        if any(part in name for part in _WHOLE):
            return True
        frame = frame.f_back
    return False
