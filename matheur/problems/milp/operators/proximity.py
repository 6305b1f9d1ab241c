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

    The amount is a part of the gap to the linear relaxation. It becomes smaller where there is no such solution or none
    is found, and larger after a gain. Models without binary columns are left alone. Proximity search (Fischetti, Monaci
    2014), with the amount as a row; the first solution ends the search, and a linear program chooses its continuous
    columns again.

    Attributes
    ----------
    size
        The amount at first, in thousandths of the gap.
    """

    shares: ClassVar[bool] = False
    size: int = option(100, minimum=1, maximum=1000)

    def largest(self, model: LinearModel) -> int:
        """The whole gap."""
        return 1000

    def resized(self, size: float, end: End) -> float:
        """Ask for more after a gain, else for less."""
        return size * (1.5 if end is End.GAIN else 0.5)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """A row that asks for the amount, and costs that count changes."""
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
