"""The pages of the workbench, as functions from plain data to HTML."""

from __future__ import annotations

from matheur.web.pages.compare import compare_page
from matheur.web.pages.form import form_page
from matheur.web.pages.frame import damaged_page, error_page
from matheur.web.pages.job import job_page, plot_of, snapshot
from matheur.web.pages.play import play_page
from matheur.web.pages.start import Offer, start_page

__all__ = [
    "Offer",
    "compare_page",
    "damaged_page",
    "error_page",
    "form_page",
    "job_page",
    "play_page",
    "plot_of",
    "snapshot",
    "start_page",
]
