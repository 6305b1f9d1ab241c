"""What the workbench can do with a kind of problem: write instances as text, let people edit cells, and play.

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
    """A move: what is sent, what the button says, the key that presses it (as browsers name it), whether it is open.

    One that is not open keeps its place, so that buttons do not move under a finger.
    """

    move: str
    label: str
    key: str = ""
    open: bool = True


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a board: its text, a word for its look, what its button sends (empty if it is not a button), its name.

    `sides` are four colours of a piece, clockwise from the upper one; empty if it has none.
    """

    text: str
    look: str
    move: str = ""
    label: str = ""
    sides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A choice from a list: what it is for, what is chosen, and the pairs of value and label."""

    name: str
    chosen: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Position:
    """What is shown.

    Attributes
    ----------
    solution
        As `Problem.encode` gives it; None where there is none yet.
    svg
        A picture, empty if the cells are shown.
    columns, cells
        A board, row by row.
    choices, fields
        What can be done.
    words
        How it is done.
    text
        For plans, the instance that is left after the moves, as a file. Empty for other problems, where `solution`
        is all there is to go on from.
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
    """What the workbench can do with a kind of problem. Every method has a default; this class can do nothing.

    Attributes
    ----------
    plays
        Whether a person can solve instances by hand, see `position`.
    scrambled_by
        In what the length of a scramble is counted (`turns`), see `scramble`; empty if there are none.
    text_options
        Options of the reader that a text of `text` does not replace. The others say how another file was laid out, or
        which of its instances was meant, or stand in the text.
    """

    plays: bool = False
    scrambled_by: str = ""
    text_options: tuple[str, ...] = ()

    def text(self, problem: Any) -> str | None:
        """The instance as its reader takes it; None where that is nothing to edit by hand."""
        return None

    def scramble(self, problem: Any, length: int | None, seed: int) -> str:
        """A random instance of the size and the rules of this one, as its reader takes it.

        Parameters
        ----------
        length
            Random moves from the goal; None for as many as usual.

        Raises
        ------
        InputError, ConfigurationError
            If there are no scrambles, or not of this length.
        """
        raise InputError(f"'{problem.name}' has no scrambles")

    def companions(self, problem: Any) -> Mapping[str, str]:
        """Further files that the text names, by name."""
        return {}

    def editor(self, problem: Any) -> dict[str, Any] | None:
        """Cells that can be edited in the browser, as plain values; None if the instance is edited as text alone.

        `kind` is `cells`, `hints` (of a board) or `formation` (of slots). Cells have `rows`, `columns`, `cells` (a
        symbol each, None where there is no cell), `palette` (symbol, name, class) and `mode`: `paint` puts the chosen
        symbol, `swap` exchanges two. The page turns them into the text of a file, which the server reads: `head`, then
        the symbols row by row with `between`; or with `order` the cells of these numbers, one after the other.
        """
        return None

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """Where a person who solves the instance by hand stands after these moves.

        Raises
        ------
        InputError
            If a move cannot be read, or the problem cannot be played.
        """
        raise InputError(f"'{problem.name}' cannot be played")


def cells_editor(
    one: Any, cells: Sequence[str], palette: Sequence[Sequence[str]], mode: str, head: str, between: str
) -> dict[str, Any]:
    """An editor of all cells of an instance that has `rows` and `columns`, see `Workbench.editor`."""
    return {
        "kind": "cells", "rows": one.rows, "columns": one.columns, "cells": cells, "palette": palette, "mode": mode,
        "head": head, "between": between,
    }  # fmt: skip


def pressed_cells(moves: Sequence[str], cells: int) -> list[int]:
    """Numbers of the cells that were pressed.

    Raises
    ------
    InputError
        If a move is no number of a cell.
    """
    for move in moves:
        if not (move.isascii() and move.isdigit() and len(move) < 6 and int(move) < cells):
            raise InputError(f"no such cell ({move[:20]!r})")
    return [int(move) for move in moves]


def pressed_pairs(moves: Sequence[str], cells: int) -> tuple[list[tuple[int, int]], int | None]:
    """Pairs of cells that were pressed one after the other, and the cell that still waits for its second.

    Raises
    ------
    InputError
        As `pressed_cells`.
    """
    pressed = pressed_cells(moves, cells)
    return list(zip(pressed[::2], pressed[1::2], strict=False)), pressed[-1] if len(pressed) % 2 else None
