"""Picture as shapes: the formation with its cards and edges, and a panel with the demands next to it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from matheur.problems.party.picture.layout import arrange
from matheur.problems.party.picture.palette import GROUPS, LEVELS, level_of
from matheur.problems.party.picture.panel import PANEL_WIDTH, panel
from matheur.problems.party.picture.phrases import card_words, common_of, link_words, share_words
from matheur.problems.party.picture.routes import Point, Route, routes
from matheur.problems.party.picture.scene import Card, Link, Scene
from matheur.problems.party.picture.shapes import Box, Curve, Group, Shape, Text
from matheur.problems.party.picture.words import counted, fitted, width_of, wrapped

__all__ = ["Sheet", "sheet_of"]

_MARGIN = 20.0
_CARD = 168.0
_PAD = 9.0
_GAP = (56.0, 42.0)
_LINE = 15.5
_TRAITS_MAX = 6
_MEASURES_MAX = 3
_LABEL = (38.0, 18.0)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A whole picture: width, height, and parts in drawing order."""

    size: Point
    groups: tuple[Group, ...]


def sheet_of(scene: Scene, *, alone: bool) -> Sheet:
    """Return the picture with title and panel, or the formation alone."""
    card = (_CARD, _height(scene))
    points = arrange(len(scene.cards), _pairs(scene), card, _GAP)
    ways = routes(points, _pairs(scene), card, _LABEL)
    corner, size = _extent(points, ways, card)
    width = size[0] + 2 * _MARGIN + (0.0 if alone else PANEL_WIDTH + 2 * _MARGIN)
    head, top = ([], _MARGIN) if alone else _head(scene, width)
    shift = (_MARGIN - corner[0], top - corner[1])
    height = size[1] + top + _MARGIN
    if not alone:
        beside, bottom = panel(scene, (size[0] + 3 * _MARGIN, top))
        head += beside
        height = max(height, bottom + _MARGIN)
    common = common_of(scene)
    links = [_link(scene, link, way, points, shift, common) for link, way in zip(scene.links, ways, strict=True)]
    labels = [label for _, label in links if label is not None]
    cards = [
        _card(one, scene.filled, (x + shift[0], y + shift[1]), card)
        for one, (x, y) in zip(scene.cards, points, strict=True)
    ]
    return Sheet((width, height), (*head, *(line for line, _ in links), *cards, *labels))


def _pairs(scene: Scene) -> np.ndarray:
    return np.array([(link.one, link.two) for link in scene.links], dtype=np.int32).reshape(-1, 2)


def _extent(points: list[Point], ways: list[Route], card: Point) -> tuple[Point, Point]:
    """Return the top left corner, and width and height, of cards and curves."""
    xs = [x + side * card[0] / 2 for x, _ in points for side in (-1, 1)]
    ys = [y + side * card[1] / 2 for _, y in points for side in (-1, 1)]
    for way in ways:
        xs += [way.label[0] - _LABEL[0] / 2, way.label[0] + _LABEL[0] / 2, *way.span[0]]
        ys += [way.label[1] - _LABEL[1] / 2, way.label[1] + _LABEL[1] / 2, *way.span[1]]
    return (min(xs), min(ys)), (max(xs) - min(xs), max(ys) - min(ys))


def _head(scene: Scene, width: float) -> tuple[list[Group], float]:
    """Return title and state, and their lower end."""
    y = _MARGIN + 11
    shapes: list[Shape] = []
    for line in wrapped(scene.title, width - 2 * _MARGIN, 17.5, 3):
        shapes.append(Text(_MARGIN, y, line, 17, bold=True))
        y += 23
    fill = "bad" if scene.violations else "muted"
    for line in wrapped(scene.state, width - 2 * _MARGIN, 14, 3):
        shapes.append(Text(_MARGIN, y, line, 14, fill))
        y += 19
    return [Group("", "", tuple(shapes))], y + 14


