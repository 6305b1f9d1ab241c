"""Sections of a report, each built from the findings; None if a section would be empty."""

from __future__ import annotations

from matheur.campaign.report.sections.comparison import comparison_section
from matheur.campaign.report.sections.convergence import convergence_section
from matheur.campaign.report.sections.instances import instances_section
from matheur.campaign.report.sections.operators import operators_section
from matheur.campaign.report.sections.overview import overview_section
from matheur.campaign.report.sections.runs import (
    configurations_section,
    damaged_section,
    failures_section,
    runs_section,
)
from matheur.campaign.report.sections.solutions import solutions_section
from matheur.campaign.report.sections.targets import targets_section

__all__ = [
    "comparison_section",
    "configurations_section",
    "convergence_section",
    "damaged_section",
    "failures_section",
    "instances_section",
    "operators_section",
    "overview_section",
    "runs_section",
    "solutions_section",
    "targets_section",
]
