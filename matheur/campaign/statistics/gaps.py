"""Gaps to the best known value, and success rates."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Rate", "relative_gap", "success_rate"]


def relative_gap(value: float, reference: float) -> float:
    """Gap of a minimised value to the best known one, as a share: `(value - reference) / max(1, |reference|)`.

    Negative if the value is better than the reference, infinite if there is no value.

    Examples
    --------
    >>> relative_gap(105, 100), relative_gap(3, 0), relative_gap(-470, -480)
    (0.05, 3.0, 0.020833333333333332)
    """
    return (value - reference) / max(1.0, abs(reference))


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of runs.

    Attributes
    ----------
    successes, runs
        Counts.
    share
        Ratio of successes to runs; nan without runs.
    low, high
        Confidence interval.
    """

    successes: int
    runs: int
    share: float
    low: float
    high: float


def success_rate(successes: int, runs: int, *, z: float = 1.959963984540054) -> Rate:
    """The success rate with Wilson's score interval.

    Parameters
    ----------
    successes, runs
        Counts.
    z
        Quantile of the normal distribution; the default gives a 95 % interval.

    Notes
    -----
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, 1927. Unlike the textbook
    interval, it is also meaningful if none or all of a few runs succeed.

    Examples
    --------
    >>> rate = success_rate(5, 10)
    >>> rate.share, round(rate.low, 4), round(rate.high, 4)
    (0.5, 0.2366, 0.7634)
    """
    if runs == 0:
        return Rate(0, 0, math.nan, 0.0, 1.0)
    share = successes / runs
    scale = 1 + z * z / runs
    centre = (share + z * z / (2 * runs)) / scale
    reach = z / scale * math.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    return Rate(successes, runs, share, max(0.0, centre - reach), min(1.0, centre + reach))
