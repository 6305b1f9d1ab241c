"""A sliding-tile board: numbered tiles, one blank, and a goal."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from matheur.errors import InputError, nearest

__all__ = ["GOALS", "MOVES", "SIDE_MAX", "Goal", "Instance", "goal_tiles"]

SIDE_MAX = 8
"""Rows and columns of the largest board."""

Goal: TypeAlias = Literal["blank-last", "blank-first"]

GOALS: tuple[str, ...] = get_args(Goal)
"""Where the blank lies in the end: `1 2 ... 0` or `0 1 2 ...`, row by row."""

MOVES = "UDLR"
"""Letters of the moves 0 to 3: the direction in which a tile slides."""


def goal_tiles(cells: int, goal: str) -> tuple[int, ...]:
    """The tiles of a goal, row by row, 0 = blank."""
    return (*range(1, cells), 0) if goal == "blank-last" else tuple(range(cells))


@dataclass(frozen=True)
class Instance:
    """Slide tiles over the blank until they are in order.

    Attributes
    ----------
    rows, columns
        1 to `SIDE_MAX` each, at least two cells.
    tiles
        Row by row, 0 = blank.
    goal
        See `GOALS`.
    title
        For people.

    Raises
    ------
    InputError
        If the size is impossible, or the tiles are not 0, 1, 2, ... once each.
    """

    rows: int
    columns: int
    tiles: tuple[int, ...]
    goal: Goal = "blank-last"
    title: str = ""

    def __post_init__(self) -> None:
        if not (1 <= self.rows <= SIDE_MAX and 1 <= self.columns <= SIDE_MAX) or self.rows * self.columns < 2:
            raise InputError(
                f"a board has 2 cells or more, and 1 to {SIDE_MAX} rows and columns ({self.rows} x {self.columns})"
            )
        if len(self.tiles) != self.cells:
            raise InputError(f"{self.rows} x {self.columns} cells, but {len(self.tiles)} tiles")
        seen: set[int] = set()
        for tile in self.tiles:
            if not 0 <= tile < self.cells:
                raise InputError(
                    f"tile {tile} does not belong on a board of {self.cells} cells; they are 0 to {self.cells - 1}"
                )
            if tile in seen:
                raise InputError(f"tile {tile} is there twice")
            seen.add(tile)
        if self.goal not in GOALS:
            raise InputError(f"unknown goal {self.goal!r}. {nearest(self.goal, GOALS)}")

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @cached_property
    def target(self) -> tuple[int, ...]:
        """The tiles at the goal, row by row."""
        return goal_tiles(self.cells, self.goal)

    @cached_property
    def blank(self) -> int:
        """Cell of the blank."""
        return self.tiles.index(0)
