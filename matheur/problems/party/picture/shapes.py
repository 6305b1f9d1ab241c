"""Elements of pictures: boxes, curves and texts, whose colours are names from the palette."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from matheur.problems.party.picture.routes import Point

__all__ = ["Anchor", "Box", "Curve", "Group", "Shape", "Text"]

Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; without a stroke if `width` is 0."""

    x: float
    y: float
    across: float
    down: float
    fill: str
    stroke: str = "line"
    width: float = 0.0
    corner: float = 0.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through two or more points, or with `bent` a quadratic curve with the second of three as control point."""

    points: tuple[Point, ...]
    stroke: str
    width: float
    dashed: bool = False
    bent: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `y` is its vertical centre."""

    x: float
    y: float
    text: str
    size: float = 12.0
    fill: str = "ink"
    bold: bool = False
    anchor: Anchor = "start"


Shape: TypeAlias = Box | Curve | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Shapes that belong together, drawn in this order.

    Attributes
    ----------
    kind
        Kind of the group: `link`, `card`, or empty.
    title
        Tooltip; its lines are separated by line feeds.
    shapes
        Shapes in drawing order.
    at
        Point that a hint about the group refers to.
    """

    kind: str
    title: str
    shapes: tuple[Shape, ...]
    at: Point = (0.0, 0.0)
