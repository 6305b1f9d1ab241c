"""Performance profiles: the share of problems on which a variant is within a given factor of the fastest."""

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
        float64[k], ascending: ratio to the best variant for each problem that this variant solved.
    problems
        Number of all problems.
    """

    ratios: NDArray[np.float64]
    problems: int

    def share(self, within: float) -> float:
        """Share of the problems solved within this multiple of the best time."""
        return float(np.searchsorted(self.ratios, within, side="right")) / max(1, self.problems)


def performance_profiles(costs: NDArray[np.float64], *, least: float = 1e-3) -> list[Profile]:
    """Performance profile of each variant.

    Parameters
    ----------
    costs
        float64[variants, problems], for example seconds; infinite where a variant did not solve the problem.
    least
        Lower limit to which smaller costs are raised, so that ratios do not measure noise.

    Returns
    -------
    list of Profile
        One for each variant. A problem that no variant solved counts as unsolved for all.

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
