"""Finders of further solutions, for problems in general."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from matheur.engine.budget import Budget
from matheur.running.diversity.collection import Collection

__all__ = ["Finder", "Restarts"]


class Finder(Protocol):
    """Fills a collection.

    Attributes
    ----------
    maximal
        Whether it is proved that no further solution is far enough from all chosen ones.
    all_below
        Objective below which all solutions are proved to be in the collection; None without a proof.
    """

    maximal: bool
    all_below: int | float | None

    def run(self, count: int, distance: int) -> Sequence[Any]:
        """Collect until `count` solutions, pairwise far enough apart, are chosen, and longer if worthwhile."""


class Restarts:
    """Repeats the same search, each time with another seed; proves nothing.

    Parameters
    ----------
    search
        Runs a search that fills the collection; the argument numbers the searches from 1.
    patience
        Number of consecutive searches without an addition to the chosen solutions after which it ends.
    """

    maximal = False
    all_below: int | float | None = None

    def __init__(
        self, collection: Collection, budget: Budget, search: Callable[[int], Any], patience: int = 20
    ) -> None:
        self.collection: Collection = collection
        self.budget: Budget = budget
        self.search: Callable[[int], Any] = search
        self.patience: int = patience

    def run(self, count: int, distance: int) -> Sequence[Any]:
        """Search until enough are chosen."""
        chosen = self.collection.spread(count, distance)
        idle = number = 0
        while len(chosen) < count and idle < self.patience and not self.budget.exhausted:
            number += 1
            before = len(self.collection)
            self.search(number)
            chosen = self.collection.spread(count, distance)
            idle = 0 if len(self.collection) > before else idle + 1
        return chosen
