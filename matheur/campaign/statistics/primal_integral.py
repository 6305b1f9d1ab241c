"""The primal integral, which measures how early a run finds good solutions."""

from __future__ import annotations

import numpy as np

from matheur.campaign.statistics.trajectory import Trajectory

__all__ = ["primal_gap", "primal_integral"]


def primal_gap(value: float, best: float) -> float:
    """Gap from 0 to 1: 0 for equal values, 1 if the signs differ or there is no value, else their relative difference.

    T. Berthold, Measuring the impact of primal heuristics, 2013, section 2: `|best - value| / max(|best|, |value|)`.
    A value that is better than `best` has gap 0.
    """
    if not np.isfinite(value):
        return 1.0
    if value <= best:
        return 0.0
    if best < 0 < value:
        return 1.0
    return abs(best - value) / max(abs(best), abs(value))


def primal_integral(run: Trajectory, best: float, *, horizon: float) -> float:
    """Integral of the primal gap over the seconds from 0 to `horizon`.

    Parameters
    ----------
    run
        The run; its last value holds after its end.
    best
        Best known value.
    horizon
        Upper limit in seconds. The integral is at most `horizon`; divided by it, it is the mean gap.

    Notes
    -----
    T. Berthold, Measuring the impact of primal heuristics, Operations Research Letters 41, 2013, section 2.
    """
    times = np.concatenate(([0.0], np.minimum(run.times, horizon), [horizon]))
    gaps = np.array([1.0, *(primal_gap(value, best) for value in run.values)])
    return float((gaps * np.diff(times)).sum())
