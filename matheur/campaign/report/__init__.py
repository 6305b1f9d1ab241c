"""Reports on campaigns: collected as plain data and written as one HTML page, Markdown, CSV and LaTeX."""

from __future__ import annotations

from matheur.campaign.report.building import build_report
from matheur.campaign.report.document import Report
from matheur.campaign.report.writing import Written, write_report

__all__ = ["Report", "Written", "build_report", "write_report"]
