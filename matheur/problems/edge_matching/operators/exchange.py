"""Neighbourhood `exchange`: random exchanges under late acceptance, guided by blocks, observed by mismatches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.blocks import GUIDES, incomplete_blocks
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state

__all__ = ["MOVES_PER_WORK", "Exchange"]

MOVES_PER_WORK = 1_000
_CHUNK = 50_000  # moves between two checks of the budget: 20 to 70 milliseconds


@dataclass(frozen=True, slots=True)
class Exchange:
    """A walk of random moves: two pieces of a class swap places, each in its best rotation, or one piece is rotated.

    The guide-and-observe search of Wauters, Vancroonenburg and Vanden Berghe (2012): a move is accepted if the guiding
    measure becomes no worse than its current value or its value `length` moves ago (late acceptance, Burke and Bykov
    2017). The result is the board with the fewest mismatches on the way. Work: moves / 1,000.

    Attributes
    ----------
    moves
        Moves per call; rounded up to thousands if a budget in work units ends the call.
    guide
        Guiding measure: `objective` (mismatches), or `blocks-2`, `blocks-3` (incomplete squares of 2 x 2 or 3 x 3
        cells). Boards too narrow for such squares use mismatches.
    length
        Length of the late-acceptance memory, whose initial value is the incumbent's value plus `slack`.
    slack
        How much worse than the incumbent the walk may be at first, in units of the guide.
    """

    moves: int = option(1_000_000, minimum=1)
    guide: Literal["objective", "blocks-2", "blocks-3"] = "objective"
    length: int = option(10_000, minimum=1, maximum=100_000_000)
    slack: int = option(0, minimum=0, maximum=1_000_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Walk; return the best board on the way if it is better than the incumbent, otherwise the last one."""
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.operators.exchange_kernels import wander

        instance: Instance = problem.instance
        layout = Layout.of(instance, incumbent)
        groups = layout.members()
        members = np.concatenate([np.zeros(0, dtype=np.int32), *groups])
        sizes = [group.size for group in groups]
        starts = np.cumsum([0, *sizes])
        group = np.repeat(np.arange(len(sizes)), sizes)
        before = count_mismatches(instance, incumbent)
        size = GUIDES.get(self.guide, 0)
        size = size if min(instance.rows, instance.columns) >= size else 0  # there are no such squares
        value = incomplete_blocks(instance, incumbent, size) if size else before
        history = np.full(self.length, value + self.slack, dtype=np.int64)
        figures = np.array([value, before, before, 0, 0], dtype=np.int64)
        best, state = layout.placements.copy(), kernel_state(rng)
        goal = 0 if budget.target is None else int(budget.target)
        while members.size and figures[4] < self.moves and figures[2] > goal and not budget.exhausted:
            known, made = int(figures[2]), int(figures[4])
            moves = budget.affordable(min(_CHUNK, self.moves - made), MOVES_PER_WORK)
            wander(
                moves, goal, size, instance.rows, instance.columns, members, starts, group, layout.placements,
                layout.neighbours, layout.kinds, layout.turns, layout.sides, history, figures, best, state,
            )  # fmt: skip
            budget.spend(work=-(-(int(figures[4]) - made) // MOVES_PER_WORK))
            if figures[2] < known:
                budget.offer(best[: instance.cells].copy(), int(figures[2]))
        if figures[2] < before:
            board, objective, status = best[: instance.cells].copy(), int(figures[2]), Status.IMPROVED
        else:
            board, objective, status = layout.board(), int(figures[1]), Status.NO_IMPROVEMENT
            status = Status.EXHAUSTED if figures[4] < self.moves and members.size else status
        return Outcome(status, board, objective)
