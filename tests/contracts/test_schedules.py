"""Every registered schedule keeps its contract."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from matheur.engine import Call, schedules
from matheur.testing.options import check_options

NAMES = schedules.names()


@pytest.fixture(params=NAMES)
def cls(request: pytest.FixtureRequest) -> Any:
    return schedules.get(request.param)


def play(schedule: Any, rounds: range, count: int = 4) -> list[int]:
    """Return choices while some neighbourhoods are closed; the gains depend only on the round."""
    chosen = []
    for number in rounds:
        rng = np.random.default_rng(number)
        open_ = rng.random(count) < 0.7
        open_[int(rng.integers(count))] = True
        chosen.append(schedule.choose(open_.tolist(), rng))
        assert open_[chosen[-1]]
        schedule.record(Call(chosen[-1], float(rng.integers(3)), float(rng.integers(1, 9))))
    return chosen


def test_only_open_ones_are_chosen_and_all_have_their_turn(cls: Any) -> None:
    """A closed neighbourhood is never chosen, and each open one is chosen at some time."""
    chosen = play(cls(), range(300))
    assert set(chosen) == {0, 1, 2, 3}
    assert play(cls(), range(20), count=1) == [0] * 20


def test_the_same_past_gives_the_same_choice(cls: Any) -> None:
    """A schedule depends only on its generator and on the recorded calls."""
    assert play(cls(), range(100)) == play(cls(), range(100))


def test_a_stored_state_continues(cls: Any) -> None:
    """A state restored from JSON continues exactly, at any moment and before the first choice."""
    whole = play(cls(), range(60))
    for moment in (0, 1, 7, 30):
        first, second = cls(), cls()
        play(first, range(moment))
        second.restore(json.loads(json.dumps(first.state())))
        assert play(second, range(moment, 60)) == whole[moment:]


def test_choosing_again_changes_nothing(cls: Any) -> None:
    """A resumed run repeats an unfinished call: the schedule makes the same choice and continues unchanged."""
    schedule, plain = cls(), cls()
    for number in range(40):
        open_ = [True, number % 3 > 0, True]
        schedule.choose(open_, np.random.default_rng(number))
        choices = [one.choose(open_, np.random.default_rng(number)) for one in (schedule, plain)]
        assert choices[0] == choices[1]
        for one in (schedule, plain):
            one.record(Call(choices[0], float(number % 2), 1.0))


def test_options_are_documented_and_checked(cls: Any) -> None:
    """Every option is documented; an unknown option is an error with a suggestion."""
    check_options(cls, "schedule")
