"""Table of items: a CSV file (RFC 4180) with a header, of which only the requested columns are kept.

Cells are separated by commas, or by semicolons or tabs if the header contains the requested columns only then. A first
line `sep=;`, which spreadsheets write, determines the separator.

Dictionaries map cells to value numbers, so that millions of items need little time and memory.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.decimals import decimal_parts
from matheur.problems.party.catalogue import UNBUYABLE, Catalogue, Measure, Trait

__all__ = ["AMOUNT_MAX", "ITEMS_MAX", "Table"]

ITEMS_MAX = 5_000_000
AMOUNT_MAX = 10**15
"""Largest price and largest scaled measure: sums over all slots stay far from the limits of 64 bits."""

_SEPARATORS = (",", ";", "\t")
_SAID = re.compile(r"sep=([,;\t|])", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(?:[.,' \u00a0\u202f][0-9]{3})+")
_BLOCK = 256  # rows per block: larger blocks do not fit the processor's caches
_DIGITS_PLAIN = 15


@dataclass
class _BadCell(Exception):  # noqa: N818 - internal: gets its line where it is known
    cell: str
    message: str


class Table:
    """A CSV file whose header has been read.

    Attributes
    ----------
    source
        Source of the file.
    header
        Names of the columns, trimmed.

    Parameters
    ----------
    needed
        Columns that will be requested; they determine the separator.

    Raises
    ------
    InputError
        If it has no header, or is not text.
    """

    def __init__(self, source: Source, needed: Collection[str] = ()) -> None:
        self.source = source
        self._text = source.text
        zero = self._text.find("\0")
        if zero >= 0:
            raise self._error("holds a NUL byte. Maybe not a CSV file?", self._text.count("\n", 0, zero) + 1)
        said = _SAID.fullmatch(self._text[:10].splitlines()[0]) if self._text.strip() else None
        self._separator, self.header = self._chosen(said[1] if said else _SEPARATORS, set(needed))

    def _chosen(self, separators: Sequence[str], needed: set[str]) -> tuple[str, list[str]]:
        """Return the separator with which the header has all needed columns, or else the first that splits it."""
        found: dict[str, list[str]] = {}
        refused: InputError | None = None
        for separator in separators:
            self._separator = separator
            try:
                first = next(self._records(), None)
            except InputError as error:
                refused = refused or error
                continue
            if first is None:
                raise self.source.error("the table is empty: it needs a header with the names of its columns")
            found[separator] = [name.strip() for name in first[0]]
        if not found and refused is not None:
            raise refused
        fitting = [one for one, header in found.items() if needed <= set(header)]
        several = [one for one, header in found.items() if len(header) > 1]
        separator = (fitting or several or list(found))[0]
        return separator, found[separator]

    def read(
        self, identity: str, price: str | None, position: str | None, traits: Sequence[str], measures: Sequence[str]
    ) -> tuple[Catalogue, Trait | None]:
        """Read all items, and the column of positions; without a column of prices, all items cost 0.

        Raises
        ------
        InputError
            If a row is ragged, an id is missing or duplicate, or a cell is not a number where one is required; the
            message names the line.
        """
        ids, prices = _Ids(), _Prices()
        words = {name: _Words() for name in dict.fromkeys([*traits, *([position] if position else [])])}
        numbers = {name: _Numbers() for name in dict.fromkeys(measures)}
        columns: list[tuple[str, _Column]] = [
            (identity, ids), *([(price, prices)] if price else []), *words.items(), *numbers.items()
        ]  # fmt: skip
        self._fill([(self.header.index(name), name, column) for name, column in columns])
        self._check_ids(ids.cells)
        found = {name: column.trait() for name, column in words.items()}
        amounts = {}
        for name, numeric in numbers.items():
            try:
                amounts[name] = numeric.measure()
            except OverflowError as error:
                raise InputError(f"column {shown(name)}: {error}", source=self.source.name) from None
        paid = prices.array() if price else np.zeros(len(ids.cells), dtype=np.int64)
        catalogue = Catalogue(ids.cells, paid, {name: found[name] for name in traits}, amounts)
        return catalogue, found[position] if position else None

    def _fill(self, columns: list[tuple[int, str, _Column]]) -> None:
        """Read all rows, block by block."""
        width = len(self.header)
        gets: list[tuple[Callable[[list[str]], str], str, _Column]] = [
            (itemgetter(number), name, column) for number, name, column in columns
        ]
        rows = self._rows(self._reader())
        next(row for row in rows if not _blank(row))
        done = 0
        while block := list(islice(rows, _BLOCK)):
            if width == 1 or set(map(len, block)) != {width}:
                block = [row for row in block if not _blank(row)]
                for number, row in enumerate(block):
                    if len(row) != width:
                        said = f"the row has {len(row)} {'cell' if len(row) == 1 else 'cells'}, the header has {width}"
                        raise self._error(said, self._line(done + number))
            for get, name, column in gets:
                cells = list(map(get, block))
                try:
                    column.add(cells)
                except _BadCell as bad:
                    line = self._line(done + cells.index(bad.cell))
                    said = f"column {shown(name)}: {shown(bad.cell)} {bad.message}{_advice(bad.cell.strip())}"
                    raise self._error(said, line) from None
            done += len(block)
            if done > ITEMS_MAX:
                raise InputError(f"more than {ITEMS_MAX} items", source=self.source.name)

    def _check_ids(self, ids: list[str]) -> None:
        """Check that all ids are different and none is empty."""
        different = set(ids)
        if len(different) == len(ids) and "" not in different:
            return
        seen: dict[str, int] = {}
        for item, text in enumerate(ids):
            if not text:
                raise self._error("the item has no id", self._line(item))
            if text in seen:
                said = f"the id {shown(text)} appears twice, first in line {self._line(seen[text])}"
                raise self._error(said, self._line(item))
            seen[text] = item

    def _reader(self) -> _Reader:
        return csv.reader(io.StringIO(self._text, newline=""), strict=True, delimiter=self._separator)

    def _rows(self, reader: _Reader) -> Iterator[list[str]]:
        """Yield all records, including the header and blank lines; a line with the separator counts as blank."""
        try:
            for row in islice(reader, 1):
                yield [] if _SAID.fullmatch(self._separator.join(row).strip()) else row
            yield from reader
        except csv.Error as error:
            said = str(error).partition(" - ")[0]
            raise self._error(f"not a CSV file: {said}", max(1, reader.line_num)) from None

    def _records(self) -> Iterator[tuple[list[str], int]]:
        """Yield all non-blank records, with the line on which each begins."""
        reader, line = self._reader(), 1
        for row in self._rows(reader):
            if not _blank(row):
                yield row, line
            line = reader.line_num + 1

    def _line(self, item: int) -> int:
        """Return the line on which the row of an item begins."""
        return next(islice(self._records(), item + 1, None))[1]

    def _error(self, message: str, line: int) -> InputError:
        return InputError(message, source=self.source.name, line=line)


class _Reader(Protocol):
    """Type of the result of `csv.reader`."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...

    def __next__(self) -> list[str]: ...


