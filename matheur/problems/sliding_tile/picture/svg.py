"""Boards and plans as SVG: a sheet of boards, one after each move."""

from __future__ import annotations

from html import escape

from matheur.problems.plan_pictures import CAPTION, Sheet, first_and_last
from matheur.problems.sliding_tile.picture.scene import Frame, Scene

__all__ = ["COLOURS", "FRAMES_MAX", "draw_svg", "sheet_of"]

COLOURS = {"home": "#9ccc9c", "away": "#f2d7a6", "moved": "#e57f3e", "floor": "#5d6b75", "ink": "#222222"}
FRAMES_MAX = 240  # longer plans show the first frames and the last one


def sheet_of(scene: Scene, frames: int) -> Sheet:
    """Layout of a sheet with this many boards."""
    side = 44.0 if frames == 1 else max(12.0, 22.0 - scene.columns)
    return Sheet(frames, scene.rows, scene.columns, side, least=380.0)


def draw_svg(scene: Scene) -> str:
    """The scene as SVG: tiles at their goals are green, the tile that was moved is dark."""
    frames = first_and_last(scene.frames, FRAMES_MAX)
    sheet = sheet_of(scene, len(frames))
    style = (
        f"text{{font-family:sans-serif;fill:{COLOURS['ink']}}}"
        f".n{{text-anchor:middle;font-weight:bold;font-size:{0.42 * sheet.side:.3g}px}}.c{{font-size:11px}}"
    )
    boards = [
        _board(scene, frame, x, y, sheet.side, captioned=len(frames) > 1)
        for frame, (x, y) in zip(frames, sheet.places(), strict=True)
    ]
    return sheet.svg(scene.title, scene.state, style, boards)


def _board(scene: Scene, frame: Frame, x: float, y: float, side: float, *, captioned: bool) -> str:
    top = CAPTION if captioned else 0.0
    parts = [f'<g transform="translate({x:g} {y:g})">']
    if captioned:
        parts.append(f'<text class="c" x="0" y="11">{escape(frame.caption)}</text>')
    parts.append(
        f'<rect y="{top:g}" width="{scene.columns * side:g}" height="{scene.rows * side:g}" fill="{COLOURS["floor"]}"/>'
    )
    for cell, tile in enumerate(frame.tiles):
        if tile == 0:
            continue
        left, above = cell % scene.columns * side, top + cell // scene.columns * side
        kind = "moved" if cell == frame.moved else "home" if scene.home(cell, tile) else "away"
        parts.append(
            f'<rect x="{left + 0.5:g}" y="{above + 0.5:g}" width="{side - 1:g}" height="{side - 1:g}" '
            f'rx="{side / 9:.3g}" fill="{COLOURS[kind]}"/>'
            f'<text class="n" x="{left + side / 2:g}" y="{above + side / 2:g}" dy=".36em">{tile}</text>'
        )
    parts.append("</g>")
    return "".join(parts)
