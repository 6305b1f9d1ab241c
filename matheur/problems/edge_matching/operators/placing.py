"""Edge-matching boards, filled cell by cell, as a state space for searches over partial assignments.

Cells are filled row by row, or column by column if columns are shorter, which keeps the number of open sides small.
The cost of a placement is the number of mismatches with the pieces placed around it before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.placing import Bound, Extensions, PlacingDomain
from matheur.problems.edge_matching.instance import DOWN, EMPTY, LEFT, RIGHT, UP, Instance

__all__ = ["BoardPlacing", "board_domain"]

_FACING = {UP: DOWN, RIGHT: LEFT, DOWN: UP, LEFT: RIGHT}


class BoardPlacing:
    """The cells of a board as slots, the placements `4 * piece + rotation` as values.

    Parameters
    ----------
    problem
        An `EdgeMatching`.
    cells
        Order in which cells are filled; line by line if None.
    """

    scale, offset = 1, 0

    def __init__(self, problem: Any, cells: NDArray[np.integer] | None = None) -> None:
        instance: Instance = problem.instance
        self._problem, self.instance = problem, instance
        self.name: str = f"edge-matching {instance.rows}x{instance.columns}, cell by cell"
        self.fingerprint: str = f"edge-matching cells {problem.fingerprint}"
        self.slots: int = instance.cells
        self.values: int = 4 * instance.cells
        self.cost_max: int = instance.joints
        grid = np.arange(instance.cells).reshape(instance.rows, instance.columns)
        in_lines = (grid.T if instance.rows < instance.columns else grid).ravel()
        self._cells = in_lines if cells is None else np.asarray(cells)
        self._slot_of = np.argsort(self._cells)
        self._sides = instance.sides.astype(np.int64)
        self._wanted = instance.rules.partners(instance.shown).astype(np.int64)  # colours of the side opposite
        self._fitting = [np.flatnonzero(instance.fits[:, cell]) for cell in self._cells]
        pieces = np.zeros((instance.cells, instance.colours), dtype=np.float32)
        np.add.at(pieces, (np.arange(instance.cells)[:, None], instance.pieces.astype(np.int64)), 1)
        self._coloured = pieces  # number of sides of each colour, by piece
        self._joints = [self._joined(slot) for slot in range(self.slots)]
        self._left = instance.joints - np.cumsum([0, *(len(joined) for joined in self._joints)])
        self._open = [self._opened(filled) for filled in range(self.slots + 1)]

    def _joined(self, slot: int) -> list[tuple[int, int]]:
        """The sides of a slot that adjoin an earlier slot, with that slot."""
        around = self.instance.neighbours[self._cells[slot]]
        return [
            (side, int(self._slot_of[cell]))
            for side, cell in enumerate(around)
            if cell >= 0 and self._slot_of[cell] < slot
        ]

    def _opened(self, filled: int) -> NDArray[np.int64]:
        """Sides of the filled slots that face an empty cell, as slots and sides of shape (2, n)."""
        around = self.instance.neighbours[self._cells[:filled]]
        later = (around >= 0) & (self._slot_of[np.maximum(around, 0)] >= filled)
        return np.array(np.nonzero(later), dtype=np.int64)

    def extensions(self, rows: NDArray[np.int64]) -> Extensions:
        """Every unused piece in every rotation that fits the frame and the hints."""
        slot = rows.shape[1]
        fitting = self._fitting[slot]
        used = self._used(rows)
        missed = np.zeros((len(rows), len(fitting)), dtype=np.int64)
        for side, other in self._joints[slot]:
            wanted = self._sides[rows[:, other], _FACING[side]]
            shown = self._sides[fitting, side]
            missed += (wanted[:, None] != shown) | (shown == 0)
        parents, chosen = np.nonzero(~used[:, fitting // 4])
        return parents, fitting[chosen], missed[parents, chosen]

    def _used(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        used = np.zeros((len(rows), self.instance.cells), dtype=np.bool_)
        np.put_along_axis(used, rows // 4, True, axis=1)
        return used

    def bounds(self) -> Mapping[str, Callable[[Budget], Bound]]:
        """`colours`: mismatches that the colours of the remaining sides make unavoidable."""
        return {"colours": lambda _: self._colours}

    def _colours(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Joints left minus possible matches: open sides match sides of free pieces, whose other sides pair up."""
        filled = rows.shape[1]
        total = self._coloured.sum(axis=0)
        unused = np.rint(total - self._used(rows).astype(np.float32) @ self._coloured).astype(np.int64)
        slots, sides = self._open[filled]
        colours = self._wanted[rows[:, slots], sides]
        size = self.instance.colours
        counted = np.bincount((np.arange(len(rows))[:, None] * size + colours).ravel(), minlength=len(rows) * size)
        met = np.minimum(counted.reshape(len(rows), size), unused)
        rest = unused - met
        if self.instance.rules.signed:
            pairs = np.minimum(rest[:, 1::2], rest[:, 2::2]).sum(axis=1)
        else:
            pairs = (rest[:, 1:] // 2).sum(axis=1)
        matches = met[:, 1:].sum(axis=1) + pairs
        return np.maximum(0, self._left[filled] - matches)

    def solution(self, row: NDArray[np.int64]) -> NDArray[np.int32]:
        """The board of a full row."""
        board = np.full(self.slots, EMPTY, dtype=np.int32)
        board[self._cells] = row
        return board

    def row(self, solution: NDArray[np.integer]) -> NDArray[np.int64]:
        """The placements of a board in the order of the slots, -1 in empty cells."""
        return np.asarray(solution, dtype=np.int64)[self._cells]

    def reordered(self, order: NDArray[np.integer]) -> BoardPlacing:
        """The same state space with the cells in another order."""
        return BoardPlacing(self._problem, self._cells[order])


def board_domain(problem: Any) -> PlacingDomain:
    """The partial boards of an `EdgeMatching` as a state space."""
    return PlacingDomain(BoardPlacing(problem))
