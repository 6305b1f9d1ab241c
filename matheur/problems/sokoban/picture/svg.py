"""Levels and plans as SVG: a sheet with the level after each push."""

from __future__ import annotations

from html import escape

from matheur.problems.plan_pictures import CAPTION, Sheet, first_and_last
from matheur.problems.sokoban.picture.scene import Frame, Scene

__all__ = ["COLOURS", "FRAMES_MAX", "draw_svg", "sheet_of"]

COLOURS = {
    "wall": "#6d5f53",
    "floor": "#efe9df",
    "goal": "#c0392b",
    "box": "#d79b45",
    "done": "#4f9a57",
    "player": "#2f6fb2",
    "ink": "#222222",
}
FRAMES_MAX = 120  # longer plans show the first frames and the last one


def sheet_of(scene: Scene, frames: int) -> Sheet:
    """Layout of a sheet with this many frames."""
    one = scene.instance
    side = max(5.0, min(34.0, 700.0 / max(one.rows, one.columns))) if frames == 1 else max(4.0, 18.0 - one.columns / 3)
    return Sheet(frames, one.rows, one.columns, side)


def draw_svg(scene: Scene) -> str:
    """The scene as SVG: boxes on goals are green, dots are goals, the blue disc is the player."""
    frames = first_and_last(scene.pushes, FRAMES_MAX)
    sheet = sheet_of(scene, len(frames))
    style = f"text{{font-family:sans-serif;fill:{COLOURS['ink']}}}.c{{font-size:11px}}"
    defs = [f'<defs><g id="level">{_level(scene, sheet.side)}</g></defs>']
    parts = []
    for frame, (x, y) in zip(frames, sheet.places(), strict=True):
        if len(frames) > 1:
            parts.append(f'<text class="c" x="{x:g}" y="{y + 11:g}">{escape(frame.caption)}</text>')
        top = y + CAPTION if len(frames) > 1 else y
        things = _things(scene, frame, sheet.side)
        parts.append(f'<g transform="translate({x:g} {top:g})"><use href="#level"/>{things}</g>')
    return sheet.svg(scene.title, scene.state, style, parts, defs)


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
