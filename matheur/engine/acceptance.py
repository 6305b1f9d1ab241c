"""Acceptance criteria: whether a candidate becomes the current solution."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from numpy.random import Generator

from matheur.engine.stored import Stored
from matheur.errors import ConfigurationError, InputError

__all__ = [
    "Acceptance",
    "Annealing",
    "Improving",
    "LateAcceptance",
    "NonWorsening",
    "RecordToRecord",
]


class Acceptance(Protocol):
    """Decides from three objectives, the share of the budget used (`progress` in [0, 1]) and a random generator.

    The objectives may be replaced by other measures, see `matheur.engine.guidance`.

    Like a schedule, a criterion that uses no randomness sets `draws = False`.
    """

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool: ...

    def state(self) -> dict[str, Any]:
        """State that a checkpoint stores, as plain JSON values."""

    def restore(self, state: dict[str, Any]) -> None: ...


class _Stateless:
    __slots__ = ()

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        return None


@dataclass(slots=True)
class Improving(_Stateless):
    """Only strictly better candidates: descent."""

    draws: ClassVar[bool] = False

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        return candidate < current


@dataclass(slots=True)
class NonWorsening(_Stateless):
    """Better or equal candidates: descent that walks on plateaus."""

    draws: ClassVar[bool] = False

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        return candidate <= current


@dataclass(slots=True)
class Annealing(_Stateless):
    """Metropolis rule with a geometric temperature from `start` to `end` over the budget (Kirkpatrick et al. 1983).

    Temperatures are in units of the objective.
    """

    start: float = 1.0
    end: float = 0.05

    def __post_init__(self) -> None:
        if not math.inf > self.start >= self.end > 0:
            raise ConfigurationError(f"annealing needs a finite start >= end > 0 (start={self.start}, end={self.end})")

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        if candidate <= current:
            return True
        temperature = self.start * (self.end / self.start) ** progress
        return bool(rng.random() < math.exp((current - candidate) / temperature))


@dataclass(slots=True)
class RecordToRecord(_Stateless):
    """Anything within a deviation of the best, shrinking linearly to nothing (Dueck 1993)."""

    draws: ClassVar[bool] = False
    deviation: float = 2.0

    def __post_init__(self) -> None:
        if not self.deviation >= 0:
            raise ConfigurationError(f"deviation must not be negative ({self.deviation})")

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        return candidate <= current or candidate <= best + self.deviation * (1.0 - progress)


@dataclass(slots=True)
class LateAcceptance:
    """Better than the current one, or not worse than the one `length` decisions ago (Burke and Bykov 2017)."""

    draws: ClassVar[bool] = False
    length: int = 50
    _history: list[float] = field(default_factory=list, init=False)
    _position: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ConfigurationError(f"length must be at least 1 ({self.length})")

    def accepts(self, candidate: float, current: float, best: float, progress: float, rng: Generator) -> bool:
        if not self._history:
            self._history = [current] * self.length
        accepted = candidate <= current or candidate <= self._history[self._position]
        self._history[self._position] = min(candidate if accepted else current, self._history[self._position])
        self._position = (self._position + 1) % self.length
        return accepted

    def state(self) -> dict[str, Any]:
        return {"history": list(self._history), "position": self._position}

    def restore(self, state: dict[str, Any]) -> None:
        stored = Stored(state)
        self._history, self._position = stored.numbers("history"), stored.count("position")
        if (self._history and len(self._history) != self.length) or self._position >= self.length:
            raise InputError(f"the stored state is damaged (a history of {len(self._history)}, not of {self.length})")
