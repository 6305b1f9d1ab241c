"""Boards as SVG: four triangles per piece."""

from __future__ import annotations

from html import escape

import numpy as np

from matheur.problems.edge_matching.picture.palette import BACKGROUND, EMPTY_CELL, colour_of
from matheur.problems.edge_matching.picture.scene import Scene

__all__ = ["draw_svg"]

_CELL, _GAP, _MARGIN, _TITLE = 40, 8, 12, 26
_MINUS = tuple(  # a dark stub at the side of a sign below 0, so that halves that match differ
    f'<path class="minus" transform="translate({{x}} {{y}})" d="{path}"/>'
    for path in ("M15 1h10v4h-10z", "M39 15v10h-4v-10z", "M15 39h10v-4h-10z", "M1 15v10h4v-10z")
)
_TRIANGLES = ("h40l-20 20z", "m40 0v40l-20-20z", "m40 40h-40l20-20z", "m0 40v-40l20 20z")  # up, right, down, left


def draw_svg(scene: Scene) -> str:
    """Draw the scene as one self-contained SVG element with its own style."""
    step = _CELL if scene.placed else _CELL + _GAP
    width = max(scene.columns * step + 2 * _MARGIN, 9 * len(scene.title) + 2 * _MARGIN)
    height = scene.rows * step + 2 * _MARGIN + _TITLE
    title = escape(scene.title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{title}</title>",
        f"<style>{_style(scene)}</style>",
        f'<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>',
        f'<text class="head" x="{_MARGIN}" y="{_MARGIN + 12}">{title}</text>',
        f'<g transform="translate({_MARGIN} {_MARGIN + _TITLE})">',
    ]
    for cell in range(scene.rows * scene.columns):
        row, column = divmod(cell, scene.columns)
        parts.append(_piece(scene, cell, column * step, row * step))
    parts += _hints(scene, step)
    parts += _marks(scene)
    parts.append("</g></svg>")
    return "\n".join(parts) + "\n"


def _style(scene: Scene) -> str:
    colours = sorted({int(colour) for colour in np.unique(scene.sides) if colour >= 0})
    rules = [f".k{colour}{{fill:{colour_of(colour)}}}" for colour in colours]
    rules += [
        "path{stroke:#222;stroke-width:.4;stroke-linejoin:round}",
        f".hole{{fill:{EMPTY_CELL};stroke:#bbb}}",
        *([".minus{fill:#222;stroke:none}"] if (scene.signs < 0).any() else []),
        "text{font-family:sans-serif}",
        ".head{font-size:14px;font-weight:bold}",
        ".number{font-size:9.5px;text-anchor:middle;fill:#000;stroke:#fff;stroke-width:2.4;paint-order:stroke}",
        ".hint{fill:none;stroke:#000;stroke-width:2.5}",
        ".hint2{fill:none;stroke:#fff;stroke-width:1}",
        ".bad{stroke:#000;stroke-width:5;stroke-linecap:round}",
        ".bad2{stroke:#fff;stroke-width:2.4;stroke-linecap:round}",
        ".dot{fill:#fff;stroke:#000;stroke-width:1.6}",
        ".cross{stroke:#d00000;stroke-width:1.8;stroke-linecap:round}",
    ]
    return "".join(rules)


def _piece(scene: Scene, cell: int, x: int, y: int) -> str:
    tooltip = escape(scene.tooltips[cell])
    if not scene.labels[cell]:
        return f'<rect class="hole" x="{x}" y="{y}" width="{_CELL}" height="{_CELL}"><title>{tooltip}</title></rect>'
    triangles = "".join(
        f'<path class="k{colour}" d="M{x} {y}{shape}"/>' + (_MINUS[side].format(x=x, y=y) if sign < 0 else "")
        for side, (colour, sign, shape) in enumerate(
            zip(scene.sides[cell].tolist(), scene.signs[cell].tolist(), _TRIANGLES, strict=True)
        )
    )
    number = f'<text class="number" x="{x + 20}" y="{y + 23.5}">{escape(scene.labels[cell])}</text>'
    return f"<g><title>{tooltip}</title>{triangles}{number}</g>"


def _hints(scene: Scene, step: int) -> list[str]:
    parts = []
    for cell in np.flatnonzero(scene.hinted).tolist():
        row, column = divmod(cell, scene.columns)
        box = f'x="{column * step + 2}" y="{row * step + 2}" width="{_CELL - 4}" height="{_CELL - 4}"'
        parts.append(f'<rect class="hint" {box}/><rect class="hint2" {box}/>')
    return parts


def _marks(scene: Scene) -> list[str]:
    """A black and white bar along each mismatched joint, and a cross in its middle."""
    parts = []
    for wrong, vertical in ((scene.across, True), (scene.down, False)):
        for cell in np.flatnonzero(wrong).tolist():
            row, column = divmod(cell, scene.columns)
            x = (column + 1) * _CELL if vertical else column * _CELL + _CELL // 2
            y = row * _CELL + _CELL // 2 if vertical else (row + 1) * _CELL
            bar = f"M{x} {y - 15}v30" if vertical else f"M{x - 15} {y}h30"
            parts.append(
                f'<path class="bad" d="{bar}"/><path class="bad2" d="{bar}"/>'
                f'<circle class="dot" cx="{x}" cy="{y}" r="5.5"/>'
                f'<path class="cross" d="M{x - 2.5} {y - 2.5}l5 5m0-5l-5 5"/>'
            )
    return parts
