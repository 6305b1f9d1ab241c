"""Build a report from the folder of a campaign."""

from __future__ import annotations

from pathlib import Path

from matheur.campaign.report.document import Report, Section
from matheur.campaign.report.reading import Findings, machine_of, read_findings
from matheur.campaign.report.sections import (
    comparison_section,
    configurations_section,
    convergence_section,
    damaged_section,
    failures_section,
    instances_section,
    operators_section,
    overview_section,
    runs_section,
    solutions_section,
    targets_section,
)
from matheur.campaign.report.words import counted, visible

__all__ = ["build_report"]

_VERSIONS = ("matheur", "python", "highspy", "pyscipopt", "numba", "numpy")


def build_report(directory: Path | str, base: Path | str, *, pictures: int = 12) -> Report:
    """Build the report of a campaign.

    Parameters
    ----------
    directory
        Folder of the campaign, or its TOML file; it may be running.
    base
        Folder of the report; the addresses of result files are relative to it.
    pictures
        Number of instances whose best solution is drawn.

    Raises
    ------
    InputError
        If there is no campaign.
    """
    findings = read_findings(directory, Path(base))
    sections: list[Section | None] = [
        overview_section(findings),
        instances_section(findings),
        comparison_section(findings),
        targets_section(findings),
        convergence_section(findings),
        operators_section(findings),
        solutions_section(findings, most=pictures),
        failures_section(findings),
        damaged_section(findings),
        configurations_section(findings),
        runs_section(findings),
    ]
    kept = [section for section in sections if section is not None]
    return Report(visible(findings.plan.name), _state(findings), _facts(findings), kept)


def _state(findings: Findings) -> str:
    planned, failed = len(findings.plan.runs), len(findings.runs) - len(findings.made)
    parts = [f"{counted(len(findings.made), 'run')} of {planned:,} finished"]
    parts += [f"{failed:,} failed"] if failed else []
    damaged = {one.key for one in findings.damaged}
    lost = sum(row[0] in damaged for row in findings.plan.runs)
    parts += [f"{lost:,} damaged"] if lost else []
    left = planned - len(findings.runs) - lost
    parts += [f"{left:,} left"] if left else []
    return ", ".join(parts) + "."


def _facts(findings: Findings) -> list[tuple[str, str]]:
    seeds = {row[4] for row in findings.plan.runs}
    facts = [
        ("Instances", f"{len(findings.plan.instances):,}"),
        ("Variants", f"{len(findings.variants):,}"),
        ("Seeds", f"{len(seeds):,}"),
        ("Code", findings.plan.code),
    ]
    finished = sorted(run.record.finished for run in findings.runs)
    if finished:
        facts.append(("Made", " to ".join(dict.fromkeys((finished[0][:10], finished[-1][:10])))))
    # Machines and versions, taken from one run of each variant.
    one_each = {run.record.variant: run for run in findings.made}
    told = [machine_of(run) for run in one_each.values()]
    for name, keys in (("Machine", ("host", "machine", "system")), ("Cores", ("cores",))):
        values = dict.fromkeys(" ".join(str(one.get(key, "")) for key in keys).strip() for one in told)
        facts += [(name, visible(", ".join(value for value in values if value)))] if any(values) else []
    versions: dict[str, dict[str, None]] = {}
    for one in told:
        for key in _VERSIONS:
            if key in one.get("versions", {}):
                versions.setdefault(key, {})[str(one["versions"][key])] = None
    shown = ", ".join(f"{key} {'/'.join(values)}" for key, values in versions.items())
    return [*facts, ("Versions", visible(shown))] if shown else facts
