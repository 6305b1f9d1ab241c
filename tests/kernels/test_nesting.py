"""Kernels that other kernels call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.compiling import compilation
from matheur.kernels import caching, kernel


@pytest.fixture(autouse=True)
def uncached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is loaded or stored: what these tests count is compiled each time."""
    monkeypatch.setattr(caching.KernelCache, "_files", lambda _: [])


def test_constants_make_no_kernels_of_their_own() -> None:
    """One copy serves all constants, truth values and widths of signed integers; the answers are the same."""

    @kernel
    def called(x: Any, number: Any, flag: Any) -> Any:
        return x + number if flag else x - number

    @kernel
    def calls(x: Any, small: Any) -> Any:
        return called(x, 1, True) + called(x, 2, False) + called(x, small[0], True) + called(x, -3, x > 0)

    before = compilation.compiled
    assert calls(10, np.array([7], dtype=np.int32)) == 11 + 8 + 17 + 7
    assert compilation.compiled - before == 2


def test_unsigned_numbers_and_floats_keep_their_types() -> None:
    """What would compute otherwise is not widened."""

    @kernel
    def shifted(x: Any) -> Any:
        return x >> np.uint64(1)

    @kernel
    def calls(numbers: Any) -> Any:
        return shifted(numbers[0])

    assert calls(np.array([2**64 - 1], dtype=np.uint64)) == 2**63 - 1

    @kernel
    def half(x: Any) -> Any:
        return x * 0.5

    @kernel
    def halves(x: Any) -> Any:
        return half(x[0]) + half(3)

    assert halves(np.array([0.5], dtype=np.float32)) == 1.75


def test_a_kernel_that_needs_a_constant_gets_it() -> None:
    """The index of a tuple of different types must be known when it is compiled."""

    @kernel
    def entry(of: Any, index: Any) -> Any:
        return of[index]

    @kernel
    def calls(of: Any) -> Any:
        return entry(of, 0) + entry(of, 1)[0]

    assert calls((1.5, np.array([2]))) == 3.5


def test_a_kernel_serves_python_and_other_kernels() -> None:
    """Whoever comes first."""

    @kernel
    def shared(x: Any) -> Any:
        return x + 1

    @kernel
    def calls(x: Any) -> Any:
        return shared(x) * 2

    assert calls(1) == 4
    assert shared(1) == 2
    assert calls(2) == 6
    assert shared(np.int32(2)) == 3


def test_a_kernel_may_call_itself() -> None:
    """A kernel in its own body."""

    @kernel
    def factorial(n: Any) -> Any:
        if n <= 1:
            return 1
        return n * factorial(n - 1)

    @kernel
    def calls(n: Any) -> Any:
        return factorial(n)

    assert factorial(5) == calls(5) == 120


def test_names_and_defaults_of_arguments() -> None:
    """They are as in Python."""

    @kernel
    def weighted(x: Any, weight: Any = 3, more: Any = 0) -> Any:
        return x * weight + more

    @kernel
    def calls(x: Any) -> Any:
        return weighted(x) + weighted(x, more=1) + weighted(weight=2, x=x)

    assert calls(10) == 30 + 31 + 20
