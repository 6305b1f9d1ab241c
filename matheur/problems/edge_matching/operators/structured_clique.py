"""Construction `structured-clique`: one placement for every cell, in a fixed order, with few slips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.completion import complete
from matheur.problems.edge_matching.operators.scanning import Scan

__all__ = ["NODES_PER_WORK", "StructuredClique"]

NODES_PER_WORK = 1_000

_CHUNK = 500_000
_EFFORT = 100_000_000
_PATIENCE = 3


@dataclass(frozen=True, slots=True)
class StructuredClique:
    """A clique with one vertex of every cell, searched cell by cell through tables of colours, not through the graph.

    Generic clique searches ignore that a perfect board takes one vertex of each cell and of each piece. This systematic
    search with restarts uses that structure, at 30 million vertices a second. At first, `slips` joints may mismatch,
    then one fewer than in the best filling, down to none. If three restarts fill nothing, more slips are allowed.
    Work: placements / 1,000.

    Attributes
    ----------
    nodes
        Placements per call; None for as many as the budget allows.
    slips
        Maximum number of mismatches of the first filling.
    restart
        Placements after which the search restarts with candidates in another order; None for never.
    opening
        Share of the board from which slips are allowed.
    """

    nodes: int | None = option(None, minimum=1)
    slips: int = option(4, minimum=0)
    restart: int | None = option(20_000_000, minimum=1)
    opening: float = option(0.7, minimum=0, maximum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Search until a perfect board, the limit, the target or the end of the budget."""
        instance: Instance = problem.instance
        everything = np.arange(instance.cells)
        empty = np.full(instance.cells, EMPTY, dtype=np.int32)
        best = complete(instance, empty, rng)
        objective = count_mismatches(instance, best)
        valid = bool(problem.evaluate(best).feasible)
        if valid:
            budget.offer(best, objective)
        budget.spend(work=1)
        limit = budget.affordable(self.nodes, NODES_PER_WORK)
        limit = _EFFORT if limit is None and not budget.timed else limit
        slips, done = self.slips, 0
        while objective > 0 or not valid:
            try:
                with budget.watched():
                    scan = Scan(
                        instance, empty, everything, everything, rng, slips=slips, restart=self.restart,
                        opening=self.opening,
                    )  # fmt: skip
            except OutOfBudgetError:
                break
            patience = None if self.restart is None else _PATIENCE * self.restart
            while not (scan.done or budget.exhausted or (limit is not None and done >= limit)):
                before = scan.nodes
                room = _CHUNK if limit is None else min(_CHUNK, limit - done)
                try:
                    with budget.watched():  # a restart rebuilds the tables
                        better = scan.advance(room)
                except OutOfBudgetError:
                    break
                spent = scan.nodes - before
                budget.spend(work=max(1, spent // NODES_PER_WORK))
                done += max(NODES_PER_WORK, spent)
                if better and scan.best is not None and (scan.mismatches < objective or not valid):
                    best, objective, valid = scan.best, scan.mismatches, True
                    budget.offer(best, objective)
                    if budget.reached(objective):
                        break
                if patience is not None and scan.best is None and scan.nodes >= patience:
                    break
            exhausted = budget.exhausted or (limit is not None and done >= limit)
            if exhausted or budget.reached(objective) or scan.best is not None or slips > 2 * instance.cells:
                break
            slips += max(1, slips // 2)
        return Outcome(
            Status.IMPROVED if valid and not budget.exhausted else Status.EXHAUSTED,
            best if valid else None,
            objective if valid else None,
            bound=0,
        )