def _link(
    scene: Scene, link: Link, way: Route, points: list[Point], shift: Point, common: int
) -> tuple[Group, Group | None]:
    """Return the line, which is drawn below the cards, and its label, which is drawn above them."""
    a, b = points[link.one], points[link.two]
    ends = tuple((x + shift[0], y + shift[1]) for x, y in (a, way.control, b))
    title = link_words(scene, link)
    at = (way.label[0] + shift[0], way.label[1] + shift[1])
    if link.synergy is None:
        return Group("link", title, (Curve(ends, "line", 2, bent=True),), at), None
    level = level_of(link.synergy)
    colour = f"edge{level}"
    line = Curve(ends, colour, 2 + 3.5 * level / LEVELS, dashed=level == 0, bent=True)
    words = share_words(link.synergy, common)
    across = max(26.0, width_of(words, 11, True) + 12)
    pill = Box(at[0] - across / 2, at[1] - 9, across, 18, "paper", colour, 1.6, 9)
    return Group("link", title, (line,), at), Group(
        "label", title, (pill, Text(*at, words, 11, bold=True, anchor="middle")), at
    )


def _height(scene: Scene) -> float:
    """Height of a card; all cards have the same number of lines."""
    if not scene.filled:
        return 2 * _PAD + 18 + 2 * _LINE
    traits = max(min(_TRAITS_MAX, len(card.traits)) for card in scene.cards)
    measures = max(min(_MEASURES_MAX, len(card.measures)) for card in scene.cards)
    wrong = any(card.wrong for card in scene.cards)
    return 2 * _PAD + 18 + _LINE * (1 + traits + max(0, measures - 1) + wrong)


def _card(card: Card, filled: bool, at: Point, size: Point) -> Group:
    left, right, top = at[0] - size[0] / 2, at[0] + size[0] / 2, at[1] - size[1] / 2
    edge, width = ("bad", 2.4) if card.wrong else ("ink", 1.6) if card.fixed else ("line", 1.2)
    frame = Box(left, top, *size, "card", edge, width, 7)
    lines = _filled(card) if filled else _open(card)
    shapes: list[Shape] = [frame]
    y = top + _PAD + 8
    for number, (mark, text, more, fill) in enumerate(lines):
        large = 13.0 if number == 0 else 11.0
        room = size[0] - 2 * _PAD - (14 if mark is not None else 0)
        aside = fitted(more, 0.62 * room, large, number == 0) if more else ""
        if aside:
            room -= width_of(aside, large, number == 0) + 6
        x = left + _PAD
        if mark is not None:
            shapes.append(
                Box(
                    x,
                    y - 4.5,
                    9,
                    9,
                    f"group{(mark - 1) % GROUPS + 1}" if mark else "card",
                    "line",
                    0 if mark else 1.0,
                    1,
                )
            )
            x += 14
        shapes.append(Text(x, y, fitted(text, room, large, number == 0), large, fill, number == 0))
        if aside:
            shapes.append(Text(right - _PAD, y, aside, large, fill, number == 0, "end"))
        y += 18 if number == 0 else _LINE
    return Group("card", card_words(card), tuple(shapes), at)


_Line = tuple[int | None, str, str, str]  # colour of a mark (0 for an empty one), text, text at the right, colour


def _filled(card: Card) -> list[_Line]:
    """Return the lines of a card with an item."""
    price = "no price" if card.price is None else f"{card.price:,}"
    measures = [f"{column} {number}" for column, number in card.measures[:_MEASURES_MAX]]
    what = f"item {card.item}{' (fixed)' if card.fixed else ''}"
    lines: list[_Line] = [(None, card.slot, price, "ink"), (None, what, measures[0] if measures else "", "muted")]
    lines += [(None, "", measure, "muted") for measure in measures[1:]]
    lines += [(cell.group, cell.value or "—", "", "ink") for cell in card.traits[:_TRAITS_MAX]]
    if card.wrong:
        lines.append((None, ", ".join(card.wrong), "", "bad"))
    return lines


def _open(card: Card) -> list[_Line]:
    """Return the lines of a card without an item."""
    if card.fixed and card.item is not None:
        lines: list[_Line] = [(None, f"fixed: {card.item}", "", "ink")]
    else:
        lines = [(None, counted(card.candidates, "candidate"), "", "ink" if card.candidates else "bad")]
    if card.cheapest is not None:
        lines.append((None, f"price from {card.cheapest:,}", "", "muted"))
    return [(None, card.slot, "", "ink"), *lines]
