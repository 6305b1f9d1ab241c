"""Projection of the hypercube: a parallel projection in which no two vertices coincide.

The first three coordinates give the usual drawing of a cube. Each further coordinate shifts that drawing to the side or
up, so that a cube of dimension 4 appears as two cubes side by side, a cube of dimension 5 as four, and so on. The
longer edges are slightly oblique, so that no edge runs through vertices that are not its ends.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Point", "bow", "edges", "hull", "project"]

Point = tuple[float, float]

# x to the right, y down, in units of the first edge. The directions are tuned to keep vertices away from edges that do
# not end there: by 0.09 units in dimension 7, by 0.18 in dimension 4.
_DIRECTIONS: tuple[Point, ...] = (
    (1.0, 0.0),
    (0.0, -1.0),
    (0.48, -0.35),
    (1.86, 0.35),
    (0.39, -2.0),
    (4.08, 0.37),
    (0.37, -3.93),
)


def project(d: int, unit: float = 1.0) -> tuple[list[Point], Point]:
    """Points of the vertices of the d-cube, with smallest coordinates 0, and the width and height of the drawing."""
    points = []
    for vertex in range(1 << d):
        chosen = [_DIRECTIONS[i] for i in range(d) if vertex >> i & 1]
        points.append((sum(x for x, _ in chosen), sum(y for _, y in chosen)))
    left, top = min(x for x, _ in points), min(y for _, y in points)
    moved = [(unit * (x - left), unit * (y - top)) for x, y in points]
    return moved, (max(x for x, _ in moved), max(y for _, y in moved))


def edges(d: int, vertices: Sequence[int] | None = None) -> list[tuple[int, int, int]]:
    """The edges among these vertices (None: all) as (vertex, vertex, coordinate), the longest first."""
    chosen = range(1 << d) if vertices is None else sorted(vertices)
    there = set(chosen)
    return [
        (vertex, vertex | 1 << i, i)
        for i in reversed(range(d))
        for vertex in chosen
        if not vertex >> i & 1 and vertex | 1 << i in there
    ]


def hull(points: Sequence[Point]) -> list[Point]:
    """The convex hull of at least two points in cyclic order (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    chains: list[list[Point]] = []
    for sequence in (ordered, ordered[::-1]):
        chain: list[Point] = []
        for point in sequence:
            while len(chain) >= 2 and _turn(chain[-2], chain[-1], point) <= 1e-9:
                chain.pop()
            chain.append(point)
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def bow(here: Point, there: Point, gap: float) -> tuple[Point, Point, Point]:
    """Start, control point and end of a curved arrow that keeps a distance from both points."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    length = (dx * dx + dy * dy) ** 0.5 or 1.0
    ux, uy = dx / length, dy / length
    kept, bend = min(gap, 0.4 * length), 0.12 * length
    middle = ((here[0] + there[0]) / 2 - uy * bend, (here[1] + there[1]) / 2 + ux * bend)
    return (here[0] + ux * kept, here[1] + uy * kept), middle, (there[0] - ux * kept, there[1] - uy * kept)


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
