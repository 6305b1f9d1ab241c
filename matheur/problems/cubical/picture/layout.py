"""Sizes in a picture: one large cube, or a grid of small ones for a plan."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.problems.cubical.picture.geometry import Point, project
from matheur.problems.cubical.picture.scene import Frame, Scene

__all__ = ["HEAD_LINES", "LEGEND_RADIUS", "MARGIN", "Layout", "Sheet", "layout_of", "legend_of", "numbered", "sheet_of"]

MARGIN = 16.0
HEAD_LINES = (MARGIN + 14, MARGIN + 33)  # baselines of the two lines at the top
LEGEND_RADIUS = 9.0

_LARGE = {1: 170.0, 2: 170.0, 3: 170.0, 4: 140.0, 5: 112.0, 6: 92.0, 7: 76.0}
_SMALL = {1: 72.0, 2: 64.0, 3: 72.0, 4: 62.0, 5: 52.0, 6: 46.0, 7: 40.0}
_WIDTH = 1160.0
_COLUMNS_MAX = 6


@dataclass(frozen=True, slots=True)
class Layout:
    """Lengths in pixels.

    Attributes
    ----------
    points
        Positions of the vertices within a frame.
    radius
        Radius of a ring's disc.
    frame
        Width and height of a frame, including its caption.
    columns, rows
        Size of the grid of frames.
    """

    points: list[Point]
    radius: float
    frame: Point
    columns: int
    rows: int


@dataclass(frozen=True, slots=True)
class Sheet:
    """A complete picture: two lines of text, the legend and the frames.

    Attributes
    ----------
    layout
        Layout of each frame.
    head
        The two lines.
    legend
        Centre of the disc of each ring, and the text to its right.
    frames
        Top left corner, number and content of each frame that is drawn.
    size
        Width and height.
    """

    layout: Layout
    head: tuple[str, str]
    legend: tuple[tuple[Point, str], ...]
    frames: tuple[tuple[Point, int, Frame], ...]
    size: Point


def layout_of(scene: Scene, frames: int) -> Layout:
    """The layout for a number of frames."""
    large = frames == 1
    d = scene.dimension
    unit = (_LARGE if large else _SMALL)[d]
    radius = min(15.0, 0.13 * unit) if large else min(9.0, 0.14 * unit)
    caption = 0.0 if large else 22.0
    margin = 2.6 * radius
    points, (width, height) = project(d, unit)
    placed = [(x + margin, y + margin + caption) for x, y in points]
    frame = (max(width + 2 * margin, 0.0 if large else 110.0), height + 2 * margin + caption)
    columns = max(1, min(_COLUMNS_MAX, int(_WIDTH // frame[0]), frames))
    return Layout(placed, radius, frame, columns, -(-frames // columns))


def sheet_of(scene: Scene, most: int) -> Sheet:
    """The picture with at most `most` frames; of a longer plan, the first frames and the last one."""
    frames = list(enumerate(scene.frames))
    left_out = max(0, len(frames) - most)
    if left_out:
        frames = [*frames[: most - 1], frames[-1]]
    layout = layout_of(scene, len(frames))
    head = (scene.title, scene.state + (f" ({left_out} moves before the last are not drawn)" if left_out else ""))
    width = max(layout.columns * layout.frame[0], 8.2 * len(head[0]), 7.0 * len(head[1]))
    texts = legend_of(scene)
    step = 34 + 7.2 * max(len(text) for text in texts)
    columns = max(1, int(width // step))
    top = MARGIN + 44
    legend = tuple(
        ((MARGIN + LEGEND_RADIUS + i % columns * step, top + LEGEND_RADIUS + i // columns * 26), text)
        for i, text in enumerate(texts)
    )
    top += -(-len(texts) // columns) * 26 + 10
    placed = []
    for i, (number, frame) in enumerate(frames):
        row, column = divmod(i, layout.columns)
        placed.append(((MARGIN + column * layout.frame[0], top + row * layout.frame[1]), number, frame))
    return Sheet(
        layout, head, legend, tuple(placed), (width + 2 * MARGIN, top + layout.rows * layout.frame[1] + MARGIN)
    )


def legend_of(scene: Scene) -> list[str]:
    """Name, start and target of each ring."""
    return [
        f"{name} {start} → {target}" for name, start, target in zip(scene.names, scene.start, scene.target, strict=True)
    ]


def numbered(step: int, frame: Frame) -> str:
    """The caption with the number of the move."""
    return frame.caption if step == 0 else f"{step}: {frame.caption}"
