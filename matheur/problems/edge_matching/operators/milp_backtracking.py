"""The MILP-based backtracking construction: perfect regions, with exclusion cuts on the way back."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from numpy.random import Generator

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import SolverOptions, certificate_of, solve_model
from matheur.models.edge_matching import region
from matheur.models.edge_matching.blocks import BuiltModel, exclude
from matheur.problems.edge_matching.instance import EMPTY, Board
from matheur.problems.edge_matching.operators.board_tools import count_mismatches, unused_pieces
from matheur.problems.edge_matching.operators.milp_greedy import (
    Cells,
    MilpGreedy,
    Regions,
    hinted_board,
    holds_hints,
)
from matheur.solvers import MilpSolution, MilpStatus

__all__ = ["MilpBacktracking"]


@dataclass(frozen=True, slots=True)
class MilpBacktracking:
    """Fill region after region without any mismatch; backtrack if that is impossible; finally, fill greedily.

    Salassa et al. 2017, section 3.2, Algorithm 2: when a region has no perfect filling, the filling of the previous
    region is cut off (constraint (17)) and another one is sought. When a limit is reached, the greedy construction
    completes the deepest perfect partial board.

    Attributes
    ----------
    shape, height, width, order
        Regions of the board; see `Regions`.
    backtracking_seconds, backtracking_solves
        Limits of the backtracking part; the time limit applies to timed runs only.
    formulation, exhaust, noise, seconds, nodes
        Options of the greedy completion; see `MilpGreedy`. The limits also apply to each solve of the backtracking.
    solver
        The MILP backend.
    """

    shape: Literal["rows", "columns", "blocks"] = "rows"
    height: int = option(1, minimum=1)
    width: int = option(4, minimum=1)
    order: Literal["forward", "backward", "inward", "random"] = "forward"
    backtracking_seconds: float | None = option(60.0, minimum=0)
    backtracking_solves: int | None = option(None, minimum=0)
    formulation: Literal["auto", "match", "gap"] = "auto"
    exhaust: int | None = option(None, minimum=0)
    noise: float = option(0.1, minimum=0)
    seconds: float | None = option(60.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Backtrack, then complete. Work: branch-and-bound nodes, at least one per solve.

        If the tree of perfect fillings is exhausted, no perfect board exists and the bound is 1.
        """
        instance = problem.instance
        regions = Regions(self.shape, self.height, self.width, self.order).cut(instance, rng)
        search = _Backtracking(self, problem, regions, budget, rng)
        with suppress(OutOfBudgetError):  # the cells filled so far are kept
            search.run()
        greedy = MilpGreedy(
            formulation=self.formulation, exhaust=self.exhaust, noise=self.noise, seconds=self.seconds,
            nodes=self.nodes, solver=self.solver,
        )  # fmt: skip
        board = greedy.complete(problem, search.deepest, regions, budget, rng)
        return Outcome(
            Status.IMPROVED if (board != EMPTY).all() else Status.EXHAUSTED,
            board,
            count_mismatches(instance, board),
            bound=1 if search.exhausted else None,
            certificate=certificate_of(search.last) if search.exhausted and search.last else None,
        )


class _Backtracking:
    """The tree search over perfect fillings: one model per level, cut on every return."""

    def __init__(
        self, options: MilpBacktracking, problem: Any, regions: list[Cells], budget: Budget, rng: Generator
    ) -> None:
        self.options, self.problem, self.budget, self.rng = options, problem, budget, rng
        self.own = budget.child(seconds=options.backtracking_seconds if budget.timed else None)
        board = hinted_board(problem.instance)
        self.regions = [cells for cells in regions if (board[cells] == EMPTY).any()]
        self.deepest: Board = board
        self.exhausted = False
        self.last: MilpSolution | None = None

    def run(self) -> None:
        """Search until the board is perfect, a limit is reached or the tree is exhausted."""
        path = [self._model(self.deepest, self.regions[0])] if self.regions else []
        fillings: list[Board] = []  # fillings[i]: the board after level i
        solves, reached, all_proved = 0, 0, True
        while path and len(fillings) < len(self.regions):
            if self.own.exhausted or solves == self.options.backtracking_solves:
                return
            filled, proved = self._solve(path[-1])
            solves, all_proved = solves + 1, all_proved and proved
            if filled is None:
                path.pop()
                if path:
                    exclude(path[-1], fillings.pop())
                continue
            fillings.append(filled)
            if len(fillings) > reached:
                reached, self.deepest = len(fillings), filled
                if holds_hints(self.problem.instance, filled):
                    self.budget.offer(filled.copy(), count_mismatches(self.problem.instance, filled))
            if len(fillings) < len(self.regions):
                path.append(self._model(filled, self.regions[len(fillings)]))
        self.exhausted = not path and bool(self.regions) and all_proved

    def _model(self, board: Board, cells: Cells) -> BuiltModel:
        spare = unused_pieces(self.problem.instance, board)
        with self.own.watched():
            return region.build(self.problem.instance, board, cells[board[cells] == EMPTY], spare, "exact")

    def _solve(self, built: BuiltModel) -> tuple[Board | None, bool]:
        """A perfect filling or None, and whether it is proved that there is none."""
        answer = solve_model(
            built.model,
            self.options.solver,
            self.own,
            self.rng,
            seconds=self.options.seconds,
            nodes=self.options.nodes,
        )
        self.last = answer
        if answer.has_solution:
            return built.read(answer.values), True
        return None, answer.status is MilpStatus.INFEASIBLE
