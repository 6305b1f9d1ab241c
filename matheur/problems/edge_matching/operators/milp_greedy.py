"""The MILP-based greedy construction: regions one after the other, each filled optimally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.milp import INTEGRAL_GAP, SolverOptions, solve_model, unanswered
from matheur.models.edge_matching import region
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches, unused_pieces
from matheur.problems.edge_matching.operators.completion import complete
from matheur.problems.edge_matching.operators.tie_breaking import SHARE, exhausted_colours, steering_costs
from matheur.solvers import MilpSolution, MilpStatus

__all__ = ["MilpGreedy", "Regions", "fill_region", "hinted_board", "holds_hints"]

Cells = NDArray[np.intp]

_PERFECT_GAP = 0.2 * SHARE  # allowed cost of a perfect filling above the cheapest one
_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class Regions:
    """How a board is cut into regions, and their order.

    Attributes
    ----------
    shape
        Shape of a region: `rows` or `columns` across the whole board, or `blocks`.
    height, width
        Rows of a region (columns for `columns`), and its columns for `blocks`; the last region may be smaller.
    order
        Order of the regions: `forward`, `backward`, `inward` (from both ends to the middle) or `random`.
    """

    shape: Literal["rows", "columns", "blocks"] = "rows"
    height: int = option(1, minimum=1)
    width: int = option(4, minimum=1)
    order: Literal["forward", "backward", "inward", "random"] = "forward"

    def __post_init__(self) -> None:
        check_options(self)

    def cut(self, instance: Instance, rng: Generator) -> list[Cells]:
        """The regions as arrays of cells, in the order in which they are filled."""
        grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
        rows, columns = {
            "rows": (self.height, instance.columns),
            "columns": (instance.rows, self.height),
            "blocks": (self.height, self.width),
        }[self.shape]
        parts = [
            grid[top : top + rows, left : left + columns].ravel()
            for top in range(0, instance.rows, rows)
            for left in range(0, instance.columns, columns)
        ]
        if self.order == "backward":
            return parts[::-1]
        if self.order == "inward":
            return [parts[i // 2] if i % 2 == 0 else parts[-1 - i // 2] for i in range(len(parts))]
        if self.order == "random":
            return [parts[int(i)] for i in rng.permutation(len(parts))]
        return parts


def hinted_board(instance: Instance) -> Board:
    """A board that holds only the hints; a hint that fits in several rotations is left to the models."""
    board = np.full(instance.cells, EMPTY, dtype=np.int32)
    for hint in instance.hints:
        allowed = np.flatnonzero(instance.fits[4 * hint.piece : 4 * hint.piece + 4, hint.cell])
        if allowed.size == 1:
            board[hint.cell] = 4 * hint.piece + allowed[0]
    return board


def holds_hints(instance: Instance, board: Board) -> bool:
    """Whether no cell with a hint is empty, so that a partial board is a valid solution."""
    return bool((board[instance.fixed] != EMPTY).all())


def fill_region(
    instance: Instance,
    board: Board,
    cells: Cells,
    solver: SolverOptions,
    budget: Budget,
    rng: Generator,
    *,
    formulation: str,
    seconds: float | None,
    nodes: int | None,
    costs: NDArray[np.float64] | None = None,
) -> tuple[Board | None, MilpSolution]:
    """Fill the empty cells of a region with unused pieces; None if no filling was found within the limits.

    `auto` first looks for a perfect filling (`exact`, which is fast if one exists) and only then for the fewest
    mismatches (`match`). `costs` (of placements, in total below `SHARE`) break ties.
    """
    spare = unused_pieces(instance, board)
    for name in ("exact", "match") if formulation == "auto" else (formulation,):
        try:
            with budget.watched():
                built = region.build(instance, board, cells, spare, name, costs=costs)
        except OutOfBudgetError:
            return None, unanswered(solver, budget)
        gap = INTEGRAL_GAP if costs is None else _PERFECT_GAP if name == "exact" else 1.0 - SHARE - _MARGIN
        answer = solve_model(built.model, solver, budget, rng, seconds=seconds, nodes=nodes, absolute_gap=gap)
        if answer.has_solution:
            return built.read(answer.values), answer
        if budget.exhausted:
            break
    return None, answer


@dataclass(frozen=True, slots=True)
class MilpGreedy:
    """Cut the board into regions and fill each optimally, given those before it.

    Salassa et al. 2017, section 3.1, Algorithm 1, with the region model (15)-(16).

    Attributes
    ----------
    shape, height, width, order
        Regions of the board; see `Regions`.
    formulation
        Formulation of the MILP: `auto` (a perfect filling if there is one, else `match`), `match` or `gap`.
    exhaust, noise
        Number of inner colours whose pieces are laid first among equally good fillings (0 for none, by default one
        in six), and the random part of that preference; see `matheur.problems.edge_matching.operators.tie_breaking`.
    passes
        Number of constructions, with different random choices; the best board is kept.
    seconds, nodes
        Limits of each solve; the time limit applies to timed runs only. The best filling found by then is used.
    solver
        The MILP backend.
    """

    shape: Literal["rows", "columns", "blocks"] = "rows"
    height: int = option(1, minimum=1)
    width: int = option(4, minimum=1)
    order: Literal["forward", "backward", "inward", "random"] = "forward"
    formulation: Literal["auto", "match", "gap"] = "auto"
    exhaust: int | None = option(None, minimum=0)
    noise: float = option(0.1, minimum=0)
    passes: int = option(1, minimum=1)
    seconds: float | None = option(60.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Fill all regions; cells left empty when a limit is reached are completed by an assignment.

        Work: branch-and-bound nodes, at least one per solve.
        """
        instance = problem.instance
        best: Board | None = None
        fewest = instance.joints + 1
        for _ in range(self.passes):
            regions = Regions(self.shape, self.height, self.width, self.order).cut(instance, rng)
            board = self.complete(problem, hinted_board(instance), regions, budget, rng)
            mismatches = count_mismatches(instance, board)
            if mismatches < fewest:
                best, fewest = board, mismatches
            if budget.exhausted or budget.reached(fewest) or fewest == 0:
                break
        assert best is not None
        return Outcome(Status.IMPROVED if (best != EMPTY).all() else Status.EXHAUSTED, best, fewest)

    def complete(self, problem: Any, board: Board, regions: Sequence[Cells], budget: Budget, rng: Generator) -> Board:
        """Fill the empty cells of the regions in turn, offering the board after each region."""
        instance = problem.instance
        colours = exhausted_colours(instance, self.exhaust)
        for cells in regions:
            empty = cells[board[cells] == EMPTY]
            if not empty.size:
                continue
            if budget.exhausted:
                break
            costs = steering_costs(instance, colours, len(empty), self.noise, rng)
            filled, answer = fill_region(
                instance,
                board,
                empty,
                self.solver,
                budget,
                rng,
                formulation=self.formulation,
                seconds=self.seconds,
                nodes=self.nodes,
                costs=costs if costs.any() else None,
            )
            if filled is None and answer.status is MilpStatus.INFEASIBLE:
                break  # hints block each other; the evaluation of the problem reports it
            if filled is not None:
                board = filled
                if holds_hints(instance, board):
                    budget.offer(board.copy(), count_mismatches(instance, board))
        return complete(instance, board, rng)
