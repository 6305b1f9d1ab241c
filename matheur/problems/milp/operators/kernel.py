"""Neighbourhood `kernel`: the columns that good solutions use, and a bucket of others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Kernel"]


@dataclass(frozen=True, slots=True)
class Kernel(LargeNeighbourhood):
    """Integer columns are free that the incumbent or the linear relaxation uses, and a bucket of others.

    A column is used if it is not at its lower bound. The others are divided into buckets by increasing reduced cost;
    early buckets are drawn more often. Kernel search (Angelelli, Mansini, Speranza 2010), without its fixed sequence of
    one model for each bucket.

    Attributes
    ----------
    bucket
        Least share of the size for the bucket. If the kernel is larger than the remaining size, some of its columns are
        left out; columns in which the incumbent and the relaxation differ are left out last.
    """

    bucket: float = option(0.3, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Order kernel and buckets."""
        root = state.relaxation
        if root is None:
            return None
        whole = state.whole
        own, relaxed = state.incumbent[whole], root.values[whole]
        low = state.model.lower[whole]
        base = np.where(np.isfinite(low), low, 0.0)
        used = (np.abs(own - base) > 0.5) | (np.abs(relaxed - base) > 1e-6)
        ranks: NDArray[np.float64] = np.where(np.abs(own - relaxed) > 1e-6, -2.0, -1.0)
        others = np.flatnonzero(~used)
        ranks[others] = 1.0
        room = max(round(self.bucket * state.size), state.size - int(used.sum()))
        if len(others) and room:
            prices = np.zeros(len(whole)) if root.reduced_costs is None else np.abs(root.reduced_costs[whole])
            others = others[np.lexsort((rng.random(len(others)), prices[others].round(9)))]
            buckets = -(-len(others) // room)
            begin = min(int(rng.geometric(0.5)) - 1, buckets - 1) * room
            ranks[others[begin : begin + room]] = -3.0
        return state.freed(state.first(ranks, rng))
