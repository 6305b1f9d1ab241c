"""Boards as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from matheur.problems.lights_out.picture.scene import Scene, colour_of
from matheur.problems.lights_out.picture.svg import COLOURS, side_of
from matheur.problems.pictures import blank_figure, png_of

__all__ = ["draw_png"]


def draw_png(scene: Scene) -> bytes:
    """The same picture as the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    side = side_of(scene) / 96
    width, height = max(scene.columns * side + 0.3, 3.6), scene.rows * side + 0.7
    figure = blank_figure("Lights Out", (width, height))
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, Rectangle

    axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.15 / side, (width - 0.15) / side), ylim=(height / side, 0))
    axes.axis("off")
    top = 0.55 / side
    axes.text(0, 0.17 / side, scene.title, fontsize=11, fontweight="bold", va="center", parse_math=False)
    axes.text(0, 0.38 / side, scene.state, fontsize=9, va="center", parse_math=False)
    for shown, size in ((scene.lights, 0.92), (scene.goal if scene.aims else (), 0.25)):
        for state in sorted(set(shown)):
            cells = [divmod(cell, scene.columns) for cell, one in enumerate(shown) if one == state]
            squares = [Rectangle((column + 0.04, top + row + 0.04), size, size) for row, column in cells]
            rim = "none" if shown is scene.lights else COLOURS["rim"]
            colour = colour_of(state, scene.states)
            axes.add_collection(PatchCollection(squares, facecolor=colour, edgecolor=rim, linewidth=0.5))
    for cell, number in enumerate(scene.order):
        if number:
            row, column = divmod(cell, scene.columns)
            place = (column + 0.5, top + row + 0.5)
            axes.add_patch(Circle(place, 0.36, facecolor="white", edgecolor=COLOURS["press"], linewidth=5 * side))
            if side * 96 >= 16:
                axes.text(*place, scene.label(cell), fontsize=20 * side, fontweight="bold", ha="center", va="center")
    return png_of(figure, scene.title)
