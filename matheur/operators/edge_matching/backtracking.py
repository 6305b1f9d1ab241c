"""Construction `backtracking`: a slip backtracker along a fixed order of the cells, restarted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError, nearest
from matheur.operators.edge_matching.board_tools import count_mismatches
from matheur.operators.edge_matching.completion import complete
from matheur.operators.edge_matching.orientation import CORNERS, nearest_corner, turned, turned_board
from matheur.operators.edge_matching.slip_schedule import default_strength
from matheur.operators.edge_matching.slip_search import SlipPlan, SlipSearch
from matheur.operators.edge_matching.slip_tables import ORDERS, fill_order
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance

__all__ = ["NODES_PER_WORK", "Backtracking"]

NODES_PER_WORK = 1_000

_CHUNK = 1_000_000  # placements between two looks at the budget: 15 to 30 milliseconds
_EFFORT = 200_000_000  # placements where neither an option nor the budget sets a limit
_SHARE = 0.045  # of the joints that the first board may leave unmatched


@dataclass(frozen=True, slots=True)
class Backtracking:
    """Fills the board cell by cell, with few mismatches and those late: the strongest construction for a good score.

    Candidates of a cell come from tables by the colours above and on the left. Mismatches are allowed late only, by a
    schedule; pieces with rare colours are spent first, by a quota (Blackwood 2020). After each full board one mismatch
    fewer is allowed than it has; after `restart` placements all begins again with the candidates in another order.
    Work: placements / 1,000; 30 to 60 million placements a second.

    Attributes
    ----------
    nodes
        Placements of one call; None for all that the budget holds.
    order
        `rows`, `columns`, or `comb`: rows, but the last `comb` rows column by column.
    comb
        See `order`.
    corner
        Where it begins: `top-left`, `top-right`, `bottom-left`, `bottom-right`, or `nearest`, from which the scan meets
        the hints soonest.
    mismatches
        Of the first board, at most; None for one joint in 22, or for what the target asks if that is more.
    opening
        Share of the board from which mismatches begin to be allowed.
    schedule
        Instead of `opening`: the shares of the board from which the first, second, ... mismatch is allowed.
    exhaustion
        Share of the sides with rare colours that the quota wants laid at five eighths of the board, to begin with: it
        adjusts itself. 0 for no quota, None to choose by the size of the board.
    apart
        Whether no piece may have two mismatches.
    restart
        Placements after which it begins again; None for never: then the search is exhaustive.
    patience
        Placements after which a start is given up that has not yet come beyond the quota; 0 for never.
    """

    nodes: int | None = None
    order: str = "rows"
    comb: int = 5
    corner: str = "nearest"
    mismatches: int | None = None
    opening: float = 0.883
    schedule: tuple[float, ...] | None = None
    exhaustion: float | None = None
    apart: bool = False
    restart: int | None = 20_000_000
    patience: int = 1_000_000

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ConfigurationError(f"order is {self.order!r}. {nearest(str(self.order), ORDERS)}")
        if self.corner not in (*CORNERS, "nearest"):
            raise ConfigurationError(f"corner is {self.corner!r}. {nearest(str(self.corner), (*CORNERS, 'nearest'))}")
        numbers = {"nodes": self.nodes, "restart": self.restart, "comb": self.comb}
        for name, value in numbers.items():
            if value is not None and value < 1:
                raise ConfigurationError(f"{name} must be at least 1 ({value})")
        if self.patience < 0 or (self.mismatches is not None and self.mismatches < 0):
            raise ConfigurationError(f"patience and mismatches must be at least 0 ({self.patience}, {self.mismatches})")
        for share in (self.opening, self.exhaustion, *(self.schedule or ())):
            if share is not None and not 0 <= share <= 1:
                raise ConfigurationError(f"opening, exhaustion and schedule must be from 0 to 1 ({share})")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Search until a perfect board, the limit, the target or the end of the budget."""
        instance: Instance = problem.instance
        quarters = nearest_corner(instance) if self.corner == "nearest" else CORNERS.index(self.corner)
        best = _Best(problem, budget, quarters, rng)
        best.look(np.full(instance.cells, EMPTY, dtype=np.int32))
        budget.spend(work=1)
        if budget.exhausted or best.enough:
            return best.outcome(0)
        search = SlipSearch(turned(instance, quarters), self._plan(instance, quarters, budget), rng)
        limits = [limit for limit in (self.nodes, _left(budget)) if limit is not None]
        limit = min(limits) if limits else None if budget.timed else _EFFORT
        deepest = 0
        while not (search.done or best.enough or budget.exhausted or (limit is not None and search.nodes >= limit)):
            before = search.nodes
            room = _CHUNK if limit is None else min(_CHUNK, limit - before)
            if search.advance(room):
                best.look(search.board)
            elif search.board is None and search.deepest > deepest:
                deepest = search.deepest
                best.look(search.partial())
            if search.given_up is not None:
                best.keep(search.given_up)
                search.given_up = None
            budget.spend(work=max(1, (search.nodes - before) // NODES_PER_WORK))
        return best.outcome(1 if search.exhausted and search.slips > 0 else 0)

    def _plan(self, instance: Instance, quarters: int, budget: Budget) -> SlipPlan:
        rows, columns = instance.rows, instance.columns
        if quarters % 2:
            rows, columns = columns, rows
        total = self.mismatches
        if total is None:
            total = round(_SHARE * instance.joints)
            if budget.target is not None:
                total = max(total, int(budget.target))
        return SlipPlan(
            order=fill_order(rows, columns, self.order, self.comb),
            total=total,
            opening=self.opening,
            schedule=self.schedule,
            strength=default_strength(instance.cells) if self.exhaustion is None else self.exhaustion,
            apart=self.apart,
            restart=self.restart,
            patience=self.patience,
            loose=columns if self.order == "rows" else rows,
        )


class _Best:
    """The best board so far, turned back, filled up, and handed out."""

    def __init__(self, problem: Any, budget: Budget, quarters: int, rng: Generator) -> None:
        self._problem, self._budget, self._quarters, self._rng = problem, budget, quarters, rng
        self._finishing = rng.spawn(1)[0]  # its own, so that the search does not depend on the boards that are kept
        self._board: Board | None = None
        self._objective = 0

    @property
    def enough(self) -> bool:
        return self._board is not None and (self._objective == 0 or self._budget.reached(self._objective))

    def look(self, board: Board | None) -> None:
        """Take a turned board, whole or not, if it is better."""
        instance: Instance = self._problem.instance
        if board is None:
            return
        board = self._finished(board, self._rng)
        objective = count_mismatches(instance, board)
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
        rows, columns = self._problem.instance.rows, self._problem.instance.columns
        if self._quarters % 2:
            rows, columns = columns, rows
        board = turned_board(board, rows, columns, -self._quarters)
        return complete(self._problem.instance, board, rng) if (board == EMPTY).any() else board

    def outcome(self, bound: int) -> Outcome[Board]:
        found = self._board is not None
        return Outcome(
            Status.IMPROVED if found and not self._budget.exhausted else Status.EXHAUSTED,
            self._board,
            self._objective if found else None,
            bound=bound,
            certificate={"method": "exhaustive backtracking: no perfect board"} if bound else None,
            work=self._budget.spent_work,
            seconds=self._budget.elapsed,
        )


def _left(budget: Budget) -> int | None:
    return None if budget.work_left is None else budget.work_left * NODES_PER_WORK
