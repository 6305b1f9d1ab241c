"""A mixed-integer linear program as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from matheur.linear.decimals import exact, plain

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

__all__ = ["Digits", "LinearModel", "dot", "equal", "excludes"]

_NOISE = 1e-9  # relative: limits that cross by less are equal

Digits = Mapping[tuple[str, int], Fraction]
"""Numbers that are not the decimal that is printed for their float64, by array (`data`, `cost`, ...) and index."""


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Minimise or maximise `cost @ x + offset` where `row_lower <= A @ x <= row_upper` and `lower <= x <= upper`.

    Attributes
    ----------
    starts, columns, data
        The matrix A in rows (CSR): row i has the coefficients `data[starts[i]:starts[i + 1]]` in these columns, in
        ascending order, each once, none of them 0. int64, int32, float64.
    row_lower, row_upper
        Limits of the rows, infinite where there is none; float64.
    lower, upper
        Bounds of the columns, infinite where there is none; float64.
    cost, offset
        The objective; float64.
    integral
        Whether each column is integer; bool.
    maximise
        Sense of the objective.
    row_names, column_names
        Unique names.
    title, objective_name
        Names of the model and of the objective; may be empty.
    digits
        Numbers with more digits than their float64 shows.
    file_order
        Indices of `data`, column by column, with the rows of each column in the order of the file; None if they ascend.
        Solvers receive the coefficients in this order, since it decides ties in their search. int64.

    Raises
    ------
    ValueError
        If lengths do not agree, a column index is out of range, a coefficient or a cost is not finite, or a limit is
        NaN.
    """

    starts: NDArray[np.int64]
    columns: NDArray[np.int32]
    data: NDArray[np.float64]
    row_lower: NDArray[np.float64]
    row_upper: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    cost: NDArray[np.float64]
    integral: NDArray[np.bool_]
    row_names: Sequence[str]
    column_names: Sequence[str]
    offset: float = 0.0
    maximise: bool = False
    title: str = ""
    objective_name: str = ""
    digits: Digits = field(default_factory=dict)
    file_order: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        limits = (self.row_lower, self.row_upper, self.lower, self.upper)
        arrays: tuple[NDArray[Any], ...] = (self.starts, self.columns, self.data, self.cost, self.integral, *limits)
        self._check()
        for array in arrays if self.file_order is None else (*arrays, self.file_order):
            array.setflags(write=False)

    def _check(self) -> None:
        high, wide, count = len(self.row_lower), len(self.cost), len(self.data)
        lengths = {
            "row_upper": high, "row_names": high, "lower": wide, "upper": wide, "integral": wide,
            "column_names": wide, "starts": high + 1, "columns": count, "file_order": count,
        }  # fmt: skip
        for name, length in lengths.items():
            if getattr(self, name) is not None and len(getattr(self, name)) != length:
                raise ValueError(f"'{name}' has {len(getattr(self, name))} entries, not {length}")
        if self.starts[0] != 0 or self.starts[-1] != count or np.any(np.diff(self.starts) < 0):
            raise ValueError(f"'starts' does not lead from 0 to the {count} coefficients")
        if count and not 0 <= int(self.columns.min()) <= int(self.columns.max()) < wide:
            raise ValueError(f"'columns' names a column that is not one of {wide}")
        if self.file_order is not None:
            order = self.file_order
            if not np.array_equal(np.sort(order), np.arange(count)) or np.any(np.diff(self.columns[order]) < 0):
                raise ValueError("'file_order' does not name every coefficient once, column by column")
        wrong = np.flatnonzero(~np.isfinite(self.data))
        if len(wrong):
            row = int(np.searchsorted(self.starts, wrong[0], side="right")) - 1
            column = self.column_names[self.columns[wrong[0]]]
            raise ValueError(f"the coefficient of {column} in the row {self.row_names[row]} is {self.data[wrong[0]]}")
        wrong = np.flatnonzero(~np.isfinite(self.cost))
        if len(wrong):
            raise ValueError(f"the cost of {self.column_names[wrong[0]]} is {self.cost[wrong[0]]}")
        if not np.isfinite(self.offset):
            raise ValueError(f"the constant of the objective is {self.offset}")
        for names, limits in (
            (self.row_names, (self.row_lower, self.row_upper)), (self.column_names, (self.lower, self.upper)),
        ):  # fmt: skip
            for one in limits:
                wrong = np.flatnonzero(np.isnan(one))
                if len(wrong):
                    raise ValueError(f"a limit of {names[wrong[0]]} is not a number")

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.row_lower)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.cost)

    @cached_property
    def matrix(self) -> csr_array:
        """The matrix A in rows."""
        from scipy.sparse import csr_array  # the import takes a tenth of a second, which a plain solve does not need

        return csr_array((self.data, self.columns, self.starts), shape=(self.height, self.width))

    @cached_property
    def transposed(self) -> csc_array:
        """The matrix A in columns."""
        return self.matrix.tocsc()

    @property
    def column_order(self) -> NDArray[np.integer]:
        """Indices of `data` column by column: `file_order`, else with ascending rows."""
        return np.argsort(self.columns, kind="stable") if self.file_order is None else self.file_order

    @property
    def column_starts(self) -> NDArray[np.int64]:
        """Where each column begins in `column_order`, and its end: as `starts` for rows."""
        counts = np.bincount(self.columns, minlength=self.width)
        return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)))

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The row of each coefficient."""
        return np.repeat(np.arange(self.height), np.diff(self.starts))

    def terms(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each coefficient times the value of its column; infinite if the product is too large for a float64."""
        with np.errstate(over="ignore"):
            return self.data * values[self.columns]

    def row_sums(self, terms: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums by row of numbers given by coefficient; the sums of `terms(x)` are the activities A x."""
        return np.bincount(self.rows, weights=terms, minlength=self.height).astype(np.float64, copy=False)

    @cached_property
    def own_columns(self) -> Mapping[int, int]:
        """By row, the place in `data` of a continuous column of this row only; rows without one are omitted."""
        single = (np.bincount(self.columns, minlength=self.width) == 1) & ~self.integral
        places = np.flatnonzero(single[self.columns] & (self.data != 0))
        return dict(zip(self.rows[places].tolist(), places.tolist(), strict=True))

    @cached_property
    def column_index(self) -> Mapping[str, int]:
        """Column by name."""
        return {name: number for number, name in enumerate(self.column_names)}

    @cached_property
    def row_index(self) -> Mapping[str, int]:
        """Row by name."""
        return {name: number for number, name in enumerate(self.row_names)}

    @property
    def binary(self) -> NDArray[np.bool_]:
        """Integer columns with bounds 0 and 1."""
        return self.integral & (self.lower == 0) & (self.upper == 1)

    def number(self, array: str, index: int = 0) -> Fraction:
        """The exact value of a number of the model: `number("data", 3)`, `number("offset")`.

        Raises
        ------
        OverflowError
            If it is infinite.
        """
        known = self.digits.get((array, index))
        if known is not None:
            return known
        values = getattr(self, array)
        value = float(values if array == "offset" else values[index])
        if not np.isfinite(value):
            raise OverflowError(f"{array}[{index}] is infinite")
        return exact(value)

    def impossible(self, lower: NDArray[np.float64] | None = None, upper: NDArray[np.float64] | None = None) -> str:
        """Description of a row or column that no values can satisfy, found without a search; else empty.

        Parameters
        ----------
        lower, upper
            Bounds by column instead of the model's.
        """
        lower, upper = self.lower if lower is None else lower, self.upper if upper is None else upper
        crossed = np.flatnonzero(excludes(lower, upper))
        if len(crossed):
            return f"no value is within the bounds of {self.column_names[crossed[0]]}"
        return self._impossible_row

    @cached_property
    def _impossible_row(self) -> str:
        empty = (np.diff(self.starts) == 0) & ((self.row_lower > _NOISE) | (self.row_upper < -_NOISE))
        rows = np.flatnonzero(empty | excludes(self.row_lower, self.row_upper))
        return f"the row {self.row_names[rows[0]]} can never hold" if len(rows) else ""

    def written(self, array: str, index: int = 0) -> str:
        """A finite number of the model as text, with all digits."""
        known = self.digits.get((array, index))
        values = getattr(self, array)
        return plain(float(values if array == "offset" else values[index]) if known is None else known)

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of the content of the model, independent of the order of rows and columns."""
        rows, columns = _hashes(self.row_names), _hashes(self.column_names)
        owner = np.repeat(rows, np.diff(self.starts), axis=0)
        total = blake2b(b"linear", digest_size=16)
        for part in (0, 1):  # two independent sums of 64 bits
            entries = _mixed(owner[:, part] ^ np.roll(columns, 1, axis=1)[self.columns, part] ^ _bits(self.data))
            sides = _mixed(_mixed(rows[:, part] ^ _bits(self.row_lower)) ^ _bits(self.row_upper))
            bounds = _mixed(_mixed(columns[:, part] ^ _bits(self.lower)) ^ _bits(self.upper))
            costs = _mixed(_mixed(columns[:, part] ^ _bits(self.cost)) ^ self.integral.astype(np.uint64))
            for sums in (entries, sides, bounds, costs):
                total.update(np.add.reduce(sums, dtype=np.uint64).tobytes())
        total.update(repr((self.maximise, self.offset + 0.0)).encode())
        total.update(repr(sorted((*self._place(*key), str(value)) for key, value in self.digits.items())).encode())
        return total.hexdigest()

    def _place(self, array: str, index: int) -> tuple[str, str, str]:
        """Description of a number of the model by the names of its row and column."""
        if array == "data":
            row = int(np.searchsorted(self.starts, index, side="right")) - 1
            return array, self.row_names[row], self.column_names[self.columns[index]]
        if array in ("row_lower", "row_upper"):
            return array, self.row_names[index], ""
        return array, "", "" if array == "offset" else self.column_names[index]


def dot(weights: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """The sum of weights times values, without BLAS: its threads end with each fork, and starting them takes longer."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.add.reduce(weights * values))


def excludes(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mask of pairs of limits with no number between them: they cross, or one is infinite on the wrong side.

    Limits that cross by a rounding error, such as 0.30000000000000004 and 0.3, are equal.
    """
    crossed = lower > upper + np.clip(_NOISE * np.abs(upper), _NOISE, 0.5)  # whole numbers cross by 1
    return crossed | (lower == np.inf) | (upper == -np.inf)


def equal(lower: float, upper: float) -> bool:
    """Whether two limits are equal, or cross by a rounding error; then the lower one counts for both."""
    return lower == upper or (lower > upper and not excludes(np.array(lower), np.array(upper)))


def _hashes(names: Sequence[str]) -> NDArray[np.uint64]:
    """Two words of 64 bits for each name."""
    joined = b"".join(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).digest() for name in names)
    return np.frombuffer(joined, dtype=np.uint64).reshape(-1, 2)


def _bits(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    return (values + 0.0).view(np.uint64)  # no negative zero


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Every bit of a word depends on all of them (the last steps of MurmurHash3)."""
    words = words ^ (words >> np.uint64(33))
    words = words * np.uint64(0xFF51AFD7ED558CCD)
    words = words ^ (words >> np.uint64(33))
    words = words * np.uint64(0xC4CEB9FE1A85EC53)
    return words ^ (words >> np.uint64(33))
