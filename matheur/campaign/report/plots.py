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
        Ends of the axis; None: those of the series.
    log
        Whether it is logarithmic.
    percent
        Whether values are shares and are labelled in percent: 0.25 as 25 %.
    """

    title: str
    low: float | None = None
    high: float | None = None
    log: bool = False
    percent: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """Data series of one variant.

    Attributes
    ----------
    name
        Name in the legend.
    x, y
        float64[n]; points that are not finite are omitted.
    kind
        `line`, `steps` (a value holds until the next) or `points`.
    low, high
        float64[n], a band around the line, or None.
    number
        Number of its colour; None for a thin grey line, for example at the best known value.
    """

    name: str
    x: Values
    y: Values
    kind: str = "line"
    low: Values | None = None
    high: Values | None = None
    number: int | None = 0


def share_axis(title: str, shares: Sequence[Values]) -> Axis:
    """Axis for shares: up to 100 %, or less if all shares are below one half."""
    highest = max((float(one.max()) for one in shares if len(one)), default=1.0)
    return Axis(title, 0.0, 1.0 if highest > 0.5 else max(0.05, 1.15 * highest), percent=True)


@dataclass(frozen=True, slots=True)
class Plot:
    """Series on common axes, with a description in words for readers who cannot see the plot."""

    x: Axis
    y: Axis
    series: Sequence[Series]
    description: str
