"""Runs a solve in a forked process, so that it can be stopped at any moment without losing its incumbent.

Solvers check their interrupt flags rarely: HiGHS may stay in a root heuristic, SCIP in an LP, for minutes. While one
runs in this process, nothing polls, signal handlers wait, a crash ends the whole process, and the solver prints to our
output. A fork costs milliseconds and inherits the translated model without copying it. The child sends each incumbent
through a pipe at once; it is stopped by killing it. The child and the programs that it starts are one process group,
and end with us.

A solve can also be paused: the child is stopped, with its tree, until it is continued, and meanwhile it may receive a
solution. A paused child uses no CPU time, but its wall-clock limits keep running.

A child that dies reports why (`matheur.solvers.last_words`), and records its stage. Signals are blocked until the child
has removed the handlers of the parent: an exception from one of them would run the rest of the parent's program a
second time, in the child.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import ForkingPickler
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur import alarm
from matheur.errors import FailedSolveError, SolverError
from matheur.linear.building import INFINITE
from matheur.pyomo_turn import release_turn, retake_turn
from matheur.solvers.isolated_child import (
    BOUND,
    GIVEN,
    HEAD,
    NODES,
    STAGE,
    STAGES,
    START,
    Ended,
    Line,
    be_the_child,
)
from matheur.solvers.last_words import LastWords, how_it_died, in_words
from matheur.solvers.orphans import adopted_orphans, reap_group
from matheur.solvers.port import MilpStatus, SolveRequest, TracePoint

__all__ = ["Ended", "IsolatedSolve", "Line", "run_isolated"]

POLL_SECONDS = 0.02
LAST_WORDS_SECONDS = 1.0  # for a child that has closed its pipe to end by itself
BOUND_SECONDS = 0.2  # between two reported bounds

Values = NDArray[np.float64]


class IsolatedSolve:
    """A solve in a child process, which begins at once.

    Parameters
    ----------
    task
        Function that solves and returns; runs in the child, where its output is discarded.
    name
        Name of the backend, for messages.
    started
        `time.perf_counter()` at the start of the call.
    columns
        Number of columns of solutions that may be given to it; 0 if none can.
    late
        Seconds that a solver may overrun its own time limit before it is killed.
    programs
        Whether the task starts programs and waits for them in Python: if this process is killed, they end as well.

    Raises
    ------
    SolverError
        If no process can be started.
    """

    def __init__(
        self,
        task: Callable[[Line], Ended],
        *,
        name: str,
        started: float,
        columns: int = 0,
        late: float = 0.3,
        programs: bool = False,
    ) -> None:
        self._name, self._started, self._late = name, started, late
        self._columns, self._parent = columns, os.getpid()
        self._child, self._waits = 0, False
        self._trace: list[TracePoint] = []
        self._last = Ended(MilpStatus.UNKNOWN)
        alarm.off()  # from here on the interrupt is polled, and a child must not be left behind
        try:
            self._reader, writer, errors, errors_end, self._shared = _channels(columns)
        except OSError as error:
            raise SolverError(f"{name} cannot start a process of its own: {error.strerror}") from error
        self._said = LastWords(errors)
        self._errors = errors
        try:
            with _no_signals() as mask:
                self._child = _fork(name)
                if self._child == 0:
                    line = Line(writer, self._shared, started)
                    be_the_child(task, line, self._parent, self._reader, errors_end, programs, mask)
        except BaseException:
            self.close()
            raise
        finally:
            writer.close()
            os.close(errors_end)

    def __enter__(self) -> IsolatedSolve:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_child", 0) and os.getpid() == self._parent:  # a fork of this process must not close it
            self.close()

    @property
    def waits(self) -> bool:
        """Whether the solve is paused and can be continued."""
        return self._waits

    def close(self) -> int | None:
        """Kill the child and everything that it has started; return its exit code, None if unknown."""
        child, self._child = self._child, 0
        self._waits = False
        code = None
        if child:
            with adopted_orphans():
                _send(child, signal.SIGKILL)  # its group too, if only the child has died
                code = _reap(child)
                reap_group(child)
        self._reader.close()
        if self._errors >= 0:
            os.close(self._errors)
            self._errors = -1
        return code

    def give(self, values: Values) -> None:
        """Pass a solution by column to a paused solve, if the solver can use it."""
        if self._columns:
            self._shared[HEAD:] = values
            self._shared[GIVEN] += 1

    def run(
        self,
        request: SolveRequest,
        tell: Callable[[TracePoint, Values], None] | None = None,
        pause: Callable[[], bool] | None = None,
    ) -> Ended:
        """Run until there is an answer or a pause; the solve is over unless it is paused.

        Parameters
        ----------
        request
            Its `interrupt` is polled, its `on_bound` called, and a child that overruns `seconds` is killed.
        tell
            Called with each incumbent, in this thread; its exceptions are passed on.
        pause
            Polled; True pauses the solve, and its results so far are returned.

        Raises
        ------
        SolverError
            If the child dies or fails; with the reason that it gave.
        """
        alarm.off()
        if self._waits:
            _send(self._child, signal.SIGCONT)
            self._waits = False
        if request.on_bound is not None:
            request = replace(request, interrupt=_telling_bounds(request.interrupt, request.on_bound, self._shared))
        ended, hung = None, False
        try:
            ended = self._listen(request, tell, pause)
            if ended is None:
                hung = not _ends(self._child, self._said)
            self._said.read()
        finally:
            code = None if self._waits else self.close()
        if ended is None:
            when = STAGES[int(self._shared[STAGE])]
            how = self._said.after("closed its connection and was killed" if hung else how_it_died(code))
            raise FailedSolveError(f"{self._name} died without an answer {when} ({how})")
        if not math.isnan(self._shared[BOUND]) and ended.bound is None:
            ended = replace(ended, bound=float(self._shared[BOUND]), nodes=int(self._shared[NODES]))
        return ended

    def _listen(
        self,
        request: SolveRequest,
        tell: Callable[[TracePoint, Values], None] | None,
        pause: Callable[[], bool] | None,
    ) -> Ended | None:
        """Read messages until the answer, a pause, the death of the child (None) or a reason to kill it."""
        limit = math.inf if request.seconds is None else self._started + request.seconds + self._late
        reader, said = self._reader, self._said
        reason = ""
        while True:
            waiting = not reason
            try:
                lines: list[Connection | int] = [reader, said.descriptor] if said.open else [reader]
                ready = wait(lines, POLL_SECONDS if waiting else 0)
                if said.descriptor in ready:
                    said.read()
                if reader not in ready:
                    if not waiting:
                        return self._so_far(reason)
                    message: Any = None
                else:
                    message = _read(reader.recv_bytes())
            except (EOFError, OSError):
                return self._so_far(reason) if reason else None
            if isinstance(message, Ended):
                return replace(message, trace=tuple(self._trace))
            if isinstance(message, Exception):
                raise message
            if message is not None:
                point, values = message
                self._trace.append(point)
                self._last = Ended(MilpStatus.FEASIBLE, point.objective, values=values)
                if tell is not None:
                    tell(point, values)
            if reason:
                continue
            if request.interrupt is not None and request.interrupt():
                reason = "interrupted"
            elif time.perf_counter() > limit:
                reason = "killed after the time limit"
            if reason:
                _send(self._child, signal.SIGKILL)
            elif pause is not None and pause():
                _send(self._child, signal.SIGSTOP)
                self._waits = True
                return self._so_far("paused")

    def _so_far(self, why: str) -> Ended:
        return replace(self._last, message=why, trace=tuple(self._trace))


def run_isolated(
    task: Callable[[Line], Ended],
    request: SolveRequest,
    *,
    name: str,
    started: float,
    variables: Sequence[Any] = (),
    on_values: Callable[[TracePoint, Values], None] | None = None,
    late: float = 0.3,
    programs: bool = False,
) -> Ended:
    """Run `task` in a child process and listen to it to its end.

    Parameters
    ----------
    task, name, started, late, programs
        As in `IsolatedSolve`.
    request
        As in `IsolatedSolve.run`; its `on_incumbent` is also called.
    variables
        The model's variables by column, for `on_incumbent` of the request.
    on_values
        Called with the values by column instead.

    Raises
    ------
    SolverError
        If the child dies, or fails; with the reason that it gave.
    """
    tell: Callable[[TracePoint, Values], None] | None = on_values
    if on_values is None and request.on_incumbent is not None:
        told = request.on_incumbent
        tell = lambda point, values: told(point, by_variable(variables, values))  # noqa: E731
    with IsolatedSolve(task, name=name, started=started, late=late, programs=programs) as solve:
        released = release_turn()  # no other thread was using Pyomo when the child was forked
        try:
            return solve.run(request, tell)
        finally:
            retake_turn(released)


def _telling_bounds(
    interrupt: Callable[[], bool] | None, tell: Callable[[float], None], shared: Values
) -> Callable[[], bool]:
    """The interrupt, which is polled often; each poll also reports the bound of the child if it has changed."""
    known, due = math.nan, 0.0

    def asked() -> bool:
        nonlocal known, due
        bound, now = float(shared[BOUND]), time.perf_counter()
        if now >= due and abs(bound) < INFINITE and bound != known:
            known, due = bound, now + BOUND_SECONDS
            tell(bound)
        return interrupt is not None and interrupt()

    return asked


def _fork(name: str) -> int:
    with warnings.catch_warnings():
        # Python and JAX warn of forks in processes with threads, whose locks the child might need: this child runs only
        # the solver.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return os.fork()
        except OSError as error:
            raise SolverError(f"{name} cannot start a process of its own: {error.strerror}") from error


def _channels(columns: int) -> tuple[Connection, Connection, int, int, Values]:
    """Both ends of the line, both ends of standard error, and shared memory.

    Raises
    ------
    OSError
        If the system cannot provide them all; none is left open.
    """
    with contextlib.ExitStack() as undo:
        reader, writer = Pipe(duplex=False)
        undo.callback(reader.close)
        undo.callback(writer.close)
        errors, errors_end = os.pipe()
        undo.callback(os.close, errors)
        undo.callback(os.close, errors_end)
        shared = np.frombuffer(mmap.mmap(-1, 8 * (HEAD + columns)), dtype=np.float64)
        shared[:HEAD] = math.nan, 0.0, START, 0.0
        undo.pop_all()
    return reader, writer, errors, errors_end, shared


@contextmanager
def _no_signals() -> Iterator[set[int | signal.Signals]]:
    """Defer signals until the end of the context; yields the signals that were blocked before.

    Blocking them is not enough: another thread may receive them, and their handlers still run in the main thread. An
    exception from a handler in a hook of the fork would be lost, and a lock that the hook should release would stay
    locked.
    """
    arrived: list[int] = []
    waits = True

    def held(handler: Callable[[int, FrameType | None], Any]) -> Callable[[int, FrameType | None], None]:
        def hold(number: int, frame: FrameType | None) -> None:
            if waits:
                arrived.append(number)
            else:  # it could not be restored, as another handler had raised an exception
                handler(number, frame)

        return hold

    handlers = {}
    if threading.current_thread() is threading.main_thread():  # handlers interrupt only the main thread
        handlers = {
            number: handler for number in signal.valid_signals() if callable(handler := signal.getsignal(number))
        }
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        for number, handler in handlers.items():
            signal.signal(number, held(handler))
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        waits = False
        try:
            for late in arrived:
                signal.raise_signal(late)
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)


def _read(sent: bytes) -> Any:
    """A message of the child, or the error that it cannot be read."""
    try:
        return ForkingPickler.loads(sent)
    except Exception as error:
        return SolverError(f"the answer of the solver's process cannot be read: {in_words(error)}")


def by_variable(variables: Sequence[Any], values: Values) -> Mapping[Any, float]:
    """Values by column as values by variable."""
    from pyomo.common.collections import ComponentMap  # half a second that solves on arrays do not need

    return ComponentMap(zip(variables, values.tolist(), strict=True))


def _send(child: int, number: signal.Signals) -> None:
    """Send a signal to the child's group, or to the child if it has none yet; harmless if it is gone."""
    for send in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            send(child, number)


def _ends(child: int, said: LastWords) -> bool:
    """Whether a child that has closed its line soon ends by itself."""
    limit = time.perf_counter() + LAST_WORDS_SECONDS
    while time.perf_counter() < limit:
        said.read()
        try:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
        except ChildProcessError:  # other code has already reaped it
            return True
        time.sleep(0.001)
    return False


def _reap(child: int) -> int | None:
    """Exit code of the child, the negative signal if one killed it; None if other code has already reaped it."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        return None
