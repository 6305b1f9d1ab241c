"""Results of each variant."""

from __future__ import annotations

import math

import numpy as np

from matheur.campaign.criteria import par10
from matheur.campaign.references import reached_at
from matheur.campaign.report.document import Block, Cell, Column, Paragraph, Section, Table
from matheur.campaign.report.reading import Findings, Run
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import visible
from matheur.campaign.statistics import quantile, success_rate

__all__ = ["overview_section"]

_COLUMNS = (
    Column("runs", True, "finished runs"),
    Column("failed", True, "runs without a result; see Failures"),
    Column("solved", True, "runs that found a solution"),
    Column("proved", True, "runs that proved optimality or infeasibility"),
    Column("target reached", True, "share of the runs, with Wilson's 95 % interval"),
    Column("mean gap", True, "to the best known score, over runs with a solution"),
    Column("median gap", True, "to the best known score, over all runs"),
    Column("gap to bound", True, "median over runs with a bound, of what is proved"),
    Column("primal integral", True, "mean gap over time after Berthold (2013), as a share of its horizon"),
    Column("mean seconds", True, "of the search"),
    Column("PAR10", True, "mean seconds to the target of the run or a proof; ten limits without"),
    Column("CPU hours", True, "of the processes, with reading and start-up"),
)


def overview_section(findings: Findings) -> Section:
    """A row for each variant, and for each group if there are several."""
    grouped = len(findings.groups) > 1
    rows = []
    for group in findings.groups:
        for variant in findings.variants:
            runs = [
                run
                for run in findings.runs
                if run.record.variant == variant and findings.instances[run.record.instance].group == group
            ]
            if not runs:
                continue
            configurations = {findings.configuration_of[run.record.key] for run in runs}
            href = f"#configuration-{min(configurations)}"
            head = [cells.name(variant, href)] + ([cells.name(group or "(none)")] if grouped else [])
            rows.append([*head, *_row(runs)])
    columns = [Column("variant"), *([Column("group")] if grouped else []), *_COLUMNS]
    blocks: list[Block] = [Table("variants", "Variants", columns, rows)]
    better = _records(findings)
    if better:
        blocks.append(Paragraph("New best known scores: " + "; ".join(better) + "."))
    return Section("overview", "Overview", blocks)


def _row(runs: list[Run]) -> list[Cell]:
    made = [run for run in runs if run.record.status != "failed"]
    gaps = [run.gap for run in made if run.gap is not None]
    bounds = [math.inf if run.record.gap is None else run.record.gap for run in made if run.record.bound is not None]
    reached = [math.isfinite(run.to_target) for run in made if run.to_target is not None]
    failed = len(runs) - len(made)
    times = [time for run in runs if (time := par10(run.record, run.to_own_target)) is not None]
    hours = [run.record.cpu_seconds for run in made if run.record.cpu_seconds is not None]
    return [
        cells.count(len(made)),
        cells.count(failed, "bad" if failed else ""),
        cells.count(sum(run.record.feasible for run in made)),
        cells.count(sum(run.record.status in ("optimal", "infeasible") for run in made)),
        cells.rate(success_rate(sum(reached), len(reached))),
        cells.share(cells.mean(gaps)),
        cells.share(float(quantile(np.array(gaps), 0.5)) if gaps else None),
        cells.share(float(quantile(np.array(bounds), 0.5)) if bounds else None),
        cells.share(cells.mean(run.integral for run in made)),
        cells.duration(cells.mean(run.record.seconds for run in made)),
        cells.duration(cells.mean(times) if len(times) == len(runs) else None),
        cells.decimal(math.fsum(hours) / 3600 if hours else None),
    ]


def _records(findings: Findings) -> list[str]:
    """Instances on which a run beat the best known value."""
    found = []
    for facts in findings.instances.values():
        known = facts.reference
        if known is not None and facts.best < known and reached_at(facts.best, "min") < known:
            now, before = cells.value(facts.score(facts.best)).text, cells.value(facts.score(known)).text
            found.append(f"{visible(facts.name)} {now} (was {before})")
    return found[:50]
