"""Neighbourhood `objective`: other solutions that are nearly as good, for the pool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from matheur.engine.limits import option
from matheur.problems.milp.operators.neighbourhood import LargeNeighbourhood
from matheur.problems.milp.operators.state import State
from matheur.solvers.linear_task import LinearTask, Restriction

__all__ = ["Objective"]


@dataclass(frozen=True, slots=True)
class Objective(LargeNeighbourhood):
    """Costs of integer columns are random, and the model's objective is a row; solutions go to the pool.

    Some integer columns, drawn at random, are free. Solutions may be slightly worse than the incumbent, and the solver
    stops at the first one: they are for `crossover`, which needs diverse solutions. Random objectives as in Balans
    (Cai, Kadioglu, Dilkina 2025).

    Attributes
    ----------
    slack
        Largest deterioration of the objective, as a share of the gap between the incumbent and the linear relaxation.
    """

    slack: float = option(0.1, minimum=0, maximum=1)

    def choose(self, state: State, rng: Generator) -> Restriction | None:
        """Draw columns and costs."""
        model = state.model
        root = state.relaxation
        if root is None or not len(state.whole):
            return None
        free = state.first(np.zeros(len(state.whole)), rng)
        scale = float(np.abs(model.cost).max(initial=0.0)) or 1.0
        cost = np.where(model.integral, scale * rng.standard_normal(model.width), model.cost)
        sense = LinearTask(model).sense
        known = float(state.problem.score(state.objective))
        limit = known + sense * self.slack * abs(known - root.objective) - model.offset
        rows = state.row(model.cost, **{"upper" if sense > 0 else "lower": limit})
        return state.freed(free, cost=cost, rows=rows)
