"""Levels and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

from matheur.problems.pictures import blank_figure, png_of
from matheur.problems.sokoban.picture.scene import Frame, Scene
from matheur.problems.sokoban.picture.svg import COLOURS, chosen_frames, sheet

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 40  # of longer plans the first ones and the last are drawn


def draw_png(scene: Scene) -> bytes:
    """The same as the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames = chosen_frames(scene, FRAMES_MAX)
    side, across, width, height = sheet(scene, len(frames))
    figure = blank_figure("Sokoban", (width / 96, height / 96))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    axes.text(14, 15, scene.title, fontsize=11, fontweight="bold", va="center", parse_math=False)
    axes.text(14, 34, scene.state, fontsize=9, va="center", parse_math=False)
    for number, frame in enumerate(frames):
        x = 14 + number % across * (scene.instance.columns * side + 14)
        y = 48 + number // across * (scene.instance.rows * side + 30)
        if len(frames) > 1:
            axes.text(x, y + 7, frame.caption, fontsize=8, va="center")
            y += 16
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
