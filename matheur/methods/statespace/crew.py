"""Threads for kernels that release the interpreter's lock: numbered tasks that can be stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count

__all__ = ["run_tasks"]

_PAUSE = 0.02  # seconds between two checks of the limits


def run_tasks(
    tasks: int, threads: int, call: Callable[[int, int, Callable[[], bool]], None], enough: Callable[[], bool]
) -> bool:
    """Call `call(thread, task, stopped)` for tasks 0, 1, ..., each in the next free thread.

    Parameters
    ----------
    tasks, threads
        Numbers of tasks and threads. A single thread is the caller's.
    call
        Function that returns soon after `stopped()` is True. Its exceptions are raised here after the other threads
        have stopped.
    enough
        Called in the caller's thread every few milliseconds and between tasks; returns True to stop.

    Returns
    -------
    bool
        Whether all tasks were completed.
    """
    if threads == 1:
        for task in range(tasks):
            if enough():
                return False
            call(0, task, enough)
        return not enough()
    stop, lock, numbers = threading.Event(), threading.Lock(), count()
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        try:
            while not stop.is_set():
                with lock:
                    task = next(numbers)
                if task >= tasks:
                    return
                call(thread, task, stop.is_set)
        except BaseException as error:  # raised again in the caller's thread
            failures.append(error)
            stop.set()

    crew = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(threads)]
    for one in crew:
        one.start()
    try:
        while any(one.is_alive() for one in crew):
            if enough():
                stop.set()
            for one in crew:
                one.join(_PAUSE)
    finally:
        stop.set()
        for one in crew:
            one.join()
    if failures:
        raise failures[0]
    return not enough()
