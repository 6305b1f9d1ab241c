"""Neighbourhood `assignment` (tile assignment, TA): take out cells that do not touch and refill them optimally."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.assignment_kernels import reassign
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state

__all__ = ["Assignment"]

CHUNK = 1000  # iterations between two checks of the clock, 10-20 ms
TIE_BITS = 13  # the random numbers of 64 cells stay below one mismatch (2^20)


@dataclass(frozen=True, slots=True)
class Assignment:
    """Optimal reassignment of random cells, no two of them side by side (Salassa et al. 2017, section 3.3).

    Each iteration draws cells of one class (corners, borders or inner cells), more often those with mismatches, and
    reassigns their pieces optimally; ties are broken at random. Work: iterations.

    With a temperature, the call is an annealing run: decreasing random numbers are added to the costs, so that early
    reassignments are nearly random and the last ones optimal. This needs many iterations (millions) and then reaches
    far better boards than as many iterations without a temperature. The call never returns a worse board.

    Attributes
    ----------
    k
        Cells per iteration, 2 to 64; fewer if the class has too few cells that do not touch.
    iterations
        Iterations per call.
    bias
        A cell with m mismatched joints is drawn with probability proportional to 1 + bias * m; 0 to 100.
    sideways
        Accept equally good reassignments within the call, and return a sideways board if nothing better was found.
    temperature
        Initial mean of the random numbers, in mismatches; 0 gives the plain neighbourhood. 0.3 forgets the incumbent,
        0.15 keeps most of it.
    cooled
        Final mean of the random numbers. The mean falls geometrically with the iterations done or, if the budget has
        a deadline, with the time elapsed, whichever is further ahead.
    """

    k: int = option(16, minimum=2, maximum=64)
    iterations: int = option(1000, minimum=1)
    bias: float = option(1.0, minimum=0, maximum=100)
    sideways: bool = True
    temperature: float = option(0.0, minimum=0, maximum=10)
    cooled: float = option(0.1, above=0, maximum=10)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Run the iterations; return the best board seen, a sideways one if it is no better than the incumbent."""
        instance: Instance = problem.instance
        layout = Layout.of(instance, incumbent)
        free = np.flatnonzero(layout.groups >= 0).astype(np.int32)
        weights = np.rint(1000 * (1 + self.bias * np.arange(5))).astype(np.int64)
        state = kernel_state(rng)
        start = count_mismatches(instance, incumbent)
        best = layout.placements.copy()
        iterations = budget.limit(self.iterations) if free.size else 0
        chunk = min(CHUNK, max(1, iterations // 50)) if self.temperature else CHUNK
        done = change = best_change = 0
        while done < iterations and not budget.exhausted and not budget.reached(start + best_change):
            before = best_change
            steps = min(chunk, iterations - done)
            change, best_change = reassign(
                steps,
                self.k,
                weights,
                self.sideways,
                self._temperature(done / iterations, budget),
                TIE_BITS,
                free,
                layout.groups,
                layout.placements,
                layout.neighbours,
                layout.kinds,
                layout.turns,
                layout.sides,
                state,
                change,
                best_change,
                best,
            )
            budget.spend(work=steps, iterations=steps)
            done += steps
            if best_change < before:
                budget.offer(best[: instance.cells].copy(), start + int(best_change))
        if best_change < 0:
            status = Status.IMPROVED
        else:
            status = Status.NO_IMPROVEMENT if done == self.iterations or not free.size else Status.EXHAUSTED
        board = best[: instance.cells].copy()
        return Outcome(status, board, start + int(best_change))

    def _temperature(self, done: float, budget: Budget) -> float:
        """Mean of the random numbers after a fraction of the iterations."""
        if self.temperature == 0:
            return 0.0
        if budget.timed:
            done = max(done, budget.elapsed / max(budget.deadline - budget.started, 1e-9))
        return float(self.temperature * (self.cooled / self.temperature) ** min(done, 1.0))
