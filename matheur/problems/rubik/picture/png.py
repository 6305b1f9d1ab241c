"""Cubes and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from matheur.problems.pictures import png_of
from matheur.problems.plan_pictures import CAPTION, first_and_last
from matheur.problems.rubik.picture.scene import COLOURS, NET, Scene
from matheur.problems.rubik.picture.svg import sheet_of

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 36  # of a longer plan, the first frames and the last one are drawn


def draw_png(scene: Scene) -> bytes:
    """The same picture as the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames = first_and_last(scene.frames, FRAMES_MAX)
    sheet = sheet_of(len(frames))
    side = sheet.side
    figure, axes = sheet.axes("the cube", scene.title, scene.state)
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    squares: dict[str, list[Rectangle]] = {letter: [] for letter in COLOURS}
    for frame, (x, y) in zip(frames, sheet.places(), strict=True):
        if len(frames) > 1:
            axes.text(x, y + 7, frame.caption, fontsize=8, va="center")
            y += CAPTION
        for letter, (row, column) in zip(frame.facelets, NET, strict=True):
            squares[letter].append(Rectangle((x + column * side, y + row * side), side, side))
        if frame.face:
            row, column = NET[9 * "URFDLB".index(frame.face)]
            corner = x + column * side, y + row * side
            axes.add_patch(Rectangle(corner, 3 * side, 3 * side, fill=False, linewidth=side / 7, zorder=3))
    for letter, colour in COLOURS.items():
        axes.add_collection(PatchCollection(squares[letter], facecolor=colour, edgecolor="#222222", linewidth=0.5))
    return png_of(figure, scene.title)
