"""Build table cells from values."""

from __future__ import annotations

import math
from collections.abc import Iterable

from matheur.campaign.report.document import Cell
from matheur.campaign.report.words import number, percent, seconds, significant, visible
from matheur.campaign.statistics import Rate

__all__ = ["count", "decimal", "duration", "mean", "name", "rate", "share", "value"]


def name(text: str, href: str | None = None, mark: str = "") -> Cell:
    """A name, with invisible characters made visible."""
    shown = visible(text)
    return Cell(shown, shown, href, mark)


def count(value: int, mark: str = "") -> Cell:
    """A whole number."""
    return Cell(f"{value:,}", value, mark=mark)


def value(found: float | None, mark: str = "") -> Cell:
    """An objective or a score; a dash if there is none."""
    if found is None or not math.isfinite(found):
        return Cell("-", None)
    return Cell(number(found), found, mark=mark)


def decimal(found: float | None, digits: int = 3) -> Cell:
    """A number with a given number of significant digits."""
    if found is None or not math.isfinite(found):
        return Cell("-", None)
    return Cell(significant(found, digits), found)


def duration(found: float | None) -> Cell:
    """Seconds."""
    if found is None or not math.isfinite(found):
        return Cell("-", None)
    return Cell(seconds(found), found)


def share(found: float | None, mark: str = "") -> Cell:
    """A share as a percentage; programs get the share itself."""
    if found is None or not math.isfinite(found):
        return Cell("-", None)
    return Cell(percent(found), found, mark=mark)


def rate(found: Rate) -> Cell:
    """A success rate with its confidence interval."""
    if found.runs == 0:
        return Cell("-", None)
    interval = f"{100 * found.low:.0f}–{100 * found.high:.0f}"
    return Cell(f"{100 * found.share:.0f} % ({interval})", found.share)


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are not None; None if there are none."""
    kept = [one for one in values if one is not None and math.isfinite(one)]
    return math.fsum(kept) / len(kept) if kept else None
