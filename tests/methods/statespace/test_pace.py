"""Slices of a search get as short as its steps are long."""

from __future__ import annotations

from matheur.engine import Budget
from matheur.methods.statespace.pace import FIRST, Pace


def test_slices_follow_the_clock() -> None:
    """Short ones are doubled; after a slice that took too long, the next one lasts as long as it should."""
    now = 0.0
    pace = Pace(Budget(clock=lambda: now))
    assert pace.next() == FIRST
    pace.done(FIRST)
    assert pace.next() == 2 * FIRST
    now += 4.0
    pace.done(2 * FIRST)
    assert pace.next() == 2 * FIRST // 100
    now += 4.0
    pace.done(1)
    assert pace.next() == 1
    assert Pace(Budget(), first=3).next() == 3
