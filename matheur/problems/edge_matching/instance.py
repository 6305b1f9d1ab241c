"""Edge-matching puzzles: square pieces with coloured sides on a rectangular board.

Conventions used by every module, model and operator:

- sides are ordered up, right, down, left; colour 0 is the frame;
- a *placement* is the integer `4 * piece + rotation`, piece 0-based, rotation = clockwise quarter-turns of the
  piece as the file gives it, so that the side at position i shows `piece[(i - rotation) % 4]`;
- a *board* is a row-major int32 array of placements, shape (rows * columns,), `EMPTY` = -1 for an empty cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.rules import CODE_MAX, PLAIN, Rules

__all__ = ["CELLS_MAX", "DOWN", "EMPTY", "LEFT", "RIGHT", "UP", "Board", "Hint", "Instance", "matching_joints"]

UP, RIGHT, DOWN, LEFT = range(4)
EMPTY = -1
CELLS_MAX = 4096  # tables by placement and cell stay below 70 MB

Board = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Hint:
    """A piece that must lie in a cell: 0-based cell and piece, and rotation 0-3 or None for any rotation."""

    cell: int
    piece: int
    rotation: int | None = None


@dataclass(frozen=True, eq=False)
class Instance:
    """A puzzle: one piece per cell, colours as small integers, optional hints.

    Attributes
    ----------
    rows, columns
        Size of the board, each at least 1.
    pieces
        int16 array of shape (rows * columns, 4): colours up, right, down, left; 0 is the frame. Variants use codes
        instead; see `rules`.
    hints
        Pieces that must lie in given cells.
    name
        Name for display.
    rules
        Whether pieces may be turned, sides have signs, and 0 is a colour.

    Raises
    ------
    ValueError
        If shapes, colours or hints do not fit; the message contains the value.
    """

    rows: int
    columns: int
    pieces: NDArray[np.int16]
    hints: tuple[Hint, ...] = ()
    name: str = ""
    rules: Rules = PLAIN

    def __post_init__(self) -> None:
        given = np.asarray(self.pieces)
        if given.size and given.dtype.kind not in "iub":
            raise ValueError(f"colours are whole numbers (these have the type {given.dtype})")
        if given.size and given.min() < 0:
            raise ValueError(f"colours must not be negative ({given.min()})")
        if given.size and given.max() > CODE_MAX:
            raise ValueError(f"colours are at most {CODE_MAX} ({given.max()})")
        pieces = np.array(given, dtype=np.int16)
        if self.rows < 1 or self.columns < 1:
            raise ValueError(f"a board needs at least one row and one column (it has {self.rows} x {self.columns})")
        if self.rows * self.columns > CELLS_MAX:
            raise ValueError(f"a board may have up to {CELLS_MAX} cells (it has {self.rows} x {self.columns})")
        if pieces.shape != (self.rows * self.columns, 4):
            raise ValueError(
                f"a {self.rows} x {self.columns} board needs {self.rows * self.columns} pieces of 4 sides "
                f"(there are {pieces.shape[0]})"
            )
        pieces.setflags(write=False)
        object.__setattr__(self, "pieces", pieces)
        for position, hint in enumerate(self.hints):
            inside = 0 <= hint.cell < self.cells and 0 <= hint.piece < self.cells
            if not inside or hint.rotation not in ((None, 0, 1, 2, 3) if self.rules.rotation else (None, 0)):
                turned = "" if self.rules.rotation else ", or turns a piece that may not be turned"
                raise ValueError(f"hint {position + 1} lies outside the puzzle{turned} ({hint})")
        for what, values in (("cell", [h.cell for h in self.hints]), ("piece", [h.piece for h in self.hints])):
            if len(set(values)) < len(values):
                raise ValueError(f"two hints name the same {what}")

    @property
    def cells(self) -> int:
        """Number of cells, which equals the number of pieces."""
        return self.rows * self.columns

    @property
    def joints(self) -> int:
        """Number of inner edges: the score of a perfect board."""
        return self.rows * (self.columns - 1) + (self.rows - 1) * self.columns

    @cached_property
    def shown(self) -> NDArray[np.int16]:
        """Colours as placed, shape (4 * cells, 4): row `4 * piece + rotation`, columns up, right, down, left."""
        turned = np.stack([np.roll(self.pieces, rotation, axis=1) for rotation in range(4)], axis=1)
        table = np.ascontiguousarray(turned.reshape(-1, 4))
        table.setflags(write=False)
        return table

    @cached_property
    def sides(self) -> NDArray[np.int16]:
        """`shown` in a form that compares by equality at a joint: with signs, right and down hold their partners.

        A side on the right or below thus matches a side on the left or above if the two are equal.
        """
        if not self.rules.signed:
            return self.shown
        table = self.shown.copy()
        table[:, [RIGHT, DOWN]] = self.rules.partners(table[:, [RIGHT, DOWN]])
        table.setflags(write=False)
        return table

    @cached_property
    def framed(self) -> bool:
        """True if the puzzle has a frame: some side has colour 0."""
        return bool((self.pieces == 0).any())

    @cached_property
    def colours(self) -> int:
        """Largest colour plus one: the length of a table by colour."""
        return int(max(self.pieces.max(), self.rules.partners(self.pieces).max())) + 1

    @cached_property
    def outside(self) -> NDArray[np.bool_]:
        """Shape (cells, 4): whether each side (up, right, down, left) of a cell lies on the edge of the board."""
        row, column = np.divmod(np.arange(self.cells), self.columns)
        return np.stack([row == 0, column == self.columns - 1, row == self.rows - 1, column == 0], axis=1)

    @cached_property
    def neighbours(self) -> NDArray[np.int32]:
        """Shape (cells, 4): the cell above, right, below, left; -1 outside the board."""
        cell = np.arange(self.cells)
        steps = np.stack([cell - self.columns, cell + 1, cell + self.columns, cell - 1], axis=1)
        return np.where(self.outside, -1, steps).astype(np.int32)

    @cached_property
    def piece_class(self) -> NDArray[np.int8]:
        """Number of frame sides of each piece, whatever its rotation; pieces of different classes never swap cells."""
        return (self.pieces == 0).sum(axis=1).astype(np.int8)

    @cached_property
    def fits(self) -> NDArray[np.bool_]:
        """Shape (4 * cells, cells): whether the frame and the hints allow a placement in a cell.

        With a frame, colour 0 must lie exactly on the edge of the board (constraints (8)-(11) of Salassa et al. 2017,
        and their consequence that no frame side can lie inside).
        """
        if self.framed:
            weights = np.array([8, 4, 2, 1])
            on_piece = (self.shown == 0) @ weights
            on_cell = self.outside @ weights
            table = on_piece[:, None] == on_cell[None, :]
        else:
            table = np.ones((4 * self.cells, self.cells), dtype=bool)
        if not self.rules.rotation:
            table[np.arange(4 * self.cells) % 4 > 0] = False
        for hint in self.hints:
            allowed = table[4 * hint.piece : 4 * hint.piece + 4, hint.cell].copy()
            if hint.rotation is not None:
                allowed &= np.arange(4) == hint.rotation
            table[:, hint.cell] = False
            table[4 * hint.piece : 4 * hint.piece + 4, :] = False
            table[4 * hint.piece : 4 * hint.piece + 4, hint.cell] = allowed
        table.setflags(write=False)
        return table

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Shape (cells,): cells whose piece a hint gives; operators leave them unchanged."""
        mask = np.zeros(self.cells, dtype=bool)
        mask[[hint.cell for hint in self.hints]] = True
        return mask


def matching_joints(shown: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which joints across, shape (rows, columns - 1), and down, (rows - 1, columns), match in colour.

    Empty cells (-1) and the frame (0) match nothing.

    Parameters
    ----------
    shown
        Colours by row, column and side.
    """
    across = (shown[:, :-1, RIGHT] == shown[:, 1:, LEFT]) & (shown[:, :-1, RIGHT] > 0)
    down = (shown[:-1, :, DOWN] == shown[1:, :, UP]) & (shown[:-1, :, DOWN] > 0)
    return across, down
