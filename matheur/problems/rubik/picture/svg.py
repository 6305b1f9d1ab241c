"""Cubes and plans as SVG: a sheet of nets, one after each turn."""

from __future__ import annotations

from html import escape

from matheur.problems.plan_pictures import CAPTION, Sheet, first_and_last
from matheur.problems.rubik.picture.scene import COLOURS, NET, Frame, Scene

__all__ = ["FRAMES_MAX", "draw_svg", "sheet_of"]

FRAMES_MAX = 120  # of a longer plan, the first frames and the last one are drawn


def sheet_of(frames: int) -> Sheet:
    """The sheet for a number of nets."""
    return Sheet(frames, 9, 12, 34.0 if frames == 1 else 12.0, gap=16.0)


def draw_svg(scene: Scene) -> str:
    """Nets with U above F, D below F, and L, F, R and B side by side; the turned face has a dark border."""
    frames = first_and_last(scene.frames, FRAMES_MAX)
    sheet = sheet_of(len(frames))
    style = "text{font-family:sans-serif;fill:#222}.c{font-size:11px}.s{stroke:#222;stroke-width:.8}"
    parts = []
    for frame, (x, y) in zip(frames, sheet.places(), strict=True):
        if len(frames) > 1:
            parts.append(f'<text class="c" x="{x:g}" y="{y + 11:g}">{escape(frame.caption)}</text>')
        parts.append(_net(frame, x, y + CAPTION if len(frames) > 1 else y, sheet.side))
    return sheet.svg(scene.title, scene.state, style, parts)


def _net(frame: Frame, x: float, y: float, side: float) -> str:
    parts = [f'<g transform="translate({x:g} {y:g})">']
    for letter, (row, column) in zip(frame.facelets, NET, strict=True):
        parts.append(
            f'<rect class="s" x="{column * side:g}" y="{row * side:g}" width="{side:g}" height="{side:g}" '
            f'fill="{COLOURS[letter]}"/>'
        )
    if frame.face:
        row, column = NET[9 * "URFDLB".index(frame.face)]
        parts.append(
            f'<rect x="{column * side:g}" y="{row * side:g}" width="{3 * side:g}" height="{3 * side:g}" fill="none" '
            f'stroke="#111" stroke-width="{side / 5:.2g}"/>'
        )
    parts.append("</g>")
    return "".join(parts)
