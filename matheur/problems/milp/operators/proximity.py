"""Neighbourhood `proximity`: the nearest solution that is better by some amount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.linear.model import LinearModel
from matheur.problems.milp.operators.neighbourhood import End, LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import LinearTask, Restriction

__all__ = ["Proximity"]


@dataclass(frozen=True, slots=True)
class Proximity(LargeNeighbourhood):
    """A solution near the incumbent that is better by some amount: the objective is the number of binary changes.

    The amount is a share of the gap to the linear relaxation. It is reduced if there is no such solution or none is
    found, and increased after a gain. In models without binary columns, nothing is searched. Proximity search
    (Fischetti, Monaci 2014), with the amount as a row; the search ends with the first solution, and a linear program
    then chooses its continuous columns.

    Attributes
    ----------
    size
        Initial amount, in thousandths of the gap.
    """

    shares: ClassVar[bool] = False
    size: int = option(100, minimum=1, maximum=1000)

    def largest(self, model: LinearModel) -> int:
        """The whole gap, in thousandths."""
        return 1000

    def resized(self, size: float, end: End) -> float:
        """Increase the amount after a gain, else reduce it."""
        return size * (1.5 if end is End.GAIN else 0.5)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Require the amount by a row, and count changes by the costs."""
        model = state.model
        changes, _ = state.changes
        if not np.any(changes):
            return None
        sense = -1 if model.maximise else 1
        known = float(state.problem.score(state.objective))
        root = state.relaxation
        gap = abs(known) if root is None else abs(known - root.objective)
        wanted = min(sense * (known - sense * gap * state.size / 1000), sense * LinearTask(model).better(known))
        wanted = sense * wanted - model.offset
        return Restriction(
            cost=sense * changes,
            rows=state.row(model.cost, **({"upper": wanted} if sense > 0 else {"lower": wanted})),
        )
