"""Comparison of variants, with tests of whether differences exceed chance."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

import numpy as np

from matheur.campaign.report.document import Block, Cell, Column, Figure, Section, Table
from matheur.campaign.report.plots import Axis, Plot, Series, share_axis
from matheur.campaign.report.reading import Findings, Run, sources_of
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import p_value, percent, visible
from matheur.campaign.statistics import Profile, compare, performance_profiles, relative_gap

__all__ = ["comparison_section"]

_INSTANCES_MIN = 6  # fewer pairs cannot reach significance at the 5 % level
_LEVEL = 0.05
_COLUMNS = (
    Column("first"),
    Column("second"),
    Column("pairs", True),
    Column("first better", True),
    Column("equal", True),
    Column("second better", True),
    Column("median difference", True, "of the gap, first minus second: below zero the first is better"),
    Column("effect", True, "matched-pairs rank-biserial correlation, -1 (first always better) to 1"),
    Column("p", True, "Wilcoxon's signed-rank test, two-sided"),
    Column("p after Holm", True, "corrected for the number of comparisons"),
    Column("better at 5 %", False),
)


def comparison_section(findings: Findings) -> Section | None:
    """A test for each pair of variants, and performance profiles."""
    if len(findings.variants) < 2:
        return None
    blocks: list[Block] = [one for one in (_tests(findings), _profiles(findings)) if one is not None]
    return Section("comparison", "Comparison of variants", blocks) if blocks else None


def _tests(findings: Findings) -> Table | None:
    values, what = _paired(findings)
    found = compare(values)
    if not found:
        return None
    rows = []
    for one in found:
        clear = one.adjusted < _LEVEL
        winner = (one.first if one.effect < 0 else one.second) if clear else ""
        rows.append(
            [
                cells.name(one.first),
                cells.name(one.second),
                cells.count(one.pairs),
                cells.count(one.wins),
                cells.count(one.ties),
                cells.count(one.losses),
                cells.share(one.difference) if math.isfinite(one.difference) else cells.value(None),
                Cell(f"{one.effect:+.2f}", one.effect),
                Cell(p_value(one.p), one.p),
                Cell(p_value(one.adjusted), one.adjusted, mark="good" if clear else ""),
                cells.name(winner) if winner else Cell("neither", ""),
            ]
        )
    note = (
        f"Wilcoxon's signed-rank test on the gaps, paired by {what}; p-values are corrected together by Holm's method. "
        "A run without a solution counts as worse than all others."
    )
    return Table("comparison", "Pairs of variants", _COLUMNS, rows, note=note)


def _paired(findings: Findings) -> tuple[dict[str, dict[object, float]], str]:
    """Gaps to the best value, paired by instance (mean over seeds) if there are enough, else by instance and seed."""
    by_run: dict[str, dict[object, float]] = {variant: {} for variant in findings.variants}
    means: dict[str, dict[object, list[float]]] = {variant: defaultdict(list) for variant in findings.variants}
    for run in findings.made:
        facts = findings.instances[run.record.instance]
        if not math.isfinite(facts.best):
            continue
        gap = relative_gap(run.value, facts.best)
        by_run[run.record.variant][run.record.instance, run.record.seed] = gap
        means[run.record.variant][run.record.instance].append(gap)
    shared = [len(means[one].keys() & means[other].keys()) for one, other in combinations(means, 2)]
    if min((count for count in shared if count), default=0) >= _INSTANCES_MIN:
        return {
            variant: {instance: float(np.mean(gaps)) for instance, gaps in table.items()}
            for variant, table in means.items()
        }, "instance (mean over seeds)"
    return by_run, "instance and seed, since there are few instances: it applies to these instances only"


def _profiles(findings: Findings) -> Figure | None:
    """Performance profiles of the time to the target; each pair of instance and seed is a separate problem."""
    runs: dict[tuple[str, int], dict[str, Run]] = defaultdict(dict)
    for run in findings.made:
        if run.to_target is not None:
            runs[run.record.instance, run.record.seed][run.record.variant] = run
    shared = [row for row in runs.values() if len(row) == len(findings.variants)]
    costs = np.array(
        [[row[variant].to_target for row in shared] for variant in findings.variants], dtype=float
    ).reshape(len(findings.variants), len(shared))
    if len(shared) < 2 or not np.isfinite(costs).any():
        return None
    profiles = performance_profiles(costs)
    widest = max((float(one.ratios[-1]) for one in profiles if len(one.ratios)), default=1.0)
    series = [
        _steps(visible(variant), profile, max(2.0, widest * 1.1), number)
        for number, (variant, profile) in enumerate(zip(findings.variants, profiles, strict=True))
    ]
    words = "; ".join(
        f"{visible(variant)} is the fastest on {percent(one.share(1.0))} and reaches the target on "
        f"{percent(len(one.ratios) / one.problems)}"
        for variant, one in zip(findings.variants, profiles, strict=True)
    )
    plot = Plot(
        Axis("times the fastest variant", low=1.0, log=True),
        share_axis("share of problems", [one.y for one in series]),
        series,
        words + ".",
    )
    note = (
        "Performance profiles (Dolan and Moré 2002) of the time to the target: on which share of the problems (an "
        "instance with a seed) a variant takes at most this multiple of the seconds of the fastest one."
    )
    return Figure("profiles", "Performance profiles", plot, note, sources_of(findings, findings.made))


def _steps(name: str, profile: Profile, end: float, number: int) -> Series:
    ratios = np.unique(profile.ratios)
    x = np.concatenate(([1.0], ratios, [end]))
    return Series(name, x, np.array([profile.share(float(ratio)) for ratio in x]), "steps", number=number)
