"""Exact searches in parts, and what they say of the way that is left."""

from __future__ import annotations

import math

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.methods.statespace import astar, bidirectional
from matheur.methods.statespace.best_first.astar import PausedAStar
from matheur.methods.statespace.breadth_first import BothEnds
from matheur.methods.statespace.domains import domain_of
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.cubical.domain import CubicalDomain

RINGS = tuple("abcde")


def puzzle(start: tuple[int, ...] = (4, 1, 5, 13, 7), target: tuple[int, ...] = (13, 7, 5, 4, 1)) -> CubicalDomain:
    """The hardest puzzle of the paper in dimension 4, whose optimum is 11."""
    domain = domain_of(Cubical(Instance(4, 3, RINGS[: len(start)], start, target)))
    assert isinstance(domain, CubicalDomain)
    return domain


@pytest.mark.parametrize("part", [7, 100, 5_000])
def test_a_search_in_parts_ends_as_in_one(part: int) -> None:
    """An optimal plan and its proof, and no claim on the way. (Which states of a block come first may differ.)"""
    domain = puzzle()
    pairs = [
        (PausedAStar(domain, domain.hamming()), astar(domain, domain.hamming())),
        (BothEnds(domain), bidirectional(domain)),
    ]
    for search, whole in pairs:
        while not search.ended:
            assert search.answer().plan is None
            assert not search.answer().unreachable
            budget = Budget(work=part)
            search.run(budget)
            assert 0 < budget.spent_work <= part
        answer = search.answer()
        assert (answer.cost, answer.bound, answer.proved) == (whole.cost, whole.bound, whole.proved) == (11, 11, True)
        assert answer.expanded <= 1.1 * whole.expanded
        assert answer.plan is not None
        np.testing.assert_array_equal(domain.apply(domain.start, answer.plan)[-1], domain.goal)


def test_a_search_that_has_not_begun_claims_nothing() -> None:
    """In particular not that there is no plan."""
    domain = puzzle()
    for search in (PausedAStar(domain, domain.hamming()), BothEnds(domain)):
        answer = search.answer()
        assert (answer.plan, answer.unreachable, answer.proved, answer.expanded) == (None, False, False, 0)
        assert answer.bound <= 11


def test_forecasts_grow_with_the_moves_and_end_with_the_search() -> None:
    """What was reached needs nothing; the first move ahead is foretold within a factor of ten."""
    domain = puzzle()
    for search in (PausedAStar(domain, domain.hamming()), BothEnds(domain)):
        done = expected = 0
        foretold: tuple[int, float, int] | None = None
        while not search.ended:
            search.run(Budget(work=100))
            answer = search.answer()
            if foretold is not None and answer.bound >= foretold[0]:
                needed = answer.expanded - foretold[2]
                done, expected = done + needed, expected + foretold[1]
                foretold = None
            needs = [search.forecast(answer.bound + more) for more in range(4)]
            if None not in needs and not search.ended:
                assert needs[0] == 0.0
                assert needs == sorted(needs)
                if foretold is None:
                    foretold = answer.bound + 1, needs[1], answer.expanded
        assert search.forecast(100) == 0.0
        assert 0.1 < expected / max(1, done) < 10


def test_what_does_not_fit_into_the_memory_is_foretold() -> None:
    """Levels that would need more than there is make the forecast infinite."""
    domain = puzzle()
    search = BothEnds(domain, memory=1 << 16)
    search.run(Budget(work=200))
    assert search.forecast(search.answer().bound + 1) != math.inf
    assert search.forecast(30) == math.inf


def test_a_start_that_is_the_goal_needs_no_search() -> None:
    """The plan is empty at once."""
    domain = puzzle((4, 1), (4, 1))
    for search in (PausedAStar(domain, domain.hamming()), BothEnds(domain)):
        assert search.ended
        assert (search.answer().cost, search.answer().proved) == (0, True)
