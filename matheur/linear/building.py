"""A linear model built number by number, in the order in which readers find them."""

from __future__ import annotations

from array import array
from fractions import Fraction
from itertools import pairwise

import numpy as np

from matheur.errors import InputError
from matheur.linear.decimals import decimal_of, exact, nearest_float
from matheur.linear.model import LinearModel

__all__ = ["CONSTANT", "INFINITE", "ModelBuilder", "float_of_sum"]

CONSTANT = "ONE_VAR_CONSTANT"
"""Column of an LP file whose coefficient is the constant of the objective: its value is 1."""

INFINITE = 1e20
"""Bounds and limits from here on are infinite, as for all solvers that read these files."""


class ModelBuilder:
    """Rows, columns and their numbers, in the order of a file.

    Attributes
    ----------
    rows, columns
        Numbers by name.
    row_lower, row_upper, lower, upper, cost, integral
        As in `LinearModel`; lists.
    offset, maximise, title, objective_name
        As in `LinearModel`.
    """

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.columns: dict[str, int] = {}
        self.row_lower: list[float] = []
        self.row_upper: list[float] = []
        self.lower: list[float] = []
        self.upper: list[float] = []
        self.cost: list[float] = []
        self.integral: list[bool] = []
        self.offset = 0.0
        self.maximise = False
        self.title = ""
        self.objective_name = ""
        self._row, self._column, self._data = array("q"), array("q"), array("d")
        self._digits: dict[tuple[str, int], Fraction] = {}
        self._entries: dict[int, Fraction] = {}

    def add_row(self, name: str, lower: float, upper: float) -> int:
        """A new row; its number."""
        number = self.rows[name] = len(self.row_lower)
        self.row_lower.append(lower)
        self.row_upper.append(upper)
        return number

    def add_column(self, name: str, *, integral: bool = False) -> int:
        """A new column with bounds 0 and infinity; its number."""
        number = self.columns[name] = len(self.cost)
        self.lower.append(0.0)
        self.upper.append(np.inf)
        self.cost.append(0.0)
        self.integral.append(integral)
        return number

    def add_entry(self, row: int, column: int, value: float, text: str = "") -> None:
        """Add a coefficient, with the text that it was read from; no text if the float64 is exact."""
        if len(text) > 15:
            digits = decimal_of(text, value)
            if digits is not None:
                self._entries[len(self._data)] = digits
        self._row.append(row)
        self._column.append(column)
        self._data.append(value)

    def put(self, name: str, index: int, value: float, text: str = "", *, negated: bool = False) -> None:
        """Set a number of an array (`cost`, `lower`, ...) or the offset."""
        digits = decimal_of(text, -value if negated else value)
        self.put_exact(name, index, value, None if digits is None else -digits if negated else digits)

    def put_exact(self, name: str, index: int, value: float, digits: Fraction | None) -> None:
        """Set a number, with its `digits` if the float64 is not exact."""
        if name == "offset":
            self.offset = value
        else:
            getattr(self, name)[index] = value
        self._digits.pop((name, index), None)
        if digits is not None and np.isfinite(value):
            self._digits[name, index] = digits

    def copy(self, name: str, other: str, index: int) -> None:
        """Set a number to a number of another array."""
        self.put_exact(other, index, getattr(self, name)[index], self._digits.get((name, index)))

    def number(self, name: str, index: int = 0) -> Fraction:
        """The exact value of a finite number that was set."""
        known = self._digits.get((name, index))
        return exact(float(self.offset if name == "offset" else getattr(self, name)[index])) if known is None else known

    def add(self, name: str, index: int, value: Fraction) -> None:
        """Add to a finite number, exactly."""
        total = self.number(name, index) + value
        near = float_of_sum(total)
        self.put_exact(name, index, near, None if exact(near) == total else total)

    def made(self) -> LinearModel:
        """The model; coefficients of the same row and column are added up, zeros are left out."""
        height, width = len(self.row_lower), len(self.cost)
        row, column = np.frombuffer(self._row, dtype=np.int64), np.frombuffer(self._column, dtype=np.int64)
        data = np.frombuffer(self._data, dtype=np.float64)
        order, ascending = np.lexsort((column, row)), _rows_ascend(row, column)
        row, column, data = row[order], column[order], data[order]
        places = {int(order_place): place for place, order_place in enumerate(order.tolist())} if self._entries else {}
        entries = {places[old]: value for old, value in self._entries.items()}
        first = np.ones(len(row), dtype=bool)
        first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
        if not first.all():
            data = data.copy()
            _add_up(data, first, entries)
        kept = first & (data != 0)
        where = np.cumsum(kept) - 1
        digits = {("data", int(where[old])): value for old, value in entries.items() if kept[old]}
        counts = np.bincount(row[kept], minlength=height) if height else np.zeros(0, dtype=np.int64)
        return LinearModel(
            starts=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64))),
            columns=column[kept].astype(np.int32),
            data=data[kept],
            row_lower=np.array(self.row_lower, dtype=np.float64),
            row_upper=np.array(self.row_upper, dtype=np.float64),
            lower=np.array(self.lower, dtype=np.float64),
            upper=np.array(self.upper, dtype=np.float64),
            cost=np.array(self.cost, dtype=np.float64),
            integral=np.array(self.integral, dtype=bool),
            row_names=tuple(self.rows),
            column_names=tuple(self.columns),
            offset=self.offset,
            maximise=self.maximise,
            title=self.title,
            objective_name=self.objective_name,
            digits={**self._digits, **digits} if width else {},
            file_order=None if ascending else np.lexsort((order[kept], column[kept])),
        )


def float_of_sum(total: Fraction) -> float:
    """The nearest float64 of a sum of numbers in a file.

    Raises
    ------
    InputError
        If it is too large for a float64.
    """
    near = nearest_float(total)
    if not np.isfinite(near):
        raise InputError("a sum of numbers in the file is above 1.7e308, the largest number of float64")
    return near


def _rows_ascend(row: np.ndarray, column: np.ndarray) -> bool:
    """Whether the entries of each column come in the order of their rows."""
    by_column = np.argsort(column, kind="stable")  # fast where the file goes column by column, as MPS files do
    return not np.any((np.diff(row[by_column]) < 0) & (np.diff(column[by_column]) == 0))


def _add_up(data: np.ndarray, first: np.ndarray, entries: dict[int, Fraction]) -> None:
    """Store the exact sum of each run of equal places at its first place."""
    ends = np.append(np.flatnonzero(first), len(first)).tolist()
    for start, end in pairwise(ends):
        if end - start > 1:
            parts = [entries.pop(k) if k in entries else exact(float(data[k])) for k in range(start, end)]
            total = sum(parts, Fraction(0))
            data[start] = float_of_sum(total)
            if exact(float(data[start])) != total:
                entries[start] = total
