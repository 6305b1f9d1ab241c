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

    The point is an optimum of the linear relaxation or, for variety, an optimum under randomly perturbed costs among
    the points that are better than the incumbent. Relaxation induced neighbourhood search (Danna, Rothberg, Le Pape
    2005).

    Attributes
    ----------
    variety
        Share of calls with perturbed costs, if the relaxation is cheap: it is solved again in each of these calls.
    """

    variety: float = option(0.5, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Compare the incumbent with a relaxation."""
        point = state.point(self.variety, self.seconds, rng)
        if point is None:
            return None
        same = np.abs(point - state.incumbent)[state.whole] < 1e-6
        return state.freed(state.first(same, rng))
