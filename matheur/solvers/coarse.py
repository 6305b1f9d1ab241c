"""Rows with numbers beyond the precision of a solver's arithmetic, and how far columns reach."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.linear.model import LinearModel
from matheur.solvers.proving import ABSOLUTE

__all__ = ["WIDE", "coarse_row", "noisy_row", "reach_by_rows", "reach_within"]

_Values = NDArray[np.float64]

WIDE = 1e6
"""Bounds of integer columns from here on may be far beyond what the rows allow."""

_PASSES = 5  # over all coefficients
_TOLERANCE = 1e-6  # of a row, relative to its side
_ROUNDING = 1e-14  # relative error of a sum of terms
_HUGE = 1e12  # terms next to which sums lose digits that count
_OFF = 1e-3  # absolute; a sum that is off by more is not reliable, whatever its side
_MOST = 2_000_000  # coefficients; a pass over more takes too long
_REACHES: WeakKeyDictionary[LinearModel, _Values] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class _Rows:
    """Data of the model only: the rows with coefficients, their sides, the size of all coefficients."""

    filled: NDArray[np.int64]
    sides: _Values
    sizes: _Values
    fraction: NDArray[np.bool_]  # by coefficient

    @classmethod
    def of(cls, model: LinearModel) -> _Rows:
        filled = np.flatnonzero(np.diff(model.starts))
        sides = [np.abs(side[filled]) for side in (model.row_lower, model.row_upper)]
        finite = [np.where(np.isfinite(side), side, 0.0) for side in sides]
        return cls(filled, np.maximum(*finite), np.abs(model.data), model.data % 1 != 0)


_KNOWN: WeakKeyDictionary[LinearModel, _Rows] = WeakKeyDictionary()


def coarse_row(model: LinearModel, integral: NDArray[np.bool_], reach: _Values, tolerance: float) -> str:
    """A row in which the solver may cut off or accept solutions that differ by a unit; else empty.

    Parameters
    ----------
    integral
        Columns that must have integral values.
    reach
        The largest absolute value of each column.
    tolerance
        Relative tolerance of the solver.
    """
    rows = _KNOWN.get(model)
    if rows is None:
        rows = _KNOWN[model] = _Rows.of(model)
    if not len(rows.filled):
        return ""
    starts = model.starts[rows.filled]
    sizes = np.maximum(np.maximum.reduceat(rows.sizes * reach[model.columns], starts), rows.sides)
    large = ABSOLUTE + tolerance * sizes >= 1
    if not large.any():
        return ""
    mixed = np.logical_or.reduceat(rows.fraction | ~integral[model.columns], starts)
    for row, size in zip(rows.filled[large & ~mixed].tolist(), sizes[large & ~mixed].tolist(), strict=True):
        weights = model.data[model.starts[row] : model.starts[row + 1]].tolist()
        if ABSOLUTE + tolerance * size >= math.gcd(*(int(weight) for weight in weights)):
            return f"the row {model.row_names[row]}"
    return ""


def noisy_row(model: LinearModel, integral: NDArray[np.bool_], reach: _Values) -> str:
    """A row whose sum in float64 may be off by more than the tolerance of solvers; else empty.

    A solver may reject every solution of such a row, and call the model infeasible. Only terms of integer columns
    count: bounds of continuous columns are often far beyond their values. Whole terms have exact sums.

    Parameters
    ----------
    integral, reach
        As in `coarse_row`.
    """
    counted = integral[model.columns]
    sizes = model.row_sums(np.where(counted, np.abs(model.data) * reach[model.columns], 0.0))
    sides = [np.where(np.isfinite(side), np.abs(side), 0.0) for side in (model.row_lower, model.row_upper)]
    room = np.minimum(_TOLERANCE * np.maximum(1.0, np.maximum(*sides)), _OFF)
    noisy = sizes * np.finfo(np.float64).eps > room
    if noisy.any():
        noisy &= model.row_sums(~counted | (model.data % 1 != 0)) > 0
    rows = np.flatnonzero(noisy)
    return f"the row {model.row_names[rows[0]]}" if len(rows) else ""


def reach_by_rows(model: LinearModel) -> _Values:
    """The largest absolute value of each column that its bounds and the rows allow; infinite if there is none.

    Limits follow from one row at a time, in a few passes, without regard to integrality. In a model with very many
    coefficients only bounds count.
    """
    known = _REACHES.get(model)
    if known is None:
        known = _REACHES[model] = _reach(model)
    return known


def reach_within(model: LinearModel, cost: _Values, lower: float, upper: float) -> _Values:
    """As `reach_by_rows`, in solutions whose cost is between two limits."""
    used = np.flatnonzero(cost)
    row = {
        "starts": np.append(model.starts, model.starts[-1] + len(used)),
        "columns": np.concatenate((model.columns, used.astype(np.int32))),
        "data": np.concatenate((model.data, cost[used])),
        "row_lower": np.append(model.row_lower, lower),
        "row_upper": np.append(model.row_upper, upper),
        "row_names": (*model.row_names, ""),
    }
    return _reach(replace(model, **row, digits={}, file_order=None))  # type: ignore[arg-type]


def _reach(model: LinearModel) -> _Values:
    lower, upper = model.lower, model.upper
    with np.errstate(all="ignore"):
        for _ in range(_PASSES if len(model.data) <= _MOST else 0):
            before, (lower, upper) = (lower, upper), _limited(model, lower, upper)
            if np.array_equal(before[0], lower) and np.array_equal(before[1], upper):
                break
    return np.maximum(np.abs(lower), np.abs(upper))


def _limited(model: LinearModel, lower: _Values, upper: _Values) -> tuple[_Values, _Values]:
    """Bounds by column that follow from the bounds of the other columns of each row."""
    data, columns, rows = model.data, model.columns, model.rows
    rising = data > 0
    ends = data * lower[columns], data * upper[columns]
    most, least = np.maximum(*ends), np.minimum(*ends)
    below = (model.row_lower[rows] - _room(model, model.row_lower, most) - _rest(model, most, np.inf)) / data
    above = (model.row_upper[rows] + _room(model, model.row_upper, least) - _rest(model, least, -np.inf)) / data
    lower, upper = lower.copy(), upper.copy()
    np.maximum.at(lower, columns, np.where(rising, below, above))
    np.minimum.at(upper, columns, np.where(rising, above, below))
    return lower, upper


def _room(model: LinearModel, sides: _Values, terms: _Values) -> _Values:
    """By how much a row may be off, by coefficient; 0 where that moves a column by less than the margin of bounds."""
    sizes = model.row_sums(np.where(np.abs(terms) > _HUGE, 0.0, np.abs(terms)))
    finite = np.where(np.isfinite(sides), np.abs(sides), 0.0)
    room = (_TOLERANCE * np.maximum(1.0, finite) + _ROUNDING * sizes)[model.rows]
    return np.where(room > 0.5 * np.abs(model.data), room, 0.0)


def _rest(model: LinearModel, terms: _Values, endless: float) -> _Values:
    """For each term the sum of the other terms of its row; `endless` if one of them is infinite or very large."""
    open_ = np.abs(terms) > _HUGE
    finite = np.where(open_, 0.0, terms)
    others = model.row_sums(open_.astype(np.float64))[model.rows] - open_
    return np.where(others > 0, endless, model.row_sums(finite)[model.rows] - finite)
