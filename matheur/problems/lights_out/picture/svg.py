"""Boards as SVG."""

from __future__ import annotations

from html import escape

from matheur.problems.lights_out.picture.scene import Scene, colour_of
from matheur.problems.plan_pictures import svg_start

__all__ = ["COLOURS", "draw_svg", "side_of"]

COLOURS = {"rim": "#263238", "press": "#c2185b", "ink": "#222222"}
_MARGIN, _HEAD = 12.0, 46.0


def side_of(scene: Scene) -> float:
    """Side of a cell, which is smaller on large boards."""
    return max(9.0, min(42.0, 900.0 / max(scene.rows, scene.columns)))


def draw_svg(scene: Scene) -> str:
    """Lights are squares, cells to press have a ring with the number of the press, targets are small squares."""
    side = side_of(scene)
    width = max(2 * _MARGIN + scene.columns * side, 340.0)
    height = _HEAD + scene.rows * side + _MARGIN
    numbered = side >= 16
    parts = [
        *svg_start(width, height, scene.title),
        "<style>text{font-family:sans-serif}.number{text-anchor:middle;font-weight:bold}</style>",
        f'<rect width="{width:g}" height="{height:g}" fill="#fff"/>',
        f'<text x="{_MARGIN:g}" y="19" font-size="15" font-weight="bold" fill="{COLOURS["ink"]}">'
        f"{escape(scene.title)}</text>",
        f'<text x="{_MARGIN:g}" y="37" font-size="12" fill="{COLOURS["ink"]}">{escape(scene.state)}</text>',
    ]
    for cell, state in enumerate(scene.lights):
        row, column = divmod(cell, scene.columns)
        x, y = _MARGIN + column * side, _HEAD + row * side
        fill = colour_of(state, scene.states)
        parts.append(
            f'<rect x="{x + 1:g}" y="{y + 1:g}" width="{side - 2:g}" height="{side - 2:g}" rx="{side / 8:.3g}" '
            f'fill="{fill}"/>'
        )
        if scene.aims:
            parts.append(
                f'<rect x="{x + 2:g}" y="{y + 2:g}" width="{side / 4:.3g}" height="{side / 4:.3g}" '
                f'fill="{colour_of(scene.goal[cell], scene.states)}" stroke="{COLOURS["rim"]}"/>'
            )
        if scene.order[cell]:
            middle_x, middle_y = x + side / 2, y + side / 2
            parts.append(
                f'<circle cx="{middle_x:g}" cy="{middle_y:g}" r="{0.36 * side:.3g}" fill="#fff" fill-opacity=".9" '
                f'stroke="{COLOURS["press"]}" stroke-width="{side / 11:.3g}"/>'
            )
            if numbered:
                parts.append(
                    f'<text class="number" x="{middle_x:g}" y="{middle_y:g}" dy=".36em" font-size="{0.3 * side:.3g}" '
                    f'fill="{COLOURS["ink"]}">{scene.label(cell)}</text>'
                )
    parts.append("</svg>")
    return "\n".join(parts) + "\n"
