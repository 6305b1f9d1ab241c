"""Neighbourhood `reduced-cost`: columns whose change costs the linear relaxation least."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["ReducedCost"]


@dataclass(frozen=True, slots=True)
class ReducedCost(LargeNeighbourhood):
    """Integer columns are free whose reduced costs in the linear relaxation are nearest to 0, with some chance.

    HiGHS solves the relaxation, whichever solver searches the parts. Without HiGHS nothing is searched: other backends
    return no reduced costs.

    Attributes
    ----------
    noise
        Range of the random factors: each reduced cost is multiplied by its own factor from 1 / `noise` to `noise`.
    """

    noise: float = option(2.0, minimum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Order the columns."""
        root = state.relaxation
        if root is None or root.reduced_costs is None:
            return None
        sizes = np.abs(root.reduced_costs[state.whole])
        sizes[sizes < 1e-9] = 0.0
        return state.freed(state.first(sizes * self.noise ** rng.uniform(-1, 1, len(sizes)), rng))
