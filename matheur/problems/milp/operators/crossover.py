"""Neighbourhood `crossover`: where good solutions differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Crossover"]


@dataclass(frozen=True, slots=True)
class Crossover(LargeNeighbourhood):
    """Integer columns are free where the incumbent and some elites of the run differ, and others to fill the size.

    If the run has no other solution, nothing is searched.

    Attributes
    ----------
    parents
        Maximum number of elites compared with the incumbent.
    """

    parents: int = option(2, minimum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Draw elites."""
        elites = state.elites
        if not elites:
            return None
        drawn = rng.permutation(len(elites))[: self.parents]
        own = state.incumbent[state.whole]
        same = np.all([np.asarray(elites[one])[state.whole] == own for one in drawn], axis=0)
        return state.freed(state.first(same, rng))
