"""Statistics of runs: functions of arrays and event streams, with references. All values are minimised."""

from __future__ import annotations

from matheur.campaign.statistics.comparison import Comparison, compare, holm, signed_rank
from matheur.campaign.statistics.convergence import Bands, convergence_bands, time_grid
from matheur.campaign.statistics.gaps import Rate, relative_gap, success_rate
from matheur.campaign.statistics.operators import operator_statistics, sum_operators
from matheur.campaign.statistics.primal_integral import primal_gap, primal_integral
from matheur.campaign.statistics.profiles import Profile, performance_profiles
from matheur.campaign.statistics.quantiles import quantile
from matheur.campaign.statistics.target_ecdf import share_reached, target_ladder, target_times
from matheur.campaign.statistics.time_to_target import (
    ShiftedExponential,
    empirical_distribution,
    expected_running_time,
    expected_seconds,
    fit_shifted_exponential,
    times_to_target,
)
from matheur.campaign.statistics.trajectory import Course, Trajectory, course_of, read_course

__all__ = [
    "Bands",
    "Comparison",
    "Course",
    "Profile",
    "Rate",
    "ShiftedExponential",
    "Trajectory",
    "compare",
    "convergence_bands",
    "course_of",
    "empirical_distribution",
    "expected_running_time",
    "expected_seconds",
    "fit_shifted_exponential",
    "holm",
    "operator_statistics",
    "performance_profiles",
    "primal_gap",
    "primal_integral",
    "quantile",
    "read_course",
    "relative_gap",
    "share_reached",
    "signed_rank",
    "success_rate",
    "sum_operators",
    "target_ladder",
    "target_times",
    "time_grid",
    "times_to_target",
]
