"""A sliding-tile board: numbered tiles, one blank, and a goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from matheur.errors import InputError, nearest, shown

__all__ = ["GOALS", "MOVES", "SIDE_MAX", "Goal", "Instance", "goal_of", "goal_tiles", "spiral_tiles"]

SIDE_MAX = 8
"""Rows and columns of the largest board."""

Goal: TypeAlias = str
"""A name of `GOALS`, `blank-at-N`, or the tiles row by row between blanks, 0 = blank."""

GOALS: tuple[str, ...] = ("blank-last", "blank-first")
"""The usual goals: `1 2 ... 0` and `0 1 2 ...`, row by row. `blank-at-N` is their like with the blank in cell N."""

MOVES = "UDLR"
"""Letters of the moves 0 to 3: the direction in which a tile slides."""

_BLANK_AT = "blank-at-"


def goal_tiles(cells: int, goal: Goal) -> tuple[int, ...]:
    """The tiles of a goal, row by row, 0 = blank.

    Raises
    ------
    InputError
        If a board of this size has no such goal.
    """
    if goal == "blank-last":
        return (*range(1, cells), 0)
    if goal == "blank-first":
        return tuple(range(cells))
    at = goal.removeprefix(_BLANK_AT)
    if at != goal and at.isdecimal() and int(at[:4]) < cells:
        return (*range(1, int(at) + 1), 0, *range(int(at) + 1, cells))
    words = goal.split()
    if not words or not all(word.isdecimal() and len(word) < 4 for word in words):
        raise InputError(f"unknown goal {goal!r}. {nearest(goal[:40], (*GOALS, 'spiral'))}")
    tiles = tuple(map(int, words))
    if sorted(tiles) != list(range(cells)):
        raise InputError(f"a goal of {cells} cells has each of 0 to {cells - 1} once ({shown(goal)})")
    return tiles


def goal_of(tiles: Sequence[int]) -> Goal:
    """The shortest form of a goal: its name if it has one, otherwise its tiles."""
    blank = tiles.index(0)
    if [tile for tile in tiles if tile] != list(range(1, len(tiles))):
        return " ".join(map(str, tiles))
    return GOALS[0] if blank == len(tiles) - 1 else GOALS[1] if blank == 0 else f"{_BLANK_AT}{blank}"


def spiral_tiles(rows: int, columns: int) -> tuple[int, ...]:
    """Tiles 1, 2, 3, ... clockwise from the upper left corner inwards, with the blank at the end."""
    tiles = [0] * (rows * columns)
    row, column, down, right = 0, 0, 0, 1
    for tile in range(1, rows * columns):
        tiles[row * columns + column] = tile
        r, c = row + down, column + right
        if not (0 <= r < rows and 0 <= c < columns) or tiles[r * columns + c] or (r, c) == (0, 0):
            down, right = right, -down
        row, column = row + down, column + right
    return tuple(tiles)


@dataclass(frozen=True)
class Instance:
    """Slide tiles over the blank until they are in order.

    Attributes
    ----------
    rows, columns
        Size of the board, 1 to `SIDE_MAX` each; at least two cells.
    tiles
        Tiles row by row, 0 = blank.
    goal
        Goal of the board, see `Goal`; stored in the form of `goal_of`.
    title
        Title shown to users.

    Raises
    ------
    InputError
        If the size is invalid, the tiles are not 0, 1, 2, ... once each, or the goal does not exist.
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
            if not 0 <= tile < self.cells or tile != int(tile):
                raise InputError(
                    f"tile {tile} does not belong on a board of {self.cells} cells; they are 0 to {self.cells - 1}"
                )
            if tile in seen:
                raise InputError(f"tile {tile} is there twice")
            seen.add(tile)
        # Plain numbers, so that equal boards have equal fingerprints.
        object.__setattr__(self, "tiles", tuple(map(int, self.tiles)))
        object.__setattr__(self, "goal", goal_of(goal_tiles(self.cells, self.goal)))

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

    @cached_property
    def canonical(self) -> Instance:
        """The same board with renumbered tiles that are in order at the goal; it has the same plans."""
        if not self.goal[:1].isdigit():
            return self
        in_order = iter(range(1, self.cells))
        name = {tile: next(in_order) if tile else 0 for tile in self.target}
        goal = goal_of([name[tile] for tile in self.target])
        return Instance(self.rows, self.columns, tuple(name[tile] for tile in self.tiles), goal, self.title)
