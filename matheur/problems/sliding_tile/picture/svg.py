"""Boards and plans as SVG: a sheet of boards, one after each move."""

from __future__ import annotations

from html import escape

from matheur.problems.sliding_tile.picture.scene import Frame, Scene

__all__ = ["COLOURS", "FRAMES_MAX", "chosen_frames", "draw_svg", "sheet"]

COLOURS = {"home": "#9ccc9c", "away": "#f2d7a6", "moved": "#e57f3e", "floor": "#5d6b75", "ink": "#222222"}
FRAMES_MAX = 240  # of longer plans the first ones and the last are drawn
_MARGIN, _HEAD, _GAP, _CAPTION = 14.0, 48.0, 14.0, 16.0


def chosen_frames(scene: Scene, most: int) -> list[Frame]:
    """All frames, or the first ones and the last."""
    frames = list(scene.frames)
    return frames if len(frames) <= most else [*frames[: most - 1], frames[-1]]


def sheet(scene: Scene, frames: int) -> tuple[float, int, float, float]:
    """Side of a cell, boards per row, width and height of a sheet."""
    side = 44.0 if frames == 1 else max(12.0, 22.0 - scene.columns)
    across = 1 if frames == 1 else max(1, int(1000 / (scene.columns * side + _GAP)))
    across = min(across, frames)
    width = max(2 * _MARGIN + across * (scene.columns * side + _GAP) - _GAP, 380.0)
    down = -(-frames // across)
    return side, across, width, _HEAD + down * (scene.rows * side + _GAP + _CAPTION) + _MARGIN


def draw_svg(scene: Scene) -> str:
    """Green tiles are where the goal has them; the tile that was moved is dark."""
    frames = chosen_frames(scene, FRAMES_MAX)
    side, across, width, height = sheet(scene, len(frames))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>text{{font-family:sans-serif;fill:{COLOURS['ink']}}}"
        f".n{{text-anchor:middle;font-weight:bold;font-size:{0.42 * side:.3g}px}}.c{{font-size:11px}}</style>",
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
        f'<text x="{_MARGIN:g}" y="20" font-size="15" font-weight="bold">{escape(scene.title)}</text>',
        f'<text x="{_MARGIN:g}" y="38" font-size="12">{escape(scene.state)}</text>',
    ]
    for number, frame in enumerate(frames):
        x = _MARGIN + number % across * (scene.columns * side + _GAP)
        y = _HEAD + number // across * (scene.rows * side + _GAP + _CAPTION)
        parts.append(_board(scene, frame, x, y, side, captioned=len(frames) > 1))
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _board(scene: Scene, frame: Frame, x: float, y: float, side: float, *, captioned: bool) -> str:
    top = _CAPTION if captioned else 0.0
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