class _Column(Protocol):
    def add(self, cells: list[str]) -> None:
        """Add the cells of more rows; raise `_BadCell` for an invalid cell."""


class _Ids:
    """Column of texts that are all different."""

    def __init__(self) -> None:
        self.cells: list[str] = []

    def add(self, cells: list[str]) -> None:
        self.cells.extend(map(str.strip, cells))


class _Words(dict[str, int]):
    """Column of texts with many duplicates: raw cell -> number of the trimmed text, in the order of appearance."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers: dict[str, int] = {}
        self.blocks: list[NDArray[np.int32]] = []

    def __missing__(self, cell: str) -> int:
        text = cell.strip()
        self[cell] = number = self.numbers.setdefault(text, len(self.numbers)) if text else -1
        return number

    def add(self, cells: list[str]) -> None:
        self.blocks.append(np.fromiter(map(self.__getitem__, cells), np.int32, len(cells)))

    def trait(self) -> Trait:
        """Return the column with its values in alphabetical order."""
        values = sorted(self.numbers)
        ranks = np.full(len(values) + 1, -1, dtype=np.int32)  # the last one is for an empty cell, number -1
        for rank, text in enumerate(values):
            ranks[self.numbers[text]] = rank
        return Trait(tuple(values), ranks[np.concatenate([np.empty(0, np.int32), *self.blocks])])


class _Prices(dict[str, int]):
    """Column of non-negative whole numbers; an empty cell is `UNBUYABLE`."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[NDArray[np.int64]] = []

    def __missing__(self, cell: str) -> int:
        text = cell.strip()
        price = UNBUYABLE
        if text:
            whole, decimals = decimal_parts(text) or (-1, 0)
            if "." in text and _THOUSANDS.fullmatch(text):
                raise _BadCell(cell, f"may be {whole} or {''.join(re.findall('[0-9]', text))}")
            if decimals or not 0 <= whole <= AMOUNT_MAX:
                raise _BadCell(cell, f"is no price; prices are whole numbers from 0 to {AMOUNT_MAX}, or empty")
            price = whole
        self[cell] = price
        return price

    def add(self, cells: list[str]) -> None:
        digits = "".join(cells)
        plain = digits.isascii() and digits.isdigit() and all(cells) and max(map(len, cells)) <= _DIGITS_PLAIN
        read = int if plain else self.__getitem__  # most prices differ, so a dictionary helps little
        self.blocks.append(np.fromiter(map(read, cells), np.int64, len(cells)))

    def array(self) -> NDArray[np.int64]:
        return np.concatenate([np.empty(0, np.int64), *self.blocks])


