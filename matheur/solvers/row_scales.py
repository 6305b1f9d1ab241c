"""Scales for rows with coefficients that a solver would treat as 0, or reject."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.errors import SolverError

__all__ = ["row_scales"]

HUGE = 1e15  # unit steps at numbers of this size are lost in float64


def row_scales(
    starts: NDArray[np.integer],
    data: NDArray[np.float64],
    names: Sequence[str],
    *,
    solver: str,
    zero: float,
    infinity: float,
) -> NDArray[np.float64]:
    """Powers of two by row with which the solver neither drops nor rejects a coefficient; nearly always 1.

    Parameters
    ----------
    starts, data
        The coefficients of row i are `data[starts[i]:starts[i + 1]]`.
    zero
        Coefficients up to this size are dropped by the solver.
    infinity
        Coefficients of this size are rejected by the solver.

    Raises
    ------
    SolverError
        If the numbers of a row differ by too many orders of magnitude, or are too large.
    """
    scale, sizes, filled = np.ones(len(starts) - 1), np.abs(data), np.flatnonzero(np.diff(starts))
    if not len(filled):
        return scale
    smallest = np.minimum.reduceat(sizes, starts[filled])
    largest = np.maximum.reduceat(sizes, starts[filled])
    factor = np.ones(len(filled))
    small, large = smallest <= zero, largest >= infinity
    factor[small] = np.exp2(np.ceil(np.log2(2 * zero / smallest[small])))
    factor[large] = np.exp2(-np.floor(np.log2(largest[large])))
    for place in np.flatnonzero((small & (largest * factor > HUGE)) | (large & (smallest * factor <= zero))):
        numbers = f"coefficients from {smallest[place]:g} to {largest[place]:g}"
        raise SolverError(f"{solver} cannot take the row {names[filled[place]]}: it has {numbers}")
    scale[filled] = factor
    return scale
