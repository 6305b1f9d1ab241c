"""Heat maps as PNG, by matplotlib (the extra `plot`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.problems.pictures import blank_figure, png_of
from matheur.problems.quadratic_assignment.picture.layout import MARGIN, SCALE, Frame, frames_of, scale_levels
from matheur.problems.quadratic_assignment.picture.palette import LIGHT, colour_of, strong_text
from matheur.problems.quadratic_assignment.picture.scene import Scene
from matheur.problems.quadratic_assignment.picture.svg import scale_words

__all__ = ["draw_png"]

_DPI = 144  # dots per inch; lengths of the picture are in 1/96 inch, so 1.5 pixels each


def draw_png(scene: Scene) -> bytes:
    """The scene as an image, drawn as in the SVG.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    frames, (width, height) = frames_of(scene)
    figure = blank_figure("assignments", (width / 96, height / 96), dpi=_DPI, colour=LIGHT["paper"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    _text(axes, MARGIN, MARGIN + 15, scene.title, 17, bold=True)
    _text(axes, MARGIN, MARGIN + 36, scene.state, 14, "bad" if scene.violations else "muted")
    for frame in frames:
        _frame(axes, frame)
    return png_of(figure, scene.title)


def _frame(axes: Any, frame: Frame) -> None:
    one, x, y = frame.map, frame.x, frame.y
    _text(axes, x, y - 44, one.title, 13, bold=True)
    _text(axes, x, y - 27, one.note, 11.5, "muted")
    for tick in frame.columns:
        _text(axes, x + tick.at, y - 6, tick.text, 9.5, "muted", align="center")
    for tick in frame.rows:
        _text(axes, x - 5, y + tick.at + 3.4, tick.text, 9.5, "muted", align="right")
    _image(axes, one.levels, x, y, frame.side, frame.side)
    size = min(11.5, 0.36 * frame.cell)
    for index, shown in enumerate(one.numbers):
        row, column = divmod(index, one.size)
        level = int(one.levels[row, column])
        look = "paper" if strong_text(level) else "muted" if level == 0 else "ink"
        middle = y + (row + 0.5) * frame.cell + 0.36 * size
        _text(axes, x + (column + 0.5) * frame.cell, middle, shown, size, look, align="center")
    steps = scale_levels(one)
    _image(axes, np.array([steps], dtype=np.int8), x, y + frame.side + 12, SCALE, 9.0)
    _text(axes, x + SCALE + 8, y + frame.side + 20.5, scale_words(one), 11, "muted")


def _image(axes: Any, levels: NDArray[np.int8], x: float, y: float, across: float, down: float) -> None:
    """Cells without gaps."""
    low = int(levels.min())
    colours = [LIGHT[colour_of(level)] for level in range(low, int(levels.max()) + 1)]
    table = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours], dtype=np.uint8)
    pixels = table[levels.astype(np.int64) - low]
    axes.imshow(pixels, extent=(x, x + across, y + down, y), interpolation="nearest", aspect="auto", zorder=1)
    axes.set_autoscale_on(False)


def _text(
    axes: Any, x: float, y: float, text: str, size: float, look: str = "ink", *, bold: bool = False, align: str = "left"
) -> None:
    axes.text(
        x, y, text, fontsize=0.72 * size, color=LIGHT[look], fontweight="bold" if bold else "normal", ha=align,
        va="baseline", parse_math=False, zorder=2,
    )  # fmt: skip
