"""Signals as a flag."""

from __future__ import annotations

import signal

import pytest

from matheur.engine import Interrupt


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
