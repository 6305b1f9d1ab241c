"""Where a person who plays stands, and what can be done next, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Cell", "Choice", "Field", "Position"]


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
    """A cell of a board: its text, a word for its look, what its button sends (empty if it is none), its name.

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
        Of plans: the instance that is left after the moves, as a file. Empty for other problems, where `solution`
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
