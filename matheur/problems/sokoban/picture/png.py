"""Levels and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

from matheur.problems.pictures import png_of
from matheur.problems.plan_pictures import CAPTION, first_and_last
from matheur.problems.sokoban.picture.scene import Frame, Scene
from matheur.problems.sokoban.picture.svg import COLOURS, sheet_of

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 40  # longer plans show the first frames and the last one


def draw_png(scene: Scene) -> bytes:
    """The scene as an image, drawn as in the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames = first_and_last(scene.pushes, FRAMES_MAX)
    sheet = sheet_of(scene, len(frames))
    side = sheet.side
    figure, axes = sheet.axes("Sokoban", scene.title, scene.state)
    for frame, (x, y) in zip(frames, sheet.places(), strict=True):
        if len(frames) > 1:
            axes.text(x, y + 7, frame.caption, fontsize=8, va="center")
            y += CAPTION
        _level(axes, scene, frame, x, y, side)
    return png_of(figure, scene.title)


def _level(axes: Any, scene: Scene, frame: Frame, x: float, y: float, side: float) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, Rectangle

    one, inside = scene.instance, set(scene.instance.region)

    def corner(cell: int) -> tuple[float, float]:
        return x + cell % one.columns * side, y + cell // one.columns * side

    groups = {
        "wall": [cell for cell in range(one.rows * one.columns) if one.walls[cell]],
        "floor": [cell for cell in range(one.rows * one.columns) if not one.walls[cell] and cell in inside],
    }
    for kind, cells in groups.items():
        squares = [Rectangle(corner(cell), side, side) for cell in cells]
        axes.add_collection(PatchCollection(squares, facecolor=COLOURS[kind], edgecolor="none", zorder=1))
    for goal in one.goals:
        left, top = corner(goal)
        axes.add_patch(Circle((left + side / 2, top + side / 2), 0.17 * side, facecolor=COLOURS["goal"], zorder=2))
    for box in frame.boxes:
        left, top = corner(box)
        colour = COLOURS["done" if box in one.goals else "box"]
        axes.add_patch(
            Rectangle((left + 0.1 * side, top + 0.1 * side), 0.8 * side, 0.8 * side, facecolor=colour, zorder=3)
        )
    left, top = corner(frame.player)
    axes.add_patch(Circle((left + side / 2, top + side / 2), 0.34 * side, facecolor=COLOURS["player"], zorder=4))
