"""A pool of worker processes that stop on request, report while they run, and never outlive their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from queue import Empty
from typing import Any

from matheur.compiling import compilation
from matheur.errors import MatheurError

__all__ = [
    "Workers",
    "WorkersContext",
    "check_sendable",
    "check_startable",
    "ended_early",
    "leave_with_parent",
    "print_to",
    "report",
    "stop_requested",
    "workers",
]

_WORKER = "matheur-worker"  # prefix of the names of worker processes
_UNGUARDED = 94  # exit code of a worker that was about to start workers while it imported the main script
_GUARD = "Maybe put what the script does below if __name__ == '__main__':?"

_stop: Any = None
_reports: Any = None


@dataclass(frozen=True, slots=True)
class _Compiling:
    """Message from a worker: it starts to compile another kernel or, if `number` is 0, has finished compiling."""

    process: int
    number: int


def stop_requested() -> bool:
    """In a worker: whether the parent has requested a stop."""
    return _stop is not None and _stop.is_set()


def report(message: Any) -> None:
    """In a worker: send plain values to the parent."""
    if _reports is not None:
        _reports.put(message)


def _initialise(stop: Any, reports: Any) -> None:
    global _stop, _reports
    _stop, _reports = stop, reports
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent handles signals and sets the stop flag
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # child programs inherit the mask
    compilation.tell(lambda number: reports.put(_Compiling(os.getpid(), number)))
    leave_with_parent()


def leave_with_parent(leave: Callable[[], None] | None = None) -> None:
    """In a worker: exit, or call `leave`, when the parent process has ended for any reason."""
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            wait([parent.sentinel])
            os._exit(1) if leave is None else leave()

        threading.Thread(target=watch, daemon=True).start()


class WorkersContext(SpawnContext):
    """Context of spawned processes, listed in `started`, whose names mark them as workers from the beginning.

    So a worker recognises itself even while it imports the main script.
    """

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **kwargs: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A spawned process with the name of a worker."""
        one = SpawnProcess(*args, **{**kwargs, "name": f"{_WORKER}-{len(self.started) + 1}"})
        self.started.append(one)
        return one


def check_startable() -> None:
    """Refuse to start processes where that is impossible, before any other work is done.

    A worker imports the main script. If a script without a guard starts workers again at that point, the worker exits,
    and its parent reports the reason.

    Raises
    ------
    MatheurError
        In a daemonic process, and in a process of another library that is importing such a script.
    """
    process = multiprocessing.current_process()
    if process.daemon:
        raise MatheurError(
            "a daemonic process, such as a worker of multiprocessing.Pool, cannot start others. Maybe jobs=1 there, or "
            "concurrent.futures.ProcessPoolExecutor instead of the Pool?"
        )
    if getattr(process, "_inheriting", False):
        if process.name.startswith(_WORKER):
            raise SystemExit(_UNGUARDED)
        raise MatheurError(f"a process that imports the main script cannot start others meanwhile. {_GUARD}")


def check_sendable(problem: Any) -> None:
    """Refuse a problem of a user that worker processes cannot receive, before any other work is done.

    Raises
    ------
    MatheurError
        If its class is defined in a session without a file, such as a notebook, or if it cannot be pickled.
    """
    kind = type(problem)
    if kind.__module__.startswith("matheur."):
        return
    main = sys.modules["__main__"]
    if kind.__module__ == "__main__" and not any(getattr(main, name, None) for name in ("__file__", "__spec__")):
        raise MatheurError(
            f"worker processes cannot import the class {kind.__qualname__}, since this session has no file. Maybe put "
            "it into a module, or jobs=1?"
        )
    try:
        ForkingPickler.dumps(problem)
    except Exception as error:  # of the class of a user
        raise MatheurError(
            f"the problem {kind.__qualname__} cannot be sent to worker processes: {error}. Maybe define it at the top "
            "level of a module, or jobs=1?"
        ) from error


def ended_early(code: int | None) -> str | None:
    """Message on the main script if a worker ended with this exit code; None if the code has another cause."""
    if code == _UNGUARDED:
        return f"worker processes import the main script, and this one starts a run as it is imported. {_GUARD}"
    return None


def print_to(path: Path) -> None:
    """Redirect standard output and error of this process, and of processes started later, to a new file."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.close(file)


class Workers(Executor):
    """An executor with a stop flag and a channel for reports; see `workers`."""

    def __init__(self, jobs: int) -> None:
        check_startable()
        self._context = context = WorkersContext()
        self._stop = context.Event()
        self._reports = context.Queue()
        self._pool = ProcessPoolExecutor(
            jobs, mp_context=context, initializer=_initialise, initargs=(self._stop, self._reports)
        )
        self._compiling: Counter[int] = Counter()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`. Workers start with SIGINT and SIGTERM blocked, so that a signal to the group kills none."""
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            return self._pool.submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)

    def stop(self) -> None:
        """Request that all workers stop and return their results so far."""
        self._stop.set()

    def reports(self) -> Iterator[Any]:
        """Messages from workers since the last call. The search clock is paused while a worker compiles."""
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

    def died(self) -> str | None:
        """Reason why a worker died; None while all are alive."""
        if not self._pool._broken:
            return None
        self._pool.shutdown()  # waits for the processes, so that their exit codes are known
        codes = [process.exitcode for process in self._context.started]
        for said in map(ended_early, codes):
            if said is not None:
                return said
        if 1 in codes:  # Python's exit code after an uncaught exception, which it has printed
            return "a worker process ended with exit code 1. Maybe the main script, which it imports, fails there?"
        return "a worker process died. Maybe it ran out of memory?"

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `Executor`."""
        self._stop.set()
        self._pool.shutdown(wait, cancel_futures=cancel_futures)
        for process in list(self._compiling):  # compilations whose end was not reported
            self._compiled(process)
        self._reports.close()
        self._reports.cancel_join_thread()


@contextmanager
def workers(jobs: int) -> Iterator[Workers]:
    """A pool of `jobs` spawned processes; on exit, unfinished work is stopped and waited for.

    Raises
    ------
    MatheurError
        If a process died, or this process cannot start others.
    """
    pool = Workers(jobs)
    try:
        yield pool
    except BrokenProcessPool:
        died = pool.died()
        if died is None:  # the error comes from another pool
            raise
        raise MatheurError(died) from None
    finally:
        pool.shutdown(cancel_futures=True)
