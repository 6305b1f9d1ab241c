"""Performance profiles: on how many problems a variant is at most a given factor slower than the best."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Profile", "performance_profiles"]


@dataclass(frozen=True, slots=True)
class Profile:
    """The steps of one variant's profile.

    Attributes
    ----------
    ratios
        float64[k], ascending: ratios to the best of the problems that it solved.
    problems
        Number of all problems.
    """

    ratios: NDArray[np.float64]
    problems: int

    def share(self, within: float) -> float:
        """Share of the problems that it solved within this multiple of the best time."""
        return float(np.searchsorted(self.ratios, within, side="right")) / max(1, self.problems)


def performance_profiles(costs: NDArray[np.float64], *, least: float = 1e-3) -> list[Profile]:
    """The profile of each variant.

    Parameters
    ----------
    costs
        float64[variants, problems], seconds say; infinite where it did not solve the problem.
    least
        Smaller costs count as this one, so that no ratio is of noise.

    Returns
    -------
    list of Profile
        A problem that nobody solved counts against all.

    Notes
    -----
    E. D. Dolan, J. J. Moré, Benchmarking optimization software with performance profiles, Mathematical Programming 91,
    2002, section 2.
    """
    costs = np.maximum(np.asarray(costs, dtype=float), least)
    best = costs.min(axis=0)
    solved = np.isfinite(best)
    ratios = costs[:, solved] / best[solved]
    return [Profile(np.sort(row[np.isfinite(row)]), costs.shape[1]) for row in ratios]
