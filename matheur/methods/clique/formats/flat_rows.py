"""Rows of words as one list: separate lists for a million rows would take seconds, and a hundred bytes per row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

__all__ = ["FlatRows"]


class FlatRows(Sequence[list[str]]):
    """Rows of the same width.

    Parameters
    ----------
    words
        All words, row by row.
    width
        Number of words in a row.

    Examples
    --------
    >>> rows = FlatRows(["a", "b", "c", "d"], 2)
    >>> rows[1], list(rows[1:]), rows.column(0, 0)
    (['c', 'd'], [['c', 'd']], ['a', 'c'])
    """

    def __init__(self, words: list[str], width: int) -> None:
        self.words, self.width = words, width

    def __len__(self) -> int:
        return len(self.words) // self.width

    @overload
    def __getitem__(self, at: int) -> list[str]: ...

    @overload
    def __getitem__(self, at: slice) -> FlatRows: ...

    def __getitem__(self, at: int | slice) -> list[str] | FlatRows:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                raise ValueError("rows are sliced one after the other")
            return FlatRows(self.words[start * self.width : max(start, stop) * self.width], self.width)
        place = range(len(self))[at] * self.width
        return self.words[place : place + self.width]

    def __iter__(self) -> Iterator[list[str]]:
        width = self.width
        return (self.words[place : place + width] for place in range(0, len(self.words), width))

    def column(self, place: int, start: int) -> list[str]:
        """A word of each row from `start` on."""
        return self.words[start * self.width + place :: self.width]
