"""Schedules that shake: from time to time the search continues from a disturbed copy of the best solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, runtime_checkable

from numpy.random import Generator

from matheur.engine.schedules import Call
from matheur.engine.stored import Stored
from matheur.errors import ConfigurationError, InputError

__all__ = ["GeneralVNS", "Shaking"]


@runtime_checkable
class Shaking(Protocol):
    """A schedule in which some neighbourhoods shake.

    They start from the best solution, and their result becomes the current solution in any case.
    """

    def shakes_by(self, index: int) -> bool:
        """Whether this neighbourhood shakes."""


@dataclass(slots=True)
class GeneralVNS:
    """General variable neighbourhood search: shake the best solution, descend, and so on (Hansen, Mladenovic 2001).

    The first neighbourhoods of the list shake, in order of their strength: each call begins from the best solution, and
    what comes of it is taken, however bad. After it the others improve it by variable neighbourhood descent. A better
    solution than all before makes the next shake the weakest again, else it is the next stronger one, and after the
    strongest the weakest. A neighbourhood that shakes must not look for improvements only. The run begins with descent.

    Attributes
    ----------
    shakes
        Number of neighbourhoods of the list that shake.
    """

    draws: ClassVar[bool] = False
    shakes: int = 1
    _index: int | None = field(default=None, init=False)
    _strength: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.shakes < 1:
            raise ConfigurationError(f"shakes must be at least 1 ({self.shakes})")

    def shakes_by(self, index: int) -> bool:
        return index < self.shakes

    def check(self, neighbourhoods: int) -> None:
        """Raise an error if all neighbourhoods of a list of this length shake: then nothing descends.

        Raises
        ------
        ConfigurationError
            In this case.
        """
        if 0 < neighbourhoods <= self.shakes:
            raise ConfigurationError(
                f"'gvns' shakes with {self.shakes} and descends with the others, and there are {neighbourhoods} "
                "neighbourhoods. Maybe more neighbourhoods, fewer schedule.shakes, or the schedule 'descent'?"
            )

    def choose(self, open_: Sequence[bool], rng: Generator) -> int:
        begin = self.shakes if self._index is None else self._index
        for index in (*range(begin, len(open_)), *range(self._strength, len(open_)), *range(self._strength)):
            if open_[index]:
                return index
        raise ValueError("no neighbourhood is open")

    def record(self, call: Call) -> None:
        if self.shakes_by(call.index):
            self._index, self._strength = self.shakes, (call.index + 1) % self.shakes
        else:
            self._index = self.shakes if call.gain > 0 else call.index + 1
        if call.record:
            self._strength = 0

    def state(self) -> dict[str, Any]:
        return {"begun": 0 if self._index is None else self._index + 1, "strength": self._strength}

    def restore(self, state: dict[str, Any]) -> None:
        self._strength = Stored(state).count("strength")
        begun = Stored(state).count("begun")
        self._index = begun - 1 if begun else None
        if self._strength >= self.shakes:
            raise InputError(f"the stored state is damaged (shake {self._strength} of {self.shakes})")
