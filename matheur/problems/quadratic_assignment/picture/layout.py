"""Layout of the heat maps side by side, with their scales and the numbers along them."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.problems.quadratic_assignment.picture.heatmap import LEVELS, HeatMap
from matheur.problems.quadratic_assignment.picture.scene import Scene

__all__ = ["HEAD", "MARGIN", "SCALE", "Frame", "Tick", "frames_of", "scale_levels"]

MARGIN = 20.0
HEAD = 62.0
"""Height of title and state."""
SCALE = 195.0
"""Width of the scale below a map."""

_SIDE = 384.0
_CELL_MAX = 34.0
_TOP = 68.0  # height of title, note and numbers above a map
_LEFT = 26.0
_BELOW = 56.0


@dataclass(frozen=True, slots=True)
class Tick:
    """A number along a map, placed at the middle of its cell, measured from the map's corner."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """A map in the picture.

    Attributes
    ----------
    map
        Heat map to draw.
    x, y
        Upper left corner of its cells.
    cell
        Side of a cell.
    rows, columns
        Numbers to the left and above.
    """

    map: HeatMap
    x: float
    y: float
    cell: float
    rows: tuple[Tick, ...]
    columns: tuple[Tick, ...]

    @property
    def side(self) -> float:
        """Side of the whole map."""
        return self.cell * self.map.size


def frames_of(scene: Scene, *, head: float = HEAD) -> tuple[tuple[Frame, ...], tuple[float, float]]:
    """The maps side by side, and the width and height of the picture."""
    frames = []
    x, bottom = MARGIN, 0.0
    for one in scene.maps:
        cell = min(_CELL_MAX, _SIDE / one.size)
        frame = Frame(one, x + _LEFT, head + _TOP, cell, _ticks(one.rows, cell), _ticks(one.columns, cell))
        frames.append(frame)
        words = max(7.6 * len(one.title), 6.4 * len(one.note), SCALE + 130)
        x += _LEFT + max(frame.side, words) + MARGIN
        bottom = max(bottom, frame.y + frame.side + _BELOW)
    width = max(x, MARGIN * 2 + 9.6 * len(scene.title), MARGIN * 2 + 7.6 * len(scene.state))
    return tuple(frames), (width, bottom)


def _ticks(numbers: tuple[int, ...], cell: float) -> tuple[Tick, ...]:
    """As many numbers as there is room for."""
    need = 9.0 + 6.0 * len(str(max(numbers)))
    step = next(step for step in (1, 2, 5, 10, 20, 50) if step * cell >= min(need, 24.0) or step == 50)
    return tuple(Tick((i + 0.5) * cell, str(numbers[i])) for i in range(0, len(numbers), step))


def scale_levels(one: HeatMap) -> tuple[int, ...]:
    """Levels of the scale below a map, from the lowest."""
    below = range(-LEVELS, 0) if bool((one.levels < 0).any()) else range(0)
    return (*below, 0, *range(1, LEVELS + 1))
