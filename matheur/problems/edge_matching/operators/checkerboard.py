"""Neighbourhood `checkerboard` (black and white, BW): reassign all black cells, then all white ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.assignment_kernels import count_around, price
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state

__all__ = ["Checkerboard"]

TIE_BITS = 8  # the random numbers of 4096 cells stay below one mismatch (2^20)


@dataclass(frozen=True, slots=True)
class Checkerboard:
    """Optimal reassignment of all cells of one colour of a checkerboard (Salassa et al. 2017, section 3.3).

    Cells of one colour never touch, so the best exchange of their pieces is one assignment problem for each class. The
    colours alternate until neither yields an improvement. Ties are broken at random. Work: colours solved.

    Attributes
    ----------
    sideways
        Number of reassignments after the local optimum is proved, which may lead to other boards of equal objective;
        an improvement restarts the descent but not the count.
    """

    sideways: int = option(0, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Alternate down to a local optimum, which is proved once both colours are solved without gain."""
        instance: Instance = problem.instance
        layout = Layout.of(instance, incumbent)
        colours = _colours(instance, layout)
        state = kernel_state(rng)
        start = objective = count_mismatches(instance, incumbent)
        without_gain = steps = 0
        colour = int(rng.integers(2))
        while (without_gain < 2 or steps < self.sideways) and not budget.exhausted and not budget.reached(objective):
            walking = without_gain >= 2
            steps += walking
            gain = sum(_reassign(layout, chosen, state, walking) for chosen in colours[colour])
            budget.spend(work=1, iterations=1)
            colour = 1 - colour
            if gain:
                objective -= gain
                budget.offer(layout.board(), objective)
                without_gain = 1
            else:
                without_gain += 1
        board = layout.board()
        if objective < start:
            status = Status.IMPROVED
        elif without_gain < 2:
            status = Status.EXHAUSTED
        else:
            status = Status.LOCAL_OPTIMUM if np.array_equal(board, incumbent) else Status.NO_IMPROVEMENT
        return Outcome(status, board, objective)


def _colours(instance: Instance, layout: Layout) -> list[list[NDArray[np.int32]]]:
    """The positions of each class, for both colours; the tray belongs to both."""
    row, column = np.divmod(np.arange(instance.cells), instance.columns)
    black = np.ones(layout.placements.size, dtype=bool)
    black[: instance.cells] = (row + column) % 2 == 0
    white = ~black
    white[instance.cells :] = True
    return [[members[colour[members]] for members in layout.members()] for colour in (black, white)]


def _reassign(layout: Layout, chosen: NDArray[np.int32], state: NDArray[np.uint64], walking: bool) -> int:
    """Reassign the pieces of the chosen positions optimally; return the mismatches saved."""
    size = chosen.size
    cost = np.empty((size, size), dtype=np.int64)
    choice = np.empty((size, size), dtype=np.int64)
    price(
        chosen,
        layout.placements,
        layout.neighbours,
        layout.kinds,
        layout.turns,
        layout.sides,
        state,
        TIE_BITS,
        0.0,
        cost,
        choice,
    )
    before = int(count_around(chosen, layout.placements, layout.neighbours, layout.sides))
    positions, source = linear_sum_assignment(cost)
    chosen_turns = choice[positions, source]
    gain = before - int((chosen_turns >> 2).sum())
    if gain > 0 or (walking and gain == 0):
        tiles = layout.placements[chosen[source]]
        turned = (tiles & ~3) | (chosen_turns & 3)
        layout.placements[chosen[positions]] = np.where(tiles < 0, tiles, turned)
    return max(gain, 0)
