"""Puzzles and plans as SVG: coloured discs are the rings, squares of the same colour their targets."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from matheur.problems.cubical.picture.geometry import Point, bow, edges, hull
from matheur.problems.cubical.picture.layout import (
    HEAD_LINES,
    LEGEND_RADIUS,
    MARGIN,
    Layout,
    Sheet,
    numbered,
    sheet_of,
)
from matheur.problems.cubical.picture.palette import dark_text
from matheur.problems.cubical.picture.scene import Frame, Scene

__all__ = [
    "FRAMES_MAX",
    "THEME",
    "arrow",
    "disc",
    "draw_svg",
    "face_path",
    "number",
    "style",
    "vertices",
    "wires",
]

FRAMES_MAX = 400  # of a longer plan, the first frames and the last one are drawn


def draw_svg(scene: Scene) -> str:
    """The scene as one SVG element with its own style; it loads no external resources."""
    sheet = sheet_of(scene, FRAMES_MAX)
    layout = sheet.layout
    width, height = (number(length) for length in sheet.size)
    title, state = (f'y="{number(y)}">{escape(text)}</text>' for y, text in zip(HEAD_LINES, sheet.head, strict=True))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(scene.title)}</title>",
        "<style>text{font-family:sans-serif}.title{font-size:15px;font-weight:bold}.state{font-size:13px}"
        f"{style(layout.radius, THEME)}</style>",
        f"<defs>{HEAD}",
        f'<g id="wires">{wires(scene, layout)}</g><g id="vertices">{vertices(scene, layout)}</g>',
        *(f'<g id="r{ring}">{disc(scene, ring, layout.radius)}</g>' for ring in range(len(scene.names))),
        "</defs>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text class="title" x="{number(MARGIN)}" {title}<text class="state" x="{number(MARGIN)}" {state}',
        _legend(scene, sheet),
        *(_frame(scene, layout, corner, step, frame) for corner, step, frame in sheet.frames),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


HEAD = (
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="4.5" markerHeight="4.5" orient="auto">'
    '<path d="M0 0 8 4 0 8z" class="head"/></marker>'
)
"""Arrowhead marker for the `defs` of a picture."""

THEME = {
    "ink": "#222222",
    "line": "#8a9096",
    "far": "#ccd1d6",
    "paper": "#ffffff",
    "face": "#c9ece6",
    "rim": "#12897b",
    "bad": "#c00000",
}
"""Colours by use, for a white background."""


def style(radius: float, theme: Mapping[str, str]) -> str:
    """CSS rules for everything that is drawn; the theme of the HTML page consists of CSS variables."""
    ink, line, far = theme["ink"], theme["line"], theme["far"]
    return (
        f".near,.far{{fill:none;stroke:{line};stroke-width:1.4}}.far{{stroke:{far};stroke-width:1}}"
        f".dot{{fill:{line}}}.mark{{text-anchor:middle;font-weight:bold;font-size:{number(1.15 * radius)}px}}"
        f".wide{{font-size:{number(0.85 * radius)}px}}"
        f".goal{{fill:{theme['paper']};stroke-width:{number(0.3 * radius)}}}.goaltext{{fill:{ink};opacity:.75}}"
        f".edge{{fill:none;stroke:{ink};stroke-width:{number(0.3 * radius + 1.4)}}}"
        f".disc{{stroke:{ink};stroke-width:{number(max(0.8, 0.09 * radius))}}}"
        f".vertex{{font-size:{number(max(6.5, 0.72 * radius))}px;fill:{ink};text-anchor:end;opacity:.8}}"
        f".face{{fill:{theme['face']};fill-opacity:.7;stroke:none}}"
        f".rim{{fill:none;stroke:{theme['rim']};stroke-width:2.2;stroke-linecap:round}}"
        f".ghost{{fill:none;stroke:{ink};stroke-width:1.1;stroke-dasharray:2.5 2}}"
        f".arrow{{fill:none;stroke:{ink};stroke-width:1.9;marker-end:url(#head)}}.head{{fill:{ink}}}"
        f".wrong .arrow{{stroke:{theme['bad']}}}.caption{{font-size:12px;fill:{ink}}}"
        f".wrong .caption{{fill:{theme['bad']}}}"
    )


def number(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def wires(scene: Scene, layout: Layout) -> str:
    """The edges; long edges are fainter and lie below the others."""
    parts = []
    for far in (True, False):
        lines = [(a, b) for a, b, i in edges(scene.dimension) if (i > 2) is far]
        if lines:
            parts.append(f'<path class="{"far" if far else "near"}" d="{_lines(layout.points, lines)}"/>')
    return "".join(parts)


def vertices(scene: Scene, layout: Layout) -> str:
    """Dots with their numbers, and squares where they are targets."""
    goals = {vertex: ring for ring, vertex in enumerate(scene.target)}
    return "".join(
        _vertex(scene, point, layout.radius, vertex, goals.get(vertex)) for vertex, point in enumerate(layout.points)
    )


def _vertex(scene: Scene, point: Point, radius: float, vertex: int, goal: int | None) -> str:
    x, y = point
    bits = f"{vertex:0{scene.dimension}b}"
    hint = f"vertex {vertex} ({bits})" + ("" if goal is None else f", target of {scene.names[goal]}")
    label_x, label_y = (
        x - (1.35 if goal is not None else 0.55) * radius,
        y - (1.0 if goal is not None else 0.4) * radius,
    )
    label = f'<text class="vertex" x="{number(label_x)}" y="{number(label_y)}">{vertex}</text>'
    if goal is None:
        body = f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="{number(0.24 * radius)}"/>'
    else:
        half = 1.25 * radius
        body = (
            f'<rect class="edge" x="{number(x - half)}" y="{number(y - half)}" width="{number(2 * half)}" '
            f'height="{number(2 * half)}" rx="{number(0.3 * radius)}"/>'
            f'<rect class="goal" x="{number(x - half)}" y="{number(y - half)}" width="{number(2 * half)}" '
            f'height="{number(2 * half)}" rx="{number(0.3 * radius)}" stroke="{scene.colours[goal]}"/>'
            f'<text class="{_mark(scene, goal)} goaltext" x="{number(x)}" y="{number(y)}" dy=".36em">'
            f"{escape(scene.marks[goal])}</text>"
        )
    return f"<g><title>{escape(hint)}</title>{body}{label}</g>"


def disc(scene: Scene, ring: int, radius: float) -> str:
    """A ring, centred at the origin."""
    colour = scene.colours[ring]
    ink = "#000" if dark_text(colour) else "#fff"
    return (
        f'<title>{escape(scene.names[ring])}</title><circle class="disc" r="{number(radius)}" fill="{colour}"/>'
        f'<text class="{_mark(scene, ring)}" dy=".36em" fill="{ink}">{escape(scene.marks[ring])}</text>'
    )


def face_path(scene: Scene, points: list[Point], face: tuple[int, ...]) -> tuple[str, str]:
    """The outline of a face, and its edges, as path data."""
    outline = "M" + "L".join(_place(point) for point in hull([points[vertex] for vertex in face])) + "z"
    return outline, _lines(points, [(a, b) for a, b, _ in edges(scene.dimension, face)])


def arrow(here: Point, there: Point, radius: float) -> str:
    """Path data of a curved arrow between two discs."""
    first, middle, last = bow(here, there, 1.15 * radius)
    return f"M{_place(first)}Q{_place(middle)} {_place(last)}"


def _legend(scene: Scene, sheet: Sheet) -> str:
    """The disc of each ring with its name, start and target."""
    parts = []
    for ring, ((x, y), text) in enumerate(sheet.legend):
        ink = "#000" if dark_text(scene.colours[ring]) else "#fff"
        parts.append(
            f'<g transform="translate({number(x)} {number(y)})">'
            f'<circle r="{number(LEGEND_RADIUS)}" fill="{scene.colours[ring]}" stroke="#222" stroke-width=".8"/>'
            f'<text class="mark" dy=".36em" style="font-size:{9 if len(scene.marks[ring]) > 1 else 11}px" '
            f'fill="{ink}">{escape(scene.marks[ring])}</text>'
            f'<text x="15" y="4" class="caption">{escape(text)}</text></g>'
        )
    return "".join(parts)


def _frame(scene: Scene, layout: Layout, corner: Point, step: int, frame: Frame) -> str:
    x, y = corner
    points, radius = layout.points, layout.radius
    parts = [f'<g class="frame{" wrong" if frame.wrong else ""}" transform="translate({number(x)} {number(y)})">']
    if scene.planned:
        parts.append(f'<text class="caption" x="{number(radius)}" y="14">{escape(numbered(step, frame))}</text>')
    if frame.face:
        outline, rim = face_path(scene, points, frame.face)
        parts.append(f'<path class="face" d="{outline}"/><use href="#wires"/><path class="rim" d="{rim}"/>')
    else:
        parts.append('<use href="#wires"/>')
    parts.append('<use href="#vertices"/>')
    for ring, vertex in enumerate(frame.places):
        parts.append(f'<use href="#r{ring}" x="{number(points[vertex][0])}" y="{number(points[vertex][1])}"/>')
    if frame.ring is not None and frame.origin is not None:
        here, there = points[frame.origin], points[frame.places[frame.ring]]
        parts.append(
            f'<circle class="ghost" cx="{number(here[0])}" cy="{number(here[1])}" r="{number(radius)}"/>'
            f'<path class="arrow" d="{arrow(here, there, radius)}"/>'
        )
    parts.append("</g>")
    return "".join(parts)


def _mark(scene: Scene, ring: int) -> str:
    return "mark wide" if len(scene.marks[ring]) > 1 else "mark"


def _lines(points: list[Point], pairs: list[tuple[int, int]]) -> str:
    return "".join(f"M{_place(points[a])}L{_place(points[b])}" for a, b in pairs)


def _place(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"
