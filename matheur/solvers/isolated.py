"""Runs a solve in a forked process, so that it can be stopped at any moment without losing its incumbent.

Solvers look at their interrupt flags rarely: HiGHS may stay in a root heuristic, SCIP in an LP, for minutes. And while
one runs in this process, nobody polls, signal handlers wait, a crash takes everything with it, and what it prints goes
to our output. A fork costs milliseconds and inherits the translated model without copying it. The child sends each
incumbent through a pipe as it comes; to stop it is to kill it. The child and the programs that it starts are one
process group, and end with us.

A child that dies says why (`matheur.solvers.last_words`), and it notes how far it has come. No signal reaches it before
it has left the handlers of the parent behind: what one of them raised there would run the rest of the parent's program
a second time, in the child.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.reduction import ForkingPickler
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from matheur import alarm
from matheur.errors import FailedSolveError, MatheurError, SolverError
from matheur.linear.building import INFINITE
from matheur.solvers.last_words import LastWords, how_it_died, in_words
from matheur.solvers.port import MilpStatus, SolveRequest, TracePoint

__all__ = ["Ended", "Line", "run_isolated"]

POLL_SECONDS = 0.02
LAST_WORDS_SECONDS = 1.0  # for a child that has closed its pipe, to end as it will
BOUND_SECONDS = 0.2  # between two bounds that are told

_STAGES = ("before the solve", "during the solve", "while it answered")
_START, _SOLVE, _ANSWER = range(3)
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
    reduced_costs: Values | None = None


class Line:
    """The child's line to its parent.

    Attributes
    ----------
    fault
        What went wrong on it first, None if nothing did: solvers lose what a callback raises.
    """

    def __init__(self, pipe: Connection, shared: Values, started: float) -> None:
        self._pipe, self._shared, self._started = pipe, shared, started
        self.fault: Exception | None = None

    def incumbent(self, objective: float, bound: float | None, values: Values) -> None:
        """Hand an incumbent out, at once."""
        point = TracePoint(time.perf_counter() - self._started, objective, bound)
        try:
            self._send(point, values)
        except Exception as error:
            self.fault = self.fault or error
            raise

    def _send(self, point: TracePoint, values: Values) -> None:
        self._pipe.send((point, values))

    def progress(self, bound: float, nodes: int) -> None:
        """Leave the bound and the number of nodes where the parent finds them after a kill."""
        self._shared[:2] = bound, nodes

    def stage(self, stage: int) -> None:
        """Note how far the child has come, by number in `_STAGES`."""
        self._shared[2] = stage


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
    try:
        reader, writer, errors, errors_end, shared = _channels()
    except OSError as error:
        raise SolverError(f"{name} cannot start a process of its own: {error.strerror}") from error
    parent, child, code, hung = os.getpid(), 0, None, False
    said = LastWords(errors)
    try:
        with _no_signals() as mask:
            child = _fork(name)
            if child == 0:
                _be_the_child(task, Line(writer, shared, started), parent, reader, errors_end, programs, mask)
        writer.close()
        os.close(errors_end)
        errors_end = -1
        if request.on_bound is not None:
            request = replace(request, interrupt=_telling_bounds(request.interrupt, request.on_bound, shared))
        ended = _listen(child, reader, said, request, started, late, tell)
        if ended is None:
            hung = not _ends(child, said)
        said.read()
    finally:
        if child:
            _kill(child)  # its group too, if only the child has died
            code = _reap(child)
        reader.close()
        writer.close()
        for end in (errors, errors_end):
            if end >= 0:
                os.close(end)
    if ended is None:
        when = _STAGES[int(shared[2])]
        how = said.after("closed its line, and was killed" if hung else how_it_died(code))
        raise FailedSolveError(f"{name} died without an answer {when} ({how})")
    if not math.isnan(shared[0]) and ended.bound is None:
        ended = replace(ended, bound=float(shared[0]), nodes=int(shared[1]))
    return ended


def _telling_bounds(
    interrupt: Callable[[], bool] | None, tell: Callable[[float], None], shared: Values
) -> Callable[[], bool]:
    """The interrupt, which is asked often, and on the way the bound that the child left, where it has changed."""
    known, due = math.nan, 0.0

    def asked() -> bool:
        nonlocal known, due
        bound, now = float(shared[0]), time.perf_counter()
        if now >= due and abs(bound) < INFINITE and bound != known:
            known, due = bound, now + BOUND_SECONDS
            tell(bound)
        return interrupt is not None and interrupt()

    return asked


def _fork(name: str) -> int:
    with warnings.catch_warnings():
        # Python and JAX warn of forks in processes with threads, whose locks the child might need: this one runs the
        # solver only.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return os.fork()
        except OSError as error:
            raise SolverError(f"{name} cannot start a process of its own: {error.strerror}") from error


def _channels() -> tuple[Connection, Connection, int, int, Values]:
    """Both ends of the line, both ends of standard error, and memory for bound, nodes and stage.

    Raises
    ------
    OSError
        If there are no more of them; then none is left open.
    """
    with contextlib.ExitStack() as undo:
        reader, writer = Pipe(duplex=False)
        undo.callback(reader.close)
        undo.callback(writer.close)
        errors, errors_end = os.pipe()
        undo.callback(os.close, errors)
        undo.callback(os.close, errors_end)
        shared = np.frombuffer(mmap.mmap(-1, 24), dtype=np.float64)
        shared[:] = math.nan, 0.0, _START
        undo.pop_all()
    return reader, writer, errors, errors_end, shared


@contextmanager
def _no_signals() -> Iterator[set[int | signal.Signals]]:
    """Signals wait until the end; yields those that have been blocked before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        yield before
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listen(
    child: int,
    reader: Connection,
    said: LastWords,
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
                message = _read(reader.recv_bytes())
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


def _read(sent: bytes) -> Any:
    """A message of the child, or the error that it cannot be read."""
    try:
        return ForkingPickler.loads(sent)
    except Exception as error:
        return SolverError(f"the solver's process sends what cannot be read: {in_words(error)}")


def by_variable(variables: Sequence[Any], values: Values) -> Mapping[Any, float]:
    """Values by column as values by variable."""
    from pyomo.common.collections import ComponentMap  # half a second that solves on arrays do not need

    return ComponentMap(zip(variables, values.tolist(), strict=True))


def _be_the_child(
    task: Callable[[Line], Ended],
    line: Line,
    parent: int,
    reader: Connection,
    errors: int,
    programs: bool,
    mask: set[int | signal.Signals],
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
        _leave_handlers()
        reader.close()
        _die_with_parent(parent, programs)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        line.stage(_SOLVE)
        result = _result(task, line)
        line.stage(_ANSWER)
        line._pipe.send(result)
        code = 0
    except BaseException as error:  # nothing is above us: who swallows it here leaves the parent without a word
        with contextlib.suppress(BaseException):
            try:
                os.write(2, f"\n{in_words(error)}\n".encode(errors="replace"))
            except MemoryError:
                os.write(2, b"\nMemoryError\n")
            except BaseException:  # as where the stack is too deep for any more words
                os.write(2, f"\n{type(error).__name__}\n".encode())
    finally:
        os._exit(code)


def _leave_handlers() -> None:
    """No Python handler of the parent runs in the child, and the keyboard is not for it."""
    with contextlib.suppress(ValueError):  # raised outside the main thread, where no handler is ours
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def _result(task: Callable[[Line], Ended], line: Line) -> Ended | Exception:
    """What the task says: its answer, or an error that survives the pipe."""
    try:
        ended = task(line)
        return SolverError(in_words(line.fault)) if line.fault else ended
    except MatheurError as error:
        if line.fault:  # the solver has turned it into an error of its own
            return SolverError(in_words(line.fault))
        try:
            ForkingPickler.loads(ForkingPickler.dumps(error))
        except Exception:
            return SolverError(str(error))
        return error
    except MemoryError:
        return SolverError("the solver ran out of memory")
    except BaseException as error:
        return SolverError(in_words(line.fault or error))


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


def _ends(child: int, said: LastWords) -> bool:
    """Whether a child that has closed its line ends by itself, within a moment."""
    limit = time.perf_counter() + LAST_WORDS_SECONDS
    while time.perf_counter() < limit:
        said.read()
        try:
            if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                return True
        except ChildProcessError:  # somebody else collected it
            return True
        time.sleep(0.001)
    return False


def _reap(child: int) -> int | None:
    """Exit code of the child, the negative signal if one killed it; None if somebody else collected it."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except ChildProcessError:
        return None
