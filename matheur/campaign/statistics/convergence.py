"""Value over time for several seeds: median and quartiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.campaign.statistics.quantiles import quantile
from matheur.campaign.statistics.trajectory import Trajectory

__all__ = ["Bands", "convergence_bands", "time_grid"]


@dataclass(frozen=True, slots=True)
class Bands:
    """Quartiles of the values of several runs on a common grid of times, infinite where too few have a solution.

    Attributes
    ----------
    times, low, median, high
        float64[n].
    """

    times: NDArray[np.float64]
    low: NDArray[np.float64]
    median: NDArray[np.float64]
    high: NDArray[np.float64]


def time_grid(runs: Sequence[Trajectory], *, points: int = 80, earliest: float = 1e-3) -> NDArray[np.float64]:
    """Common times of several runs, evenly spaced on a logarithmic scale.

    Parameters
    ----------
    runs
        Runs; the times range from the earliest first incumbent to the latest end.
    points
        Number of times.
    earliest
        Smallest time in seconds.
    """
    first = min((float(run.times[0]) for run in runs if len(run.times)), default=earliest)
    last = max((run.end for run in runs), default=earliest)
    start = max(earliest, first)
    return np.geomspace(start, max(last, start * 1.001), points)


def convergence_bands(runs: Sequence[Trajectory], grid: NDArray[np.float64]) -> Bands:
    """Median and quartiles over runs at the times of a grid.

    A run that has ended keeps its last value, since it could not have become worse. A run without a solution counts as
    infinitely bad, so that the median is over all runs, not only over the successful ones.
    """
    values = np.array([run.at(grid) for run in runs]).reshape(len(runs), len(grid))
    low, median, high = (quantile(values, share) for share in (0.25, 0.5, 0.75))
    return Bands(grid, low, median, high)
