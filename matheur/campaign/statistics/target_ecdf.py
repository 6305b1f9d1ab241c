"""Share of targets reached by a given time, over all runs and instances."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from matheur.campaign.statistics.quantiles import quantile
from matheur.campaign.statistics.trajectory import Trajectory

__all__ = ["share_reached", "target_ladder", "target_times"]


def target_ladder(runs: Sequence[Trajectory], best: float, *, count: int = 10) -> NDArray[np.float64]:
    """Targets of an instance from easy to hard: half the distance to the best, a quarter, ..., and the best itself.

    Parameters
    ----------
    runs
        All runs of the instance, of all variants; the ladder starts at the median of their first values.
    best
        Best known value, minimised.
    count
        Number of targets.

    Returns
    -------
    float64[count]
        Decreasing; all equal to `best` if no run started from a worse value.

    Notes
    -----
    Data-driven targets, evenly spaced on a logarithmic scale of precision, as in N. Hansen et al., COCO: performance
    assessment, 2016, section 4.2.
    """
    first = [float(run.values[0]) for run in runs if len(run.values)]
    start = max(best, float(quantile(np.array(first), 0.5))) if first else best
    steps = 0.5 ** np.arange(1, count)
    return np.concatenate((best + (start - best) * steps, [best]))


def target_times(runs: Sequence[Trajectory], targets: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[runs, targets]: seconds until each run reached each target; infinite where it did not."""
    return np.array([[run.time_to(target) for target in targets] for run in runs], dtype=float).reshape(
        len(runs), len(targets)
    )


def share_reached(times: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of all pairs of run and target that are reached by each time of a grid (ECDF)."""
    ordered = np.sort(np.asarray(times, dtype=float).ravel())
    found: NDArray[np.float64] = np.searchsorted(ordered, grid, side="right") / max(1, len(ordered))
    return found
