"""Diameter and radius of a component of the cubical sliding puzzle, from searches of some of its classes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from component_searches import Search, Searcher
from families import Family
from moving_parts import MovingPart
from numpy.typing import NDArray
from scipy.sparse.csgraph import dijkstra

__all__ = ["Eccentricities"]

_CHEAP = 20_000_000
"""States times classes up to which every class is searched: finding out what is not needed would take longer."""


class Eccentricities:
    """Bounds that searches give on the eccentricities of the states of each class of a family.

    Let D be the largest eccentricity so far and t the number of moves between the classes u, which has been searched,
    and v. A state more than D away from v is more than D - t away from u. If all classes at these depths of u have also
    been searched, no such state exists. A smaller eccentricity than the smallest one found is ruled out by the depths
    at which a class was seen, by the same triangle inequality, and by the state with every ring on the opposite vertex,
    which takes rings times ceil(d / k) moves if it is in the component.

    Parameters
    ----------
    find
        Function that returns the class, by its number in the family, of each state [n, rings] of the moving part.

    Attributes
    ----------
    diameter, radius
        Largest and smallest eccentricity found.
    searches
        Number of searches.
    """

    def __init__(
        self, family: Family, part: MovingPart, find: Callable[[NDArray[np.uint8]], NDArray[np.int64]]
    ) -> None:
        self._family, self._part, self._find = family, part, find
        count = len(family.classes)
        self.diameter = self.radius = self.searches = 0
        self._searched = np.zeros(count, dtype=np.bool_)
        self._lower = np.zeros(count, dtype=np.int64)
        self._found: list[tuple[Search, dict[int, NDArray[np.int64]], NDArray[np.int64]]] = []

    def prove(self, searcher: Searcher) -> None:
        """Search until the diameter and the radius are proved."""
        classes = len(self._family.classes)
        cheap = self._family.states * classes <= _CHEAP
        every = iter(range(classes))
        while (one := next(every, None) if cheap else self._next()) is not None:
            result = searcher.search(self._part.starts[one])
            if result.states != self._family.states:
                raise AssertionError(
                    f"{result.states} states instead of {self._family.states} ({self._part.domain.name})"
                )
            self.diameter = max(self.diameter, result.depth)
            self.radius = min(self.radius, result.depth) if self.searches else result.depth
            self.searches += 1
            if not cheap:
                self._learn(one, result)

    def _learn(self, one: int, result: Search) -> None:
        steps = dijkstra(self._family.graph, unweighted=True, indices=one).astype(np.int64)
        last = {depth: np.unique(self._find(states)) for depth, states in result.last.items()}
        self._searched[one] = True
        self._found.append((result, last, steps))
        self._lower = np.maximum(self._lower, result.depth - steps)
        self._lower[one] = result.depth
        if result.opposite:
            self._lower = np.maximum(self._lower, self._part.least)
        for depth, classes in last.items():
            self._lower[classes] = np.maximum(self._lower[classes], depth)

    def _bounded(self) -> NDArray[np.bool_]:
        """Classes whose eccentricity is proved to be at most the largest one found."""
        bounded, most = self._searched.copy(), self.diameter
        for result, last, steps in self._found:
            depth = result.depth
            while depth in last and self._searched[last[depth]].all():
                depth -= 1
            # All classes deeper than `depth` have been searched.
            bounded |= most - steps >= depth
        return bounded

    def _next(self) -> int | None:
        """Class to search next; None if everything is proved."""
        if not self._found:
            return 0
        above = ~self._bounded()
        if above.any():
            around = self._family.graph @ above.astype(np.int32)
            return int(np.where(above, around, -1).argmax())
        below = int(self._lower.argmin())
        return below if self._lower[below] < self.radius else None
