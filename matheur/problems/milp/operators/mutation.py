"""Neighbourhood `mutation`: some integer columns free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["Mutation"]


@dataclass(frozen=True, slots=True)
class Mutation(LargeNeighbourhood):
    """Random integer columns and all continuous columns are free; the MILP solver chooses their values."""

    def choose(self, state: State, rng: Generator) -> Restriction:
        """Draw the columns."""
        return state.freed(state.first(np.zeros(len(state.whole)), rng))
