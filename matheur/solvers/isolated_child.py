"""The child's side of a solve in a separate process: its work, and its line to the parent."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from matheur.errors import MatheurError, SolverError
from matheur.solvers.last_words import in_words
from matheur.solvers.port import MilpStatus, TracePoint

__all__ = ["BOUND", "GIVEN", "HEAD", "NODES", "STAGE", "STAGES", "START", "Ended", "Line", "be_the_child"]

Values = NDArray[np.float64]

STAGES = ("before the solve", "during the solve", "while it answered")
"""Stages of a child, by number."""

START, SOLVE, ANSWER = range(3)
BOUND, NODES, STAGE, GIVEN, HEAD = range(5)
"""Places in the memory that parent and child share; the values sent by the parent follow."""


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
        First error on the line, None if there is none: solvers lose exceptions of callbacks.
    """

    def __init__(self, pipe: Connection, shared: Values, started: float) -> None:
        self._pipe, self._shared, self._started = pipe, shared, started
        self._taken = 0.0
        self.fault: Exception | None = None

    def incumbent(self, objective: float, bound: float | None, values: Values) -> None:
        """Send an incumbent at once."""
        point = TracePoint(time.perf_counter() - self._started, objective, bound)
        try:
            self._send(point, values)
        except Exception as error:
            self.fault = self.fault or error
            raise

    def _send(self, point: TracePoint, values: Values) -> None:
        self._pipe.send((point, values))

    def progress(self, bound: float, nodes: int) -> None:
        """Store the bound and the number of nodes in shared memory, where the parent finds them after a kill."""
        self._shared[BOUND], self._shared[NODES] = bound, nodes

    def given(self) -> Values | None:
        """Values by column that the parent has sent since the last call; None if there are none."""
        count = self._shared[GIVEN]
        if count == self._taken:
            return None
        values = self._shared[HEAD:].copy()
        if self._shared[GIVEN] != count:  # the child was stopped during the read, and newer values arrived
            return None
        self._taken = count
        return values

    def stage(self, stage: int) -> None:
        """Record the stage of the child, by number in `STAGES`."""
        self._shared[STAGE] = stage


def be_the_child(
    task: Callable[[Line], Ended],
    line: Line,
    parent: int,
    reader: Connection,
    errors: int,
    programs: bool,
    mask: set[int | signal.Signals],
) -> NoReturn:
    """Solve, answer and exit: nothing of the parent (its handlers, its buffers, its clean-up) may run here.

    Errors are reported through the pipe, or on standard error if that fails.
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
        line.stage(SOLVE)
        result = _result(task, line)
        line.stage(ANSWER)
        line._pipe.send(result)
        code = 0
    except BaseException as error:  # this is the outermost frame: an error swallowed here would not reach the parent
        with contextlib.suppress(BaseException):
            try:
                os.write(2, f"\n{in_words(error)}\n".encode(errors="replace"))
            except MemoryError:
                os.write(2, b"\nMemoryError\n")
            except BaseException:  # for example, if the stack is too deep for further calls
                os.write(2, f"\n{type(error).__name__}\n".encode())
    finally:
        os._exit(code)


def _leave_handlers() -> None:
    """Reset the parent's Python signal handlers in the child, and ignore interrupts from the keyboard."""
    with contextlib.suppress(ValueError):  # raised outside the main thread, where there are no handlers to reset
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            if callable(signal.getsignal(number)):
                signal.signal(number, signal.SIG_DFL)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


def _result(task: Callable[[Line], Ended], line: Line) -> Ended | Exception:
    """The result of the task: its answer, or an error that can be sent through the pipe."""
    try:
        ended = task(line)
        return SolverError(in_words(line.fault)) if line.fault else ended
    except MatheurError as error:
        if line.fault:  # the solver has replaced it by its own error
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
    """Let the operating system signal the death of the parent (Linux): kill a library at once, or end the whole group.

    While a program runs, this process waits for it in Python and can handle the signal; within a library it cannot.
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
