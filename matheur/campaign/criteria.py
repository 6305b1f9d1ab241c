"""How good a run is, in one number between 0 (as good as the reference) and 1 (nothing was found).

The measures are those of Berthold, Measuring the impact of primal heuristics, Operations Research Letters 41, 2013:
primal gap and primal integral. They are taken of scores, not of objectives: a board with 470 of 480 edges is 2 % from a
perfect one, while its objective, 10, is infinitely far from 0.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from matheur.campaign.records import RunRecord
from matheur.campaign.statistics.primal_integral import primal_gap as gap_of
from matheur.campaign.statistics.primal_integral import primal_integral as integral_of
from matheur.campaign.statistics.trajectory import Trajectory

__all__ = ["CRITERIA", "best_known", "final_gap", "primal_gap", "primal_integral"]


def primal_gap(score: float | None, reference: float, sense: str = "min") -> float:
    """Distance to the reference as a share of the larger of both, 0 for what is better.

    Parameters
    ----------
    score
        What was found, None for nothing.
    reference
        Best known score.
    sense
        `max` if large scores are good.

    Examples
    --------
    >>> primal_gap(125, 100), primal_gap(90, 100, "max"), primal_gap(0, 0), primal_gap(None, 100), primal_gap(-5, -8)
    (0.2, 0.1, 0.0, 1.0, 0.375)
    """
    sign = _sign(sense)
    return gap_of(np.inf if score is None else sign * score, sign * reference)


def final_gap(record: RunRecord, reference: float) -> float:
    """Primal gap of what a run found in the end; an instance that is proved to be infeasible has none."""
    return 0.0 if record.status == "infeasible" else primal_gap(record.score, reference, record.score_sense)


def primal_integral(record: RunRecord, reference: float) -> float:
    """Mean of the primal gap over the time that a run was given, or over the work that it spent if it was not timed."""
    if record.status == "infeasible":
        return 0.0
    axis = "work" if record.time_limit is None else "seconds"
    end = float(record.work if record.time_limit is None else record.time_limit)
    if record.status == "failed" or end <= 0:
        return final_gap(record, reference)
    sign = _sign(record.score_sense)
    incumbents = [(event[axis], sign * event["score"]) for event in record.events() if event["event"] == "incumbent"]
    run = Trajectory.of((at for at, _ in incumbents), (value for _, value in incumbents))
    return integral_of(run, sign * reference, horizon=end) / end


def _sign(sense: str) -> int:
    return -1 if sense == "max" else 1


def best_known(records: Iterable[RunRecord]) -> dict[str, float]:
    """The best score known of each instance: its reference value, or what a run has found."""
    found: dict[str, float] = {}
    for record in records:
        better = max if record.score_sense == "max" else min
        for value in (record.reference_score, record.score):
            if value is not None:
                found[record.instance] = better(value, found.get(record.instance, value))
    return found


CRITERIA = {"gap": final_gap, "primal-integral": primal_integral}
