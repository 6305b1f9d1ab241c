"""Routing of edges between cards, and placement of their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Point", "Route", "hidden", "routes"]

Point: TypeAlias = tuple[float, float]
Floats: TypeAlias = NDArray[np.float64]

_SAMPLES = np.linspace(0.0, 1.0, 33)
_BENDS = (0.0, 0.35, -0.35, 0.6, -0.6, 0.9, -0.9, 1.25, -1.25)  # as multiples of width + height of a card


@dataclass(frozen=True, slots=True)
class Route:
    """An edge as a quadratic Bézier curve between the centres of two cards.

    Attributes
    ----------
    control
        Control point; the midpoint of both ends for a straight line.
    label
        Position of the label, clear of cards and other labels if there is space.
    span
        Smallest and largest x and y along the curve.
    """

    control: Point
    label: Point
    span: tuple[Point, Point]


def _curve(start: Floats, control: Floats, end: Floats) -> Floats:
    """Return points along quadratic curves. Shape (..., samples, 2)."""
    t = _SAMPLES[:, None]
    return (1 - t) ** 2 * start[..., None, :] + 2 * t * (1 - t) * control[..., None, :] + t**2 * end[..., None, :]


def hidden(
    start: Floats,
    control: Floats,
    end: Floats,
    placed: Floats,
    card: Point,
    edges: NDArray[np.int32],
    margin: float = 7.0,
) -> NDArray[np.bool_]:
    """Whether a curve passes through or close to a card that is not at its ends. Shape (edges, slots)."""
    away = np.abs(_curve(start, control, end)[:, None] - placed[None, :, None])
    near = (away[..., 0] < card[0] / 2 + margin) & (away[..., 1] < card[1] / 2 + margin)
    inside: NDArray[np.bool_] = np.any(near, axis=2)
    rows = np.arange(len(edges))
    inside[rows, edges[:, 0]] = inside[rows, edges[:, 1]] = False
    return inside


def routes(points: list[Point], edges: NDArray[np.int32], card: Point, label: Point) -> list[Route]:
    """Route the edges and place their labels, all of the same size."""
    placed = np.array(points)
    taken: list[Floats] = []
    found = []
    for pair in edges.tolist():
        a, b = placed[pair[0]], placed[pair[1]]
        control = _bent(a, b, placed, card, np.array([pair], dtype=np.int32))
        curve = _curve(a, control, b)
        place = _free(curve, placed, card, label, taken)
        taken.append(place)
        low, high = curve.min(axis=0).tolist(), curve.max(axis=0).tolist()
        span = ((low[0], high[0]), (low[1], high[1]))
        found.append(Route((float(control[0]), float(control[1])), (float(place[0]), float(place[1])), span))
    return found


def _bent(a: Floats, b: Floats, placed: Floats, card: Point, pair: NDArray[np.int32]) -> Floats:
    """Return the control point of the straightest curve that meets no other card, or the fewest."""
    middle, along = (a + b) / 2, b - a
    across = np.array([-along[1], along[0]]) / max(1.0, float(np.hypot(*along)))
    best, chosen = np.inf, middle
    for bend in _BENDS:
        control = middle + across * bend * (card[0] + card[1])
        met = int(hidden(a[None], control[None], b[None], placed, card, pair).sum())
        if met < best:
            best, chosen = met, control
        if met == 0:
            break
    return chosen


def _free(curve: Floats, placed: Floats, card: Point, label: Point, taken: list[Floats]) -> Floats:
    """Return a point on the curve for its label: near the middle of its visible part, clear of earlier labels."""
    seen = np.all(np.any(np.abs(curve[:, None] - placed[None]) > np.array(card) / 2, axis=2), axis=1)
    visible = np.flatnonzero(seen) if seen.any() else np.arange(len(curve))
    middle = (visible[0] + visible[-1]) / 2
    room = (np.array(card) + label) / 2 + 1
    best, chosen = np.inf, curve[int(middle)]
    for index in visible[np.argsort(abs(visible - middle), kind="stable")].tolist():
        point = curve[index]
        cards = int(np.all(np.abs(point - placed) < room, axis=1).sum())
        labels = sum(bool(np.all(abs(point - other) < np.array(label) + 2)) for other in taken)
        cost = 2.0 * cards + 3.0 * labels + abs(index - middle) / len(curve)
        if cost < best:
            best, chosen = cost, point
    return chosen
