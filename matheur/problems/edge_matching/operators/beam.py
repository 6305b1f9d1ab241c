"""Construction `beam`: the best of many boards, cell by cell, ever wider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.random import Generator

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, check_order, option
from matheur.engine.outcome import Outcome
from matheur.problems.edge_matching.backtracking.slip_tables import BEGINNINGS, ORDERS, fill_order
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.beam_search import BeamSearch, bytes_of
from matheur.problems.edge_matching.operators.best_board import BestBoard
from matheur.problems.edge_matching.operators.orientation import turned

__all__ = ["STATES_PER_WORK", "Beam"]

STATES_PER_WORK = 1_000

_LEAST = 64  # states of the narrowest beam
_PART = 0.9  # share of the remaining time that a beam is planned to take
_LOOKED_AT = 10  # boards of the last layer that are completed


@dataclass(frozen=True, slots=True)
class Beam:
    """Fills the board cell by cell, and keeps the best `width` partial boards: a good score after a second.

    A child matches its neighbours above and on the left, or at least one of the two. Boards with fewer mismatches are
    preferred and, among equals, boards that have used more sides with rare colours, because fewer colours are then
    left. Ties are broken at random. Each beam is followed by a wider one. Work: partial boards / 1,000; 3 to 5 million
    partial boards a second.

    Attributes
    ----------
    width, width_max
        Partial boards kept per layer: by the first beam, and by any beam at most.
    growth
        Factor by which each beam is wider than the previous one; with a deadline, the remaining time limits the width.
    beams
        Number of beams; None continues until the budget ends, or runs one beam if the budget has no limit.
    exhaustion
        Value of using a side with a rare colour, in sixteenths of a mismatch; 0 for none.
    until
        Share of the board up to which this value applies.
    order
        `rows`, `columns`, or `comb`: rows, but the last `comb` rows column by column.
    comb
        Rows that a comb fills column by column; None for a quarter of all rows.
    corner
        Corner in which the scan begins: `top-left`, `top-right`, `bottom-left`, `bottom-right`, or `nearest`, the one
        from which the scan reaches the hints soonest.
    memory
        Memory limit in MiB.
    """

    width: int = option(4_096, minimum=1)
    width_max: int = option(1 << 20, maximum=1 << 24)
    growth: int = option(4, minimum=1)
    beams: int | None = option(None, minimum=1)
    exhaustion: int = option(3, minimum=0, maximum=64)
    until: float = option(0.6, minimum=0, maximum=1)
    order: str = option("comb", choices=ORDERS)
    comb: int | None = option(None, minimum=1)
    corner: str = option("nearest", choices=BEGINNINGS)
    memory: int = option(4_096, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)
        check_order(self, "width", "width_max")

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Run one beam after another until a perfect board, the target or the end of the budget."""
        best = BestBoard(problem, budget, self.corner, rng)
        if best.done:
            return best.outcome()
        self.fill(turned(problem.instance, best.quarters), best, budget, rng)
        return best.outcome()

    def fill(self, instance: Instance, best: BestBoard, budget: Budget, rng: Generator) -> None:
        """Pass boards of a puzzle that is already turned to `best` until the budget ends or all beams are done."""
        order = fill_order(instance.rows, instance.columns, self.order, self.comb)
        search = BeamSearch(instance, order, exhaustion=self.exhaustion, until=self.until)

        def spent(states: int) -> bool:
            budget.spend(work=max(1, states // STATES_PER_WORK))
            return budget.exhausted

        endless = not budget.timed and budget.work_left is None
        beams = self.beams if self.beams is not None else 1 if endless else None
        most = max(1, min(self.width_max, self.memory * (1 << 20) // bytes_of(instance, 1)))
        width, made = min(self.width, most), 0
        while True:
            began = budget.elapsed
            boards, states = search.run(width, rng, spent)
            for board in boards[:_LOOKED_AT]:
                best.look(board)
            made += 1
            if best.enough or budget.exhausted or (beams is not None and made >= beams):
                return
            width = min(width * self.growth, most)
            if budget.timed:
                rate = states / max(budget.elapsed - began, 1e-6)
                affordable = int(_PART * budget.seconds_left * rate / instance.cells)
                width = max(min(_LEAST, most), min(width, affordable))
