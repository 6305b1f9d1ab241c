"""Compilation is known while it lasts, and the search clock stands still meanwhile."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest
from compiling_tasks import compile_in_worker, kernels

from matheur.compiling import Compilation, compilation, search_clock
from matheur.engine import Budget, OutOfBudgetError
from matheur.engine.processes import workers
from matheur.kernels import kernel


def test_the_clock_stands_still() -> None:
    """From the first call of a kernel until it is compiled; a kernel inside of it is part of that."""
    times, told = [100.0], list[int]()
    one = Compilation(now=lambda: times[0])
    with one.told_to(told.append):
        began = one.clock()
        one.begin()
        times[0] += 20.0
        one.begin()
        times[0] += 20.0
        assert one.clock() == began
        assert one.seconds == 40.0
        one.end()
        times[0] += 10.0
        one.end()
        times[0] += 1.0
    one.begin()
    one.end()
    assert one.clock() - began == 1.0
    assert (one.seconds, one.compiled, told) == (50.0, 3, [1, 2, 0])


def test_kernels_are_told_of() -> None:
    """Each kernel once, those that others call too, and what numba compiles for itself not at all."""
    told = list[int]()
    before, spent = compilation.compiled, compilation.seconds
    with compilation.told_to(told.append):
        new = kernels()
        assert new(1) == 4
        assert new(2) == 6
    assert told == [before + 1, before + 2, 0]
    assert compilation.seconds > spent


def test_a_failed_compilation_ends() -> None:
    """The clock goes on after a kernel that cannot be compiled."""

    with pytest.raises(Exception, match="nothing"):
        _wrong()(1)
    before = search_clock()
    time.sleep(0.01)
    assert search_clock() > before


@pytest.mark.parametrize("on", [True, False])
def test_the_garbage_collector_rests(on: bool) -> None:
    """While a kernel is compiled, failed ones and those inside of it included; then it is as it was before."""
    during = list[bool]()
    (gc.enable if on else gc.disable)()
    try:
        with compilation.told_to(lambda _: during.append(gc.isenabled())):
            kernels()(1)
        assert gc.isenabled() is on
        with pytest.raises(Exception, match="nothing"):
            _wrong()(1)
        assert gc.isenabled() is on
    finally:
        gc.enable()
    assert not any(during)


def _wrong() -> Callable[[int], int]:
    @kernel
    def wrong(x: int) -> int:
        return x.nothing  # type: ignore[attr-defined, no-any-return]

    return wrong  # type: ignore[no-any-return]


def test_no_limit_is_spent_on_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A budget, a child of it and what it watches outlast a compilation that takes longer than they have."""
    now = [0.0]
    fake = Compilation(now=lambda: now[0])
    budget = Budget(seconds=10, clock=fake.clock)
    child = budget.child(seconds=1)
    with child.watched():
        fake.begin()
        now[0] += 1000.0
        time.sleep(0.25)  # the watch looks
        fake.end()
    assert not child.exhausted
    assert child.seconds_left == 1
    now[0] += 1.0
    assert child.exhausted
    assert not budget.out_of_time
    now[0] += 9.0
    with pytest.raises(OutOfBudgetError), budget.watched():
        time.sleep(5)


def test_workers_tell_of_their_kernels() -> None:
    """The parent's clock counts what they compile, as often as they say so, and goes on when they are gone."""
    before, spent, heard = compilation.compiled, compilation.seconds, list[str]()
    with workers(2) as pool:
        tasks = [pool.submit(compile_in_worker) for _ in range(2)]
        assert [task.result() for task in tasks] == [2, 2]
        while len(heard) < 2:
            heard.extend(pool.reports())
    assert heard == ["done", "done"]
    assert compilation.compiled == before + 4
    assert compilation.seconds > spent
    moment = search_clock()
    time.sleep(0.01)
    assert search_clock() > moment
