"""Puzzles and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

from matheur.problems.cubical.picture.geometry import Point, bow, edges, hull
from matheur.problems.cubical.picture.layout import HEAD_LINES, LEGEND_RADIUS, MARGIN, Layout, numbered, sheet_of
from matheur.problems.cubical.picture.palette import dark_text
from matheur.problems.cubical.picture.scene import Frame, Scene
from matheur.problems.cubical.picture.svg import THEME
from matheur.problems.pictures import blank_figure, png_of

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 60  # of a longer plan, the first frames and the last one are drawn
_DPI = 144  # lengths are in units of 1/96 inch, which gives 1.5 pixels per unit


def draw_png(scene: Scene) -> bytes:
    """The scene as an image; the same as the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    sheet = sheet_of(scene, FRAMES_MAX)
    width, height = sheet.size
    figure = blank_figure("cubical puzzles", (width / 96, height / 96), dpi=_DPI)
    pen = _Pen(figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0)))
    pen.axes.axis("off")
    for y, text, size, weight in zip(HEAD_LINES, sheet.head, (15, 13), ("bold", "normal"), strict=True):
        pen.text((MARGIN, y - 0.35 * size), text, size, weight=weight, left=True)
    for ring, (place, text) in enumerate(sheet.legend):
        pen.disc(scene, ring, place, LEGEND_RADIUS)
        pen.text((place[0] + 15, place[1]), text, 12, left=True)
    for corner, step, frame in sheet.frames:
        _frame(pen, scene, sheet.layout, corner, step, frame)
    return png_of(figure, scene.title)


class _Pen:
    """Draws on axes in the units of the layout; later items lie above earlier ones."""

    def __init__(self, axes: Any) -> None:
        self.axes = axes
        self.level = 1

    def add(self, patch: Any) -> None:
        """Add a patch above all earlier ones."""
        self.level += 1
        patch.set_zorder(self.level)
        self.axes.add_patch(patch)

    def lines(self, pairs: list[tuple[Point, Point]], colour: str, width: float) -> None:
        """Draw straight lines."""
        from matplotlib.collections import LineCollection

        self.level += 1
        self.axes.add_collection(
            LineCollection(pairs, colors=colour, linewidths=0.75 * width, capstyle="round", zorder=self.level),
            autolim=False,
        )

    def text(
        self, at: Point, text: str, size: float, *, colour: str = "#222222", weight: str = "normal", left: bool = False
    ) -> None:
        """Draw text centred at a point, or to the right of it."""
        self.level += 1
        self.axes.text(
            *at, text, fontsize=0.75 * size, color=colour, fontweight=weight, zorder=self.level, parse_math=False,
            ha="left" if left else "center", va="center_baseline" if not left else "center",
        )  # fmt: skip

    def disc(self, scene: Scene, ring: int, at: Point, radius: float) -> None:
        """Draw a ring with its letters."""
        from matplotlib.patches import Circle

        colour = scene.colours[ring]
        self.add(Circle(at, radius, facecolor=colour, edgecolor=THEME["ink"], linewidth=0.7))
        ink = "#000000" if dark_text(colour) else "#ffffff"
        size = (0.85 if len(scene.marks[ring]) > 1 else 1.15) * radius
        self.text(at, scene.marks[ring], size, colour=ink, weight="bold")


def _frame(pen: _Pen, scene: Scene, layout: Layout, corner: Point, step: int, frame: Frame) -> None:
    from matplotlib.patches import Circle, FancyArrowPatch, Polygon
    from matplotlib.path import Path

    radius = layout.radius
    points = [(corner[0] + x, corner[1] + y) for x, y in layout.points]
    bad = THEME["bad"] if frame.wrong else THEME["ink"]
    if scene.planned:
        pen.text((corner[0] + radius, corner[1] + 10), numbered(step, frame), 12, colour=bad, left=True)
    if frame.face:
        outline = hull([points[vertex] for vertex in frame.face])
        pen.add(Polygon(outline, facecolor=THEME["face"], alpha=0.7, edgecolor="none"))
    every = edges(scene.dimension)
    pen.lines([(points[a], points[b]) for a, b, i in every if i > 2], THEME["far"], 1)
    pen.lines([(points[a], points[b]) for a, b, i in every if i <= 2], THEME["line"], 1.4)
    pen.lines([(points[a], points[b]) for a, b, _ in edges(scene.dimension, frame.face)], THEME["rim"], 2.2)
    _vertices(pen, scene, points, radius)
    for ring, vertex in enumerate(frame.places):
        pen.disc(scene, ring, points[vertex], radius)
    if frame.ring is not None and frame.origin is not None:
        here, there = points[frame.origin], points[frame.places[frame.ring]]
        pen.add(Circle(here, radius, fill=False, edgecolor=THEME["ink"], linewidth=0.8, linestyle=(0, (2.5, 2))))
        path = Path(bow(here, there, 1.15 * radius), [Path.MOVETO, Path.CURVE3, Path.CURVE3])
        pen.add(FancyArrowPatch(path=path, arrowstyle="-|>", mutation_scale=7, color=bad, linewidth=1.3))


def _vertices(pen: _Pen, scene: Scene, points: list[Point], radius: float) -> None:
    """Dots with their numbers, and squares where they are targets."""
    from matplotlib.patches import Circle, FancyBboxPatch

    goals = {vertex: ring for ring, vertex in enumerate(scene.target)}
    for vertex, (x, y) in enumerate(points):
        goal = goals.get(vertex)
        aside, above = (1.4, 0.95) if goal is None else (1.85, 1.25)
        pen.text((x - aside * radius, y - above * radius), str(vertex), max(6.5, 0.72 * radius), colour="#555555")
        if goal is None:
            pen.add(Circle((x, y), 0.24 * radius, facecolor=THEME["line"], edgecolor="none"))
            continue
        half = 1.25 * radius
        for colour, width in ((THEME["ink"], 0.3 * radius + 1.4), (scene.colours[goal], 0.3 * radius)):
            pen.add(
                FancyBboxPatch(
                    (x - half, y - half), 2 * half, 2 * half, boxstyle=f"round,pad=0,rounding_size={0.3 * radius}",
                    facecolor=THEME["paper"], edgecolor=colour, linewidth=0.75 * width,
                )
            )  # fmt: skip
        size = (0.85 if len(scene.marks[goal]) > 1 else 1.15) * radius
        pen.text((x, y), scene.marks[goal], size, colour="#555555", weight="bold")
