"""Acceptance criteria, one by one (what all have in common: tests/contracts)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.engine.acceptance import Annealing, Improving, LateAcceptance, NonWorsening, RecordToRecord
from matheur.errors import ConfigurationError


def accepts(criterion: Any, candidate: float, current: float = 10, best: float = 8, progress: float = 0.0) -> bool:
    answer: bool = criterion.accepts(candidate, current, best, progress, np.random.default_rng(1))
    return answer


def test_improving_takes_only_better_ones() -> None:
    """Equal is not enough."""
    assert accepts(Improving(), 9)
    assert not accepts(Improving(), 10)


def test_non_worsening_takes_equal_ones() -> None:
    """Equal is enough, worse is not."""
    assert accepts(NonWorsening(), 10)
    assert not accepts(NonWorsening(), 11)


def test_annealing_cools_down() -> None:
    """The share of accepted losses follows the Metropolis rule at the start and vanishes at the end."""
    criterion, rng = Annealing(start=2.0, end=0.01), np.random.default_rng(0)

    def rate(progress: float) -> float:
        return float(np.mean([criterion.accepts(11, 10, 8, progress, rng) for _ in range(4000)]))

    assert rate(0.0) == pytest.approx(np.exp(-1 / 2.0), abs=0.03)
    assert rate(0.0) > rate(0.5) > rate(1.0) == 0.0
    assert criterion.accepts(10, 10, 8, 1.0, rng)


def test_record_to_record_stays_near_the_best() -> None:
    """The deviation is counted from the best and shrinks with progress."""
    criterion = RecordToRecord(deviation=4)
    assert accepts(criterion, 12)
    assert not accepts(criterion, 13)
    assert not accepts(criterion, 12, progress=0.5)
    assert accepts(criterion, 10, progress=1.0)


def test_late_acceptance_compares_with_the_past() -> None:
    """A loss is taken while the value of `length` decisions ago is not better, and no longer."""
    criterion = LateAcceptance(length=2)
    assert accepts(criterion, 7, current=9)
    assert accepts(criterion, 9, current=7)
    assert not accepts(criterion, 9, current=7)
    assert accepts(criterion, 7, current=7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Annealing(start=1, end=2),
        lambda: Annealing(end=0),
        lambda: Annealing(start=float("nan")),
        lambda: Annealing(start=float("inf")),
        lambda: RecordToRecord(-1),
        lambda: RecordToRecord(float("nan")),
        lambda: LateAcceptance(0),
    ],
)
def test_wrong_values_are_refused(make: Any) -> None:
    """Values that make no sense are configuration errors."""
    with pytest.raises(ConfigurationError):
        make()
