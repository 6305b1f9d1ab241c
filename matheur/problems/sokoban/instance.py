"""A Sokoban level: walls, boxes, goals and a player."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from matheur.errors import InputError, nearest

__all__ = ["CELLS_MAX", "COSTS", "MOVES", "STEPS", "Cost", "Instance"]

Cost: TypeAlias = Literal["moves", "pushes"]

COSTS: tuple[str, ...] = get_args(Cost)
"""What is counted: all `moves` of the player, or `pushes` only."""

CELLS_MAX = 10_000
"""Cells of the largest level, walls included."""

MOVES = "UDLR"
"""Letters of the moves 0 to 3."""

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
"""Rows down and columns right of each move."""


@dataclass(frozen=True)
class Instance:
    """Push every box onto a goal; the player walks on free cells and pushes one box at a time.

    Attributes
    ----------
    rows, columns
        Size of the level; cells are numbered row by row from 0.
    walls
        Whether each cell is a wall.
    goals, boxes
        Cells of the goals and of the boxes, ascending.
    player
        Cell of the player.
    cost
        Objective of the level, one of `COSTS`.
    title
        Title shown to users.

    Raises
    ------
    InputError
        If the player can leave the level, boxes or the player are in walls or in the same cell, there are no boxes, or
        the size is invalid.
    """

    rows: int
    columns: int
    walls: tuple[bool, ...]
    goals: tuple[int, ...]
    boxes: tuple[int, ...]
    player: int
    cost: Cost = "moves"
    title: str = ""

    def __post_init__(self) -> None:
        # Plain numbers in order, so that equal levels have equal fingerprints.
        object.__setattr__(self, "walls", tuple(map(bool, self.walls)))
        object.__setattr__(self, "goals", tuple(sorted(map(int, self.goals))))
        object.__setattr__(self, "boxes", tuple(sorted(map(int, self.boxes))))
        object.__setattr__(self, "player", int(self.player))
        cells = self.rows * self.columns
        if self.rows < 1 or self.columns < 1 or cells > CELLS_MAX or len(self.walls) != cells:
            raise InputError(f"a level has 1 to {CELLS_MAX} cells ({self.rows} x {self.columns})")
        if self.cost not in COSTS:
            raise InputError(f"unknown cost {self.cost!r}. {nearest(self.cost, COSTS)}")
        if not self.boxes:
            raise InputError("the level has no boxes")
        for what, places in (("box", self.boxes), ("goal", self.goals), ("player", (self.player,))):
            for cell in places:
                if not 0 <= cell < cells or self.walls[cell]:
                    raise InputError(f"a {what} stands in a wall or off the level ({self.shown(cell)})")
            if len(set(places)) < len(places):
                raise InputError(f"two of the kind '{what}' are in one cell")
        if self.player in self.boxes:
            raise InputError(f"the player stands on a box ({self.shown(self.player)})")
        for cell in self.region:
            row, column = divmod(cell, self.columns)
            if row in (0, self.rows - 1) or column in (0, self.columns - 1):
                raise InputError(f"the level is open: the player can walk off it ({self.shown(cell)})")

    def shown(self, cell: int) -> str:
        """Description of a cell in words."""
        return f"row {cell // self.columns}, column {cell % self.columns}"

    def beside(self, cell: int, move: int) -> int | None:
        """The cell that a move leads to, None if outside the level."""
        row, column = cell // self.columns + STEPS[move][0], cell % self.columns + STEPS[move][1]
        return row * self.columns + column if 0 <= row < self.rows and 0 <= column < self.columns else None

    @cached_property
    def region(self) -> tuple[int, ...]:
        """Cells that the player could reach without boxes, ascending; no other cells matter."""
        seen, waiting = {self.player}, [self.player]
        while waiting:
            cell = waiting.pop()
            for move in range(len(MOVES)):
                there = self.beside(cell, move)
                if there is not None and not self.walls[there] and there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return tuple(sorted(seen))
