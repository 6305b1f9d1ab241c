"""Where further solutions come from, for problems in general."""

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
        All solutions with a smaller objective are proved to be in the collection; None if nothing is proved.
    """

    maximal: bool
    all_below: int | float | None

    def run(self, count: int, distance: int) -> Sequence[Any]:
        """Collect until `count` solutions that are pairwise far enough apart are chosen, and longer while it pays."""


class Restarts:
    """The same search again and again, each time with another seed; nothing is proved.

    Parameters
    ----------
    search
        Runs a search that fills the collection; the argument numbers the searches from 1.
    patience
        Searches in a row that add nothing to what is chosen, after which it ends.
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
