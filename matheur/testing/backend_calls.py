"""Contracts on a backend in the caller's process: options, interrupts, signals, callbacks, output, threads."""

from __future__ import annotations

import io
import itertools
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest
from matheur.testing import models
from matheur.testing.backend_case import LONG, BackendCase, near, require_optimum
from matheur.testing.contract import Contract, NotPromisedError, raises, require

__all__ = ["CALLS"]


def unknown_option_is_an_error(case: BackendCase) -> None:
    """A misspelt option is never silently ignored."""
    case.needs("options")
    request = SolveRequest(options={"no_such_option": 1})
    raises(SolverError, lambda: case.solve(models.odd_cycle_cover(), request), "an unknown option is ignored")


def interrupt_keeps_the_incumbent(case: BackendCase) -> None:
    """A solve that would take a minute ends soon after it is asked to, and keeps what it has if it traces."""
    case.needs("interrupt")
    polls, seen = iter(range(10**6)), list[int]()
    traces = case.backend.capabilities.trace
    request = replace(
        LONG, interrupt=lambda: next(polls) > 40 and bool(seen or not traces), on_incumbent=lambda *_: seen.append(1)
    )
    answer = case.solve(models.market_split(slack=True), request)
    require(answer.seconds < 30, f"it ends after {answer.seconds:.0f} seconds")
    require(answer.message == "interrupted", f"the message is {answer.message!r}, not 'interrupted'")
    if not traces:
        require(answer.status is MilpStatus.UNKNOWN, f"the status is '{answer.status.value}', not 'unknown'")
        return
    require(answer.status is MilpStatus.FEASIBLE, f"the status is '{answer.status.value}', not 'feasible'")
    last = answer.trace[-1].objective
    require(near(answer.objective, last), f"the objective is {answer.objective}, and the last incumbent had {last}")
    require(len(answer.values) == 50, f"{len(answer.values)} of 50 variables have a value")


def signal_handlers_run(case: BackendCase) -> None:
    """What the handler of a signal raises during a solve passes through at once."""
    polls = itertools.count()

    def handler(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    def under_way() -> bool:
        if next(polls) == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.1)
        return False

    try:
        before = signal.signal(signal.SIGALRM, handler)
    except ValueError:
        raise NotPromisedError("signals are handled in the main thread only") from None
    if not case.backend.capabilities.interrupt:  # it does not poll: send the signal after a delay
        signal.setitimer(signal.ITIMER_REAL, 0.5)
    request = replace(LONG, interrupt=under_way)
    try:
        raises(
            KeyboardInterrupt, lambda: case.solve(models.market_split(slack=True), request),
            "the solve ends without the exception that the handler of a signal has raised",
        )  # fmt: skip
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def incumbents_are_handed_out(case: BackendCase) -> None:
    """Each improvement arrives while the solve runs, with its values, better than the one before it."""
    case.needs("trace")
    model = models.market_split(slack=True)
    seen: list[tuple[float, float]] = []

    def take(point: Any, values: Any) -> None:
        seen.append((point.objective, sum(values[v] for v in (*model.over.values(), *model.under.values()))))

    answer = case.solve(model, SolveRequest(nodes=200, on_incumbent=take))
    require(seen, "no incumbent is handed out")
    objectives, traced = [objective for objective, _ in seen], [point.objective for point in answer.trace]
    require(objectives == traced, f"incumbents of {objectives} are handed out, and the trace has {traced}")
    for objective, misses in seen:
        require(near(objective, misses, 1e-4), f"an incumbent of {objective} has values of {misses}")
    require(sorted(set(objectives), reverse=True) == objectives, f"incumbents do not get better: {objectives}")
    require(near(answer.objective, objectives[-1]), f"the last incumbent is {objectives[-1]}, not {answer.objective}")


def nothing_is_printed(case: BackendCase) -> None:
    """Neither the solver nor its layers write to the caller's output."""
    for model in (models.knapsack(), models.infeasible()):
        with _caught() as shown:
            case.solve(model)
        require(not shown, f"it prints {b''.join(shown)[:200]!r}")


def callback_errors_pass(case: BackendCase) -> None:
    """An exception of a callback stops the solve and is not swallowed."""
    case.needs("trace")

    def refuse(_point: object, _values: object) -> None:
        raise ZeroDivisionError("as asked")

    request = replace(LONG, on_incumbent=refuse)
    error = raises(
        ZeroDivisionError, lambda: case.solve(models.market_split(slack=True), request), "its error is swallowed"
    )
    require("as asked" in str(error), f"the error of a callback comes back as {error!r}")


def threads_may_change(case: BackendCase) -> None:
    """A second number of threads in one process is no trouble."""
    for threads in (2, 1, 2):
        require_optimum(case.solve(models.odd_cycle_cover(9), SolveRequest(threads=threads)), 15)


CALLS: tuple[Contract, ...] = (
    unknown_option_is_an_error, interrupt_keeps_the_incumbent, signal_handlers_run, incumbents_are_handed_out,
    nothing_is_printed, callback_errors_pass, threads_may_change,
)  # fmt: skip
"""Contracts about calls."""


@contextmanager
def _caught() -> Iterator[list[bytes]]:
    """Capture of standard output and error, of Python and of native code."""
    shown: list[bytes] = []
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with tempfile.TemporaryFile() as file, io.StringIO() as text:
        try:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            with redirect_stdout(text), redirect_stderr(text):
                yield shown
        finally:
            for number, copy in enumerate(kept, start=1):
                os.dup2(copy, number)
                os.close(copy)
        file.seek(0)
        shown += [part for part in (file.read(), text.getvalue().encode()) if part]
