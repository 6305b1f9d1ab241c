"""Pyomo for one thread at a time.

Its deferred imports, its pauses of the garbage collector and its capture of output are those of the whole process. Who
imports it, builds a model, translates one or checks an answer takes its turn; while a solver is at work in a process of
its own, others have theirs. A fork begins with a turn that nobody has.

Take no turn while a module is imported: who has the turn may wait for that import.
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

_LOOK = 0.05  # seconds between two looks at the limit of who waits

_lock: Any = threading.RLock()


def _reset() -> None:
    global _lock
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_reset)


def pyomo_turn() -> AbstractContextManager[Any]:
    """A block that uses Pyomo; a thread may take its turn again within.

    Who waits within `matheur.alarm.watched` waits no longer than that allows.

    Raises
    ------
    OutOfBudgetError
        If it waited so long, on entry.

    Examples
    --------
    >>> with pyomo_turn(), pyomo_turn():
    ...     pass
    """
    turn: AbstractContextManager[Any] = _lock  # left by C code: what a handler of a signal raises does not keep it
    return turn if threading.current_thread() is threading.main_thread() else _Waiting(turn)


class _Waiting:
    """A turn in a thread that no alarm reaches."""

    def __init__(self, lock: Any) -> None:
        self._lock = lock

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=_LOOK):
            if alarm.enough():
                raise alarm.OutOfBudgetError

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def in_turn(function: Callable[P, R]) -> Callable[P, R]:
    """A function that uses Pyomo."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        with pyomo_turn():
            return function(*args, **kwargs)

    return called


def release_turn() -> Any:
    """Let others have the turn of this thread, if it has it; for `retake_turn`."""
    lock = _lock
    return (lock, lock._release_save()) if lock._is_owned() else None


def retake_turn(released: Any) -> None:
    """Wait for the turn that was given away."""
    if released is not None:
        lock, state = released
        lock._acquire_restore(state)
