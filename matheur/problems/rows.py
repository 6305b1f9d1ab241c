"""What every solution that is a row of numbers has to be, before anything is asked of the numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["row_fault", "without_moves"]


def row_fault(solution: Any, what: str) -> str | None:
    """A sentence if a solution is no one-dimensional array of integers.

    An array of another shape has another length than it has numbers, and an objective that is a length would be wrong.

    Parameters
    ----------
    what
        What a solution is called, such as `a plan`.

    Examples
    --------
    >>> row_fault([[1, 2]], "a plan")
    'a plan is a one-dimensional array of integers (this one has shape (1, 2) and type int64)'
    >>> row_fault([], "a plan")
    """
    try:
        array = np.asarray(solution)
    except ValueError:  # rows of different lengths
        return f"{what} is a one-dimensional array of integers (this one is ragged)"
    if array.ndim == 1 and (not array.size or np.issubdtype(array.dtype, np.integer)):
        return None
    return f"{what} is a one-dimensional array of integers (this one has shape {array.shape} and type {array.dtype})"


def without_moves(problem: Any) -> NDArray[np.int32] | None:
    """The plan without moves of a puzzle whose start is its goal, else None."""
    nothing = np.empty(0, dtype=np.int32)
    return nothing if problem.evaluate(nothing).feasible else None
