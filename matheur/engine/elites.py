"""Pool of good solutions found during a search, for operators that combine two of them."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

__all__ = ["Elite", "ElitePool"]


@dataclass(frozen=True, slots=True)
class Elite:
    """A solution of the pool; read-only.

    Attributes
    ----------
    key
        Identifies the solution: equal keys mean the same solution, see `matheur.engine.protocols.Symmetric`.
    """

    key: bytes
    solution: Any
    objective: int | float


class ElitePool:
    """A bounded set of distinct solutions: the best of those that were added.

    A full pool replaces its worst solution (the oldest of equally bad ones) by one that is as good or better. Children
    of a budget share its pool, and checkpoints store it.

    Parameters
    ----------
    capacity
        Maximum number of solutions.
    """

    def __init__(self, capacity: int = 24) -> None:
        self._capacity = capacity
        self._elites: list[Elite] = []  # best first, among equals the newest first

    def __len__(self) -> int:
        return len(self._elites)

    def __contains__(self, key: bytes) -> bool:
        return any(elite.key == key for elite in self._elites)

    def add(self, key: bytes, solution: Any, objective: int | float) -> bool:
        """Store a copy of a solution if it is new and good enough; return whether it was stored."""
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
        """As `add`, for a solution from a stored state."""
        return self.add(key, solution, objective)

    def _surplus(self) -> int:
        """Index of the elite to remove when the pool exceeds its capacity."""
        return len(self._elites) - 1

    def entries(self) -> tuple[Elite, ...]:
        """All elites, the best first, among equals the newest."""
        return tuple(self._elites)
