"""Region optimisation [RO]: rearrange the pieces of a window, or of a region grown around mismatches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.proof_windows import window_cells, window_costs, window_key
from matheur.problems.edge_matching.operators.region_cells import grown_cells, mismatched_ends
from matheur.problems.edge_matching.operators.region_methods import Refill, RefillOptions, refill

__all__ = ["Region"]

_DRAWS = 20  # grown regions drawn before all regions near the mismatches count as proved


@dataclass(frozen=True, slots=True)
class Region(RefillOptions):
    """Free a region of the board and fill it again, all else fixed (Salassa et al. 2017, section 3.3).

    Windows are drawn with a probability that grows with their mismatches. A window proved optimal is not solved
    again until its pieces or its surroundings change; when all are proved, the board is a local optimum.

    See `matheur.problems.edge_matching.operators.region_methods.RefillOptions` for the options of refilling.

    Attributes
    ----------
    rows, columns
        Size of the window; a window that is not square is used in both orientations.
    grow
        Number of cells of a region that replaces the window: the cells nearest to some mismatched joints, with random
        ties. There are too many such regions to prove all of them, so no local optimum is claimed, but each proof is
        remembered. 0 for windows.
    around
        Number of mismatched joints from which a region grows. Pieces may move between them, however far apart they are.
    """

    rows: int = option(4, minimum=1)
    columns: int = option(4, minimum=1)
    grow: int = option(0, minimum=0)
    around: int = option(1, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)
        if self.method == "exact" and self.grow > 48:
            raise ConfigurationError(
                f"a region of {self.grow} cells is too large for method 'exact'. Maybe 'structured' or 'milp'?"
            )
        if self.method == "exact" and self.rows * self.columns > 48:
            raise ConfigurationError(
                f"a window of {self.rows} x {self.columns} is too large for method 'exact'. "
                "Maybe 'structured', 'clique' or 'milp'?"
            )

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Solve one window after another, keeping every gain.

        Work: clique selections divided by 100, branch-and-bound nodes (for `exact`, divided by 1,000), placements
        of `structured` and `beam` divided by 1,000.
        """
        instance: Instance = problem.instance
        board, before = np.array(incumbent, dtype=np.int32), count_mismatches(instance, incumbent)
        objective = before
        windows = [] if self.grow else self._windows(instance)
        for _ in range(self.iterations):
            cells = self._region(instance, board, windows, budget, rng)
            if cells is None or budget.exhausted:
                break
            found = refill(instance, board, cells, self, budget, rng)
            self._remember(instance, board, cells, found, budget)
            if found.delta < 0 or (found.delta == 0 and self.sideways):
                board, objective = found.board, objective + found.delta
            if found.delta < 0:
                budget.offer(board.copy(), objective)
                if budget.reached(objective):
                    break
        proved = not self.grow and self._draw(instance, board, windows, budget, rng) is None
        proved = proved or objective == 0
        return self._outcome(incumbent, board, before, objective, proved, budget)

    def _outcome(
        self, incumbent: Board, board: Board, before: int, objective: int, proved: bool, budget: Budget
    ) -> Outcome[Board]:
        changed = not np.array_equal(board, incumbent)
        if proved:
            status = Status.LOCAL_OPTIMUM
        elif objective < before:
            status = Status.IMPROVED
        else:
            status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
        return Outcome(status, board if changed else None, objective if changed else None)

    def _region(
        self, instance: Instance, board: Board, windows: list[NDArray[np.intp]], budget: Budget, rng: Generator
    ) -> NDArray[np.intp] | None:
        """Cells that may still be improved; None if there are none, or none was drawn."""
        if not self.grow:
            index = self._draw(instance, board, windows, budget, rng)
            return None if index is None else windows[index]
        ends = mismatched_ends(instance, board)
        for _ in range(_DRAWS if len(ends) else 0):
            budget.spend(work=1)
            chosen = rng.choice(len(ends), size=min(self.around, len(ends)), replace=False)
            cells = grown_cells(instance, ends[chosen].ravel(), self.grow, rng)
            if cells.size and self._key(instance, board, cells) not in budget.proofs:
                return cells
        return None

    def _windows(self, instance: Instance) -> list[NDArray[np.intp]]:
        shapes = {(self.rows, self.columns), (self.columns, self.rows)}
        windows = [cells for shape in sorted(shapes) for cells in window_cells(instance, *shape)]
        return [cells[~instance.fixed[cells]] for cells in windows]

    def _key(self, instance: Instance, board: Board, cells: NDArray[np.intp]) -> str:
        # Both exact methods prove the same claim, which includes what the clique method proves (a perfect filling).
        return proof_key("region", window_key(instance, board, cells))

    def _draw(
        self, instance: Instance, board: Board, windows: list[NDArray[np.intp]], budget: Budget, rng: Generator
    ) -> int | None:
        """A window that may still be improved, drawn in proportion to its mismatches; None if there is none."""
        costs = _costs(instance, board, windows).astype(float)
        while costs.any():
            index = int(rng.choice(len(windows), p=costs / costs.sum()))
            if self._key(instance, board, windows[index]) not in budget.proofs:
                return index
            costs[index] = 0.0
        return None

    def _remember(
        self, instance: Instance, board: Board, cells: NDArray[np.intp], found: Refill, budget: Budget
    ) -> None:
        if found.proved:
            budget.proofs.remember(self._key(instance, found.board, cells))


def _costs(instance: Instance, board: Board, windows: list[NDArray[np.intp]]) -> NDArray[np.int64]:
    """Mismatches by window; windows may differ in size, because hinted cells are removed from them."""
    sizes = np.array([cells.size for cells in windows])
    costs = np.zeros(len(windows), dtype=np.int64)
    for size in np.unique(sizes[sizes > 0]):
        chosen = np.flatnonzero(sizes == size)
        costs[chosen] = window_costs(instance, board, np.stack([windows[i] for i in chosen]))
    return costs
