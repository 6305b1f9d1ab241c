"""The best board of a construction that works in another orientation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.completion import complete
from matheur.problems.edge_matching.operators.orientation import quarters_to, turned_board

__all__ = ["BestBoard"]


class BestBoard:
    """The best board so far, turned back, completed and offered to the budget; the first one completes an empty board.

    Parameters
    ----------
    corner
        Corner in which boards begin: they are passed in turned, so that this corner lies at the top left.

    Attributes
    ----------
    quarters
        Clockwise quarter-turns that bring the corner to the top left.
    """

    def __init__(self, problem: Any, budget: Budget, corner: str, rng: Generator) -> None:
        instance: Instance = problem.instance
        self.quarters = quarters_to(instance, corner)
        self._problem, self._budget, self._rng = problem, budget, rng
        self._finishing = rng.spawn(1)[0]  # separate, so that the search does not depend on the boards kept
        self._board: Board | None = None
        self._objective = 0
        self.look(np.full(instance.cells, EMPTY, dtype=np.int32))
        budget.spend(work=1)

    @property
    def done(self) -> bool:
        """True if no better board is needed, or the budget has ended."""
        return self._budget.exhausted or self.enough

    @property
    def enough(self) -> bool:
        """True if the board is perfect or reaches the target."""
        return self._board is not None and (self._objective == 0 or self._budget.reached(self._objective))

    @property
    def objective(self) -> int | None:
        """Mismatches of the best board; None before there is one."""
        return None if self._board is None else self._objective

    def look(self, board: Board | None) -> None:
        """Take a turned board, complete or partial, if it is better."""
        if board is None:
            return
        board = self._finished(board, self._rng)
        objective = count_mismatches(self._problem.instance, board)
        if self._board is not None and objective >= self._objective:
            return
        if self._problem.evaluate(board).feasible:
            self._board, self._objective = board, objective
            self._budget.elites.add(self._problem.orbit(board), board, objective)
            self._budget.offer(board, objective)

    def keep(self, board: Board) -> None:
        """Add a turned board of an abandoned start to the elites, for operators that combine boards."""
        board = self._finished(board, self._finishing)
        evaluation = self._problem.evaluate(board)
        if evaluation.feasible:
            self._budget.elites.add(self._problem.orbit(board), board, evaluation.objective)

    def _finished(self, board: Board, rng: Generator) -> Board:
        """The board turned back and completed."""
        instance: Instance = self._problem.instance
        rows, columns = instance.rows, instance.columns
        if self.quarters % 2:
            rows, columns = columns, rows
        board = turned_board(board, rows, columns, -self.quarters)
        return complete(instance, board, rng) if (board == EMPTY).any() else board

    def outcome(self, bound: int = 0, proof: str = "") -> Outcome[Board]:
        """The outcome of a construction; a bound above 0 comes with the method that proves it."""
        found = self._board is not None
        return Outcome(
            Status.IMPROVED if found and not self._budget.exhausted else Status.EXHAUSTED,
            self._board,
            self._objective if found else None,
            bound=bound,
            certificate={"method": proof} if bound else None,
        )
