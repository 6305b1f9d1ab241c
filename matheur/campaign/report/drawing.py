"""Plots as SVG: axes with ticks, lines, steps, points and bands. Colours are CSS classes, so that themes apply."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from matheur.campaign.report.plots import Plot, Series
from matheur.campaign.report.scales import Scale, scale_of, tick_label
from matheur.campaign.report.words import visible

__all__ = ["COLOURS", "DARK", "PLOT_STYLE", "draw_alone", "draw_plot", "draw_swatch"]

COLOURS = ("#0b62a4", "#c2410c", "#047857", "#8b3f96", "#856404", "#0e7490", "#b02a5b", "#57534e")
DARK = ("#6cb6ff", "#ff9e6b", "#4fd1a5", "#d9a0e6", "#e3c55b", "#62d3e6", "#ff94b8", "#c9c4bf")
_DASHES = ("", "7 3", "2 3", "9 3 2 3")

_WIDTH, _HEIGHT = 400, 280
_TOP, _RIGHT, _BOTTOM = 10, 16, 46
_LETTER = 7.0  # mean width of a character
_MARKS = (  # point markers, one for each colour in turn: circle, square, triangle, diamond
    "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "m-3.3 -3.3h6.6v6.6h-6.6z",
    "m0 -4.4l4.2 7.4h-8.4z",
    "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
)
_EDGE = 2  # margin that keeps a line on the edge of the axes at its full width
_NAME = 44  # maximum number of characters of a name in a legend

PLOT_STYLE = (
    ".plot text{font:13px system-ui,sans-serif;fill:var(--ink)}"
    ".plot .tick{font-size:12.5px;fill:var(--muted)}"
    ".grid{stroke:var(--faint);stroke-width:1}"
    ".axis{stroke:var(--muted);stroke-width:1;fill:none}"
    ".line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
    ".band{stroke:none;fill-opacity:.16}"
    ".dot{stroke:var(--paper);stroke-width:.8}"
    ".known{fill:none;stroke:var(--muted);stroke-width:1.4;stroke-dasharray:2 3}"
    + "".join(f".s{i}{{stroke:var(--c{i})}}.f{i}{{fill:var(--c{i})}}" for i in range(len(COLOURS)))
    + "".join(f".d{i}{{stroke-dasharray:{dash}}}" for i, dash in enumerate(_DASHES) if dash)
)


def draw_plot(plot: Plot, label: str) -> str:
    """Draw the plot as an inline SVG element without a legend.

    Parameters
    ----------
    plot
        The plot to draw.
    label
        Accessible name of the plot, for screen readers.
    """
    label = _safe(f"{label}. {plot.description}", most=2000)
    return f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{_inside(plot)}</svg>'


def draw_swatch(series: Series) -> str:
    """Draw a short line in the style of a series, for a legend."""
    sample = _sample(series, 2, 6)
    return f'<svg class="swatch" viewBox="0 0 28 12" width="28" height="12" aria-hidden="true">{sample}</svg>'


def draw_alone(plot: Plot, title: str) -> str:
    """Draw the plot as a separate file, with title and legend, in light colours."""
    rows = _legend_rows(plot.series)
    height = _HEIGHT + 24 + 18 * len(rows)
    light = {"ink": "#1c2126", "muted": "#59636e", "faint": "#e3e6ea", "paper": "#ffffff"}
    light |= {f"c{i}": colour for i, colour in enumerate(COLOURS)}
    style = PLOT_STYLE
    for name, colour in light.items():
        style = style.replace(f"var(--{name})", colour)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" role="img">',
        f"<title>{_safe(title)}</title><desc>{_safe(plot.description, most=2000)}</desc><style>{style}</style>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="10" y="17" font-weight="bold">{_safe(title, most=56)}</text>',
        f'<g transform="translate(0 24)">{_inside(plot)}</g>',
    ]
    for number, row in enumerate(rows):
        y = _HEIGHT + 24 + 18 * number + 8
        for x, series in row:
            parts.append(
                f'{_sample(series, x, y - 4)}<text x="{x + 30}" y="{y}">{_safe(series.name, most=_NAME)}</text>'
            )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _safe(text: str, *, most: int = 200) -> str:
    return escape(visible(text, most=most))


def _legend_rows(series: Sequence[Series]) -> list[list[tuple[int, Series]]]:
    rows: list[list[tuple[int, Series]]] = [[]]
    x = 12
    for one in _named(series):
        wide = 48 + round(_LETTER * min(_NAME, len(visible(one.name))))
        if rows[-1] and x + wide > _WIDTH:
            rows.append([])
            x = 12
        rows[-1].append((x, one))
        x += wide
    return rows if rows[0] else []


def _named(series: Sequence[Series]) -> list[Series]:
    return [one for one in series if one.name]


def _line_class(series: Series) -> str:
    if series.number is None:
        return "known"
    return f"line s{series.number % len(COLOURS)} d{_turn(series.number) % len(_DASHES)}"


def _turn(number: int) -> int:
    """Shift the number by one per pass through the colours, so that a repeated colour has another dash and marker."""
    return number + number // len(COLOURS)


def _sample(series: Series, x: int, y: int) -> str:
    """Sample for a legend: a piece of the line, or a point."""
    if series.kind == "points":
        return _dot(series, x + 12, y)
    return f'<path class="{_line_class(series)}" d="M{x} {y}h24"/>'


def _dot(series: Series, x: float, y: float) -> str:
    number = series.number or 0
    return f'<path class="dot f{number % len(COLOURS)}" d="M{x:.1f} {y:.1f}{_MARKS[_turn(number) % len(_MARKS)]}"/>'


def _inside(plot: Plot) -> str:
    x_low, x_high = _range(plot, "x")
    y_low, y_high = _range(plot, "y")
    bottom = _HEIGHT - _BOTTOM
    y = scale_of(y_low, y_high, bottom, _TOP, log=plot.y.log)
    labels = [tick_label(tick, percent=plot.y.percent) for tick in y.ticks]
    left = 30 + round(_LETTER * max((len(label) for label in labels), default=1))
    x = scale_of(x_low, x_high, left, _WIDTH - _RIGHT, log=plot.x.log)
    parts = []
    for tick, label in zip(y.ticks, labels, strict=True):
        at = f"{y(tick):.1f}"
        parts.append(f'<path class="grid" d="M{left} {at}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text class="tick" x="{left - 6}" y="{at}" dy=".35em" text-anchor="end">{label}</text>')
    for tick in x.ticks:
        at = f"{x(tick):.1f}"
        parts.append(f'<path class="grid" d="M{at} {_TOP}V{bottom}"/>')
        label = tick_label(tick, percent=plot.x.percent)
        parts.append(f'<text class="tick" x="{at}" y="{bottom + 16}" text-anchor="middle">{label}</text>')
    across, down = _WIDTH - _RIGHT - left + 2 * _EDGE, bottom - _TOP + 2 * _EDGE
    # A nested element clips everything outside the axes, without an id that another plot might also use.
    parts.append(
        f'<svg x="{left - _EDGE}" y="{_TOP - _EDGE}" width="{across}" height="{down}" '
        f'viewBox="{left - _EDGE} {_TOP - _EDGE} {across} {down}">'
    )
    parts += [_band(series, x, y) for series in plot.series if series.low is not None]
    parts += [_series(series, x, y) for series in plot.series]
    parts.append("</svg>")
    parts.append(f'<path class="axis" d="M{left} {_TOP}V{bottom}H{_WIDTH - _RIGHT}"/>')
    parts.append(
        f'<text x="{(left + _WIDTH - _RIGHT) / 2:.0f}" y="{_HEIGHT - 8}" text-anchor="middle">'
        f"{_safe(plot.x.title)}</text>"
    )
    middle = (_TOP + bottom) / 2
    parts.append(
        f'<text transform="translate(13 {middle:.0f}) rotate(-90)" text-anchor="middle">{_safe(plot.y.title)}</text>'
    )
    return "".join(parts)


def _range(plot: Plot, which: str) -> tuple[float, float]:
    """Range of an axis: its declared ends, else the range of the series."""
    axis = plot.x if which == "x" else plot.y
    found = []
    for series in plot.series:
        for values in (series.x,) if which == "x" else (series.y, series.low, series.high):
            if values is not None:
                kept = values[np.isfinite(values) & ((values > 0) | (not axis.log))]
                found += [float(kept.min()), float(kept.max())] if len(kept) else []
    low = min(found, default=1.0) if axis.low is None else axis.low
    high = max(found, default=2.0) if axis.high is None else axis.high
    if axis.log or which == "x":  # points need room, lines do not
        wide = 1.2 if axis.log and low > 0 and any(one.kind == "points" for one in plot.series) else 1.0
        return (low if axis.low is not None else low / wide), (high if axis.high is not None else high * wide)
    air = 0.04 * (high - low)
    return (low if axis.low is not None else low - air), (high if axis.high is not None else high + air)


def _points(series: Series, x: Scale, y: Scale) -> list[tuple[float, float]]:
    return [
        (round(x(float(a)), 1), round(y(float(b)), 1))
        for a, b in zip(series.x, series.y, strict=True)
        if np.isfinite(a) and np.isfinite(b)
    ]


def _series(series: Series, x: Scale, y: Scale) -> str:
    points = _points(series, x, y)
    if not points:
        return ""
    name = f"<title>{_safe(series.name)}</title>" if series.name else ""
    if series.kind == "points":
        return f"<g>{name}{''.join(_dot(series, a, b) for a, b in points)}</g>"
    first, *rest = points
    if series.kind == "steps":
        steps = [f"M{first[0]} {first[1]}"]
        before = first
        for point in rest:
            steps += [f"H{point[0]}"] if point[1] == before[1] else [f"H{point[0]}V{point[1]}"]
            before = point
        path = "".join(steps)
    else:
        path = "M" + "L".join(f"{a} {b}" for a, b in points)
    return f'<path class="{_line_class(series)}" d="{path}">{name}</path>'


def _band(series: Series, x: Scale, y: Scale) -> str:
    """Draw the band between the quartiles; an infinite quartile extends to the edge."""
    assert series.low is not None
    assert series.high is not None
    edge = {True: y.high + (y.high - y.low), False: y.low - (y.high - y.low)}
    rows = []
    for a, low, high in zip(series.x, series.low, series.high, strict=True):
        if np.isfinite(low) or np.isfinite(high):
            low, high = (one if np.isfinite(one) else edge[one > 0] for one in (float(low), float(high)))
            rows.append((x(float(a)), y(low), y(high)))
    if len(rows) < 2:
        return ""
    there = "L".join(f"{a:.1f} {low:.1f}" for a, low, _ in rows)
    back = "L".join(f"{a:.1f} {high:.1f}" for a, _, high in reversed(rows))
    return f'<path class="band f{(series.number or 0) % len(COLOURS)}" d="M{there}L{back}Z"/>'
