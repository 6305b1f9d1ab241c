"""Failures, configurations and all runs."""

from __future__ import annotations

import json
from collections import defaultdict

from matheur.campaign.report.document import Cell, Column, Listing, Section, Table
from matheur.campaign.report.reading import Findings, Run
from matheur.campaign.report.sections import cells
from matheur.campaign.report.words import visible

__all__ = ["configurations_section", "damaged_section", "failures_section", "runs_section"]

_SHOWN = 2000


def failures_section(findings: Findings) -> Section | None:
    """Runs without a result."""
    rows = [
        [
            cells.name(run.record.instance),
            cells.name(run.record.variant),
            Cell(str(run.record.seed), run.record.seed, findings.href(run.record.result_path)),
            cells.name(run.record.stopped),
            cells.duration(run.record.seconds),
            cells.name(run.record.reason or ""),
        ]
        for run in findings.runs
        if run.record.status == "failed"
    ]
    columns = (
        Column("instance"),
        Column("variant"),
        Column("seed", True),
        Column("kind"),
        Column("seconds", True),
        Column("reason"),
    )
    if not rows:
        return None
    return Section("failures", "Failures", [Table("failures", "Runs without a result", columns, rows, shown=500)])


def damaged_section(findings: Findings) -> Section | None:
    """Files that cannot be read. Their runs do not appear in any other table."""
    if not findings.damaged:
        return None
    rows = [
        [Cell(one.path.name, one.path.name, findings.href(one.path)), cells.name(one.reason)]
        for one in findings.damaged
    ]
    columns = (Column("file"), Column("what is wrong"))
    note = "Their runs are in no other table. They are made again once these files have been removed."
    return Section(
        "damaged", "Damaged files", [Table("damaged", "Files that cannot be read", columns, rows, note, shown=500)]
    )


def configurations_section(findings: Findings) -> Section:
    """Resolved configuration of each variant."""
    users: dict[int, dict[str, None]] = defaultdict(dict)
    for _, _, variant, number, _, _ in findings.plan.runs:
        users[number][variant] = None
    listings = [
        Listing(
            f"configuration-{number}",
            f"Configuration {number + 1}: {', '.join(visible(name) for name in users[number])}",
            json.dumps(values, indent=2, ensure_ascii=True),
        )
        for number, values in enumerate(findings.plan.configurations)
    ]
    return Section("configurations", "Configurations", listings)


def runs_section(findings: Findings) -> Section | None:
    """Every run, with links to its files."""
    if not findings.runs:
        return None
    columns = (
        Column("instance"),
        Column("variant"),
        Column("seed", True, "leads to the result file"),
        Column("status"),
        Column("stopped by"),
        Column("score", True),
        Column("gap", True, "to the best known score"),
        Column("bound", True, "of the score"),
        Column("gap to bound", True, "of the score, as a share of the smaller one"),
        Column("to target", True, "seconds"),
        Column("primal integral", True, "as a share of its horizon"),
        Column("seconds", True, "of the search"),
        Column("CPU seconds", True),
        Column("work", True),
        Column("solver"),
        Column("key", False, "leads to the event stream"),
    )
    rows = [_row(findings, run) for run in findings.runs]
    table = Table("runs", "All runs", columns, rows, shown=_SHOWN, folded=True)
    return Section("runs", "Runs", [table])


def _row(findings: Findings, run: Run) -> list[Cell]:
    record = run.record
    return [
        cells.name(record.instance),
        cells.name(record.variant, f"#configuration-{findings.configuration_of[record.key]}"),
        Cell(str(record.seed), record.seed, findings.href(record.result_path)),
        cells.name(record.status, mark="bad" if record.status == "failed" else ""),
        cells.name(record.stopped),
        cells.value(record.score),
        cells.share(run.gap),
        cells.value(record.bound_score),
        cells.share(record.gap),
        cells.duration(run.to_target),
        cells.share(run.integral),
        cells.duration(record.seconds),
        cells.duration(record.cpu_seconds),
        cells.count(record.work),
        cells.name(record.solver),
        Cell(record.key, record.key, findings.href(record.events_path)),
    ]
