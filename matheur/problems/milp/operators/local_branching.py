"""Neighbourhood `local-branching`: solutions that differ from the incumbent in few binary columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.linear.model import LinearModel
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import Restriction

__all__ = ["LocalBranching"]


@dataclass(frozen=True, slots=True)
class LocalBranching(LargeNeighbourhood):
    """At most a given number of binary columns change; all other columns are free (Fischetti, Lodi 2003).

    In models without binary columns, nothing is searched.

    Attributes
    ----------
    size
        Initial number of binary columns that may change.
    """

    size: int = option(20, minimum=1)

    def largest(self, model: LinearModel) -> int:
        """All binary columns."""
        return int(model.binary.sum())

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Add a row that limits the number of changes, unless all columns may change."""
        changes, ones = state.changes
        if not np.any(changes):
            return None
        if state.size >= self.largest(state.model):
            return Restriction()
        return Restriction(rows=state.row(changes, upper=state.size - ones))
