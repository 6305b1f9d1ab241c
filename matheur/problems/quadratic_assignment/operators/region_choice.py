"""Choice of the facilities that a region frees."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["Chooser", "Rule"]

Rule = Literal["linked", "near", "costly", "random"]


class Chooser:
    """Draws sets of facilities of one instance.

    Parameters
    ----------
    instance
        The flows and distances.
    size
        Facilities in a set, at most n.
    """

    def __init__(self, instance: Instance, size: int) -> None:
        self.instance: Instance = instance
        self.size: int = min(size, instance.n)

    def draw(self, rule: Rule, places: NDArray[np.int32], rng: Generator) -> NDArray[np.int64]:
        """A set, ascending.

        `linked`: facilities with large flows between them; `near`: facilities on neighbouring locations; `costly`:
        facilities with high costs at their locations; `random`: any facilities.
        """
        if rule == "linked":
            return np.sort(self._grown(self._links, rng))
        if rule == "near":
            return np.flatnonzero(np.isin(places, self._grown(self._nearness, rng)))
        weights = self._shares(places) if rule == "costly" else None
        return np.sort(rng.choice(self.instance.n, self.size, replace=False, p=weights))

    def _grown(self, pull: NDArray[np.float64], rng: Generator) -> NDArray[np.int64]:
        """Indices grown from one or two random ones, drawn with probability proportional to their pull.

        Two groups can exchange their places; a single group cannot.
        """
        n = len(pull)
        starts = rng.choice(n, size=min(self.size, int(rng.integers(1, 3))), replace=False)
        groups = [[int(start)] for start in starts]
        chosen = [group[0] for group in groups]
        while len(chosen) < self.size:
            group = groups[len(chosen) % len(groups)]
            weights = pull[group].sum(axis=0)
            weights[chosen] = 0.0
            group.append(int(rng.choice(n, p=weights / weights.sum())))
            chosen.append(group[-1])
        return np.array(chosen, dtype=np.int64)

    @cached_property
    def _links(self) -> NDArray[np.float64]:
        """Flow between two facilities, always positive."""
        flow = abs(self.instance.flows).astype(np.float64)
        flow += flow.T
        links: NDArray[np.float64] = flow + 0.01 * flow.mean() + 1e-9
        return links

    @cached_property
    def _nearness(self) -> NDArray[np.float64]:
        """Nearness of two locations, always positive."""
        distance = self.instance.distances.astype(np.float64)
        distance = distance + distance.T
        distance -= distance.min()
        near: NDArray[np.float64] = (1.0 / (distance + 0.1 * distance.mean() + 1e-9)) ** 2
        return near / near.max()

    def _shares(self, places: NDArray[np.int32]) -> NDArray[np.float64]:
        """Probability of each facility, proportional to its cost above the cheapest one, plus a small constant."""
        one = self.instance
        costs = (one.flows * one.distances[np.ix_(places, places)]).astype(np.float64)
        each = costs.sum(axis=0) + costs.sum(axis=1)
        if one.linear is not None:
            each += one.linear[np.arange(one.n), places]
        each -= each.min()
        each += 0.1 * each.mean() + 1e-9
        return each / each.sum()
