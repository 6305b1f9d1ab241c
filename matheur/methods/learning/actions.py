"""Networks that give the worth of each move: the cost of the move plus the distance that remains after it.

One evaluation of a state then stands for all its successors, which a search need not generate until it expands them
(`matheur.methods.learning.deferred`; Agostinelli et al. 2021, "A* search without expansions: learning heuristic
functions with deep Q-networks").
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.learning.sampling import Walker
from matheur.methods.statespace.domain import Domain

__all__ = ["Actions", "least_of_moves"]

States = NDArray[np.uint8]
Evaluate = Callable[[States], NDArray[np.float32]]


def least_of_moves(domain: Domain, keys: NDArray[np.uint64], worth: NDArray[np.float32]) -> NDArray[np.float32]:
    """Least worth float32[n] of the moves that are possible in each state, 0 at the goal, infinite in a dead end.

    Parameters
    ----------
    worth
        float32[n, moves].
    """
    found = domain.expand(keys)
    least = np.full(len(keys), np.inf, dtype=np.float32)
    np.minimum.at(least, found.parents, np.maximum(worth[found.parents, found.moves], 0))
    least[domain.is_goal(keys)] = 0
    return least


class Actions:
    """Value iteration for moves: the target of a move is its cost plus the least worth of a move after it.

    Targets are bounded by the steps of the walk that led to the state: one less for the move back, one more for others.

    Parameters
    ----------
    domain, longest, estimate
        As for `LookAhead`; the estimate has one value for each move.
    """

    def __init__(self, domain: Domain, longest: int, estimate: Evaluate | None) -> None:
        self.domain: Domain = domain
        self.estimate: Evaluate | None = estimate
        self._walker = Walker(domain, longest)

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.float32]]:
        """States of random walks; targets float32[count, moves], NaN for moves that are not possible."""
        drawn, domain = self._walker.draw(count, rng), self.domain
        found = domain.expand(drawn.keys)
        after = drawn.steps[found.parents] + np.where(found.moves == drawn.back[found.parents], -1, 1)
        values = after.astype(np.float32)
        if self.estimate is not None:
            worth = self.estimate(domain.packing.unpack(found.keys))
            values = np.minimum(values, least_of_moves(domain, found.keys, worth))
        values[domain.is_goal(found.keys)] = 0
        targets = np.full((count, domain.moves), np.nan, dtype=np.float32)
        targets[found.parents, found.moves] = found.costs + values
        return domain.packing.unpack(drawn.keys), targets
