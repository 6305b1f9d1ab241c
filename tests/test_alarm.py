"""Blocks of Python code under watch."""

from __future__ import annotations

import contextlib
import importlib
import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pyomo.environ as pyo
import pytest

import matheur
from matheur import alarm
from matheur.alarm import OutOfBudgetError, off, watched


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Handler, timer and logging are those of before."""
    before = signal.getsignal(signal.SIGALRM), logging.root.manager.disable
    yield
    assert (signal.getsignal(signal.SIGALRM), logging.root.manager.disable) == before
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def forever() -> NoReturn:
    """Code that never asks."""
    while True:
        sum(range(100))


def after(looks: int) -> Callable[[], bool]:
    asked = count()
    return lambda: next(asked) >= looks


def test_a_block_that_ends_is_left_alone() -> None:
    """What is made under watch is there afterwards."""
    with watched(lambda: False):
        made = sum(range(1000))
    assert made == 499500


def test_what_takes_no_time_is_built_in_any_case() -> None:
    """An operator that is asked to stop still ends in its own way, with what it has."""
    with watched(lambda: True):
        made = sum(range(1000))
    assert made == 499500


def test_code_that_never_asks_is_stopped() -> None:
    """An endless loop ends, although it catches every exception; what it has of clean-up is done."""
    cleaned = []

    def stubborn() -> None:
        try:
            while True:
                with contextlib.suppress(Exception):
                    forever()
        finally:
            cleaned.append(True)

    with pytest.raises(OutOfBudgetError), watched(after(3)):
        stubborn()
    assert cleaned == [True]


def test_pyomo_models_stop_without_a_word(caplog: pytest.LogCaptureFixture) -> None:
    """Pyomo logs whatever ends the construction of a component; of a stop it says nothing."""

    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(3))
    with pytest.raises(OutOfBudgetError), watched(after(3)):
        model.rows = pyo.Constraint(range(3), rule=lambda _model, _i: forever())
    assert not caplog.records


def test_errors_of_a_block_pass() -> None:
    """Whatever else a block raises comes out as it is."""
    with pytest.raises(KeyError, match="missing"), watched(lambda: False):
        raise KeyError("missing")


def test_watches_lie_in_one_another() -> None:
    """The inner one ends its block only, and the outer one goes on."""
    reached = []

    def outer() -> None:
        with pytest.raises(OutOfBudgetError), watched(after(2)):
            forever()
        reached.append(True)
        forever()

    with pytest.raises(OutOfBudgetError), watched(after(6)):
        outer()
    assert reached == [True]


def test_a_watch_may_end_early() -> None:
    """From `off` on the block is not stopped; without a watch it does nothing."""
    off()
    enough = [False]
    with watched(lambda: enough[0]):
        off()
        enough[0] = True
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_another_thread_is_not_stopped() -> None:
    """Signals do not reach it: the block runs to its end."""
    made: list[str] = []

    def work() -> None:
        with watched(lambda: True):
            made.append("block")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert made == ["block"]


def test_a_timer_of_somebody_else_is_left_alone() -> None:
    """A program that uses the alarm keeps it."""
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        with watched(after(1)):
            assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_a_module_is_imported_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import under watch comes to its end, and the block ends after it."""
    (tmp_path / "slow_module.py").write_text(
        "from matheur import test_looks\nwhile len(test_looks) < 4:\n    sum(range(100))\nwhole = True\n"
    )
    looks: list[int] = []

    def enough() -> bool:
        looks.append(1)
        return len(looks) > 1

    monkeypatch.setattr(matheur, "test_looks", looks, raising=False)
    monkeypatch.syspath_prepend(tmp_path)

    def load() -> None:
        importlib.import_module("slow_module")
        forever()

    with pytest.raises(OutOfBudgetError), watched(enough):
        load()
    assert sys.modules["slow_module"].whole  # type: ignore[attr-defined]
    assert len(looks) > 3
    assert alarm._watches == []


def test_a_late_signal_does_not_start_the_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal that is handled after the timer is off has no effect: without the handler, the next would be fatal."""
    switch = signal.setitimer

    def late(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
        before = switch(which, seconds, interval)
        if seconds == 0:
            signal.raise_signal(signal.SIGALRM)
        return before

    monkeypatch.setattr(signal, "setitimer", late)
    with watched(lambda: False), watched(lambda: False):
        off()
        left = [signal.getitimer(signal.ITIMER_REAL)[0]]
    left.append(switch(signal.ITIMER_REAL, 0)[0])
    assert left == [0, 0]


def test_the_way_out_of_a_watch_is_left_alone() -> None:
    """A tick on the way into or out of a context manager is let through: it might be the watch's own."""
    frames: list[FrameType] = []

    @contextlib.contextmanager
    def one() -> Iterator[None]:
        frames.append(sys._getframe(1))
        yield

    with one():
        pass
    assert alarm._in_one_piece(frames[0])
    assert not alarm._in_one_piece(None)


def test_what_python_forgets_is_repeated() -> None:
    """A stop that falls into a finalizer, where Python prints and forgets it, comes again, and nobody prints it."""
    printed: list[object] = []
    looks: list[int] = []

    class Slow:
        def __del__(self) -> None:
            for _ in range(10**9):
                if len(looks) > 1:
                    sum(range(1000))

    def enough() -> bool:
        looks.append(1)
        return len(looks) > 1

    def build() -> None:
        held = Slow()
        del held
        forever()

    former, sys.unraisablehook = sys.unraisablehook, printed.append
    try:
        with pytest.raises(OutOfBudgetError), watched(enough):
            build()
    finally:
        sys.unraisablehook = former
    assert printed == []
    assert len(looks) > 2


def test_a_timer_that_was_set_for_once_goes_on() -> None:
    """The command line sets it to repeat an interrupt; the watch does not end with that."""

    def build() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        forever()

    with pytest.raises(OutOfBudgetError), watched(after(3)):
        build()
