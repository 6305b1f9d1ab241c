"""What worker processes run in tests: it has to live in a module that they can import."""

from __future__ import annotations

import time

from engine import toy

from matheur.engine import Budget
from matheur.engine.portfolio import Member, Slice
from matheur.engine.processes import report, stop_requested

PATIENCE = 60.0


def until_asked(number: int) -> int:
    """Report, wait for the wish to stop, and return the number."""
    report(("begun", number))
    end = time.monotonic() + PATIENCE
    while not stop_requested() and time.monotonic() < end:
        time.sleep(0.01)
    return number if stop_requested() else -1


def double(number: int) -> int:
    """Report the number and return its double."""
    report({"half": number})
    return 2 * number


def work_on(problem: toy.SmallSum, work: int | None, iterations: int | None, slice_: Slice) -> Member:
    """A slice of a member of a portfolio."""
    search = toy.search(problem, toy.Lower(), toy.Redraw())
    budget = Budget(seconds=slice_.seconds, work=work, iterations=iterations)
    found = search.run(budget, slice_.seed, state=slice_.state, pause=slice_.pause)
    return Member(slice_.member, found.objective, found.stopped, found.state, toy.figures(found))
