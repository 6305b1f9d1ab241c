"""Quantiles of samples with infinite values, which stand for events that never happened."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["quantile"]


def quantile(values: NDArray[np.float64], share: float, *, middle: bool = False) -> NDArray[np.float64]:
    """Quantile along the first axis; between a finite and an infinite value it is infinite.

    Parameters
    ----------
    values
        float64[n, ...], n at least 1.
    share
        Share from 0 to 1.
    middle
        Whether value i of n (from 1) is the quantile (i - 1/2)/n, as in time-to-target plots; else it is (i - 1)/(n -
        1), the usual interpolation (types 5 and 7 of Hyndman and Fan, Sample quantiles in statistical packages, 1996).
    """
    ordered = np.sort(np.asarray(values, dtype=float), axis=0)
    count = len(ordered)
    where = min(max(share * count - 0.5, 0.0), count - 1.0) if middle else share * (count - 1)
    below = int(np.floor(where + 1e-12))
    part = where - below
    low = ordered[below]
    if part <= 1e-12:
        return np.asarray(low)
    high = ordered[below + 1]
    finite = np.isfinite(high)
    step = np.where(finite, high, 0.0) - np.where(finite, low, 0.0)
    return np.where(finite, low + part * step, np.where(np.isfinite(low), np.inf, low))
