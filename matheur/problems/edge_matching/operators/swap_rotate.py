"""Neighbourhoods by exchanges of two pieces: `swap-rotate` (tile swap and rotation, TSR), and `tabu`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.operators.swap_kernels import descend

__all__ = ["SwapRotate", "Tabu"]

CHUNK = 200  # moves between two checks of the clock


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
        moves = _Moves(problem.instance, incumbent, rng, first_improvement=self.first_improvement)
        start = objective = count_mismatches(problem.instance, incumbent)
        proved = False
        while not proved and not budget.exhausted and not budget.reached(objective):
            change, made, proved = moves.make(budget.limit(CHUNK))
            steps = made + int(proved)
            budget.spend(work=steps, iterations=steps)
            objective += change
            if change < 0:
                budget.offer(moves.layout.board(), objective)
        unchanged = Status.LOCAL_OPTIMUM if proved else Status.EXHAUSTED
        status = Status.IMPROVED if objective < start else unchanged
        return Outcome(status, moves.layout.board(), objective)


@dataclass(frozen=True, slots=True)
class Tabu:
    """Tabu search by exchanges of two pieces in all rotations, as Wang and Chiang (2010) use it for these puzzles.

    Each move is the best of all (random among equals), even if it makes the board worse. No piece returns to a cell
    that it left recently, unless the board becomes better than any before. The tabu list is empty at the start of a
    call. Work: moves.

    Attributes
    ----------
    moves
        Moves per call.
    tenure
        Minimum number of moves for which a piece may not return to a cell; the actual number is drawn for each piece,
        up to twice this value.
    """

    moves: int = option(100_000, minimum=1)
    tenure: int = option(10, minimum=1, maximum=1_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Walk; return the best board on the way if it is better than the incumbent, otherwise the last one."""
        instance: Instance = problem.instance
        moves = _Moves(instance, incumbent, rng, tenure=self.tenure)
        start = known = count_mismatches(instance, incumbent)
        done = 0
        while done < self.moves and not budget.exhausted and not budget.reached(known):
            _, made, _ = moves.make(budget.limit(min(CHUNK, self.moves - done)))
            budget.spend(work=made, iterations=made)
            done += made
            if moves.record + start < known:
                known = moves.record + start
                budget.offer(moves.best(), known)
        if known < start:
            return Outcome(Status.IMPROVED, moves.best(), known)
        status = Status.NO_IMPROVEMENT if done == self.moves else Status.EXHAUSTED
        board = moves.layout.board()
        return Outcome(status, board, count_mismatches(instance, board))


class _Moves:
    """A board and the kernel's data about it that is kept between calls."""

    def __init__(
        self, instance: Instance, board: Board, rng: Generator, *, first_improvement: bool = False, tenure: int = 0
    ) -> None:
        self.layout = Layout.of(instance, board)
        members = self.layout.members()
        self._order = np.concatenate([np.empty(0, dtype=np.int32), *(rng.permutation(m) for m in members)])
        self._starts = np.cumsum([0, *(m.size for m in members)]).astype(np.int32)
        self._table = np.empty((self._order.size, self._order.size), dtype=np.int8)
        self._state = kernel_state(rng)
        self._first_improvement, self._tenure = first_improvement, tenure
        shape = (self.layout.placements.size, instance.cells + 1) if tenure else (0, 0)
        self._banned = np.zeros(shape, dtype=np.int64)
        self._values = np.zeros(3, dtype=np.int64)
        self._best: NDArray[np.int32] = self.layout.placements.copy()

    def make(self, limit: int) -> tuple[int, int, bool]:
        """Make up to `limit` moves; return the change of mismatches, the moves, and if a local optimum is proved."""
        layout = self.layout
        change, made, proved = descend(
            self._first_improvement, limit, self._order, self._starts, layout.placements, layout.neighbours,
            layout.kinds, layout.turns, layout.sides, self._state, self._table,
            self._tenure, self._banned, self._values, self._best,
        )  # fmt: skip
        return int(change), int(made), bool(proved)

    @property
    def record(self) -> int:
        """The smallest change of mismatches of a tabu search so far, at most 0."""
        return int(self._values[2])

    def best(self) -> Board:
        """The board with the smallest change of mismatches."""
        return self._best[: self.layout.turns.shape[1]].copy()
