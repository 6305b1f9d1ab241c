"""Neighbourhood `assignment` (tile assignment, TA): take out cells that do not touch and refill them optimally."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.operators.edge_matching.assignment_kernels import reassign
from matheur.operators.edge_matching.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.instance import Board, Instance

__all__ = ["Assignment"]

CHUNK = 1000  # iterations between two looks at the clock, 10-20 ms
NOISE_BITS = 13  # the random numbers of 64 cells stay below one mismatch


@dataclass(frozen=True, slots=True)
class Assignment:
    """Optimal reassignment of random cells, no two of them side by side (Salassa et al. 2017, section 3.3).

    Each iteration draws cells of one class (corners, borders or inner), those with mismatches more often, and
    gives their pieces back to them in the best way; ties are broken at random. Never worsens. Work: iterations.

    Attributes
    ----------
    k
        Cells per iteration, 2 to 64; fewer where the class has fewer that do not touch.
    iterations
        Iterations of one call.
    bias
        A cell with m mismatched joints is drawn with probability proportional to 1 + bias * m; 0 to 100.
    sideways
        Accept equally good reassignments within the call, and return a sideways board if nothing better was found.
    """

    k: int = 16
    iterations: int = 1000
    bias: float = 1.0
    sideways: bool = True

    def __post_init__(self) -> None:
        if not 2 <= self.k <= 64:
            raise ConfigurationError(f"assignment.k must be between 2 and 64 ({self.k})")
        if self.iterations < 1:
            raise ConfigurationError(f"assignment.iterations must be at least 1 ({self.iterations})")
        if not 0 <= self.bias <= 100:
            raise ConfigurationError(f"assignment.bias must be between 0 and 100 ({self.bias})")

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Run the iterations; return the last board reached, which is also the best."""
        instance: Instance = problem.instance
        layout = Layout.of(instance, incumbent)
        free = np.flatnonzero(layout.groups >= 0).astype(np.int32)
        weights = np.rint(1000 * (1 + self.bias * np.arange(5))).astype(np.int64)
        state = kernel_state(rng)
        start = objective = count_mismatches(instance, incumbent)
        done = 0
        while free.size and done < self.iterations and not budget.exhausted and not budget.reached(objective):
            limits = [CHUNK, self.iterations - done, budget.work_left, budget.iterations_left]
            chunk = min(limit for limit in limits if limit is not None)
            change = reassign(
                chunk,
                self.k,
                weights,
                self.sideways,
                NOISE_BITS,
                free,
                layout.groups,
                layout.placements,
                layout.neighbours,
                layout.kinds,
                layout.turns,
                layout.sides,
                state,
            )
            budget.spend(work=chunk, iterations=chunk)
            done += chunk
            objective += int(change)
            if change < 0:
                budget.offer(layout.board(), objective)
        if objective < start:
            status = Status.IMPROVED
        else:
            status = Status.NO_IMPROVEMENT if done == self.iterations or not free.size else Status.EXHAUSTED
        return Outcome(status, layout.board(), objective, work=done, seconds=budget.elapsed)
