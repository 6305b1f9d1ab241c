"""Neighbourhood `rins`: where the incumbent and the linear relaxation differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Rins"]


@dataclass(frozen=True, slots=True)
class Rins(LargeNeighbourhood):
    """Integer columns are free where the incumbent and the linear relaxation differ, and some others to fill the size.

    The relaxation is that of the whole model, or another one for variety: with costs that are changed at random, among
    the points that are better than the incumbent. Relaxation induced neighbourhood search (Danna, Rothberg, Le Pape
    2005).

    Attributes
    ----------
    variety
        Share of calls with another relaxation, if one is cheap: it is made again for each of them.
    """

    variety: float = option(0.5, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Compare the incumbent with a relaxation."""
        point = state.point(self.variety, self.seconds, rng)
        if point is None:
            return None
        same = np.abs(point - state.incumbent)[state.whole] < 1e-6
        return state.freed(state.first(same, rng))
