"""Neighbourhood `swap-rotate` (tile swap and rotation, TSR): exchange two pieces, or turn one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.operators.swap_kernels import descend

__all__ = ["SwapRotate"]

CHUNK = 200  # moves between two looks at the clock


@dataclass(frozen=True, slots=True)
class SwapRotate:
    """Descent over all exchanges of two pieces of a class in all rotations (Salassa et al. 2017, section 3.3).

    Work: moves made, plus one for the scan that proves the local optimum.

    Attributes
    ----------
    first_improvement
        Take the first improving move found in a random order, instead of the best of all (steepest descent).
    """

    first_improvement: bool = False

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Descend to a local optimum of the neighbourhood, proved by a full scan."""
        instance: Instance = problem.instance
        layout = Layout.of(instance, incumbent)
        members = layout.members()
        order = np.concatenate([np.empty(0, dtype=np.int32), *(rng.permutation(m) for m in members)])
        starts = np.cumsum([0, *(m.size for m in members)]).astype(np.int32)
        table = np.empty((order.size, order.size), dtype=np.int8)
        state = kernel_state(rng)
        start = objective = count_mismatches(instance, incumbent)
        proved = False
        while not proved and not budget.exhausted and not budget.reached(objective):
            change, moves, proved = descend(
                self.first_improvement,
                budget.limit(CHUNK),
                order,
                starts,
                layout.placements,
                layout.neighbours,
                layout.kinds,
                layout.turns,
                layout.sides,
                state,
                table,
            )
            steps = moves + int(proved)
            budget.spend(work=steps, iterations=steps)
            objective += int(change)
            if change < 0:
                budget.offer(layout.board(), objective)
        unchanged = Status.LOCAL_OPTIMUM if proved else Status.EXHAUSTED
        status = Status.IMPROVED if objective < start else unchanged
        return Outcome(status, layout.board(), objective)
