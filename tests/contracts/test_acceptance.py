"""Every registered acceptance criterion keeps its contract."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from matheur.engine import acceptance_criteria
from matheur.testing.options import check_options

NAMES = acceptance_criteria.names()


@pytest.fixture(params=NAMES)
def cls(request: pytest.FixtureRequest) -> Any:
    return acceptance_criteria.get(request.param)


def walk(criterion: Any, rounds: range) -> list[bool]:
    """Return decisions on candidates around a current solution; each round has its own generator."""
    decisions = []
    for number in rounds:
        rng = np.random.default_rng(number)
        current = float(rng.integers(20, 30))
        candidate = current + float(rng.integers(-2, 4))
        decisions.append(criterion.accepts(candidate, current, 18.0, number / 100, rng))
    return decisions


def test_better_ones_are_always_accepted(cls: Any) -> None:
    """No criterion ever refuses an improvement."""
    criterion, rng = cls(), np.random.default_rng(0)
    for number in range(100):
        assert criterion.accepts(19.0, 20.0, 18.0, number / 100, rng) is True


def test_hopeless_ones_are_refused(cls: Any) -> None:
    """A candidate that is far worse than all before is refused."""
    criterion, rng = cls(), np.random.default_rng(0)
    assert not any(criterion.accepts(1e6, 20.0, 18.0, number / 100, rng) for number in range(100))


def test_decisions_depend_on_the_past_and_the_generator_alone(cls: Any) -> None:
    """The same past gives the same decisions; a state restored from JSON continues them at any moment."""
    whole = walk(cls(), range(100))
    assert set(whole) == {True, False}
    assert walk(cls(), range(100)) == whole
    for moment in (0, 1, 9, 60):
        first, second = cls(), cls()
        walk(first, range(moment))
        second.restore(json.loads(json.dumps(first.state())))
        assert walk(second, range(moment, 100)) == whole[moment:]


def test_options_are_documented_and_checked(cls: Any) -> None:
    """Every option is documented; an unknown option is an error with a suggestion."""
    check_options(cls, "acceptance")
