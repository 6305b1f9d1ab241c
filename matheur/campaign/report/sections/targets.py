"""Time to reach targets."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from matheur.campaign.report.document import Block, Cell, Column, Figure, Paragraph, Section, Table
from matheur.campaign.report.plots import Axis, Plot, Series, share_axis
from matheur.campaign.report.reading import Findings, InstanceFacts, Run, sources_of
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import counted, percent, slug, visible
from matheur.campaign.statistics import (
    empirical_distribution,
    fit_shifted_exponential,
    quantile,
    share_reached,
    target_ladder,
    target_times,
)

__all__ = ["targets_section"]

_TARGETS = 10
_POINTS = 120
_PLOTS = 12
_RUNS_MIN = 4  # minimum number of runs of a variant on an instance for a time-to-target plot
_EARLIEST = 1e-3


def targets_section(findings: Findings) -> Section | None:
    """ECDF over all targets by group, and time-to-target plots by instance."""
    blocks: list[Block] = [one for group in findings.groups if (one := _ecdf(findings, group)) is not None]
    plots: list[Figure] = []
    rows: list[list[Cell]] = []
    left_out = 0
    for instance, variants in findings.by_instance().items():
        facts = findings.instances[instance]
        fits, figure = _times(findings, facts, variants)
        rows += fits
        if figure is not None and len(plots) < _PLOTS:
            plots.append(figure)
        else:
            left_out += figure is not None
    blocks += plots
    if left_out:
        blocks.append(Paragraph(f"Plots of {counted(left_out, 'further instance')} are left out."))
    if rows:
        blocks.append(Table("times-to-target", "Times to the target", _COLUMNS, rows, _NOTE))
    return Section("targets", "Time to target", blocks) if blocks else None


def _ecdf(findings: Findings, group: str) -> Figure | None:
    """Share of the targets of all runs of a group that were reached by a given time."""
    times: dict[str, list[np.ndarray]] = defaultdict(list)
    members = []
    for instance, variants in findings.by_instance().items():
        facts = findings.instances[instance]
        if facts.group != group or not math.isfinite(facts.best):
            continue
        everyone = [run.trajectory for runs in variants.values() for run in runs]
        ladder = target_ladder(everyone, facts.best, count=_TARGETS)
        for variant, runs in variants.items():
            members += runs
            times[variant].append(target_times([run.trajectory for run in runs], ladder).ravel())
    together = {variant: np.concatenate(times[variant]) for variant in findings.variants if times[variant]}
    finite = np.concatenate([one[np.isfinite(one)] for one in together.values()]) if together else np.empty(0)
    if not len(finite):
        return None
    end = max(float(finite.max()), max(run.trajectory.end for run in members), 2 * _EARLIEST)
    grid = np.geomspace(max(_EARLIEST, float(finite.min()) * 0.8), end, _POINTS)
    shares = {variant: share_reached(one, grid) for variant, one in together.items()}
    series = [
        Series(visible(variant), grid, share, "steps", number=findings.number_of(variant))
        for variant, share in shares.items()
    ]
    words = "; ".join(f"{visible(variant)} reaches {percent(float(share[-1]))}" for variant, share in shares.items())
    axis = share_axis("share of targets", [*shares.values()])
    plot = Plot(Axis("seconds", log=True), axis, series, words + ".")
    title = "Targets reached over time" + (f", group {visible(group)}" if group else "")
    note = (
        f"Empirical distribution over {_TARGETS} targets for each run: from the median first score, the distance to "
        "the best known one halves from target to target; the last is the best known score itself."
    )
    number = list(findings.groups).index(group) + 1
    return Figure(f"targets-{number}-{slug(group)}", title, plot, note, sources_of(findings, members))


_COLUMNS = (
    Column("instance"),
    Column("variant"),
    Column("target", True, "score"),
    Column("runs", True),
    Column("reached", True),
    Column("first", True, "seconds"),
    Column("median", True, "seconds, over all runs"),
    Column("last", True, "seconds, of those that reached it"),
    Column("shift", True, "seconds, of the shifted exponential distribution"),
    Column("scale", True, "seconds, of the shifted exponential distribution"),
)
_NOTE = (
    "The shifted exponential distribution 1 - exp(-(t - shift)/scale) is fitted through the quartiles (Aiex, Resende, "
    "Ribeiro 2007); it needs four runs, three quarters of which reach the target."
)


def _times(
    findings: Findings, facts: InstanceFacts, variants: dict[str, list[Run]]
) -> tuple[list[list[Cell]], Figure | None]:
    rows, series, members, words = [], [], [], []
    for variant in findings.variants:
        runs = variants.get(variant, [])
        times = np.array([run.to_target for run in runs if run.to_target is not None], dtype=float)
        reached = times[np.isfinite(times)]
        if facts.target is None or len(runs) < _RUNS_MIN or not len(reached):
            continue
        fit = fit_shifted_exponential(times)
        name = visible(variant)
        median = float(quantile(times, 0.5))
        rows.append(
            [
                cells.name(facts.name),
                cells.name(variant, f"#configuration-{findings.configuration_of[runs[0].record.key]}"),
                cells.value(facts.score(facts.target)),
                cells.count(len(times)),
                cells.count(len(reached)),
                cells.duration(float(reached.min())),
                cells.duration(median),
                cells.duration(float(reached.max())),
                cells.duration(None if fit is None else fit.shift),
                cells.duration(None if fit is None else fit.scale),
            ]
        )
        members += runs
        number = findings.number_of(variant)
        at, share = empirical_distribution(times)
        series.append(Series("" if fit else name, np.maximum(at, _EARLIEST), share, "points", number=number))
        if fit is not None:
            grid = np.geomspace(max(_EARLIEST, float(at[0]) * 0.7), max(float(at[-1]) * 1.3, 2 * _EARLIEST), _POINTS)
            series.append(Series(name, grid, fit.probability(grid), number=number))
        words.append(f"{name}: {len(reached)} of {len(times)} runs, median {cells.duration(median).text} s")
    if not series:
        return rows, None
    plot = Plot(
        Axis("seconds to target", log=True), Axis("probability", 0.0, 1.0, percent=True), series, "; ".join(words) + "."
    )
    title = f"{visible(facts.name)}: time to score {cells.value(facts.score(facts.target or 0.0)).text}"
    note = "Each point is a run; the curve is the shifted exponential distribution through the quartiles."
    number = list(findings.instances).index(facts.name)
    name = f"time-to-target-{number + 1}-{slug(facts.name)}"
    return rows, Figure(name, title, plot, note, sources_of(findings, members))
