"""Signals as a flag."""

from __future__ import annotations

import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from matheur.engine import Budget, Interrupt
from matheur.engine.interrupt import ctrl_c, ctrl_c_ends, heeds_ctrl_c


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_sets_the_flag_the_second_raises(number: signal.Signals) -> None:
    """One signal asks, two insist; the former handlers come back afterwards."""
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with Interrupt() as interrupt:
        assert not interrupt()
        signal.raise_signal(number)
        assert interrupt()
        assert interrupt.signal == number
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_ctrl_c_is_a_flag_where_python_handles_it() -> None:
    """Next to what the caller asks; SIGTERM is left alone, and the former handler comes back."""
    terminate = signal.getsignal(signal.SIGTERM)
    asked = [False]
    with ctrl_c(lambda: asked[0]) as stop:
        assert signal.getsignal(signal.SIGTERM) is terminate
        assert not stop()
        asked[0] = True
        assert stop()
        asked[0] = False
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_is_not_touched_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """In other threads, and where somebody has a handler."""

    def own(*_: Any) -> None: ...

    def handler() -> Any:
        with ctrl_c():
            return signal.getsignal(signal.SIGINT)

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(handler).result() is signal.default_int_handler
    former = signal.signal(signal.SIGINT, own)
    try:
        assert handler() is own
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, former)


def test_functions_and_budgets_heed_ctrl_c() -> None:
    """Calls within see the flag of the outermost."""

    @heeds_ctrl_c
    def function(number: int, *, interrupt: Callable[[], bool] | None = None) -> list[bool]:
        assert interrupt is not None
        before = interrupt()
        with ctrl_c(interrupt) as inner:
            signal.raise_signal(signal.SIGINT)
            return [before, interrupt(), inner()]

    assert function(1) == [False, True, True]
    assert function(1, interrupt=lambda: True) == [True, True, True]
    budget = Budget()
    before = budget.interrupt
    with ctrl_c_ends(budget):
        signal.raise_signal(signal.SIGINT)
        assert budget.exhausted
    assert budget.interrupt is before
    assert not budget.exhausted
