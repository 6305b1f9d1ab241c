"""Good solutions that a search met on its way, for operators that combine two of them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

__all__ = ["Elite", "ElitePool"]


@dataclass(frozen=True, slots=True)
class Elite:
    """A solution of the pool, not to be written to.

    Attributes
    ----------
    key
        What tells it apart: equal keys are one solution, see `matheur.engine.protocols.Symmetric`.
    """

    key: bytes
    solution: Any
    objective: int | float


class ElitePool:
    """A bounded set of different solutions, the best that were added.

    A full pool gives up its worst solution, the oldest of them, for one that is as good or better. Children of a
    budget share its pool, and checkpoints keep it.

    Parameters
    ----------
    capacity
        Number of solutions kept.
    """

    def __init__(self, capacity: int = 24) -> None:
        self._capacity = capacity
        self._elites: list[Elite] = []  # best first, among equals the newest first

    def __len__(self) -> int:
        return len(self._elites)

    def __contains__(self, key: bytes) -> bool:
        return any(elite.key == key for elite in self._elites)

    def add(self, key: bytes, solution: Any, objective: int | float) -> bool:
        """Keep a copy of a solution if it is new and good enough; whether it was."""
        if key in self:
            return False
        place = sum(elite.objective < objective for elite in self._elites)
        if place >= self._capacity:
            return False
        self._elites.insert(place, Elite(key, copy.deepcopy(solution), objective))
        if len(self._elites) > self._capacity:
            return self._elites.pop(self._surplus()).key != key
        return True

    def restore(self, key: bytes, solution: Any, objective: int | float) -> bool:
        """As `add`, for a solution that a stored state brings back."""
        return self.add(key, solution, objective)

    def _surplus(self) -> int:
        """Index of the elite that a pool beyond its capacity gives up."""
        return len(self._elites) - 1

    def entries(self) -> tuple[Elite, ...]:
        """All, the best first, among equals the newest."""
        return tuple(self._elites)
