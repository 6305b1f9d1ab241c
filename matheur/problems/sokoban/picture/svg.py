"""Levels and plans as SVG: a sheet with the level after each push."""

from __future__ import annotations

from html import escape

from matheur.problems.sokoban.picture.scene import Frame, Scene

__all__ = ["COLOURS", "FRAMES_MAX", "chosen_frames", "draw_svg", "sheet"]

COLOURS = {
    "wall": "#6d5f53",
    "floor": "#efe9df",
    "goal": "#c0392b",
    "box": "#d79b45",
    "done": "#4f9a57",
    "player": "#2f6fb2",
    "ink": "#222222",
}
FRAMES_MAX = 120  # of longer plans the first ones and the last are drawn
_MARGIN, _HEAD, _GAP, _CAPTION = 14.0, 48.0, 14.0, 16.0


def chosen_frames(scene: Scene, most: int) -> list[Frame]:
    """The level after each push, or of many the first ones and the last."""
    frames = list(scene.pushes)
    return frames if len(frames) <= most else [*frames[: most - 1], frames[-1]]


def sheet(scene: Scene, frames: int) -> tuple[float, int, float, float]:
    """Side of a cell, levels per row, width and height of a sheet."""
    one = scene.instance
    side = max(5.0, min(34.0, 700.0 / max(one.rows, one.columns))) if frames == 1 else max(4.0, 18.0 - one.columns / 3)
    across = 1 if frames == 1 else max(1, int(1000 / (one.columns * side + _GAP)))
    across = min(across, frames)
    width = max(2 * _MARGIN + across * (one.columns * side + _GAP) - _GAP, 340.0)
    down = -(-frames // across)
    return side, across, width, _HEAD + down * (one.rows * side + _GAP + _CAPTION) + _MARGIN


def draw_svg(scene: Scene) -> str:
    """Boxes are green where they are on goals; dots are goals, the blue disc is the player."""
    frames = chosen_frames(scene, FRAMES_MAX)
    side, across, width, height = sheet(scene, len(frames))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>text{{font-family:sans-serif;fill:{COLOURS['ink']}}}.c{{font-size:11px}}</style>",
        f'<defs><g id="level">{_level(scene, side)}</g></defs>',
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
        f'<text x="{_MARGIN:g}" y="20" font-size="15" font-weight="bold">{escape(scene.title)}</text>',
        f'<text x="{_MARGIN:g}" y="38" font-size="12">{escape(scene.state)}</text>',
    ]
    for number, frame in enumerate(frames):
        x = _MARGIN + number % across * (scene.instance.columns * side + _GAP)
        y = _HEAD + number // across * (scene.instance.rows * side + _GAP + _CAPTION)
        if len(frames) > 1:
            parts.append(f'<text class="c" x="{x:g}" y="{y + 11:g}">{escape(frame.caption)}</text>')
            y += _CAPTION
        parts.append(f'<g transform="translate({x:g} {y:g})"><use href="#level"/>{_things(scene, frame, side)}</g>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _level(scene: Scene, side: float) -> str:
    one, parts = scene.instance, []
    inside = set(one.region)
    for cell in range(one.rows * one.columns):
        kind = "wall" if one.walls[cell] else "floor" if cell in inside else None
        if kind is not None:
            x, y = cell % one.columns * side, cell // one.columns * side
            parts.append(f'<rect x="{x:g}" y="{y:g}" width="{side:g}" height="{side:g}" fill="{COLOURS[kind]}"/>')
    for goal in one.goals:
        x, y = (goal % one.columns + 0.5) * side, (goal // one.columns + 0.5) * side
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.17 * side:.3g}" fill="{COLOURS["goal"]}"/>')
    return "".join(parts)


def _things(scene: Scene, frame: Frame, side: float) -> str:
    one, parts = scene.instance, []
    for box in frame.boxes:
        x, y = box % one.columns * side, box // one.columns * side
        colour = COLOURS["done" if box in one.goals else "box"]
        parts.append(
            f'<rect x="{x + 0.1 * side:.4g}" y="{y + 0.1 * side:.4g}" width="{0.8 * side:.3g}" '
            f'height="{0.8 * side:.3g}" rx="{0.12 * side:.3g}" fill="{colour}" stroke="{COLOURS["ink"]}" '
            f'stroke-width="{side / 25:.2g}"/>'
        )
    x, y = (frame.player % one.columns + 0.5) * side, (frame.player // one.columns + 0.5) * side
    parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{0.34 * side:.3g}" fill="{COLOURS["player"]}"/>')
    return "".join(parts)
