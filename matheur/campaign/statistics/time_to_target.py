"""Time-to-target plots: the probability that a run has reached a target by a given time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.campaign.statistics.quantiles import quantile
from matheur.campaign.statistics.trajectory import Trajectory

__all__ = [
    "ShiftedExponential",
    "empirical_distribution",
    "expected_running_time",
    "expected_seconds",
    "fit_shifted_exponential",
    "times_to_target",
]

_RUNS_MIN = 4


def times_to_target(runs: Sequence[Trajectory], target: float) -> NDArray[np.float64]:
    """float64[runs]: seconds until each run reached a value of at most `target`; infinite where it did not."""
    return np.array([run.time_to(target) for run in runs], dtype=float)


def empirical_distribution(times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points of a time-to-target plot: times in order, and the probability `(i - 1/2)/n` of the i-th of n.

    Runs that did not reach the target count in n but have no point.
    """
    ordered = np.sort(np.asarray(times, dtype=float))
    shares = (np.arange(1, len(ordered) + 1) - 0.5) / max(1, len(ordered))
    reached = np.isfinite(ordered)
    return ordered[reached], shares[reached]


@dataclass(frozen=True, slots=True)
class ShiftedExponential:
    """The distribution `1 - exp(-(t - shift)/scale)`.

    Attributes
    ----------
    shift
        Seconds that every run needs; the estimate may be negative.
    scale
        Mean of the remaining time in seconds. Parallel independent runs divide it by their number.
    """

    shift: float
    scale: float

    def probability(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probability of having reached the target by the given times."""
        since = np.maximum(0.0, np.asarray(times, dtype=float) - self.shift)
        found: NDArray[np.float64] = -np.expm1(-since / self.scale)
        return found


def fit_shifted_exponential(times: NDArray[np.float64]) -> ShiftedExponential | None:
    """Fit a shifted exponential distribution to times to a target.

    Parameters
    ----------
    times
        float64[n], infinite for runs that did not reach the target.

    Returns
    -------
    ShiftedExponential or None
        None for fewer than four runs, if fewer than three quarters of them reached the target, or if the quartiles
        coincide.

    Notes
    -----
    R. M. Aiex, M. G. C. Resende, C. C. Ribeiro, TTT plots: a perl program to create time-to-target plots, 2007,
    section 2: the line through the quartiles of the quantile-quantile plot, which outliers do not move: scale
    `(z_u - z_l) / (q_u - q_l)` and shift `z_l - scale q_l`, with the quartiles `z` of the times and
    `q = -ln(1 - p)` of the exponential distribution.
    """
    times = np.asarray(times, dtype=float)
    if len(times) < _RUNS_MIN:
        return None
    low, high = (float(quantile(times, share, middle=True)) for share in (0.25, 0.75))
    if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
        return None
    q_low, q_high = -math.log(0.75), -math.log(0.25)
    scale = (high - low) / (q_high - q_low)
    return ShiftedExponential(low - scale * q_low, scale)


def expected_running_time(runs: Sequence[Trajectory], target: float) -> float:
    """Expected seconds to the target with restarts: all seconds spent before reaching it, over the number of successes.

    Infinite if no run reached it. N. Hansen et al., COCO: performance assessment, 2016, section 4.3 (ERT).
    """
    return expected_seconds(times_to_target(runs, target), [run.end for run in runs])


def expected_seconds(times: Sequence[float] | NDArray[np.float64], ends: Sequence[float]) -> float:
    """As `expected_running_time`, from the seconds to the target, which are infinite without it, and of whole runs."""
    reached = np.isfinite(times)
    if not reached.any():
        return math.inf
    return float(np.where(reached, times, ends).sum() / reached.sum())
