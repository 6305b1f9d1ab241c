"""Bounds that follow from the rows of a linear model, and a row that cannot hold, if there is one.

Propagation uses the model with the tolerance of a solution on every row and bound: it cuts off no integral point that
`matheur.linear.evaluation` accepts at `1e-6`. Bounds of integer columns are an exception: their tolerance is absolute,
since a relative one would add whole units to a bound of a million.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.linear.model import LinearModel

__all__ = ["Conflict", "Propagation"]

Values = NDArray[np.float64]

_TOLERANCE = 1e-6
_PASSES = 20  # passes over all coefficients that one propagation may take


@dataclass(frozen=True, slots=True)
class Conflict:
    """A row that no values between the bounds satisfy.

    Attributes
    ----------
    row
        Its number.
    text
        Name of the row, the range of its activity, and its limit.
    """

    row: int
    text: str

    def __str__(self) -> str:
        return self.text


class Propagation:
    """The bounds of all columns, tightened step by step.

    Parameters
    ----------
    model
        The model.

    Attributes
    ----------
    lower, upper
        The bounds so far, with a tolerance for continuous columns; float64.
    """

    def __init__(self, model: LinearModel) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.linear import propagation_kernels

        self._kernels = propagation_kernels
        self.model = model
        turned = model.transposed
        width, height = model.width, model.height
        self._matrix = (
            model.starts.astype(np.int64, copy=False),
            model.columns.astype(np.int32, copy=False),
            model.data,
            _loosened(model.row_lower, -1),
            _loosened(model.row_upper, 1),
        )
        self._rows = (
            turned.indptr.astype(np.int64),
            turned.indices.astype(np.int32),
            np.array(turned.data),
            np.zeros(max(1, height), dtype=np.int32),
            np.zeros(height, dtype=np.bool_),
            np.full(height, -1.0),
        )
        self._integral = np.array(model.integral)
        self._first = (
            np.where(model.integral, np.ceil(model.lower - _TOLERANCE), _loosened(model.lower, -1)),
            np.where(model.integral, np.floor(model.upper + _TOLERANCE), _loosened(model.upper, 1)),
        )
        self._trail = (
            np.zeros(width, dtype=np.int32),
            np.zeros(width),
            np.zeros(width),
            np.full(width, -1, dtype=np.int64),
        )
        self._state = np.zeros(propagation_kernels.STATE_LENGTH, dtype=np.int64)
        self._box = (self._first[0].copy(), self._first[1].copy())
        self._step = _PASSES * max(1000, len(model.data))

    @property
    def lower(self) -> Values:
        """Lower bounds so far."""
        return self._box[0]

    @property
    def upper(self) -> Values:
        """Upper bounds so far."""
        return self._box[1]

    @property
    def effort(self) -> int:
        """Number of coefficients examined."""
        return int(self._state[self._kernels.EFFORT])

    def reset(self) -> None:
        """Restore the bounds of the model."""
        self._kernels.undo(self._rows, self._box, self._trail, self._state)
        self._box[0][:], self._box[1][:] = self._first
        self._rows[-1][:] = -1.0

    def copy_to(self, other: Propagation) -> None:
        """Copy the bounds to another propagation of the same model."""
        other.reset()
        other._box[0][:], other._box[1][:] = self._box

    def all_rows(self) -> Conflict | None:
        """Propagate all rows."""
        crossed = np.flatnonzero(self.lower > self.upper)
        if len(crossed):
            return Conflict(-1, f"no value is within the bounds of {self.model.column_names[crossed[0]]}")
        _, _, _, queue, queued, _ = self._rows
        self._begin()
        height = self.model.height
        queue[:height] = np.arange(height)
        queued[:] = True
        self._state[self._kernels.HEAD], self._state[self._kernels.WAITING] = 0, height
        return self._propagated()

    def fix(self, columns: NDArray[np.integer[Any]], values: Values) -> Conflict | None:
        """Fix columns at values, if these are within the bounds, and propagate.

        A value of a continuous column outside its bounds by at most the tolerance counts as the bound. If there is a
        conflict, all bounds are restored.
        """
        self._begin()
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            low, high = self.lower[column], self.upper[column]
            within = min(max(value, low), high)
            if abs(within - value) > _TOLERANCE * max(1.0, abs(value)):
                self._kernels.undo(self._rows, self._box, self._trail, self._state)
                side = f">= {low:.12g}" if value < low else f"<= {high:.12g}"
                name = self.model.column_names[column]
                return Conflict(-1, f"column {name} is {value:.12g}, and has to be {side}")
            self._kernels.tighten(column, within, within, self._rows, self._box, self._trail, self._state)
        conflict = self._propagated()
        if conflict is not None:
            self._kernels.undo(self._rows, self._box, self._trail, self._state)
        return conflict

    def _begin(self) -> None:
        self._state[self._kernels.DECISION] += 1
        self._state[self._kernels.SAVED] = 0

    def _propagated(self) -> Conflict | None:
        limit = int(self._state[self._kernels.EFFORT]) + self._step
        row = int(
            self._kernels.propagate(
                limit, self._matrix, self._integral, self._rows, self._box, self._trail, self._state
            )
        )
        return self.explained(row) if row >= 0 else None

    def explained(self, row: int) -> Conflict:
        """Explanation why a row cannot hold."""
        model = self.model
        part = slice(int(model.starts[row]), int(model.starts[row + 1]))
        weights, columns = model.data[part], model.columns[part]
        ends = (weights * self.lower[columns], weights * self.upper[columns])
        least, most = float(np.minimum(*ends).sum()), float(np.maximum(*ends).sum())
        name = model.row_names[row]
        if least > model.row_upper[row]:
            return Conflict(row, f"row {name} is at least {least:.12g}, not <= {model.row_upper[row]:.12g}")
        if most < model.row_lower[row]:
            return Conflict(row, f"row {name} is at most {most:.12g}, not >= {model.row_lower[row]:.12g}")
        return Conflict(row, f"row {name} cannot hold with whole numbers within the bounds")

    def begin_dive(self) -> None:
        """Restart from the first column of an order."""
        self._state[self._kernels.PLACE] = self._state[self._kernels.CONFLICTS] = 0

    def dive(
        self,
        effort: int,
        order: NDArray[np.int32],
        mode: int,
        point: Values,
        random: NDArray[np.uint64],
    ) -> bool:
        """Fix columns one after another, and propagate after each; True once all are fixed.

        Parameters
        ----------
        effort
            Number of coefficients that may be examined in this call.
        order
            Integer columns.
        mode
            Rule for the values, see `matheur.linear.propagation_kernels`.
        point
            Reference values for the mode `POINT`.
        random
            State of the generator; one uint64.
        """
        # Read-only arrays have types of their own: the kernel would be compiled for each combination.
        cost = -self.model.cost if self.model.maximise else self.model.cost.copy()
        point = np.require(point, requirements="W")
        return bool(
            self._kernels.dive(
                self.effort + effort, self._step, order, mode, self._matrix, self._integral, self._rows, self._box,
                self._trail, cost, self.locks, point, random, self._state,
            )
        )  # fmt: skip

    @property
    def conflicts(self) -> int:
        """Number of columns of the dive that were fixed although both values led to a conflict."""
        return int(self._state[self._kernels.CONFLICTS])

    @cached_property
    def locks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Up-locks and down-locks by column: number of rows that a larger, and a smaller, value may violate."""
        return _locks(self.model)


def _locks(model: LinearModel) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    owner = model.rows
    above, below = np.isfinite(model.row_upper)[owner], np.isfinite(model.row_lower)[owner]
    rising = model.data > 0
    up = np.where(rising, above, below)
    down = np.where(rising, below, above)
    columns = model.columns
    return (
        np.bincount(columns[up], minlength=model.width).astype(np.int64),
        np.bincount(columns[down], minlength=model.width).astype(np.int64),
    )


def _loosened(sides: Values, sign: int) -> Values:
    return np.where(np.isfinite(sides), sides + sign * _TOLERANCE * np.maximum(1.0, np.abs(sides)), sides)
