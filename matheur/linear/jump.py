"""A local search for linear models that changes one or two columns at a time: the Python side of the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.linear.model import LinearModel

__all__ = ["Jump"]

Values = NDArray[np.float64]

_TOLERANCE = 1e-7  # tolerance of rows, relative to the side if larger than 1: tighter than that for solutions
_RELATIVE = 1e-4  # least relative improvement of the next solution, if no step of the objective is known


class Jump:
    """A search that can be advanced in slices; the result does not depend on the slices.

    Parameters
    ----------
    model
        The model.
    rng
        Generator that seeds the kernel's own generator; one number is drawn.
    step
        Least difference of two objectives; 0 if unknown.
    lower, upper
        Bounds in place of the model's, such as propagated bounds of integer columns; None for the model's.

    Attributes
    ----------
    values
        Current point of the search.
    """

    def __init__(
        self,
        model: LinearModel,
        rng: Generator,
        *,
        step: float = 0.0,
        lower: Values | None = None,
        upper: Values | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.linear import jump_kernels

        self._kernels = jump_kernels
        self.model = model
        self._sense = -1.0 if model.maximise else 1.0
        cost = self._sense * model.cost
        # Rows have an upper side only: see the kernel. The objective is the last row.
        below = np.isfinite(model.row_lower)
        two = np.flatnonzero(below & np.isfinite(model.row_upper))
        high = np.concatenate((np.where(below, -model.row_lower, model.row_upper), model.row_upper[two], [np.inf]))
        from scipy.sparse import csr_array, vstack  # a slow import, which easy models do not need

        turned = model.matrix.copy()
        turned.data *= np.repeat(np.where(below, -1.0, 1.0), np.diff(turned.indptr))
        matrix = csr_array(vstack([turned, model.matrix[two], csr_array(cost[np.newaxis, :])], format="csr"))
        self._matrix = (*_parts(matrix), *_parts(matrix.tocsc()))
        room = _TOLERANCE * np.maximum(1.0, np.where(np.isfinite(high), np.abs(high), 0))
        height, width = len(high), model.width
        self._table = np.column_stack((np.zeros(height), high, high + room, np.ones(height)))
        lower, upper = model.lower if lower is None else lower, model.upper if upper is None else upper
        self._box = (
            np.where(model.integral, np.ceil(lower - 1e-9), lower),
            np.where(model.integral, np.floor(upper + 1e-9), upper),
            np.array(model.integral),
        )
        self.values = np.clip(np.zeros(width), *self._box[:2])
        self._rows = (
            np.zeros(height, dtype=np.int64),
            np.full(height, -1, dtype=np.int64),
            np.zeros(height, dtype=np.int64),
            np.zeros(height, dtype=np.bool_),
        )
        self._memory = np.zeros((width, 3), dtype=np.int64)
        self._cost = cost
        self._best, self._near = np.zeros(width), self.values.copy()
        self._random = np.array([rng.integers(1 << 63)], dtype=np.uint64)
        self._state = np.zeros(jump_kernels.STATE_LENGTH, dtype=np.int64)
        self._measure = np.array([np.inf, step, _RELATIVE])
        self.restart(self.values)

    @property
    def effort(self) -> int:
        """Number of coefficients examined."""
        return int(self._state[self._kernels.EFFORT])

    @property
    def steps(self) -> int:
        """Number of moves."""
        return int(self._state[self._kernels.STEPS])

    @property
    def idle(self) -> int:
        """Coefficients examined since the last solution or restart."""
        return self.effort - int(self._state[self._kernels.SINCE])

    @property
    def found(self) -> int:
        """Number of solutions, each better than the one before."""
        return int(self._state[self._kernels.FOUND])

    @property
    def best(self) -> Values | None:
        """The best solution; None if there is none yet."""
        return self._best.copy() if self.found else None

    @property
    def near(self) -> Values:
        """The local optimum with the fewest violated rows since the last restart."""
        return self._near.copy()

    @property
    def broken(self) -> int:
        """Number of rows violated by `near`."""
        return int(self._state[self._kernels.FEWEST])

    def restart(self, values: Values) -> None:
        """Continue from other values, clipped to the bounds, with all weights 1."""
        lower, upper, integral = self._box
        values = np.clip(np.where(integral, np.rint(values), values), lower, upper)
        self.values[:] = values
        self._near[:] = values
        self._table[:, self._kernels.WEIGHT] = 1
        self._memory[:] = 0
        self._state[self._kernels.STEPS] = 0
        self._state[self._kernels.FEWEST] = len(self._table) + 1
        self._kernels.begin(self._matrix, self._table, self.values, self._rows, self._state)
        self._state[self._kernels.SINCE] = self._state[self._kernels.EFFORT]

    def accept(self, values: Values) -> None:
        """Continue from a solution found elsewhere, and look for a better one."""
        objective = float(self._cost @ values)
        if objective < self._measure[self._kernels.BEST]:
            self._best[:] = values
            self._state[self._kernels.FOUND] += 1
            self._measure[self._kernels.BEST] = objective
            step = float(self._measure[self._kernels.STEP])
            high = objective - (step or _RELATIVE * max(1.0, abs(objective)))
            self._table[-1, self._kernels.HIGH] = high
            self._table[-1, self._kernels.MOST] = high + 1e-9 * max(1.0, abs(high))
        self.restart(values)

    def run(self, effort: int) -> None:
        """Search until about this many more coefficients are examined."""
        self._kernels.run(
            self.effort + effort, self._matrix, self._table, self._box, self.values, self._rows, self._memory,
            self._cost, self._best, self._near, self._random, self._state, self._measure,
        )  # fmt: skip


def _parts(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    matrix.sort_indices()
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data.astype(np.float64)
