"""Pictures of formations as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

from matheur.problems.party.picture.palette import LIGHT
from matheur.problems.party.picture.scene import Scene
from matheur.problems.party.picture.shapes import Box, Curve, Shape, Text
from matheur.problems.party.picture.sheet import sheet_of
from matheur.problems.pictures import blank_figure, png_of

__all__ = ["draw_png"]

_DPI = 144  # units of length are 1/96 inch, so each has 1.5 pixels
_PIXELS_MAX = 12_000  # maximum length of the longer side


def draw_png(scene: Scene) -> bytes:
    """Return the scene as a PNG image that looks like the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    sheet = sheet_of(scene, alone=False)
    width, height = sheet.size
    dpi = min(_DPI, 96 * _PIXELS_MAX / max(width, height))
    figure = blank_figure("parties", (width / 96, height / 96), dpi=dpi, colour=LIGHT["paper"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    shapes = [shape for group in sheet.groups for shape in group.shapes]
    for level, shape in enumerate(shapes, start=1):
        _draw(axes, shape, level)
    return png_of(figure, scene.title)


def _draw(axes: Any, shape: Shape, level: int) -> None:
    if isinstance(shape, Text):
        axes.text(
            shape.x, shape.y + 0.36 * shape.size, shape.text, fontsize=0.72 * shape.size, color=LIGHT[shape.fill],
            fontweight="bold" if shape.bold else "normal", va="baseline", parse_math=False, zorder=level,
            ha={"start": "left", "middle": "center", "end": "right"}[shape.anchor],
        )  # fmt: skip
    elif isinstance(shape, Curve):
        _curve(axes, shape, level)
    else:
        _box(axes, shape, level)


def _curve(axes: Any, curve: Curve, level: int) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    codes = [Path.MOVETO, *([Path.CURVE3 if curve.bent else Path.LINETO] * (len(curve.points) - 1))]
    axes.add_patch(
        PathPatch(
            Path(curve.points, codes), fill=False, edgecolor=LIGHT[curve.stroke], linewidth=0.75 * curve.width,
            linestyle=(0, (1, 3)) if curve.dashed else "solid", capstyle="round", joinstyle="round", zorder=level,
        )
    )  # fmt: skip


def _box(axes: Any, box: Box, level: int) -> None:
    from matplotlib.patches import FancyBboxPatch

    axes.add_patch(
        FancyBboxPatch(
            (box.x, box.y), box.across, box.down, facecolor=LIGHT[box.fill], zorder=level,
            boxstyle=f"round,pad=0,rounding_size={box.corner}" if box.corner else "square,pad=0",
            edgecolor=LIGHT[box.stroke] if box.width else "none", linewidth=0.75 * box.width,
        )
    )  # fmt: skip
