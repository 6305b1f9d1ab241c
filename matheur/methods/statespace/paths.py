"""Conversion of states to moves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain

__all__ = ["plan_along"]


def plan_along(domain: Domain, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """Moves (int32) and cost of the path through the states with these keys [n, words], by the cheapest edges."""
    moves, cost = [], 0
    for here, there in pairwise(keys):
        found = domain.expand(here[None])
        edges = np.flatnonzero((found.keys == there).all(axis=1))
        chosen = edges[np.argmin(found.costs[edges])]
        moves.append(int(found.moves[chosen]))
        cost += int(found.costs[chosen])
    return np.array(moves, dtype=np.int32), cost
