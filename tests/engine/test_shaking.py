"""Schedules that shake, and how the engine follows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from engine import toy
from numpy.random import Generator

from matheur.engine import Budget, Call, LocalSearch, Outcome, Status
from matheur.engine.acceptance import Improving
from matheur.engine.shaking import GeneralVNS, Shaking
from matheur.errors import ConfigurationError, InputError

RNG = np.random.default_rng(0)


def test_shakes_grow_until_there_is_a_better_solution() -> None:
    """Descent first; then each round one shake and a descent; a record makes the next shake the weakest again."""
    schedule, chosen = GeneralVNS(shakes=2), []
    gains = {4: 1.0, 9: 1.0}
    for number in range(15):
        chosen.append(schedule.choose([True] * 4, RNG))
        schedule.record(Call(chosen[-1], gains.get(number, 0.0), 1.0, record=number == 9))
    assert chosen == [2, 3, 0, 2, 3, 2, 3, 1, 2, 3, 2, 3, 0, 2, 3]
    assert isinstance(schedule, Shaking)
    assert [schedule.shakes_by(index) for index in range(4)] == [True, True, False, False]


def test_what_is_closed_is_passed_over() -> None:
    """With the descent closed it shakes, with the shakes closed it descends."""
    schedule = GeneralVNS(shakes=2)
    assert schedule.choose([True, True, False, False], RNG) == 0
    schedule.record(Call(0, 0.0, 1.0))
    assert schedule.choose([False, False, False, True], RNG) == 3
    schedule.record(Call(3, 0.0, 1.0))
    assert schedule.choose([True, False, True, True], RNG) == 2
    schedule.record(Call(3, 0.0, 1.0))
    assert schedule.choose([True, False, False, False], RNG) == 0


def test_wrong_numbers_and_damaged_states_are_refused() -> None:
    """There is at least one shake, and a stored one is among them."""
    with pytest.raises(ConfigurationError, match="shakes must be at least 1"):
        GeneralVNS(shakes=0)
    for damaged in ({"index": 0, "strength": 2}, {"index": -1, "strength": 0}, {"strength": "x"}):
        with pytest.raises(InputError):
            GeneralVNS(shakes=2).restore(damaged)


@dataclass
class Raise:
    """A shake: raise all digits below nine by one, and keep what it was given."""

    seen: list[list[int]]

    def explore(
        self, problem: toy.SmallSum, incumbent: toy.Digits, budget: Budget, rng: Generator
    ) -> Outcome[toy.Digits]:
        self.seen.append(incumbent.tolist())
        other = np.minimum(incumbent + 1, 9)
        return Outcome(Status.NO_IMPROVEMENT, other, int(other.sum()))


@dataclass(frozen=True)
class LowerOnce:
    """Lower the first digit by four while it is five at least."""

    def explore(
        self, problem: toy.SmallSum, incumbent: toy.Digits, budget: Budget, rng: Generator
    ) -> Outcome[toy.Digits]:
        if incumbent[0] < 5:
            return Outcome(Status.NO_IMPROVEMENT)
        better = incumbent.copy()
        better[0] -= 4
        return Outcome(Status.IMPROVED, better, int(better.sum()))


def test_a_shake_begins_from_the_best_solution_and_is_taken_however_bad() -> None:
    """Acceptance is not asked about it; the descent goes on from what it made, the next shake from the best again."""
    shake = Raise([])
    search = toy.search(toy.SmallSum(2), shake, LowerOnce(), schedule=GeneralVNS(), acceptance=Improving())
    result = search.run(Budget(iterations=12))
    assert result.objective == 1 + 9
    assert shake.seen == [[1, 9]] * len(shake.seen)
    assert len(shake.seen) > 2
    assert result.operators["raise0"].gain == 0


def test_a_run_that_is_cut_goes_on_as_it_would_have() -> None:
    """A checkpoint between a shake and its descent keeps where the rounds are."""

    def fresh() -> LocalSearch[toy.Digits]:
        return toy.search(
            toy.SmallSum(5), toy.Redraw(), toy.Redraw(), toy.Half(0), toy.Half(1), schedule=GeneralVNS(shakes=2)
        )

    whole = fresh().run(Budget(iterations=40), seed=3)
    for moment in (1, 7, 12, 25):
        first = fresh().run(Budget(iterations=moment), seed=3)
        second = fresh().run(Budget(iterations=40), seed=3, state=first.state)
        assert (second.objective, second.solution.tolist()) == (whole.objective, whole.solution.tolist())  # type: ignore[union-attr]
        assert second.state["schedule"] == whole.state["schedule"]
