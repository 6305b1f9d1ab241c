"""A graph as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

import numpy as np

from matheur.problems.max_clique.picture.scene import LEVELS, Scene
from matheur.problems.max_clique.picture.svg import colour
from matheur.problems.pictures import blank_figure, png_of

__all__ = ["draw_png"]


def draw_png(scene: Scene) -> bytes:
    """The scene as an image: the matrix and the degrees.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    figure = blank_figure("graphs", (9.5, 6.2), dpi=120)
    figure.text(0.03, 0.955, scene.title, fontsize=13, fontweight="bold", parse_math=False)
    look = "#b3261e" if scene.violations else "#5b636c"
    figure.text(0.03, 0.915, scene.state, fontsize=10.5, color=look, parse_math=False)
    matrix = figure.add_axes((0.03, 0.05, 0.55, 0.83))
    matrix.axis("off")
    table = np.array([[int(colour(level)[i : i + 2], 16) for i in (1, 3, 5)] for level in range(LEVELS + 1)])
    m = len(scene.levels)
    if m:
        matrix.imshow(table[scene.levels.astype(np.int64)].astype(np.uint8), interpolation="nearest")
        if scene.members:
            side = scene.members
            matrix.plot([-0.5, side - 0.5, side - 0.5, -0.5, -0.5], [-0.5, -0.5, side - 0.5, side - 0.5, -0.5],
                        color="#dd8440", linewidth=1.5)  # fmt: skip
    plot = figure.add_axes((0.68, 0.09, 0.29, 0.76))
    plot.plot(np.arange(len(scene.degrees)), scene.degrees, color="#14427a")
    plot.set_title("degrees, ascending", fontsize=10)
    plot.set_ylim(0, max(1, len(scene.degrees) - 1))
    return png_of(figure, scene.title)
