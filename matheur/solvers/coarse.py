"""Rows of integers in which a unit step is below the precision of a solver's arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from matheur.linear.model import LinearModel
from matheur.solvers.proving import ABSOLUTE

__all__ = ["coarse_row"]

_Values = NDArray[np.float64]


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
