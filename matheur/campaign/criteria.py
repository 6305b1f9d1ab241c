"""Performance criteria of a run: one number, smaller is better.

The gaps lie between 0 (as good as the reference) and 1 (no solution found). They are the primal gap and the primal
integral of Berthold, Measuring the impact of primal heuristics, Operations Research Letters 41, 2013. They use scores,
not objectives: a board with 470 of 480 edges is 2 % from a perfect one, while its objective, 10, is infinitely far from
0.

The other criteria are times until a run has solved its instance: until it reaches its target or, without a target,
proves optimality or infeasibility. Unsolved runs are censored at their limit and count as the limit (time-to-solve) or
as ten times the limit (PAR10: Hutter, Hoos, Leyton-Brown, Stützle, ParamILS, Journal of Artificial Intelligence
Research 36, 2009). Untimed runs are measured in work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np

from matheur.campaign.records import RunRecord
from matheur.campaign.statistics.primal_integral import primal_gap as gap_of
from matheur.campaign.statistics.primal_integral import primal_integral as integral_of
from matheur.campaign.statistics.trajectory import Trajectory

__all__ = [
    "CRITERIA",
    "TIMES",
    "best_known",
    "final_gap",
    "horizons",
    "par10",
    "penalised_time",
    "primal_gap",
    "primal_integral",
    "solved_at",
]


def primal_gap(score: float | None, reference: float, sense: str = "min") -> float:
    """Distance to the reference relative to the larger absolute value; 0 for scores that are better.

    Parameters
    ----------
    score
        Score of the solution found; None if there is none.
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
    """Primal gap of a run's final solution; 0 if the run proved its instance infeasible."""
    return 0.0 if record.status == "infeasible" else primal_gap(record.score, reference, record.score_sense)


def primal_integral(record: RunRecord, reference: float) -> float:
    """Mean of the primal gap over the time limit of a run or, if it was untimed, over the work that it spent."""
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
    """Best known score of each instance: its reference value, or a better score of a run."""
    found: dict[str, float] = {}
    for record in records:
        better = max if record.score_sense == "max" else min
        for value in (record.reference_score, record.score):
            if value is not None:
                found[record.instance] = better(value, found.get(record.instance, value))
    return found


def solved_at(record: RunRecord) -> float | None:
    """Seconds (of an untimed run, work) until the instance was solved; None if it was not.

    An instance is solved once the run reaches its target, if it has one, or proves optimality or infeasibility.
    """
    if record.status == "failed":
        return None
    axis = "work" if record.time_limit is None else "seconds"
    to_target = math.inf
    if record.target is not None:
        sign = _sign(record.score_sense)
        found = [(event[axis], sign * event["score"]) for event in record.events() if event["event"] == "incumbent"]
        run = Trajectory.of((at for at, _ in found), (value for _, value in found))
        to_target = run.time_to(sign * record.target)
    return _first(record, float(getattr(record, axis)), to_target)


def _first(record: RunRecord, end: float, to_target: float) -> float | None:
    proved = end if record.status in ("optimal", "infeasible") else math.inf
    first = min(proved, to_target)
    return first if math.isfinite(first) else None


def par10(record: RunRecord, to_target: float | None) -> float | None:
    """PAR10 of a run, given its seconds to the target (infinite if it was not reached); None for an untimed run."""
    if record.time_limit is None:
        return None
    own = math.inf if to_target is None or record.target is None else to_target
    solved = None if record.status == "failed" else _first(record, record.seconds, own)
    return penalised_time(solved, record.time_limit, TIMES["par10"])


def penalised_time(solved: float | None, horizon: float, factor: float = 1.0) -> float:
    """The time until an instance was solved, or `factor` times the limit `horizon` if it was not solved within it.

    Examples
    --------
    >>> penalised_time(3.0, 60.0), penalised_time(None, 60.0), penalised_time(61.0, 60.0, 10)
    (3.0, 60.0, 600.0)
    """
    return factor * horizon if solved is None or solved > horizon else float(solved)


def horizons(records: Iterable[RunRecord]) -> dict[str, float]:
    """Maximum work of a run on each instance, used as the limit of untimed runs."""
    found: dict[str, float] = {}
    for record in records:
        found[record.instance] = max(float(record.work), found.get(record.instance, 0.0))
    return found


def _penalised(factor: float) -> Measure:
    def measure(record: RunRecord, _reference: float, most: float) -> float:
        limit = most if record.time_limit is None else record.time_limit
        return penalised_time(solved_at(record), limit, factor)

    return measure


Measure: TypeAlias = Callable[[RunRecord, float, float], float]

TIMES = {"time-to-solve": 1.0, "par10": 10.0}
"""Criteria that are times, each with the factor on the limit for unsolved runs."""

CRITERIA: dict[str, Measure] = {
    "gap": lambda record, reference, _: final_gap(record, reference),
    "primal-integral": lambda record, reference, _: primal_integral(record, reference),
    **{name: _penalised(factor) for name, factor in TIMES.items()},
}
"""Criteria by name: functions of a run, the best known score of its instance, and the maximum work of a run on it."""
