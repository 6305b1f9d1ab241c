"""Panel next to a formation: price, synergy, demands, violations, and a legend of the colours."""

from __future__ import annotations

from matheur.problems.party.picture.demands import Demand
from matheur.problems.party.picture.palette import LEVELS
from matheur.problems.party.picture.phrases import demand_words
from matheur.problems.party.picture.routes import Point
from matheur.problems.party.picture.scene import Scene
from matheur.problems.party.picture.shapes import Box, Curve, Group, Shape, Text
from matheur.problems.party.picture.words import amount, wrapped

__all__ = ["PANEL_WIDTH", "panel"]

PANEL_WIDTH = 320.0

_DEMANDS_MAX = 24
_VIOLATIONS_MAX = 6


def panel(scene: Scene, corner: Point) -> tuple[list[Group], float]:
    """Return the parts of the panel, and its lower end."""
    x, y = corner
    shapes: list[Shape] = []
    y = _figure(shapes, x, y, "price" if scene.filled else "price at least", f"{scene.price:,}")
    if scene.synergy is not None:
        y = _figure(shapes, x, y, "synergy", amount(scene.synergy))
        y = _bar(shapes, x, y, scene)
    if scene.demands:
        y = _heading(shapes, x, y, "demands")
        for demand in scene.demands[:_DEMANDS_MAX]:
            y = _demand(shapes, x, y, demand)
        y = _more(shapes, x, y, len(scene.demands) - _DEMANDS_MAX, "demands")
    if scene.violations:
        y = _heading(shapes, x, y, "violations")
        for said in scene.violations[:_VIOLATIONS_MAX]:
            y = _paragraph(shapes, x, y, said, 3, "bad") + 4
        y = _more(shapes, x, y, len(scene.violations) - _VIOLATIONS_MAX, "violations")
    if any(link.synergy is not None for link in scene.links):
        y = _legend(shapes, x, _heading(shapes, x, y, "synergy of an edge"))
    if any(cell.group for card in scene.cards for cell in card.traits):
        y = _paragraph(
            shapes, x, y, "Squares of the same colour in the same line of two cards: the same value.", 2, "muted"
        )
    return [Group("", "", tuple(shapes))], y


def _figure(shapes: list[Shape], x: float, y: float, name: str, value: str) -> float:
    shapes += [Text(x, y + 6, name, 12, "muted"), Text(x, y + 27, value, 24, bold=True)]
    return y + 52


def _heading(shapes: list[Shape], x: float, y: float, name: str) -> float:
    shapes += [Curve(((x, y), (x + PANEL_WIDTH, y)), "faint", 1.2), Text(x, y + 15, name, 12, "muted")]
    return y + 36


def _bar(shapes: list[Shape], x: float, y: float, scene: Scene) -> float:
    """Draw the synergy from 0 to 1, with a mark at the demanded minimum."""
    assert scene.synergy is not None
    short = scene.minimum is not None and scene.synergy < scene.minimum
    filled = PANEL_WIDTH * float(scene.synergy)
    shapes.append(Box(x, y, PANEL_WIDTH, 10, "faint", corner=5))
    if filled > 0:
        shapes.append(Box(x, y, max(filled, 10.0), 10, "bad" if short else "good", corner=5))
    if scene.minimum is not None:
        mark = x + PANEL_WIDTH * float(scene.minimum)
        shapes.append(Curve(((mark, y - 5), (mark, y + 15)), "ink", 2))
        low, high = x + 30, x + PANEL_WIDTH - 30
        shapes.append(
            Text(min(max(mark, low), high), y + 23, f"min {amount(scene.minimum)}", 11, "muted", anchor="middle")
        )
        y += 16
    return y + 26


def _demand(shapes: list[Shape], x: float, y: float, demand: Demand) -> float:
    """Draw a mark and the demand, with its state below."""
    if demand.ok is not None:
        colour = "good" if demand.ok else "bad"
        shapes.append(Box(x, y - 7, 14, 14, "paper", colour, 1.4, 7))
        strokes = (
            [((x + 3.6, y + 0.2), (x + 6.2, y + 2.9), (x + 10.6, y - 2.8))]
            if demand.ok
            else [((x + 4.2, y - 2.8), (x + 9.8, y + 2.8)), ((x + 4.2, y + 2.8), (x + 9.8, y - 2.8))]
        )
        shapes += [Curve(stroke, colour, 1.8) for stroke in strokes]
    else:
        shapes.append(Box(x + 4, y - 3, 6, 6, "muted", corner=3))
    y = _paragraph(shapes, x + 22, y, demand.name, 2, "ink")
    words = demand_words(demand)
    if words:
        y = _paragraph(shapes, x + 22, y - 2, words, 2, "muted" if demand.ok is not False else "bad", 11.5)
    return y + 7


def _paragraph(shapes: list[Shape], x: float, y: float, text: str, lines: int, fill: str, size: float = 12.5) -> float:
    for line in wrapped(text, PANEL_WIDTH - 22, size, lines):
        shapes.append(Text(x, y, line, size, fill))
        y += size + 4
    return y


def _more(shapes: list[Shape], x: float, y: float, number: int, what: str) -> float:
    if number > 0:
        shapes.append(Text(x, y, f"and {number} more {what}", 12, "muted"))
        y += 18
    return y + 6


def _legend(shapes: list[Shape], x: float, y: float) -> float:
    step = PANEL_WIDTH / (LEVELS + 1)
    for level in range(LEVELS + 1):
        ends = ((x + level * step + 4, y), (x + (level + 1) * step - 4, y))
        shapes.append(Curve(ends, f"edge{level}", 2 + 3.5 * level / LEVELS, dashed=level == 0))
    shapes += [
        Text(x + 4, y + 15, "none", 11, "muted"),
        Text(x + PANEL_WIDTH - 4, y + 15, "full", 11, "muted", anchor="end"),
    ]
    return y + 38
