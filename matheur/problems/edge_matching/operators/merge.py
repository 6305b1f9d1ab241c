"""Neighbourhood `merge`: the cells on which two good boards differ are filled again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.elites import Elite
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches, unused_pieces
from matheur.problems.edge_matching.operators.exact_region import TILES_MAX
from matheur.problems.edge_matching.operators.orientation import turned_board
from matheur.problems.edge_matching.operators.proof_windows import window_key
from matheur.problems.edge_matching.operators.region_cells import cycles, differing_cells, grown_cells, mismatched_ends
from matheur.problems.edge_matching.operators.region_methods import RefillOptions, refill

__all__ = ["Merge"]


@dataclass(frozen=True, slots=True)
class Merge(RefillOptions):
    """Free the cells in which two good boards differ, and fill them again with the pieces set free.

    The boards are the incumbent and one of the run's elites (`matheur.engine.elites`: boards filled by `backtracking`,
    former incumbents), turned so that they differ least. The better one is the base: all of its other cells stay, so
    the result is never worse. If more than `cells` cells differ, some of them are chosen: cycles (sets of cells in
    which both boards hold the same pieces) with many mismatches, or differing cells around a mismatch.

    See `matheur.problems.edge_matching.operators.region_methods.RefillOptions` for the options of refilling.

    Attributes
    ----------
    iterations
        Pairs of boards per call.
    cells
        Maximum number of cells set free; `exact` also limits the pieces to 64.
    """

    nodes: int | None = option(2_000_000, minimum=0)
    cells: int = option(24, minimum=2)

    def __post_init__(self) -> None:
        check_options(self)
        if self.method == "exact" and self.cells > TILES_MAX:
            raise ConfigurationError(f"method 'exact' fills at most {TILES_MAX} cells ({self.cells})")

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Merge with one elite after another, keeping every gain.

        Work: as in `region`, and one for each pair.
        """
        instance: Instance = problem.instance
        board, before = np.array(incumbent, dtype=np.int32), count_mismatches(instance, incumbent)
        objective = before
        for _ in range(self.iterations):
            if budget.exhausted:
                break
            budget.spend(work=1)
            elite = _partner(budget, problem.orbit(board), rng)
            if elite is None:
                break
            other = _aligned(instance, board, elite.solution)
            theirs = count_mismatches(instance, other)
            base, second, start = (board, other, objective) if objective <= theirs else (other, board, theirs)
            cells = self._cells(instance, base, second, rng)
            if not cells.size or _key(instance, base, cells) in budget.proofs:
                continue
            found = refill(instance, base, cells, self, budget, rng)
            if found.proved:
                budget.proofs.remember(_key(instance, found.board, cells))
            if start + found.delta < objective and found.delta < 0:
                board, objective = found.board, start + found.delta
                budget.offer(board.copy(), objective)
                budget.elites.add(problem.orbit(board), board, objective)
                if budget.reached(objective):
                    break
            elif found.delta == 0 and base is board and self.sideways:
                board = found.board
        changed = not np.array_equal(board, incumbent)
        unchanged = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
        return Outcome(
            Status.IMPROVED if objective < before else unchanged,
            board if changed else None,
            objective if changed else None,
        )

    def _cells(self, instance: Instance, base: Board, second: Board, rng: Generator) -> NDArray[np.intp]:
        """The differing cells, or a sufficiently small subset of them."""
        size = self.cells
        if self.method == "exact":
            size = min(size, TILES_MAX - unused_pieces(instance, base).size)
        cells = differing_cells(base, second)
        cells = cells[~instance.fixed[cells]]
        if cells.size <= size:
            return cells
        ends = mismatched_ends(instance, base)
        faults = np.bincount(ends.ravel(), minlength=instance.cells)
        closed = [cycle for cycle in cycles(base, second) if cycle.size <= size and not instance.fixed[cycle].any()]
        if closed and rng.random() < 0.5:
            weights = np.array([0.1 + faults[cycle].sum() for cycle in closed])
            order = rng.choice(len(closed), size=len(closed), replace=False, p=weights / weights.sum())
            taken: list[int] = []
            for index in order:
                if len(taken) + closed[index].size <= size:
                    taken += closed[index].tolist()
            return np.array(sorted(taken), dtype=np.intp)
        among = np.zeros(instance.cells, dtype=bool)
        among[cells] = True
        near = np.flatnonzero(among & (faults > 0))
        seed = rng.choice(near if near.size else cells, size=1)
        return grown_cells(instance, seed, size, rng, among)


def _key(instance: Instance, board: Board, cells: NDArray[np.intp]) -> str:
    return proof_key("region", window_key(instance, board, cells))  # `region` proves the same


def _partner(budget: Budget, own: bytes, rng: Generator) -> Elite | None:
    """An elite other than the board itself."""
    others = [elite for elite in budget.elites.entries() if elite.key != own]
    return others[int(rng.integers(len(others)))] if others else None


def _aligned(instance: Instance, board: Board, other: Board) -> Board:
    """The other board, turned to differ least; hints and boards that are not square allow fewer turns."""
    quarters: tuple[int, ...] = (0, 1, 2, 3) if instance.rows == instance.columns else (0, 2)
    if instance.hints or not instance.rules.rotation:
        quarters = (0,)
    boards = [turned_board(np.asarray(other), instance.rows, instance.columns, turn) for turn in quarters]
    return min(boards, key=lambda one: int(differing_cells(board, one).size))
