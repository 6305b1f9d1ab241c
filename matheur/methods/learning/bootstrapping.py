"""Learning from searches that the network itself has guided (Arfaee, Zilles and Holte 2011).

A weak heuristic solves instances at the ends of short random walks. A network learns from the plans, and then solves
instances at the ends of longer walks. The method needs no tables, only the moves and the goal of the domain. The plans
need not be optimal.
(doi:10.1016/j.artint.2011.08.001)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.learning.sampling import Ball, walks
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import Heuristic

__all__ = ["Bootstrap"]

_SHORTEST = 8  # steps of the first walks
_EASY, _HARD = 0.5, 0.1  # shares of solved instances from which, or below which, the walks become longer or shorter
_GROWTH = 1.5
_STATES = 200_000  # states that are kept
_BATCH = 32  # batch size of a search
_ARRAYS = ("keys", "distances")


class Bootstrap:
    """States on plans of searches, the latest ones; a `Teacher`.

    Parameters
    ----------
    domain
        Reversible, with one goal state and unit costs.
    longest
        Steps of the longest walks.
    instances
        Number of searches in a round.
    nodes
        Most states that a search may expand.

    Attributes
    ----------
    reach
        Length of the walks in the next round.
    """

    def __init__(self, domain: Domain, longest: int, *, instances: int, nodes: int) -> None:
        self.domain: Domain = domain
        self.longest: int = longest
        self.instances: int = instances
        self.nodes: int = nodes
        self.reach = min(_SHORTEST, longest)
        self.known = Ball(np.empty((0, domain.packing.words), dtype=np.uint64), np.empty(0, dtype=np.int32))

    def round(self, heuristic: Heuristic, budget: Budget, rng: Generator) -> float | None:
        """Run a round of searches and return the share of solved instances, or None if the budget ended first."""
        walked = walks(self.domain, self.instances, self.reach, rng)
        starts = self.domain.packing.unpack(walked.keys[walked.steps == self.reach])
        found, solved = [self.known], 0
        for start in starts:
            if budget.exhausted:
                return None
            answer = batch_astar(
                self.domain.between(start, self.domain.goal), heuristic, batch=_BATCH,
                budget=budget.child(work=self.nodes),
            )  # fmt: skip
            if answer.plan is not None:
                solved += 1
                states = self.domain.apply(start, answer.plan)[:-1]
                rest = np.arange(len(states), 0, -1, dtype=np.int32)
                found.append(Ball(self.domain.packing.pack(states), rest))
        self.known = Ball(
            np.concatenate([one.keys for one in found])[-_STATES:],
            np.concatenate([one.distances for one in found])[-_STATES:],
        )
        share = solved / self.instances
        if share >= _EASY:
            self.reach = min(self.longest, int(np.ceil(_GROWTH * self.reach)))
        elif share < _HARD:
            self.reach = max(min(_SHORTEST, self.longest), int(self.reach / _GROWTH))
        return share

    def batch(self, count: int, rng: Generator) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """States drawn uniformly from the plans, and their distances to the goal along these plans."""
        rows = rng.integers(0, len(self.known.distances), count)
        return self.domain.packing.unpack(self.known.keys[rows]), self.known.distances[rows].astype(np.float32)

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and plain values for a checkpoint."""
        return {name: getattr(self.known, name) for name in _ARRAYS}, {"reach": self.reach}

    def restore(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
        """Continue from a `state`."""
        self.known = Ball(*(arrays[name] for name in _ARRAYS))
        self.reach = int(facts["reach"])
