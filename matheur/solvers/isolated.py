"""Runs a solve in a forked process, so that it can be stopped at any moment without losing its incumbent.

Solvers look at their interrupt flags rarely: HiGHS may stay in a root heuristic, SCIP in an LP, for minutes. And while
one runs in this process, nobody polls, signal handlers wait, a crash takes everything with it, and what it prints goes
to our output. A fork costs milliseconds and inherits the translated model without copying it. The child sends each
incumbent through a pipe as it comes; to stop it is to kill it. What it writes to standard error is kept to its last
lines: they say why a child died. The child and the programs that it starts are one process group, and end with us.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import mmap
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from matheur import alarm
from matheur.errors import MatheurError, SolverError
from matheur.solvers.port import MilpStatus, SolveRequest, TracePoint

__all__ = ["Ended", "Line", "run_isolated"]

POLL_SECONDS = 0.02
BOUND_SECONDS = 0.2  # between two bounds that are told
INFINITE = 1e20  # for solvers
ERRORS_KEPT = 4096  # bytes of the child's standard error
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a solve ended, in plain values that pass through a pipe; `values` is by column."""

    status: MilpStatus
    objective: float | None = None
    bound: float | None = None
    nodes: int = 0
    message: str = ""
    values: Values | None = None
    trace: tuple[TracePoint, ...] = ()


class Line:
    """The child's line to its parent."""

    def __init__(self, pipe: Connection, shared: Values, started: float) -> None:
        self._pipe, self._shared, self._started = pipe, shared, started

    def incumbent(self, objective: float, bound: float | None, values: Values) -> None:
        """Hand an incumbent out, at once."""
        point = TracePoint(time.perf_counter() - self._started, objective, bound)
        self._pipe.send((point, values))

    def progress(self, bound: float, nodes: int) -> None:
        """Leave the bound and the number of nodes where the parent finds them after a kill."""
        self._shared[:] = bound, nodes


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
    """Run `task` in a child process and listen to it.

    Parameters
    ----------
    task
        Solves and returns; runs in the child, where its output is thrown away.
    request
        Its `interrupt` is polled, its `on_incumbent` called (in this thread, with what it raises passed on), and a
        child that overruns `seconds` is killed.
    name
        Name of the backend, for messages.
    started
        `time.perf_counter()` at the start of the call.
    variables
        The model's variables by column, for `on_incumbent` of the request.
    on_values
        Called with the values by column instead.
    late
        Seconds that a solver may overrun its own time limit before it is killed.
    programs
        The task starts programs, and waits for them in Python: if this process is killed, they are to end as well.

    Raises
    ------
    SolverError
        If the child dies, or fails; with the reason that it gave.
    """
    tell: Callable[[TracePoint, Values], None] | None = on_values
    if on_values is None and request.on_incumbent is not None:
        told = request.on_incumbent
        tell = lambda point, values: told(point, by_variable(variables, values))  # noqa: E731
    alarm.off()  # from here on we ask, and a child must not be forgotten
    reader, writer = Pipe(duplex=False)
    errors, errors_end = os.pipe()
    memory = mmap.mmap(-1, 16)
    shared = np.frombuffer(memory, dtype=np.float64)
    shared[:] = math.nan, 0.0
    parent = os.getpid()
    with warnings.catch_warnings():
        # Python and JAX warn of forks in processes with threads, whose locks the child might need: this one runs the
        # solver only.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            child = os.fork()
        except OSError as error:
            raise SolverError(f"{name} cannot start a process of its own: {error.strerror}") from error
    if child == 0:
        _be_the_child(task, Line(writer, shared, started), parent, reader, errors_end, programs)
    writer.close()
    os.close(errors_end)
    said = _Said(errors)
    if request.on_bound is not None:
        request = replace(request, interrupt=_telling_bounds(request.interrupt, request.on_bound, shared))
    try:
        ended = _listen(child, reader, said, request, started, late, tell)
        said.read()
    finally:
        _kill(child)  # its group too, if only the child has died
        code = _reap(child)
        reader.close()
        os.close(errors)
    if ended is None:
        raise SolverError(f"{name} died without an answer ({_reason(code, said.text)})")
    if not math.isnan(shared[0]) and ended.bound is None:
        ended = replace(ended, bound=float(shared[0]), nodes=int(shared[1]))
    return ended


def _telling_bounds(
    interrupt: Callable[[], bool] | None, tell: Callable[[float], None], shared: Values
) -> Callable[[], bool]:
    """The interrupt, which is asked often, and on the way the bound that the child left, where it has changed."""
    known, due = [math.nan], [0.0]

    def asked() -> bool:
        bound, now = float(shared[0]), time.perf_counter()
        if now >= due[0] and abs(bound) < INFINITE and bound != known[0]:
            known[0], due[0] = bound, now + BOUND_SECONDS
            tell(bound)
        return interrupt is not None and interrupt()

    return asked


