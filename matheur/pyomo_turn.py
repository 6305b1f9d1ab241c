"""Use of Pyomo by one thread at a time.

Pyomo's deferred imports, pauses of the garbage collector and capture of output affect the whole process. A thread that
imports Pyomo, builds or translates a model or checks an answer must hold a lock, the turn. While a solver runs in its
own process, other threads can take the turn. In a forked process the turn is free.

Do not take the turn while a module is being imported: the thread that holds the turn may wait for that import.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from matheur import alarm

__all__ = ["in_turn", "pyomo_turn", "release_turn", "retake_turn"]

P = ParamSpec("P")
R = TypeVar("R")

_LOOK = 0.05  # seconds between two checks of the limit of a waiting thread

_lock: Any = threading.RLock()


def _reset() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_reset)


def pyomo_turn() -> AbstractContextManager[Any]:
    """Context for code that uses Pyomo; it can be nested in the same thread.

    Inside `matheur.alarm.watched`, a thread waits only until the watched block must stop.

    Raises
    ------
    OutOfBudgetError
        On entry, if the watched block must stop before the turn is free.

    Examples
    --------
    >>> with pyomo_turn(), pyomo_turn():
    ...     pass
    """
    turn: AbstractContextManager[Any] = _lock  # its exit is C code, which a signal handler cannot interrupt
    return turn if threading.current_thread() is threading.main_thread() else _Waiting(turn)


class _Waiting:
    """The turn for a thread other than the main one, which alarms do not reach."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=_LOOK):
            if alarm.enough():
                raise alarm.OutOfBudgetError

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def in_turn(function: Callable[P, R]) -> Callable[P, R]:
    """Decorator for functions that use Pyomo."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with pyomo_turn():
            return function(*args, **kwargs)

    return called


def release_turn() -> Any:
    """Release the turn, if this thread holds it; return the argument for `retake_turn`."""
    lock = _lock
    return (lock, lock._release_save()) if lock._is_owned() else None


def retake_turn(released: Any) -> None:
    """Take the turn again after `release_turn`."""
    if released is not None:
        lock, state = released
        lock._acquire_restore(state)
