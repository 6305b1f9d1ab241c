"""Boards and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

from matheur.problems.pictures import png_of
from matheur.problems.plan_pictures import first_and_last
from matheur.problems.sliding_tile.picture.scene import Frame, Scene
from matheur.problems.sliding_tile.picture.svg import COLOURS, sheet_of

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 60  # longer plans show the first frames and the last one


def draw_png(scene: Scene) -> bytes:
    """The scene as an image, drawn as in the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames = first_and_last(scene.frames, FRAMES_MAX)
    sheet = sheet_of(scene, len(frames))
    side = sheet.side
    figure, axes = sheet.axes("sliding tiles", scene.title, scene.state)
    for frame, (x, y) in zip(frames, sheet.places(), strict=True):
        _board(axes, scene, frame, x, y, side, captioned=len(frames) > 1)
    return png_of(figure, scene.title)


def _board(axes: Any, scene: Scene, frame: Frame, x: float, y: float, side: float, *, captioned: bool) -> None:
    from matplotlib.patches import Rectangle

    if captioned:
        axes.text(x, y + 7, frame.caption, fontsize=8, va="center")
        y += 16
    axes.add_patch(Rectangle((x, y), scene.columns * side, scene.rows * side, facecolor=COLOURS["floor"]))
    for cell, tile in enumerate(frame.tiles):
        if tile == 0:
            continue
        left, above = x + cell % scene.columns * side, y + cell // scene.columns * side
        kind = "moved" if cell == frame.moved else "home" if scene.home(cell, tile) else "away"
        axes.add_patch(Rectangle((left + 0.5, above + 0.5), side - 1, side - 1, facecolor=COLOURS[kind]))
        axes.text(
            left + side / 2, above + side / 2, str(tile), fontsize=0.32 * side, fontweight="bold", ha="center",
            va="center_baseline",
        )  # fmt: skip
