"""Budgets: limits, shares and what is booked where."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget, OutOfBudgetError
from matheur.errors import OperatorError


class Clock:
    """Time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_limits_nothing_ends() -> None:
    """A budget without limits is never exhausted, untimed, and has no figures left."""
    budget = Budget()
    budget.spend(work=10**9, iterations=10**6)
    assert not budget.exhausted
    assert not budget.timed
    assert budget.seconds_left == math.inf
    assert budget.work_left is None
    assert budget.iterations_left is None


def test_each_limit_ends_it() -> None:
    """Seconds, work, iterations and an interrupt each exhaust a budget; nothing left is ever negative."""
    clock = Clock()
    timed, worked, counted = Budget(seconds=2, clock=clock), Budget(work=5), Budget(iterations=3)
    assert not any(budget.exhausted for budget in (timed, worked, counted))
    clock.now += 3
    worked.spend(work=9)
    counted.spend(iterations=4)
    assert all(budget.exhausted for budget in (timed, worked, counted))
    assert (timed.seconds_left, worked.work_left, counted.iterations_left) == (0, 0, 0)
    assert timed.elapsed == 3
    assert Budget(interrupt=lambda: True).exhausted
    assert Budget(work=0).exhausted
    assert Budget(seconds=0).exhausted


def test_slices_are_no_larger_than_what_is_left() -> None:
    """Steps are counted in work, some to a unit, where work is limited; iterations limit those who count them too."""
    free, worked, both = Budget(), Budget(work=5), Budget(work=5, iterations=3)
    assert (free.affordable(1000), free.affordable(None), free.limit(1000)) == (1000, None, 1000)
    assert (worked.affordable(1000), worked.affordable(3), worked.affordable(None)) == (5, 3, 5)
    assert (worked.affordable(1000, 100), worked.affordable(300, 100), worked.affordable(None, per_work=10)) == (
        500,
        300,
        50,
    )
    assert (both.affordable(1000), both.limit(1000), both.limit(2)) == (5, 3, 2)
    worked.spend(work=9)
    assert (worked.affordable(1000), worked.affordable(None, 10), worked.limit(7)) == (0, 0, 0)


def test_builders_are_stopped_by_time_and_interrupt_only() -> None:
    """`check` raises once the time has ended or the user wants to stop; work and iterations do not count."""
    clock = Clock()
    timed, asked = Budget(seconds=2, clock=clock), Budget(interrupt=lambda: True)
    timed.check()
    Budget(work=0, iterations=0).check()
    clock.now += 2
    for budget in (timed, asked):
        with pytest.raises(OutOfBudgetError):
            budget.check()


def test_work_of_a_child_counts_in_every_parent() -> None:
    """Work is booked on all levels, iterations on one."""
    outer = Budget(work=100)
    middle = outer.child()
    inner = middle.child()
    inner.spend(work=7, iterations=2)
    assert [level.spent_work for level in (outer, middle, inner)] == [7, 7, 7]
    assert [level.spent_iterations for level in (outer, middle, inner)] == [0, 0, 2]


@pytest.mark.parametrize("value", [-5, 1.5, 2.0, float("nan"), "3", None, np.int64(-1), np.float64(1)])
@pytest.mark.parametrize("what", ["work", "iterations"])
def test_what_is_no_count_is_not_booked(what: str, value: Any) -> None:
    """The limit would never be reached, or the run end at once; numbers of numpy are as good as others."""
    budget = Budget(work=100)
    with pytest.raises(OperatorError, match=rf"{what} is booked in whole numbers from 0 \({re.escape(repr(value))}\)"):
        budget.child().spend(**{what: value})
    assert (budget.spent_work, budget.spent_iterations) == (0, 0)
    budget.spend(work=np.int32(3), iterations=np.array(2))  # type: ignore[arg-type]
    assert (budget.spent_work, budget.spent_iterations) == (3, 2)
    assert type(budget.spent_work) is int


def test_a_child_gets_no_more_than_is_left() -> None:
    """Shares are cut to what the parent has; target, interrupt, proofs and the way out are the parent's."""
    clock = Clock()
    heard: list[object] = []
    outer = Budget(seconds=10, work=100, target=3, clock=clock, on_incumbent=lambda s, o: heard.append((s, o)))
    outer.spend(work=60)
    clock.now += 4
    child = outer.child(seconds=60, work=1000)
    assert child.work_left == 40
    assert child.seconds_left == 6
    assert outer.child(seconds=1, work=5).work_left == 5
    assert outer.child().iterations_left is None
    assert child.proofs is outer.proofs
    assert outer.job == child.job == (0, 1)
    assert Budget(job=(2, 3)).child(work=1).job == (2, 3)
    assert child.reached(3)
    assert not child.reached(4)
    assert not child.reached(None)
    child.offer("solution", 8)
    assert heard == [("solution", 8)]


def test_a_child_of_an_untimed_budget_may_be_timed() -> None:
    """A share of seconds makes a call timed even if the run is not."""
    assert Budget().child(seconds=1).timed
    assert not Budget().child().timed


def test_a_child_goes_on_as_long_as_it_is_said() -> None:
    """A child whose seconds have passed goes on with its parent's, as its own children do, until told to end."""
    clock, nothing = Clock(), [True]
    parent = Budget(seconds=9, clock=clock)
    child = parent.child(seconds=6, unless=lambda: nothing[0])
    inner, short = child.child(), child.child(seconds=1)
    assert child.seconds_left == 6
    clock.now += 7
    assert not child.exhausted
    assert not inner.exhausted
    assert short.exhausted
    assert child.seconds_left == inner.seconds_left == child.child().seconds_left == 2
    nothing[0] = False
    assert child.exhausted
    assert inner.out_of_time
    assert child.seconds_left == 0
    nothing[0] = True
    clock.now += 2
    assert child.exhausted
    assert inner.exhausted
