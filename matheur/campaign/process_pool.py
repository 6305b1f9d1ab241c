"""Processes for runs: a process that crashes or exceeds its limits loses only its own run.

Each slot is a `ProcessPoolExecutor` of the standard library with one spawned worker, so that a broken pool is one
broken worker. A worker leads its own process group, and exits when its parent ends for any reason.
"""

from __future__ import annotations

import contextlib
import faulthandler
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from matheur.campaign.watching import end_group, end_tree, excess_memory
from matheur.engine.processes import WorkersContext, ended_early, leave_with_parent, print_to
from matheur.errors import MatheurError

__all__ = ["Allowance", "LostRunError", "ProcessExecutor", "UnstartedError", "described_exit"]

_TICK = 0.1  # seconds between two checks of the limits
_MEMORY_TICK = 0.2
_REST = 5.0  # seconds after which another process is tried where the system allows no more


@dataclass(frozen=True, slots=True)
class Allowance:
    """Limits of a task in seconds and bytes; None for no limit."""

    seconds: float | None = None
    memory: int | None = None


class LostRunError(MatheurError):
    """A task whose process ended before it returned.

    Attributes
    ----------
    kind
        Cause: `crash`, `seconds`, `memory` or `interrupt`.
    process
        Number of the process; None if it did not start.
    seconds
        Seconds since the task was started.
    """

    def __init__(self, kind: str, message: str, process: int | None = None, seconds: float = 0.0) -> None:
        super().__init__(message)
        self.kind: str = kind
        self.process: int | None = process
        self.seconds: float = seconds


class UnstartedError(MatheurError):
    """The system starts no process at all."""


def described_exit(code: int | None) -> str:
    """Description of an exit code for messages."""
    if code is None:
        return "the process is gone"
    if code >= 0:
        return f"the process left with exit code {code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        more = ": killed from outside, or the machine was out of memory" if -code == signal.SIGKILL else ""
        return f"the process was killed by {name}{more}"
    return f"the process was killed by signal {-code}"


def _start_quiet_tracker() -> None:
    """Start the resource tracker, which cleans up after killed processes, without its warning for each of them.

    Pyomo creates a named semaphore in every process that imports it.
    """
    former = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = "ignore::UserWarning"
    try:
        resource_tracker.ensure_running()
    finally:
        if former is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = former


