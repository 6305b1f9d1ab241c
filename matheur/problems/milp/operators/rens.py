"""Neighbourhood `rens`: near a point of the linear relaxation, wherever the incumbent is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State, fixed_at
from matheur.solvers.linear_task import Restriction

__all__ = ["Rens"]


@dataclass(frozen=True, slots=True)
class Rens(LargeNeighbourhood):
    """Integer columns that are whole in the linear relaxation keep its value; the others are free, and some more.

    The incumbent only gives the objective to beat, so the search can leave a poor incumbent. The other free columns, up
    to the size, are drawn at random: half of the calls prefer columns with small reduced costs. Relaxation enforced
    neighbourhood search (Berthold 2014).

    Attributes
    ----------
    variety
        Share of calls with another point of the relaxation, as in `rins`.
    """

    variety: float = option(0.5, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Fix columns that are integral in the relaxation."""
        point = state.point(self.variety, self.seconds, rng)
        root = state.relaxation
        if point is None or root is None:
            return None
        whole = state.whole
        values = point[whole]
        apart = np.abs(values - np.rint(values)) > 1e-6
        ranks = rng.random(len(whole))
        if root.reduced_costs is not None and rng.random() < 0.5:
            ranks *= np.abs(root.reduced_costs[whole]) / max(1e-9, float(np.abs(root.reduced_costs[whole]).max()))
        ranks[apart] = -1.0
        fixed = state.model.integral.copy()
        fixed[whole[np.argsort(ranks, kind="stable")[: max(state.size, int(apart.sum()))]]] = False
        return fixed_at(state.model, np.rint(point), fixed)
