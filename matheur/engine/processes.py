"""A pool of worker processes that stop when asked, report on the way, and never outlive their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from queue import Empty
from typing import Any

from matheur.compiling import compilation

__all__ = ["Workers", "leave_with_parent", "print_to", "report", "stop_requested", "workers"]

_stop: Any = None
_reports: Any = None


@dataclass(frozen=True, slots=True)
class _Compiling:
    """A worker's word that it compiles a kernel, one more; or, with a number of 0, that it has ended."""

    process: int
    number: int


def stop_requested() -> bool:
    """In a worker: whether the parent wants it to come back."""
    return _stop is not None and _stop.is_set()


def report(message: Any) -> None:
    """In a worker: send plain values to the parent."""
    if _reports is not None:
        _reports.put(message)


def _initialise(stop: Any, reports: Any) -> None:
    global _stop, _reports
    _stop, _reports = stop, reports
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent decides, and asks through the flag
        signal.signal(number, signal.SIG_IGN)
    compilation.tell(lambda number: reports.put(_Compiling(os.getpid(), number)))
    leave_with_parent()


def leave_with_parent(leave: Callable[[], None] | None = None) -> None:
    """In a worker: leave once the parent is gone, however it went; or call `leave` then."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            wait([parent.sentinel])
            os._exit(1) if leave is None else leave()

        threading.Thread(target=watch, daemon=True).start()


def print_to(path: Path) -> None:
    """Let this process, and what it starts from now on, print to a new file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)


class Workers(Executor):
    """An executor with a stop flag and a channel for reports; see `workers`."""

    def __init__(self, jobs: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._stop = context.Event()
        self._reports = context.Queue()
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_initialise, initargs=(self._stop, self._reports)
        )
        self._compiling: Counter[int] = Counter()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`. Workers start with Ctrl-C blocked, so that none dies of it while it starts."""
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return self._pool.submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def stop(self) -> None:
        """Ask all workers to come back with what they have."""
        self._stop.set()

    def reports(self) -> Iterator[Any]:
        """What workers have sent since the last call. The search clock stands still while one of them compiles."""
        while True:
            try:
                message = self._reports.get_nowait()
            except Empty:
                return
            if not isinstance(message, _Compiling):
                yield message
            elif message.number:
                self._compiling[message.process] += 1
                compilation.begin()
            else:
                self._compiled(message.process)

    def _compiled(self, process: int) -> None:
        for _ in range(self._compiling.pop(process, 0)):
            compilation.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `Executor`."""
        self._stop.set()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
        for process in list(self._compiling):  # what they have not told
            self._compiled(process)
        self._reports.close()
        self._reports.cancel_join_thread()


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """A pool of `jobs` spawned processes; on leaving, unfinished work is asked to stop and waited for."""
    pool = Workers(jobs)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)
