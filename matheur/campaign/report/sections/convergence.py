"""Scores over time."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from matheur.campaign.report.document import Block, Figure, Paragraph, Section
from matheur.campaign.report.plots import Axis, Plot, Series
from matheur.campaign.report.reading import Findings, InstanceFacts, Run, sources_of
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import counted, slug, visible
from matheur.campaign.statistics import Bands, convergence_bands, time_grid

__all__ = ["convergence_section"]

Values = NDArray[np.float64]

_PLOTS = 24
_POINTS = 80
_AIR = 0.06


def convergence_section(findings: Findings) -> Section | None:
    """A plot for each instance: median and quartiles over the seeds of each variant."""
    blocks: list[Block] = []
    left_out = 0
    for number, (instance, variants) in enumerate(findings.by_instance().items()):
        facts = findings.instances[instance]
        runs = [run for rows in variants.values() for run in rows]
        if not any(len(run.trajectory.times) for run in runs):
            continue
        if len(blocks) >= _PLOTS:
            left_out += 1
            continue
        blocks.append(_figure(findings, facts, variants, number))
    if left_out:
        blocks.append(Paragraph(f"Plots of {counted(left_out, 'further instance')} are left out."))
    return Section("convergence", "Convergence", blocks) if blocks else None


def _figure(findings: Findings, facts: InstanceFacts, variants: dict[str, list[Run]], number: int) -> Figure:
    members = [run for name in findings.variants for run in variants.get(name, [])]
    grid = time_grid([run.trajectory for run in members], points=_POINTS)
    series, words = [], []
    medians, lows = [], []
    for variant in findings.variants:
        runs = variants.get(variant)
        if not runs:
            continue
        bands = convergence_bands([run.trajectory for run in runs], grid)
        series.append(_series(visible(variant), facts, bands, findings.number_of(variant), alone=len(runs) == 1))
        medians.append(bands.median)
        lows.append(bands.low)
        last = cells.value(facts.score(float(bands.median[-1]))).text
        words.append(f"{visible(variant)}: median {last} of {counted(len(runs), 'run')}")
    low, high = sorted(facts.score(end) for end in _covered(facts, medians, lows))
    if facts.reference is not None:
        line = np.full(2, facts.score(facts.reference))
        series.append(Series("best known", grid[[0, -1]], line, number=None))
    air = _AIR * (high - low) or 0.5
    plot = Plot(Axis("seconds", log=True), Axis("score", low - air, high + air), series, "; ".join(words) + ".")
    note = "Median over seeds; the band is between the quartiles. A run without a solution counts as infinitely bad."
    name = f"convergence-{number + 1}-{slug(facts.name)}"
    return Figure(name, visible(facts.name), plot, note, sources_of(findings, members))


def _covered(facts: InstanceFacts, medians: list[Values], lows: list[Values]) -> tuple[float, float]:
    """Best and worst value on the axis: the range of final values, extended at the bad end by its length.

    The first solutions are often so bad that they would hide everything else.
    """
    every = np.concatenate([*medians, *lows])
    every = every[np.isfinite(every)]
    if not len(every):
        return facts.best, facts.best
    best = min(float(every.min()), facts.best)
    ends = [float(one[-1]) for one in medians if np.isfinite(one[-1])] or [float(every.max())]
    worst, first = max(ends), float(every.max())
    return best, min(first, worst + max(worst - best, 0.1 * (first - worst)))


def _series(name: str, facts: InstanceFacts, bands: Bands, number: int, *, alone: bool) -> Series:
    low, high = (bands.low, bands.high) if facts.sign > 0 else (-bands.high, -bands.low)
    median = np.where(np.isfinite(bands.median), facts.sign * bands.median, math.nan)
    if alone:
        return Series(name, bands.times, median, "steps", number=number)
    return Series(name, bands.times, median, "steps", low, high, number)
