"""Results by instance and variant."""

from __future__ import annotations

import math

import numpy as np

from matheur.campaign.report.document import Cell, Column, Section, Table
from matheur.campaign.report.reading import Findings, InstanceFacts, Run
from matheur.campaign.report.sections import cells
from matheur.campaign.statistics import expected_seconds, quantile, success_rate

__all__ = ["instances_section"]

_COLUMNS = (
    Column("instance"),
    Column("variant"),
    Column("runs", True),
    Column("best known", True, "score that the campaign declares"),
    Column("best", True, "best score of the runs"),
    Column("median", True, "score"),
    Column("worst", True, "score"),
    Column("gap of best", True, "to the best known score, or to the best of all runs if none is declared"),
    Column("gap of median", True, "to the best known score"),
    Column("bound", True, "best proved bound of the score"),
    Column("proved", True, "runs that proved optimality or infeasibility"),
    Column("target", True, "score that runs are measured by"),
    Column("reached", True, "share of the runs, with Wilson's 95 % interval"),
    Column("median time to target", True, "seconds, over all runs"),
    Column("expected time to target", True, "seconds with restarts (ERT): all time spent over the number of successes"),
    Column("mean seconds", True, "of the search"),
)
_NOTE = (
    "Scores are what the field reports; medians count a run without a solution as the worst. A green score is the best "
    "of its instance; a gap below zero is a new best known solution. Where the campaign declares no best known score, "
    "gaps are to the best of all runs."
)


def instances_section(findings: Findings) -> Section | None:
    """A row for each instance and variant."""
    rows = []
    for instance, variants in findings.by_instance().items():
        facts = findings.instances[instance]
        top = min(run.value for runs in variants.values() for run in runs)
        for variant in findings.variants:
            runs = variants.get(variant)
            if runs:
                rows.append(_row(findings, facts, variant, runs, top))
    if not rows:
        return None
    table = Table("instances", "Results by instance and variant", _COLUMNS, rows, note=_NOTE)
    return Section("instances", "Instances", [table])


def _row(findings: Findings, facts: InstanceFacts, variant: str, runs: list[Run], top: float) -> list[Cell]:
    values = np.array([run.value for run in runs])
    best, middle, worst = (float(quantile(values, share)) for share in (0.0, 0.5, 1.0))
    times = [run.to_target for run in runs if run.to_target is not None]
    bounds = [facts.sign * run.record.bound_score for run in runs if run.record.bound_score is not None]
    number = findings.configuration_of[runs[0].record.key]
    first = min(runs, key=lambda run: run.value)
    shown = cells.value(facts.score(best), "good" if best <= top else "")
    return [
        cells.name(facts.name),
        cells.name(variant, f"#configuration-{number}"),
        cells.count(len(runs)),
        cells.value(None if facts.reference is None else facts.score(facts.reference)),
        Cell(
            shown.text,
            shown.value,
            findings.href(first.record.result_path) if math.isfinite(best) else None,
            shown.mark,
        ),
        cells.value(facts.score(middle)),
        cells.value(facts.score(worst)),
        _gap(facts, best),
        _gap(facts, middle),
        cells.value(facts.score(max(bounds)) if bounds else None),
        cells.count(sum(run.record.status in ("optimal", "infeasible") for run in runs)),
        cells.value(None if facts.target is None else facts.score(facts.target)),
        cells.rate(success_rate(sum(map(math.isfinite, times)), len(times))),
        cells.duration(float(quantile(np.array(times), 0.5)) if times else None),
        cells.duration(_expected(runs)),
        cells.duration(cells.mean(run.record.seconds for run in runs)),
    ]


def _expected(runs: list[Run]) -> float | None:
    """Expected time to the target, None if no run reached it; thinned trajectories do not have all times."""
    times = [run.to_target for run in runs if run.to_target is not None]
    found = expected_seconds(times, [run.trajectory.end for run in runs if run.to_target is not None])
    return found if math.isfinite(found) else None


def _gap(facts: InstanceFacts, value: float) -> Cell:
    gap = facts.gap(value)
    return cells.share(gap, "good" if gap is not None and gap < 0 else "")
