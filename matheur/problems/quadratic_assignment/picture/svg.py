"""Heat maps as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np

from matheur.problems.quadratic_assignment.picture.heatmap import HeatMap
from matheur.problems.quadratic_assignment.picture.layout import MARGIN, SCALE, Frame, frames_of, scale_levels
from matheur.problems.quadratic_assignment.picture.palette import LIGHT, colour_of, strong_text
from matheur.problems.quadratic_assignment.picture.scene import Scene

__all__ = ["draw_frame", "draw_svg", "number", "scale_words", "style"]


def draw_svg(scene: Scene) -> str:
    """The scene as one SVG element with its own style; it loads no external resources."""
    frames, size = frames_of(scene)
    width, height = (number(length) for length in size)
    state = "bad" if scene.violations else "muted"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{style(LIGHT)}</style>",
        f'<rect width="{width}" height="{height}" class="paper"/>',
        f'<text class="ink" x="{number(MARGIN)}" y="{number(MARGIN + 15)}" font-size="17" font-weight="bold">'
        f"{escape(scene.title)}</text>",
        f'<text class="{state}" x="{number(MARGIN)}" y="{number(MARGIN + 36)}" font-size="14">'
        f"{escape(scene.state)}</text>",
        *(draw_frame(frame) for frame in frames),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def style(theme: Mapping[str, str]) -> str:
    """A CSS class for each colour; an HTML page passes variables as its theme."""
    rules = ["text{font-family:system-ui,'DejaVu Sans',Verdana,sans-serif}"]
    rules += [f".{name}{{fill:{value}}}" for name, value in theme.items()]
    return "".join(rules)


def draw_frame(frame: Frame) -> str:
    """A map with its titles, numbers and scale."""
    one, x, y = frame.map, frame.x, frame.y
    parts = [
        f'<g class="map"><text class="ink" x="{number(x)}" y="{number(y - 44)}" font-size="13" font-weight="bold">'
        f"{escape(one.title)}</text>",
        f'<text class="muted" x="{number(x)}" y="{number(y - 27)}" font-size="11.5">{escape(one.note)}</text>',
    ]
    parts += [
        f'<text class="muted" x="{number(x + tick.at)}" y="{number(y - 6)}" font-size="9.5" text-anchor="middle">'
        f"{tick.text}</text>"
        for tick in frame.columns
    ]
    parts += [
        f'<text class="muted" x="{number(x - 5)}" y="{number(y + tick.at + 3.4)}" font-size="9.5" text-anchor="end">'
        f"{tick.text}</text>"
        for tick in frame.rows
    ]
    parts += _cells(frame) if one.hints else _areas(frame)
    return "".join([*parts, _scale(frame), "</g>"])


def _cells(frame: Frame) -> list[str]:
    """Cells as elements with their hints."""
    one, cell = frame.map, frame.cell
    size, parts = number(cell), []
    text = min(11.5, 0.36 * cell)
    for index, level in enumerate(one.levels.ravel().tolist()):
        row, column = divmod(index, one.size)
        x, y = frame.x + column * cell, frame.y + row * cell
        shown = ""
        if one.numbers:
            look = "paper" if strong_text(level) else "muted" if level == 0 else "ink"
            place = f'x="{number(x + cell / 2)}" y="{number(y + cell / 2 + 0.36 * text)}"'
            look += f'" font-size="{number(text)}" text-anchor="middle'
            shown = f'<text {place} class="{look}">{one.numbers[index]}</text>'
        box = f'<rect class="{colour_of(level)}" x="{number(x)}" y="{number(y)}" width="{size}" height="{size}"/>'
        parts.append(f"<g><title>{escape(one.hints[index])}</title>{box}{shown}</g>")
    return parts


def _areas(frame: Frame) -> list[str]:
    """All cells of a level as one path in units of cells; a run of equal neighbours is one rectangle."""
    one = frame.map
    parts = [
        f'<g transform="translate({number(frame.x)} {number(frame.y)}) scale({frame.cell:.4f})" '
        'shape-rendering="crispEdges">',
        f'<rect class="zero" width="{one.size}" height="{one.size}"/>',
    ]
    runs: dict[int, list[str]] = {}
    for row, levels in enumerate(one.levels):
        starts = np.flatnonzero(np.diff(levels, prepend=levels[0] - 1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), one.size], strict=True):
            runs.setdefault(int(levels[start]), []).append(f"M{start} {row}h{end - start}v1h-{end - start}z")
    parts += [f'<path class="{colour_of(level)}" d="{"".join(runs[level])}"/>' for level in sorted(runs) if level]
    return [*parts, "</g>"]


def _scale(frame: Frame) -> str:
    """The colours in order, with the ends of the scale."""
    one, y = frame.map, frame.y + frame.side + 12
    steps = scale_levels(one)
    step = SCALE / len(steps)
    parts = [
        f'<rect class="{colour_of(level)}" x="{number(frame.x + i * step)}" y="{number(y)}" '
        f'width="{number(step + 0.1)}" height="9"/>'
        for i, level in enumerate(steps)
    ]
    place = f'x="{number(frame.x + SCALE + 8)}" y="{number(y + 8.5)}"'
    parts.append(f'<text class="muted" {place} font-size="11">{escape(scale_words(one))}</text>')
    return "".join(parts)


def scale_words(one: HeatMap) -> str:
    """The ends of a scale."""
    least = f"0, {one.low}" if one.logarithmic and not bool((one.levels < 0).any()) else one.low
    return f"{least} … {one.high}" + (", logarithmic" if one.logarithmic else "")


def number(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