class _Said:
    """The end of what the child writes to its standard error."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.text = ""
        self.open = True
        os.set_blocking(descriptor, False)

    def read(self) -> None:
        """Take what there is."""
        while self.open:
            try:
                data = os.read(self.descriptor, 1 << 16)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            self.open = bool(data)
            self.text = (self.text + data.decode(errors="replace"))[-ERRORS_KEPT:]


def _listen(
    child: int,
    reader: Connection,
    said: _Said,
    request: SolveRequest,
    started: float,
    late: float,
    tell: Callable[[TracePoint, Values], None] | None,
) -> Ended | None:
    """Take messages until the answer, the death of the child (None) or a reason to kill it."""
    limit = math.inf if request.seconds is None else started + request.seconds + late
    trace: list[TracePoint] = []
    last: Ended = Ended(MilpStatus.UNKNOWN)
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
                    return replace(last, message=reason, trace=tuple(trace))
                message: Any = None
            else:
                message = reader.recv()
        except (EOFError, OSError):
            return replace(last, message=reason, trace=tuple(trace)) if reason else None
        if isinstance(message, Ended):
            return replace(message, trace=tuple(trace))
        if isinstance(message, Exception):
            raise message
        if message is not None:
            point, values = message
            trace.append(point)
            last = Ended(MilpStatus.FEASIBLE, point.objective, values=values)
            if tell is not None:
                tell(point, values)
        if reason:
            continue
        if request.interrupt is not None and request.interrupt():
            reason = "interrupted"
        elif time.perf_counter() > limit:
            reason = "killed after the time limit"
        if reason:
            _kill(child)


def by_variable(variables: Sequence[Any], values: Values) -> Mapping[Any, float]:
    """Values by column as values by variable."""
    from pyomo.common.collections import ComponentMap  # half a second that solves on arrays do not need

    return ComponentMap(zip(variables, values.tolist(), strict=True))


def _be_the_child(
    task: Callable[[Line], Ended], line: Line, parent: int, reader: Connection, errors: int, programs: bool
) -> NoReturn:
    """Solve, answer, vanish: nothing of the parent (its handlers, its buffers, its clean-up) may run here.

    Whatever goes wrong is said through the pipe; what cannot be said there, on standard error.
    """
    code = 1
    try:
        os.dup2(errors, 2)
        gc.disable()
        faulthandler.disable()  # it writes to a copy of the parent's standard error
        with contextlib.suppress(PermissionError):
            os.setpgid(0, 0)  # so that killing the group takes a solver's own subprocess along
        with contextlib.suppress(ValueError):  # raised outside the main thread, where no handler is ours
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
        reader.close()
        _die_with_parent(parent, programs)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        line._pipe.send(_result(task, line))
        code = 0
    except BaseException as error:  # nothing is above us: who swallows it here leaves the parent without a word
        with contextlib.suppress(BaseException):
            os.write(2, f"\n{_words(error)}\n".encode(errors="replace"))
    finally:
        os._exit(code)


def _result(task: Callable[[Line], Ended], line: Line) -> Ended | Exception:
    """What the task says: its answer, or an error that survives the pipe."""
    try:
        return task(line)
    except MatheurError as error:
        try:
            ForkingPickler.loads(ForkingPickler.dumps(error))
        except Exception:
            return SolverError(str(error))
        return error
    except MemoryError:
        return SolverError("the solver ran out of memory")
    except BaseException as error:
        return SolverError(_words(error))


def _words(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _reason(code: int, said: str) -> str:
    """Why a child died, in words: a signal by its name, else the exit code, and the last lines of standard error."""
    if code < 0:
        try:
            how = f"signal {-code}, {signal.Signals(-code).name}"
        except ValueError:
            how = f"signal {-code}"
        how += ": maybe out of memory" if -code == signal.SIGKILL else ""
    else:
        how = f"exit code {code}"
    lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
    last = " | ".join(lines[-3:])[-300:]
    return f"{how}; it said: {last}" if last else how


def _die_with_parent(parent: int, programs: bool) -> None:
    """Let the operating system tell us when the parent dies (Linux): a library is ended at once, a group as a whole.

    While a program runs, this process waits for it in Python and can act; a library would not let it.
    """
    if sys.platform != "linux":
        return
    import ctypes

    told = signal.SIGKILL
    if programs:
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGUSR1, _end_the_group)
            told = signal.SIGUSR1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, told)  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        _end_the_group()


def _end_the_group(*_: object) -> None:
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


def _kill(child: int) -> None:
    """Kill the child's group, or the child if it has none yet; harmless if it is gone."""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)


def _reap(child: int) -> int:
    """Exit code of the child, the negative signal if one killed it."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:  # somebody else collected it
        return 0
