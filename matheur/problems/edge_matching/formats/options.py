"""Options of the readers, for information that files lack."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.edge_matching.instance import CELLS_MAX, Hint
from matheur.problems.edge_matching.rules import PLAIN, VARIANTS, Rules
from matheur.problems.type_options import FileOptions

__all__ = ["HintOption", "ReadOptions", "merge_hints"]

HintOption = tuple[int, int, int, int | None]
_HINT = re.compile(r"([0-9]{1,9}),([0-9]{1,9})=([0-9]{1,9})(?:/([0-3]))?")
_SIZE_ORDERS = ("rows-columns", "wh")


@dataclass(frozen=True, slots=True)
class ReadOptions(FileOptions):
    """Options of the readers.

    Attributes
    ----------
    sides
        Order of the sides in a line of a piece list: a permutation of `urdl` (up, right, down, left). None means the
        format's own order.
    size_order
        Meaning of two numbers on the first line of a piece list: `rows-columns` or `wh` (width, height). None also
        means rows and columns, but for a rectangle this is recorded as an assumption.
    rows, columns
        Size of the board, for files that do not contain it; None if unknown. One of the two determines the other.
    hints
        Additional hints: (row, column, piece, rotation), row and column from 0, piece from 1, rotation None or omitted
        if free. Hints may also be texts `ROW,COLUMN=PIECE` or `ROW,COLUMN=PIECE/ROTATION`, with spaces between several
        in one text, or the link of a board in the viewer, which is stored as `link`.
    link
        Link of the board viewer, whose fixed cells become hints, or all its filled cells if it marks none as fixed.
    variant
        Variant of the puzzle: `tetravex` (no rotation, 0 is a colour), `free` (0 is a colour, pieces may be turned),
        `signed` (+c matches -c) or `framed`. None follows the file: `signed` if it has signs, else `framed`.
    """

    files: ClassVar[str] = "edge-matching files"

    sides: str | None = None
    size_order: str | None = None
    rows: int | None = None
    columns: int | None = None
    hints: tuple[HintOption, ...] = ()
    variant: str | None = None
    link: str | None = None

    def __post_init__(self) -> None:
        if self.sides is not None and (not isinstance(self.sides, str) or sorted(self.sides) != sorted("urdl")):
            raise ConfigurationError(
                f"sides must be an order of the letters u r d l ({self.sides!r}). Maybe 'urdl' or 'dlur'?"
            )
        if self.size_order is not None and self.size_order not in _SIZE_ORDERS:
            raise ConfigurationError(
                f"unknown size_order {self.size_order!r}. {nearest(str(self.size_order), _SIZE_ORDERS)}"
            )
        if self.variant is not None and self.variant not in tuple(VARIANTS):
            raise ConfigurationError(f"unknown variant {self.variant!r}. {nearest(str(self.variant), VARIANTS)}")
        for what, value in (("rows", self.rows), ("columns", self.columns)):
            if value is not None and (type(value) is not int or not 1 <= value <= CELLS_MAX):
                raise ConfigurationError(f"{what} must be a whole number from 1 to {CELLS_MAX} ({value!r})")
        given: Any = self.hints or ()
        if isinstance(given, str) and "board_edges" in given:
            object.__setattr__(self, "link", given)
            given = ()
        if self.link is not None and not isinstance(self.link, str):
            raise ConfigurationError(f"link must be the link of a board ({self.link!r})")
        if not isinstance(given, str | list | tuple):
            raise ConfigurationError(f"hints must be a list, or a text such as '0,0=1 7,8=139/2' ({given!r})")
        hints = []
        for hint in given.split() if isinstance(given, str) else given:
            if isinstance(hint, str):
                hints.append(_hint(hint))
                continue
            listed = isinstance(hint, list | tuple) and len(hint) in (3, 4)  # TOML has no None, so three are enough
            row, column, piece, rotation = (*hint, None)[:4] if listed else (None,) * 4
            if any(type(value) is not int for value in (row, column, piece)) or rotation not in (None, 0, 1, 2, 3):
                raise ConfigurationError(f"a hint is (row, column, piece, rotation 0-3 or None) (this one is {hint!r})")
            hints.append((row, column, piece, rotation))
        object.__setattr__(self, "hints", tuple(hints))

    @property
    def rules(self) -> Rules:
        """The rules of `variant`."""
        return PLAIN if self.variant is None else VARIANTS[self.variant]


def _hint(text: str) -> HintOption:
    match = _HINT.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(f"not a hint ({text!r}). Maybe 0,0=1 or 7,8=139/2?")
    row, column, piece, rotation = (None if part is None else int(part) for part in match.groups())
    assert row is not None and column is not None and piece is not None  # noqa: PT018
    return row, column, piece, rotation


def merge_hints(
    rows: int, columns: int, own: list[Hint], options: tuple[HintOption, ...], source: str
) -> tuple[Hint, ...]:
    """The hints of a file followed by those of the options, without duplicates.

    Raises
    ------
    InputError
        If a hint lies outside the puzzle, or two hints contradict each other.
    """
    hints = list(own)
    for row, column, piece, rotation in options:
        if not 0 <= row < rows or not 0 <= column < columns:
            raise InputError(
                f"the hint at row {row}, column {column} lies outside the {rows} x {columns} board "
                "(rows and columns count from 0)",
                source=source,
            )
        if not 1 <= piece <= rows * columns:
            raise InputError(f"the hint names piece {piece}; pieces are numbered 1 to {rows * columns}", source=source)
        hint = Hint(row * columns + column, piece - 1, rotation)
        if hint not in hints:
            hints.append(hint)
    cells: dict[int, Hint] = {}
    pieces: dict[int, Hint] = {}
    for hint in hints:
        row, column = divmod(hint.cell, columns)
        if hint.cell in cells:
            raise InputError(f"two hints name the cell in row {row}, column {column}", source=source)
        if hint.piece in pieces:
            raise InputError(f"two hints name piece {hint.piece + 1}", source=source)
        cells[hint.cell] = pieces[hint.piece] = hint
    return tuple(hints)
