"""Lines and numbers of text files, read defensively: every oddity is an `InputError` with its line and value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from matheur.engine.source import Source
from matheur.errors import InputError, shown

__all__ = ["BYTES_MAX", "COLOUR_MAX", "Line", "data_lines", "place", "text_of"]

BYTES_MAX = 4_000_000  # a board of CELLS_MAX cells needs a tenth of this in the longest format
COLOUR_MAX = 999  # search tables are indexed by pairs of colours; the puzzles of the field stay below 30
_NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with data, and its position in the source."""

    source: str
    number: int
    text: str

    @property
    def words(self) -> list[str]:
        """The words between blanks, commas and semicolons."""
        return self.text.replace(",", " ").replace(";", " ").split()

    @property
    def numeric(self) -> bool:
        """True if every word is a whole number of up to nine digits."""
        return all(_NUMBER.fullmatch(word) for word in self.words)

    def error(self, message: str) -> InputError:
        """An error at this line."""
        return InputError(message, source=self.source, line=self.number)

    def integers(self) -> list[int]:
        """The words as non-negative integers.

        Raises
        ------
        InputError
            If a word is not such a number.
        """
        return [self.integer(word) for word in self.words]

    def integer(self, word: str) -> int:
        """One word as a non-negative integer (plain ASCII digits, no sign)."""
        if not _NUMBER.fullmatch(word):
            raise self.error(f"{shown(word)} is not a whole number from 0 to 999999999")
        return int(word)


def text_of(source: Source) -> str:
    """The text of a source, after a check of its size."""
    return source.limited(BYTES_MAX, "an edge-matching file").text


def data_lines(source: Source) -> Iterator[Line]:
    """The lines that are neither blank nor comments (`#` to the end of the line)."""
    for number, text in enumerate(source.limited(BYTES_MAX, "an edge-matching file").lines, start=1):
        content = text.split("#", 1)[0].strip()
        if content:
            yield Line(source.name, number, content)


def place(cell: int, columns: int) -> str:
    """A cell for an error message, with row and column from 0."""
    row, column = divmod(cell, columns)
    return f"cell {cell} (row {row}, column {column})"
