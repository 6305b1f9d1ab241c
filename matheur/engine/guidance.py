"""Guidance: acceptance compares another measure, while the best solution is still chosen by the objective.

On a plateau, or where good solutions lie behind worse ones, another measure may guide the search better. A problem
offers such measures (`Guiding`); a search uses one after the other, each for some calls, as in the guide-and-observe
search of Wauters, Vancroonenburg and Vanden Berghe (2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from matheur.engine.stored import Stored
from matheur.errors import ConfigurationError, InputError, nearest

__all__ = ["OBJECTIVE", "Guidance", "Guiding"]

OBJECTIVE = "objective"


@runtime_checkable
class Guiding(Protocol):
    """A problem that offers other measures to guide a search."""

    @property
    def guides(self) -> tuple[str, ...]:
        """Names of the measures."""

    def guide(self, name: str, solution: Any) -> int | float:
        """Value of the named measure for a feasible solution; smaller is better."""


class Guidance:
    """Sequence of measures, and their values for the solutions that a search compares.

    Parameters
    ----------
    problem
        Problem that defines the measures.
    names
        Names of its `guides`, or `objective`, in order of use.
    calls
        Number of operator calls with each measure.

    Raises
    ------
    ConfigurationError
        If the problem does not offer a name, or `calls` is not positive.
    """

    def __init__(self, problem: Any, names: Sequence[str], calls: int) -> None:
        offered = (OBJECTIVE, *problem.guides) if isinstance(problem, Guiding) else (OBJECTIVE,)
        for name in names:
            if name not in offered:
                raise ConfigurationError(f"'{problem.name}' has no guide '{name}'. {nearest(name, offered)}")
        if calls < 1:
            raise ConfigurationError(f"guide_calls must be at least 1 ({calls})")
        self._problem, self._names, self._calls = problem, tuple(names), calls
        self._name: str | None = None
        self._known: dict[bytes, int | float] = {}
        self._least: int | float | None = None  # of the current solutions since the measure changed

    @property
    def observing(self) -> bool:
        """Whether a measure other than the objective guides at present."""
        return self._name not in (None, OBJECTIVE)

    def turn(self, iteration: int) -> bool:
        """Whether another measure guides from this call on."""
        name = self._names[iteration // self._calls % len(self._names)] if self._names else OBJECTIVE
        if name == self._name:
            return False
        first, self._name = self._name is None, name
        self._known.clear()
        self._least = None
        return not first

    def value(self, solution: Any, objective: int | float) -> int | float:
        """Value to compare for a solution with that objective."""
        if self._name is None or self._name == OBJECTIVE:
            return objective
        key = self._problem.digest(solution)
        if key not in self._known:
            if len(self._known) > 1:
                self._known.pop(next(iter(self._known)))  # two solutions are compared at a time
            self._known[key] = self._problem.guide(self._name, solution)
        return self._known[key]

    def took(self, value: int | float) -> None:
        """Record that a solution of that value is now the current one."""
        self._least = value if self._least is None else min(self._least, value)

    def record(self, best: int | float) -> int | float:
        """Best value so far: the smallest accepted since the measure changed; for the objective, `best`."""
        return self._least if self.observing and self._least is not None else best

    def state(self) -> dict[str, Any]:
        """State that a checkpoint stores, as plain JSON values."""
        return {"name": self._name, "least": self._least}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`."""
        stored = Stored(state)
        name, self._least = stored.text("name", or_none=True), stored.number("least", or_none=True)
        if name is not None and name not in (OBJECTIVE, *self._names):
            raise InputError(f"the stored state is damaged (a guide {name[:40]!r})")
        self._name = name
