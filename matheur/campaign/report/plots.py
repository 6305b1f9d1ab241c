"""Plots as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Axis", "Plot", "Series", "share_axis"]

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis.

    Attributes
    ----------
    title
        Title of the axis, with the unit.
    low, high
        What it covers; None: what the series cover.
    log
        Whether it is logarithmic.
    percent
        Whether 0.25 is written as 25 %.
    """

    title: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one variant.

    Attributes
    ----------
    name
        For the legend.
    x, y
        float64[n]; points that are not finite are left out.
    kind
        `line`, `steps` (a value holds until the next) or `points`.
    low, high
        float64[n], a band around the line, or None.
    number
        Number of its colour; None for a thin grey line, such as a best known value.
    """

    name: str
    x: Values
    y: Values
    kind: str = "line"
    low: Values | None = None
    high: Values | None = None
    number: int | None = 0


def share_axis(title: str, shares: Sequence[Values]) -> Axis:
    """An axis of shares: up to 100 %, or less if all are below a half."""
    highest = max((float(one.max()) for one in shares if len(one)), default=1.0)
    return Axis(title, 0.0, 1.0 if highest > 0.5 else max(0.05, 1.15 * highest), percent=True)


@dataclass(frozen=True, slots=True)
class Plot:
    """Series over common axes, with a sentence for those who cannot see it."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    description: str