def _begin(logs: str | None) -> None:
    """Initialise a worker before its first task."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)  # so that killing the group also kills its solvers
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    leave_with_parent(end_group)
    if logs is not None:
        with contextlib.suppress(OSError):  # if the disk is full, it prints to the parent's output
            print_to(Path(logs) / f"worker-{os.getpid()}.log")
    faulthandler.enable()


@dataclass(slots=True)
class _Task:
    future: Future[Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    allowance: Allowance


@dataclass(slots=True)
class _Slot:
    """A worker and its current task."""

    pool: ProcessPoolExecutor | None = None
    tasks: int = 0
    task: _Task | None = None
    answer: Future[Any] | None = None
    process: Any = None
    started: float = 0.0
    looked: float = 0.0
    rests_until: float = 0.0
    verdict: tuple[str, str] | None = None

    @property
    def pid(self) -> int | None:
        """Process number of the worker; None if unknown."""
        return None if self.process is None else self.process.pid

    def kill(self) -> None:
        """Kill the worker and all its descendants."""
        if self.pid is not None and self.process.exitcode is None:
            end_tree(self.pid)


@dataclass(slots=True)
class _Shared:
    queue: SimpleQueue[_Task | None] = field(default_factory=SimpleQueue)
    closed: bool = False
    cancelling: bool = False
    killing: bool = False


class ProcessExecutor(Executor):
    """An executor of spawned processes that are replaced after some tasks, and killed if they exceed their limits.

    Parameters
    ----------
    jobs
        Number of processes.
    recycle
        Number of tasks after which a process is replaced, because solvers may not release memory.
    allowance
        Function that returns the limits of a task, called with the task's arguments.
    logs
        Folder for the printed output of the processes, `worker-PID.log`; the parent's output if None.

    Notes
    -----
    The future of a task whose process has died raises `LostRunError`; all other tasks continue.
    """

    def __init__(
        self,
        jobs: int,
        *,
        recycle: int = 20,
        allowance: Callable[..., Allowance] | None = None,
        logs: Path | None = None,
    ) -> None:
        self.jobs: int = jobs
        self.recycle: int = recycle
        self.logs: Path | None = logs
        self._allowance = allowance
        self._shared = _Shared()
        self._thread = threading.Thread(target=self._tend, name="campaign-processes", daemon=True)
        self._begun = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`."""
        if self._shared.closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        allowance = Allowance() if self._allowance is None else self._allowance(*args, **kwargs)
        task = _Task(Future(), fn, args, kwargs, allowance)
        self._shared.queue.put(task)
        if not self._begun:
            self._begun = True
            _start_quiet_tracker()
            self._thread.start()
        return task.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """See `Executor`."""
        self._shared.cancelling |= cancel_futures
        self._shared.closed = True
        self._shared.queue.put(None)
        if wait and self._begun:
            self._thread.join()

    def abandon(self) -> None:
        """Cancel waiting tasks, kill running ones, and shut down."""
        self._shared.killing = True
        self.shutdown(cancel_futures=True)

    # The methods below run only in the thread that manages the processes

    def _tend(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # inherited by the processes when they start
        waiting: deque[_Task] = deque()
        slots = [_Slot() for _ in range(self.jobs)]
        while True:
            busy = [slot for slot in slots if slot.task is not None]
            self._receive(waiting, block=not busy and not waiting and not self._shared.closed)
            if self._shared.cancelling:
                for task in waiting:
                    task.future.cancel()
                waiting.clear()
            for slot in slots:
                while slot.task is None and waiting and self._open(slot, slots, waiting):
                    self._start(slot, waiting.popleft())
            answers = [slot.answer for slot in slots if slot.answer is not None]
            if not answers:
                if self._shared.closed and not waiting and self._shared.queue.empty():
                    break
                continue
            wait(answers, timeout=_TICK, return_when=FIRST_COMPLETED)
            for slot in slots:
                if slot.answer is not None and slot.answer.done():
                    self._settle(slot)
                elif slot.task is not None:
                    self._enforce(slot, slot.task.allowance)
        for slot in slots:
            if slot.pool is not None:
                if self._shared.killing:  # idle; a regular exit would take a second
                    slot.kill()
                slot.pool.shutdown()

    def _receive(self, waiting: deque[_Task], *, block: bool) -> None:
        with contextlib.suppress(Empty):
            while True:
                task = self._shared.queue.get(block=block)
                block = False
                if task is not None:
                    waiting.append(task)

    def _open(self, slot: _Slot, slots: list[_Slot], waiting: deque[_Task]) -> bool:
        """Start a process if the slot needs one; return whether it can take a task.

        Where the system allows no more processes, the others take the tasks; if there are none, a task fails.
        """
        if slot.pool is not None and slot.tasks >= self.recycle:
            slot.pool.shutdown(wait=False)
            slot.pool = None
        if slot.pool is not None:
            return True
        if time.monotonic() < slot.rests_until and any(one.task is not None for one in slots):
            return False
        logs = None if self.logs is None else str(self.logs)
        before = set(multiprocessing.active_children())
        pool: ProcessPoolExecutor | None = None
        try:
            pool = ProcessPoolExecutor(1, mp_context=WorkersContext(), initializer=_begin, initargs=(logs,))
            pool.submit(os.getpid)  # starts the process
        except (OSError, RuntimeError) as error:  # too many processes, threads or open files
            if pool is not None:
                pool.shutdown(wait=False)
            slot.rests_until = time.monotonic() + _REST
            if all(one.task is None for one in slots):
                why = error.strerror if isinstance(error, OSError) else error
                task = waiting.popleft()
                if task.future.set_running_or_notify_cancel():
                    task.future.set_exception(UnstartedError(f"no process can be started ({why}). Maybe fewer jobs?"))
            return False
        slot.pool, slot.tasks = pool, 0
        slot.process = next((one for one in multiprocessing.active_children() if one not in before), None)
        return True

    def _start(self, slot: _Slot, task: _Task) -> None:
        """Give a task to the process of a slot."""
        assert slot.pool is not None
        if not task.future.set_running_or_notify_cancel():
            return
        slot.task, slot.verdict, slot.tasks = task, None, slot.tasks + 1
        slot.started = slot.looked = time.monotonic()
        try:
            slot.answer = slot.pool.submit(task.function, *task.arguments, **task.keywords)
        except BrokenProcessPool as error:  # it died between two tasks
            slot.answer = Future()
            slot.answer.set_exception(error)

    def _enforce(self, slot: _Slot, allowance: Allowance) -> None:
        """Kill a process that has exceeded its limits."""
        pid, now = slot.pid, time.monotonic()
        if pid is None or slot.verdict is not None:
            return
        if self._shared.killing:
            slot.verdict = "interrupt", "interrupted"
        elif allowance.seconds is not None and now - slot.started > allowance.seconds:
            slot.verdict = "seconds", f"took more than {allowance.seconds:g} seconds"
        elif allowance.memory is not None and now - slot.looked >= _MEMORY_TICK:
            slot.looked = now
            excess = excess_memory(pid, allowance.memory)
            if excess is not None:
                slot.verdict = "memory", excess
        if slot.verdict is not None:
            slot.kill()

    def _settle(self, slot: _Slot) -> None:
        """Pass the result or error of a finished task to its future."""
        task, answer, pid = slot.task, slot.answer, slot.pid
        assert task is not None
        assert answer is not None
        slot.task = slot.answer = None
        error = answer.exception()
        if isinstance(error, BrokenProcessPool):
            assert slot.pool is not None
            slot.pool.shutdown()  # waits for the process, so that its exit code is known
            code = None if slot.process is None else slot.process.exitcode
            kind, message = slot.verdict or ("crash", ended_early(code) or described_exit(code))
            slot.pool = None
            error = LostRunError(kind, message, pid, time.monotonic() - slot.started)
        if error is None:
            task.future.set_result(answer.result())
        else:
            task.future.set_exception(error)
