"""Schedules, one by one (what all have in common: tests/contracts)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from matheur.engine import Call
from matheur.engine.schedules import Cycle, Descent, GainPerSecond, QLearning, Roulette
from matheur.errors import ConfigurationError

OPEN = [True, True, True]


def play(
    schedule: Any, rounds: int, call: Callable[[int], Call] = lambda index: Call(index, 0.0, 1.0), open_: Any = OPEN
) -> list[int]:
    rng, chosen = np.random.default_rng(3), []
    for _ in range(rounds):
        chosen.append(schedule.choose(open_, rng))
        schedule.record(call(chosen[-1]))
    return chosen


def test_cycle_keeps_the_order_with_repetitions() -> None:
    """Each entry comes as often in a row as it should; missing repetitions are one."""
    assert play(Cycle(), 7) == [0, 1, 2, 0, 1, 2, 0]
    assert play(Cycle((2, 1)), 8) == [0, 0, 1, 2, 0, 0, 1, 2]


@pytest.mark.parametrize("schedule", [Cycle((2, 1, 3)), Roulette((1.0, 2.0, 0.5))])
def test_more_entries_than_neighbourhoods_are_refused(schedule: Cycle | Roulette) -> None:
    """An entry beyond the list would have no effect."""
    for count in (0, 3, 4):
        schedule.check(count)
    with pytest.raises(ConfigurationError, match="3 entries, and there are 2 neighbourhoods"):
        schedule.check(2)


def test_cycle_passes_over_closed_ones() -> None:
    """A closed neighbourhood loses its turn, also in the middle of its repetitions."""
    schedule, rng = Cycle((3,)), np.random.default_rng(0)
    assert schedule.choose(OPEN, rng) == 0
    schedule.record(Call(0, 0, 1))
    assert schedule.choose([False, False, True], rng) == 2
    schedule.record(Call(2, 0, 1))
    assert schedule.choose(OPEN, rng) == 0


def test_descent_goes_back_after_a_gain() -> None:
    """On to the next without a gain, back to the first with one."""
    gains = iter([0.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    assert play(Descent(), 6, lambda index: Call(index, next(gains), 1.0)) == [0, 1, 2, 0, 1, 0]
    assert play(Descent(), 4) == [0, 1, 2, 0]
    assert play(Descent(), 3, open_=[False, True, False]) == [1, 1, 1]


def test_roulette_follows_its_weights_and_success() -> None:
    """Without reaction the weights are the shares; with it, the successful one comes more often."""
    shares = Counter(play(Roulette(weights=(6, 3, 1), reaction=0.0), 4000))
    assert [shares[i] / 4000 for i in range(3)] == pytest.approx([0.6, 0.3, 0.1], abs=0.03)
    learnt = Counter(play(Roulette(), 1000, lambda index: Call(index, float(index == 2), 1.0)))
    assert learnt[2] > 700
    assert min(learnt.values()) > 0
    assert set(play(Roulette(weights=(0, 0, 1), reaction=0.0), 50, open_=[True, True, False])) <= {0, 1}


def test_gain_per_second_prefers_cheap_gains() -> None:
    """All are tried once, then the best rate wins; with no gains the cost is spread evenly."""
    chosen = play(GainPerSecond(), 400, lambda index: Call(index, 1.0, [4.0, 1.0, 2.0][index]))
    assert chosen[:3] == [0, 1, 2]
    assert Counter(chosen).most_common(1)[0][0] == 1
    even = Counter(play(GainPerSecond(discount=1.0), 140, lambda index: Call(index, 0.0, [4.0, 1.0, 2.0][index])))
    assert [even[i] for i in range(3)] == pytest.approx([20, 80, 40], abs=2)


def test_q_learning_finds_the_one_that_gains() -> None:
    """The learnt choice is the neighbourhood whose gain per cost is best."""
    chosen = play(QLearning(epsilon=0.1), 600, lambda index: Call(index, float(index == 1), 1.0))
    assert set(chosen[:60]) == {0, 1, 2}
    assert Counter(chosen[-200:])[1] > 150


@pytest.mark.parametrize(
    "make",
    [
        lambda: Cycle((0,)),
        lambda: Roulette(weights=(-1.0,)),
        lambda: Roulette(reaction=2.0),
        lambda: Roulette(floor=0.0),
        lambda: GainPerSecond(discount=0.0),
        lambda: GainPerSecond(exploration=-1.0),
        lambda: GainPerSecond(exploration=float("nan")),
        lambda: Roulette(floor=float("nan")),
        lambda: GainPerSecond(exploration=float("inf")),
        lambda: Roulette(floor=float("inf")),
        lambda: Roulette(weights=(1.0, float("inf"))),
        lambda: QLearning(learning_rate=0.0),
        lambda: QLearning(discount=1.0),
        lambda: QLearning(epsilon=1.5),
    ],
)
def test_wrong_values_are_refused(make: Any) -> None:
    """Values that make no sense are configuration errors."""
    with pytest.raises(ConfigurationError):
        make()