class _Numbers(dict[str, int]):
    """Column of exact decimals: raw cell -> row in `parts`, -1 for an empty cell."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[tuple[int, int]] = []
        self.blocks: list[NDArray[np.int32]] = []

    def __missing__(self, cell: str) -> int:
        text = cell.strip()
        row = -1
        if text:
            parts = decimal_parts(text)
            if parts is None:
                raise _BadCell(cell, "is not a number, or one with too many digits; the puzzle needs numbers here")
            row = len(self.parts)
            self.parts.append(parts)
        self[cell] = row
        return row

    def add(self, cells: list[str]) -> None:
        self.blocks.append(np.fromiter(map(self.__getitem__, cells), np.int32, len(cells)))

    def measure(self) -> Measure:
        """Return the column, scaled to whole numbers.

        Raises
        ------
        OverflowError
            If the numbers become too large.
        """
        decimals = max((behind for _, behind in self.parts), default=0)
        amounts = [whole * 10 ** (decimals - behind) for whole, behind in self.parts]
        if max(map(abs, amounts), default=0) > AMOUNT_MAX:
            raise OverflowError("its numbers have too many digits: more than 15 before and after the point together")
        rows = np.concatenate([np.empty(0, np.int32), *self.blocks])
        return Measure(np.array([*amounts, 0], dtype=np.int64)[rows], rows < 0, 10**decimals)


def _advice(cell: str) -> str:
    """Return advice about a cell that should be a number."""
    if _THOUSANDS.fullmatch(cell):
        return f". Maybe a mark of thousands? Write {''.join(re.findall('[0-9]', cell))}"
    if _COMMA.fullmatch(cell):
        return f". Maybe a decimal comma? Write {cell.replace(',', '.')}"
    return ""


def _blank(row: list[str]) -> bool:
    """Whether a row is a blank line; a quoted empty cell in a table of one column looks the same."""
    return not row or (len(row) == 1 and not row[0].strip())
