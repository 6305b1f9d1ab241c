"""Support of a problem type in the workbench: instances as text, cell editors, and play.

A problem names an object of a class derived from `Workbench` as the tool `workbench` of its registration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from matheur.errors import InputError

__all__ = [
    "ARROWS",
    "Cell",
    "Choice",
    "Field",
    "Position",
    "Workbench",
    "cells_editor",
    "pressed_cells",
    "pressed_pairs",
]

ARROWS = {
    "U": ("↑ up", "ArrowUp"),
    "D": ("↓ down", "ArrowDown"),
    "L": ("← left", "ArrowLeft"),
    "R": ("→ right", "ArrowRight"),
}
"""Four directions: label of a button, and the key that presses it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move: the value sent, the button's label, its key (as browsers name it), and whether the move is possible.

    An impossible move stays in place, so that buttons do not shift.
    """

    move: str
    label: str
    key: str = ""
    open: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a board: its text, its style, the value that its button sends (empty if it is not a button), its name.

    `sides` are four colours of a piece, clockwise from the upper one; empty if it has none.
    """

    text: str
    look: str
    move: str = ""
    label: str = ""
    sides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A selection list: its purpose, the selected value, and pairs of value and label."""

    name: str
    chosen: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Position:
    """State of the page.

    Attributes
    ----------
    solution
        Solution in the form of `Problem.encode`; None if there is none yet.
    svg
        A picture, empty if the cells are shown.
    columns, cells
        A board, row by row.
    choices, fields
        Available actions.
    words
        Instructions.
    text
        For plans, the remaining instance after the moves, as a file. Empty for other problems, where `solution` alone
        describes the state.
    """

    solution: Any
    words: str
    svg: str = ""
    columns: int = 0
    cells: tuple[Cell, ...] = ()
    choices: tuple[Choice, ...] = ()
    fields: tuple[Field, ...] = ()
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


class Workbench:
    """Workbench support of a problem type. Every method has a default; this class supports nothing.

    Attributes
    ----------
    plays
        Whether people can solve instances by hand, see `position`.
    scrambled_by
        Unit of the length of a scramble (`turns`), see `scramble`; empty if there are no scrambles.
    text_options
        Options of the reader that the result of `text` does not replace. The other options describe the layout of
        another file, select one of its instances, or are contained in the text.
    """

    plays: bool = False
    scrambled_by: str = ""
    text_options: tuple[str, ...] = ()

    def text(self, problem: Any) -> str | None:
        """Instance as text for its reader; None if it is not suitable for editing by hand."""
        return None

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        """Random instance with the size and rules of this one, as text for its reader.

        Parameters
        ----------
        length
            Number of random moves from the goal; None for the usual number.

        Raises
        ------
        InputError, ConfigurationError
            If scrambles are not supported, or not of this length.
        """
        raise InputError(f"'{problem.name}' has no scrambles")

    def companions(self, problem: Any) -> Mapping[str, str]:
        """Further files that the text names, by name."""
        return {}

    def editor(self, problem: Any) -> dict[str, Any] | None:
        """Cells that can be edited in the browser, as plain values; None if the instance can only be edited as text.

        `kind` is `cells`, `hints` (of a board) or `formation` (of slots). Cells have `rows`, `columns`, `cells` (one
        symbol each, None if there is no cell), `palette` (symbol, name, class) and `mode`: `paint` sets the chosen
        symbol, `swap` exchanges two. The page turns them into the text of a file, which the server reads: `head`, then
        the symbols row by row, joined by `between`; with `order`, the cells with these numbers in sequence.
        """
        return None

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """Position of a person who solves the instance by hand, after these moves.

        Raises
        ------
        InputError
            If a move cannot be read, or the problem cannot be played.
        """
        raise InputError(f"'{problem.name}' cannot be played")


def cells_editor(
    one: Any, cells: Sequence[str], palette: Sequence[Sequence[str]], mode: str, head: str, between: str
) -> dict[str, Any]:
    """Editor of all cells of an instance that has `rows` and `columns`, see `Workbench.editor`."""
    return {
        "kind": "cells", "rows": one.rows, "columns": one.columns, "cells": cells, "palette": palette, "mode": mode,
        "head": head, "between": between,
    }  # fmt: skip


def pressed_cells(moves: Sequence[str], cells: int) -> list[int]:
    """Numbers of the cells that were pressed.

    Raises
    ------
    InputError
        If a move is not the number of a cell.
    """
    for move in moves:
        if not (move.isascii() and move.isdigit() and len(move) < 6 and int(move) < cells):
            raise InputError(f"no such cell ({move[:20]!r})")
    return [int(move) for move in moves]


def pressed_pairs(moves: Sequence[str], cells: int) -> tuple[list[tuple[int, int]], int | None]:
    """Pairs of cells that were pressed in succession, and the cell that still lacks its partner.

    Raises
    ------
    InputError
        As `pressed_cells`.
    """
    pressed = pressed_cells(moves, cells)
    return list(zip(pressed[::2], pressed[1::2], strict=False)), pressed[-1] if len(pressed) % 2 else None
