"""Pictures of formations as SVG."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from matheur.problems.party.picture.palette import LIGHT
from matheur.problems.party.picture.routes import Point
from matheur.problems.party.picture.scene import Scene
from matheur.problems.party.picture.shapes import Box, Curve, Group, Shape, Text
from matheur.problems.party.picture.sheet import sheet_of

__all__ = ["draw_shape", "draw_svg", "number", "style"]


def draw_svg(scene: Scene) -> str:
    """Return the scene as one SVG element with its own style; it loads no external resources."""
    sheet = sheet_of(scene, alone=False)
    width, height = (number(length) for length in sheet.size)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{style(LIGHT)}</style>",
        f'<rect width="{width}" height="{height}" class="f-paper"/>',
        *(_group(group) for group in sheet.groups),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def style(theme: Mapping[str, str]) -> str:
    """Return CSS classes for each colour as fill and as stroke; the page uses variables as its theme."""
    rules = [
        "text{font-family:system-ui,'DejaVu Sans',Verdana,sans-serif}",
        "path{fill:none;stroke-linecap:round;stroke-linejoin:round}",
    ]
    rules += [f".f-{name}{{fill:{value}}}.s-{name}{{stroke:{value}}}" for name, value in theme.items()]
    return "".join(rules)


def _group(group: Group) -> str:
    title = f"<title>{escape(group.title)}</title>" if group.title else ""
    kind = f' class="{group.kind}"' if group.kind else ""
    return f"<g{kind}>{title}{''.join(draw_shape(shape) for shape in group.shapes)}</g>"


def draw_shape(shape: Shape) -> str:
    """Return a shape as an SVG element."""
    if isinstance(shape, Text):
        look = f'class="f-{shape.fill}" font-size="{number(shape.size)}"' + (
            ' font-weight="bold"' if shape.bold else ""
        )
        anchor = "" if shape.anchor == "start" else f' text-anchor="{shape.anchor}"'
        place = f'x="{number(shape.x)}" y="{number(shape.y + 0.36 * shape.size)}"'
        return f"<text {place} {look}{anchor}>{escape(shape.text)}</text>"
    if isinstance(shape, Curve):
        dashes = ' stroke-dasharray="2 6"' if shape.dashed else ""
        return f'<path class="s-{shape.stroke}" stroke-width="{number(shape.width)}"{dashes} d="{_path(shape)}"/>'
    return _box(shape)


def _box(box: Box) -> str:
    size = f'x="{number(box.x)}" y="{number(box.y)}" width="{number(box.across)}" height="{number(box.down)}"'
    line = f' s-{box.stroke}" stroke-width="{number(box.width)}"' if box.width else '"'
    corner = f' rx="{number(box.corner)}"' if box.corner else ""
    return f'<rect {size}{corner} class="f-{box.fill}{line}/>'


def _path(curve: Curve) -> str:
    first, *others = (_place(point) for point in curve.points)
    return f"M{first}Q{' '.join(others)}" if curve.bent else f"M{first}L{'L'.join(others)}"


def _place(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def number(value: float) -> str:
    """Format a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")
