"""How good a run is, in one number between 0 (as good as the reference) and 1 (nothing was found).

The measures are those of Berthold, Measuring the impact of primal heuristics, Operations Research Letters 41, 2013:
primal gap and primal integral. They are taken of scores, not of objectives: a board with 470 of 480 edges is 2 % from a
perfect one, while its objective, 10, is infinitely far from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matheur.campaign.records import RunRecord

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
    if score is None:
        return 1.0
    worse = reference - score if sense == "max" else score - reference
    if worse <= 0:
        return 0.0
    opposite = min(score, reference) < 0 < max(score, reference)
    return 1.0 if opposite else worse / max(abs(score), abs(reference))


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
    return _mean_gap(record.events(), axis, end, reference, record.score_sense)


def _mean_gap(events: Iterable[Mapping[str, Any]], axis: str, end: float, reference: float, sense: str) -> float:
    area, before, gap = 0.0, 0.0, 1.0
    for event in events:
        if event["event"] == "incumbent":
            now = min(end, float(event[axis]))
            area += gap * (now - before)
            before, gap = now, primal_gap(event["score"], reference, sense)
    return (area + gap * (end - before)) / end


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
