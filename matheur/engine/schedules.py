"""Schedules: which neighbourhood comes next.

A schedule sees only indices. Neighbourhoods in which the current solution is proved locally optimal are closed
until it changes; the engine ends when all are closed.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from numpy.random import Generator, default_rng

from matheur.engine.stored import Stored
from matheur.errors import ConfigurationError, InputError

__all__ = [
    "Call", "Cycle", "Descent", "GainPerSecond", "ListSchedule", "QLearning", "Roulette", "Schedule", "rehearse",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Call:
    """Result of one operator call.

    Attributes
    ----------
    index
        Number of the neighbourhood.
    gain
        Improvement of the current solution; 0 if there was none.
    cost
        Seconds in a timed run, work units in an untimed (reproducible) one.
    record
        Whether the call found a new best solution.
    """

    index: int
    gain: float
    cost: float
    record: bool = False


class Schedule(Protocol):
    """Chooses among the open neighbourhoods and learns from the results.

    A schedule that uses no randomness sets `draws = False`. It then gets no generator, whose creation takes as long as
    all other work of the engine between two calls.
    """

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        """Index of the next neighbourhood; at least one is open."""

    def record(self, call: Call) -> None: ...

    def state(self) -> dict[str, Any]:
        """State that a checkpoint stores, as plain JSON values."""

    def restore(self, state: dict[str, Any]) -> None: ...


@runtime_checkable
class ListSchedule(Protocol):
    """A schedule whose options belong to positions of the list of neighbourhoods."""

    def check(self, neighbourhoods: int) -> None:
        """Raise an error if the options do not suit a list of this length; an empty list suits all.

        Raises
        ------
        ConfigurationError
            In this case.
        """


def _check_length(name: str, values: Sequence[float], neighbourhoods: int) -> None:
    if 0 < neighbourhoods < len(values):
        raise ConfigurationError(
            f"schedule.{name} has {len(values)} entries, and there are {neighbourhoods} neighbourhoods. "
            "Maybe one entry for each neighbourhood, in the order of the list?"
        )


def _next_open(start: int, open_: Sequence[bool]) -> int:
    count = len(open_)
    return next(index % count for index in range(start, start + count) if open_[index % count])


@dataclass(slots=True)
class Cycle:
    """The list in order, repeatedly, each entry with its own number of repetitions.

    Attributes
    ----------
    repetitions
        Calls in a row for each position of the list; missing entries are 1.
    """

    draws: ClassVar[bool] = False
    repetitions: tuple[int, ...] = ()
    _index: int = field(default=0, init=False)
    _done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if any(count < 1 for count in self.repetitions):
            raise ConfigurationError(f"repetitions must be at least 1 ({list(self.repetitions)})")

    def check(self, neighbourhoods: int) -> None:
        _check_length("repetitions", self.repetitions, neighbourhoods)

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        wanted = self.repetitions[self._index] if self._index < len(self.repetitions) else 1
        if self._done >= wanted:
            self._index, self._done = (self._index + 1) % len(open_), 0
        chosen = _next_open(self._index, open_)
        if chosen != self._index:
            self._index, self._done = chosen, 0
        return chosen

    def record(self, call: Call) -> None:
        self._done += 1

    def state(self) -> dict[str, Any]:
        return {"index": self._index, "done": self._done}

    def restore(self, state: dict[str, Any]) -> None:
        self._index, self._done = Stored(state).count("index"), Stored(state).count("done")


@dataclass(slots=True)
class Descent:
    """Variable neighbourhood descent: back to the first after a gain, else on to the next (Mladenovic, Hansen 1997)."""

    draws: ClassVar[bool] = False
    _index: int = field(default=0, init=False)

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        self._index = _next_open(self._index, open_)
        return self._index

    def record(self, call: Call) -> None:
        self._index = 0 if call.gain > 0 else call.index + 1

    def state(self) -> dict[str, Any]:
        return {"index": self._index}

    def restore(self, state: dict[str, Any]) -> None:
        self._index = Stored(state).count("index")


def _draw(weights: Sequence[float], open_: Sequence[bool], rng: Generator) -> int:
    masked = [weight if is_open else 0.0 for weight, is_open in zip(weights, open_, strict=True)]
    threshold, total = rng.random() * math.fsum(masked), 0.0
    last = 0
    for index, weight in enumerate(masked):
        if open_[index]:
            last = index
        total += weight
        if weight > 0 and threshold < total:
            return index
    return last


@dataclass(slots=True)
class Roulette:
    """Random choice; the weights follow success, as in adaptive large neighbourhood search (Ropke, Pisinger 2006).

    Attributes
    ----------
    weights
        Initial weight of each position of the list; missing entries are 1.
    reaction
        Share of the latest result in a weight; 0 keeps the weights constant.
    floor
        Minimum weight, which keeps every operator in use.
    """

    weights: tuple[float, ...] = ()
    reaction: float = 0.1
    floor: float = 0.05
    _weights: list[float] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        finite = all(0 <= weight < math.inf for weight in self.weights) and 0 < self.floor < math.inf
        if not (finite and 0 <= self.reaction <= 1):
            raise ConfigurationError("roulette needs finite weights >= 0, 0 <= reaction <= 1 and a finite floor > 0")

    def check(self, neighbourhoods: int) -> None:
        _check_length("weights", self.weights, neighbourhoods)

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        if not self._weights:
            self._weights = [*self.weights, *[1.0] * len(open_)][: len(open_)]
        return _draw(self._weights, open_, rng)

    def record(self, call: Call) -> None:
        if self.reaction > 0:
            reward = 1.0 if call.gain > 0 else 0.0
            kept = (1 - self.reaction) * self._weights[call.index]
            self._weights[call.index] = max(self.floor, kept + self.reaction * reward)

    def state(self) -> dict[str, Any]:
        return {"weights": list(self._weights)}

    def restore(self, state: dict[str, Any]) -> None:
        self._weights = Stored(state).numbers("weights", least=0)


@dataclass(slots=True)
class GainPerSecond:
    """A bandit on discounted gain per unit of cost, each operator tried first, with an upper confidence term.

    Attributes
    ----------
    discount
        Factor by which past gains are multiplied at each call, so that recent gains count more.
    exploration
        Weight of the confidence term, relative to the best rate seen.
    """

    draws: ClassVar[bool] = False
    discount: float = 0.98
    exploration: float = 0.3
    _calls: list[float] = field(default_factory=list, init=False)
    _gains: list[float] = field(default_factory=list, init=False)
    _costs: list[float] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        if not (0 < self.discount <= 1 and 0 <= self.exploration < math.inf):
            raise ConfigurationError("gain-per-second needs 0 < discount <= 1 and a finite exploration >= 0")

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        if not self._calls:
            self._calls, self._gains, self._costs = ([0.0] * len(open_) for _ in range(3))
        candidates = [index for index, is_open in enumerate(open_) if is_open]
        untried = [index for index in candidates if self._calls[index] == 0.0]
        if untried:
            return untried[0]
        rates = {index: self._gains[index] / max(self._costs[index], 1e-9) for index in candidates}
        top = max(rates.values())
        if top <= 0.0:  # no more gains: spend evenly by cost
            return min(candidates, key=lambda index: (self._costs[index], index))
        total = math.fsum(self._calls)

        def value(index: int) -> float:
            return rates[index] + self.exploration * top * math.sqrt(math.log1p(total) / self._calls[index])

        return max(candidates, key=lambda index: (value(index), -index))

    def record(self, call: Call) -> None:
        for values in (self._calls, self._gains, self._costs):
            for index in range(len(values)):
                values[index] *= self.discount
        self._calls[call.index] += 1.0
        self._gains[call.index] += call.gain
        self._costs[call.index] += call.cost

    def state(self) -> dict[str, Any]:
        return {"calls": list(self._calls), "gains": list(self._gains), "costs": list(self._costs)}

    def restore(self, state: dict[str, Any]) -> None:
        self._calls, self._gains, self._costs = (
            Stored(state).numbers(key, least=0) for key in ("calls", "gains", "costs")
        )


@dataclass(slots=True)
class QLearning:
    """A hyper-heuristic: Q-learning over (previous operator, did it gain) -> next operator (Watkins, Dayan 1992).

    The reward is the gain per cost, relative to the best rate seen so far.

    Attributes
    ----------
    learning_rate, discount
        Parameters of the update rule.
    epsilon
        Share of random choices.
    """

    learning_rate: float = 0.2
    discount: float = 0.5
    epsilon: float = 0.15
    _values: list[list[float]] = field(default_factory=list, init=False)
    _state: int = field(default=0, init=False)
    _best_rate: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if not (0 < self.learning_rate <= 1 and 0 <= self.discount < 1 and 0 <= self.epsilon <= 1):
            raise ConfigurationError("q-learning needs 0 < learning_rate <= 1, 0 <= discount < 1, 0 <= epsilon <= 1")

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        if not self._values:  # optimistic start: every operator is tried
            self._values = [[1.0] * len(open_) for _ in range(1 + 2 * len(open_))]
        candidates = [index for index, is_open in enumerate(open_) if is_open]
        if rng.random() < self.epsilon:
            return int(candidates[int(rng.integers(len(candidates)))])
        row = self._values[self._state]
        top = max(row[index] for index in candidates)
        ties = [index for index in candidates if row[index] == top]
        return int(ties[int(rng.integers(len(ties)))])

    def record(self, call: Call) -> None:
        rate = call.gain / max(call.cost, 1e-9)
        self._best_rate = max(self._best_rate, rate)
        reward = rate / self._best_rate if self._best_rate > 0 else 0.0
        following = 1 + 2 * call.index + (1 if call.gain > 0 else 0)
        row = self._values[self._state]
        estimate = reward + self.discount * max(self._values[following])
        row[call.index] += self.learning_rate * (estimate - row[call.index])
        self._state = following

    def state(self) -> dict[str, Any]:
        return {"values": [list(row) for row in self._values], "state": self._state, "best_rate": self._best_rate}

    def restore(self, state: dict[str, Any]) -> None:
        stored = Stored(state)
        self._values = stored.rows("values")
        self._state, self._best_rate = stored.count("state"), stored.seconds("best_rate")
        if self._values and len(self._values) != 1 + 2 * len(self._values[0]):
            raise InputError("the stored state is damaged (its values belong to other operators)")


def rehearse(schedule: Schedule, neighbourhoods: int) -> None:
    """Run a copy of a restored schedule, so that a damaged state fails at once."""
    rehearsal, rng = copy.deepcopy(schedule), default_rng(0)
    if neighbourhoods:
        rehearsal.choose([True] * neighbourhoods, rng)
        for index in range(neighbourhoods):
            rehearsal.record(Call(index, 0.0, 1.0))
        rehearsal.choose([True] * neighbourhoods, rng)
