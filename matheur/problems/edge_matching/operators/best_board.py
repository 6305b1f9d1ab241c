"""The best of the boards that a construction makes in another orientation."""

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
    """The best board so far, turned back, filled up, and handed out; the first one is filled up from nothing.

    Parameters
    ----------
    corner
        Where boards begin: they come turned until it lies at the top left.

    Attributes
    ----------
    quarters
        Clockwise quarter-turns of that.
    """

    def __init__(self, problem: Any, budget: Budget, corner: str, rng: Generator) -> None:
        instance: Instance = problem.instance
        self.quarters = quarters_to(instance, corner)
        self._problem, self._budget, self._rng = problem, budget, rng
        self._finishing = rng.spawn(1)[0]  # its own, so that the search does not depend on the boards that are kept
        self._board: Board | None = None
        self._objective = 0
        self.look(np.full(instance.cells, EMPTY, dtype=np.int32))
        budget.spend(work=1)

    @property
    def done(self) -> bool:
        """Whether nothing better is asked for, or the budget has ended."""
        return self._budget.exhausted or self.enough

    @property
    def enough(self) -> bool:
        """Whether nothing better is asked for."""
        return self._board is not None and (self._objective == 0 or self._budget.reached(self._objective))

    @property
    def objective(self) -> int | None:
        """Mismatches of the best board, None before there is one."""
        return None if self._board is None else self._objective

    def look(self, board: Board | None) -> None:
        """Take a turned board, whole or not, if it is better."""
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
        """A turned board of a start that was given up: not better, but another one, for those who combine boards."""
        board = self._finished(board, self._finishing)
        evaluation = self._problem.evaluate(board)
        if evaluation.feasible:
            self._budget.elites.add(self._problem.orbit(board), board, evaluation.objective)

    def _finished(self, board: Board, rng: Generator) -> Board:
        """Turned back and filled up."""
        instance: Instance = self._problem.instance
        rows, columns = instance.rows, instance.columns
        if self.quarters % 2:
            rows, columns = columns, rows
        board = turned_board(board, rows, columns, -self.quarters)
        return complete(instance, board, rng) if (board == EMPTY).any() else board

    def outcome(self, bound: int = 0, proof: str = "") -> Outcome[Board]:
        """The outcome of a construction; a bound above 0 names what proves it."""
        found = self._board is not None
        return Outcome(
            Status.IMPROVED if found and not self._budget.exhausted else Status.EXHAUSTED,
            self._board,
            self._objective if found else None,
            bound=bound,
            certificate={"method": proof} if bound else None,
        )
