"""A Lights Out board: which lights are on, and what a press toggles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from matheur.errors import InputError, nearest

__all__ = ["CELLS_MAX", "PATTERNS", "Instance", "Pattern", "toggled"]

Pattern: TypeAlias = Literal["plus", "king"]

PATTERNS: tuple[str, ...] = get_args(Pattern)
"""What a press toggles: `plus`, the cell and its up to four neighbours; `king`, the diagonal ones, too."""

CELLS_MAX = 4096
"""Cells of the largest board."""


def toggled(rows: int, columns: int, pattern: str, cell: int) -> tuple[int, ...]:
    """The cells that a press of `cell` toggles, ascending; cells are numbered row by row from 0."""
    row, column = divmod(cell, columns)
    reach = [
        (row + down, column + right)
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if pattern == "king" or down == 0 or right == 0
    ]
    return tuple(r * columns + c for r, c in reach if 0 <= r < rows and 0 <= c < columns)


@dataclass(frozen=True)
class Instance:
    """Turn all lights off by pressing cells; a press toggles a cell and its neighbours.

    Attributes
    ----------
    rows, columns
        Size of the board, at least 1 each and at most `CELLS_MAX` cells.
    lights
        Row by row, True = on.
    pattern
        See `PATTERNS`.
    title
        For people.

    Raises
    ------
    InputError
        If the size is impossible, the number of lights is another, or the pattern is unknown.
    """

    rows: int
    columns: int
    lights: tuple[bool, ...]
    pattern: Pattern = "plus"
    title: str = ""

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or self.rows * self.columns > CELLS_MAX:
            raise InputError(f"a board has 1 to {CELLS_MAX} cells ({self.rows} x {self.columns})")
        if len(self.lights) != self.rows * self.columns:
            raise InputError(f"{self.rows} x {self.columns} cells, but {len(self.lights)} lights")
        if self.pattern not in PATTERNS:
            raise InputError(f"unknown pattern {self.pattern!r}. {nearest(self.pattern, PATTERNS)}")

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @cached_property
    def reach(self) -> tuple[tuple[int, ...], ...]:
        """For each cell the cells that a press of it toggles."""
        return tuple(toggled(self.rows, self.columns, self.pattern, cell) for cell in range(self.cells))

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The same as whole numbers: bit j of number i is set if a press of cell i toggles cell j."""
        return tuple(sum(1 << other for other in reached) for reached in self.reach)

    @cached_property
    def lit(self) -> int:
        """The lights as a whole number, bit i = cell i."""
        return sum(1 << cell for cell, on in enumerate(self.lights) if on)
