"""Cubes and plans as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from matheur.problems.pictures import blank_figure, png_of
from matheur.problems.rubik.picture.scene import COLOURS, NET, Scene
from matheur.problems.rubik.picture.svg import chosen_frames, sheet

__all__ = ["FRAMES_MAX", "draw_png"]

FRAMES_MAX = 36  # of longer plans the first ones and the last are drawn


def draw_png(scene: Scene) -> bytes:
    """The same as the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames = chosen_frames(scene, FRAMES_MAX)
    side, across, width, height = sheet(len(frames))
    figure = blank_figure("the cube", (width / 96, height / 96))
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    axes.text(14, 15, scene.title, fontsize=11, fontweight="bold", va="center", parse_math=False)
    axes.text(14, 34, scene.state, fontsize=9, va="center", parse_math=False)
    squares: dict[str, list[Rectangle]] = {letter: [] for letter in COLOURS}
    for number, frame in enumerate(frames):
        x = 14 + number % across * (12 * side + 16)
        y = 48 + number // across * (9 * side + 32)
        if len(frames) > 1:
            axes.text(x, y + 7, frame.caption, fontsize=8, va="center")
            y += 16
        for letter, (row, column) in zip(frame.facelets, NET, strict=True):
            squares[letter].append(Rectangle((x + column * side, y + row * side), side, side))
        if frame.face:
            row, column = NET[9 * "URFDLB".index(frame.face)]
            corner = x + column * side, y + row * side
            axes.add_patch(Rectangle(corner, 3 * side, 3 * side, fill=False, linewidth=side / 7, zorder=3))
    for letter, colour in COLOURS.items():
        axes.add_collection(PatchCollection(squares[letter], facecolor=colour, edgecolor="#222222", linewidth=0.5))
    return png_of(figure, scene.title)
