"""Runs a solve in a forked process, so that it can be stopped at any moment without losing its incumbent.

Solvers look at their interrupt flags rarely: HiGHS may stay in a root heuristic, SCIP in an LP, for minutes. And while
one runs in this process, nobody polls, signal handlers wait, a crash takes everything with it, and what it prints goes
to our output. A fork costs milliseconds and inherits the translated model without copying it. The child sends each
incumbent through a pipe as it comes; to stop it is to kill it.
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
from multiprocessing.connection import Connection, Pipe
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyomo.common.collections import ComponentMap

from matheur import alarm
from matheur.errors import MatheurError, SolverError
from matheur.solvers.port import MilpStatus, SolveRequest, TracePoint

__all__ = ["Ended", "Line", "run_isolated"]

POLL_SECONDS = 0.02
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
    variables: Sequence[Any],
    late: float = 0.3,
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
        Of the backend, for messages.
    started
        `time.perf_counter()` at the start of the call.
    variables
        The model's variables by column.
    late
        Seconds that a solver may overrun its own time limit before it is killed.

    Raises
    ------
    SolverError
        If the child dies, or fails.
    """
    alarm.off()  # from here on we ask, and a child must not be forgotten
    reader, writer = Pipe(duplex=False)
    memory = mmap.mmap(-1, 16)
    shared = np.frombuffer(memory, dtype=np.float64)
    shared[:] = math.nan, 0.0
    with warnings.catch_warnings():
        # Python and JAX warn of forks beside threads, whose locks the child might need: this one runs the solver only.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        child = os.fork()
    if child == 0:
        _be_the_child(task, Line(writer, shared, started))
    writer.close()
    died = False
    try:
        ended = _listen(child, reader, request, started, late, variables)
        died = ended is None
    finally:
        if not died:
            _kill(child)
        code = _reap(child)
        reader.close()
    if ended is None:
        raise SolverError(f"{name} died without an answer ({f'signal {-code}' if code < 0 else f'exit code {code}'})")
    if not math.isnan(shared[0]) and ended.bound is None:
        ended = replace(ended, bound=float(shared[0]), nodes=int(shared[1]))
    return ended


def _listen(
    child: int, reader: Connection, request: SolveRequest, started: float, late: float, variables: Sequence[Any]
) -> Ended | None:
    """Take messages until the answer, the death of the child (None) or a reason to kill it."""
    limit = math.inf if request.seconds is None else started + request.seconds + late
    trace: list[TracePoint] = []
    last: Ended = Ended(MilpStatus.UNKNOWN)
    reason = ""
    while True:
        waiting = not reason
        try:
            if not reader.poll(POLL_SECONDS if waiting else 0):
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
            if request.on_incumbent is not None:
                request.on_incumbent(point, by_variable(variables, values))
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
    return ComponentMap(zip(variables, values.tolist(), strict=True))


def _be_the_child(task: Callable[[Line], Ended], line: Line) -> None:
    """Solve, answer, vanish: nothing of the parent (its handlers, its buffers, its clean-up) may run here."""
    code = 1
    try:
        gc.disable()
        faulthandler.disable()  # it writes to a copy of our standard error
        os.setpgid(0, 0)  # so that killing the group takes a solver's own subprocess along
        with contextlib.suppress(ValueError):  # raised outside the main thread, where no handler is ours
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
        _die_with_parent()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        try:
            line._pipe.send(task(line))
        except MatheurError as error:
            line._pipe.send(error)
        except Exception as error:
            line._pipe.send(SolverError(f"{type(error).__name__}: {error}"))
        code = 0
    finally:
        os._exit(code)


def _die_with_parent() -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


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
