"""The best of the boards that a construction makes in another orientation."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.operators.edge_matching.board_tools import count_mismatches
from matheur.operators.edge_matching.completion import complete
from matheur.operators.edge_matching.orientation import turned_board
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["BestBoard"]


class BestBoard:
    """The best board so far, turned back, filled up, and handed out."""

    def __init__(self, problem: Any, budget: Budget, quarters: int, rng: Generator) -> None:
        self._problem, self._budget, self._quarters, self._rng = problem, budget, quarters, rng
        self._board: Board | None = None
        self._objective = 0

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
        instance: Instance = self._problem.instance
        if board is None:
            return
        rows, columns = instance.rows, instance.columns
        if self._quarters % 2:
            rows, columns = columns, rows
        board = turned_board(board, rows, columns, -self._quarters)
        if (board == EMPTY).any():
            board = complete(instance, board, self._rng)
        objective = count_mismatches(instance, board)
        if self._board is not None and objective >= self._objective:
            return
        if self._problem.evaluate(board).feasible:
            self._board, self._objective = board, objective
            self._budget.offer(board, objective)

    def outcome(self, bound: int = 0, proof: str = "") -> Outcome[Board]:
        """The outcome of a construction; a bound above 0 names what proves it."""
        found = self._board is not None
        return Outcome(
            Status.IMPROVED if found and not self._budget.exhausted else Status.EXHAUSTED,
            self._board,
            self._objective if found else None,
            bound=bound,
            certificate={"method": proof} if bound else None,
            work=self._budget.spent_work,
            seconds=self._budget.elapsed,
        )
