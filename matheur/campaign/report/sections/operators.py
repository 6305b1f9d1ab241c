"""Statistics of the operators."""

from __future__ import annotations

from matheur.campaign.report.document import Column, Section, Table
from matheur.campaign.report.reading import Findings
from matheur.campaign.report.sections import cells
from matheur.campaign.statistics import sum_operators

__all__ = ["operators_section"]

_COLUMNS = (
    Column("operator"),
    Column("problem"),
    Column("variant"),
    Column("runs", True, "in which it was called"),
    Column("calls", True),
    Column("seconds", True, "net, of all calls"),
    Column("share of time", True, "of all operators of the variant"),
    Column("successes", True, "calls with a gain"),
    Column("success rate", True),
    Column("gain", True, "of the objective, summed over all calls"),
    Column("gain per second", True),
    Column("proofs", True, "of local optimality or infeasibility"),
    Column("work", True, "deterministic units"),
)


def operators_section(findings: Findings) -> Section | None:
    """A row for each operator of each variant, over all runs."""
    rows = []
    problems = dict.fromkeys(run.record.problem for run in findings.runs)
    for problem in problems:
        for variant in findings.variants:
            runs = [run for run in findings.made if run.record.variant == variant and run.record.problem == problem]
            total = sum_operators(run.operators for run in runs)
            whole = sum(figures.seconds for figures in total.values())
            for name, one in total.items():
                rows.append(
                    [
                        cells.name(name),
                        cells.name(problem),
                        cells.name(variant),
                        cells.count(sum(name in run.operators for run in runs)),
                        cells.count(one.calls),
                        cells.duration(one.seconds),
                        cells.share(one.seconds / whole if whole > 0 else None),
                        cells.count(one.successes),
                        cells.share(one.successes / one.calls if one.calls else None),
                        cells.value(one.gain),
                        cells.decimal(one.gain / one.seconds if one.seconds > 0 else None),
                        cells.count(one.proofs),
                        cells.count(one.work),
                    ]
                )
    if not rows:
        return None
    note = "A construction has no gain: it is what the others improve. Seconds and gains are of the event streams."
    return Section("operators", "Operators", [Table("operators", "Operators by variant", _COLUMNS, rows, note)])
