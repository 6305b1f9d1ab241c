"""Formations and parties as plain text: tables of slots, edges and demands."""

from __future__ import annotations

import unicodedata
from fractions import Fraction

from matheur.problems.party.picture.demands import Demand
from matheur.problems.party.picture.phrases import common_of, demand_words, share_words
from matheur.problems.party.picture.scene import Scene
from matheur.problems.party.picture.words import amount

__all__ = ["draw_text"]

_CELL = 18  # maximum number of characters of a cell
_WIDE = 40  # the same for a cell that is alone


def draw_text(scene: Scene) -> str:
    """Return the scene as lines of text."""
    lines = [scene.title, scene.state, "", *_table(_slots(scene))]
    if any(link.synergy is not None for link in scene.links):
        lines += ["", *_table(_edges(scene))]
    if scene.demands:
        lines += ["", *(_demand(demand) for demand in scene.demands)]
    if scene.violations:
        lines += ["", *(f"✗ {said}" for said in scene.violations)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _slots(scene: Scene) -> list[list[str]]:
    if not scene.filled:
        rows = [["slot", "candidates", "from", "fixed", "neighbours"]]
        for slot, card in enumerate(scene.cards):
            ends = [link.one + link.two - slot for link in scene.links if slot in (link.one, link.two)]
            neighbours = ", ".join(_cut(scene.cards[other].slot, _CELL) for other in ends)
            cheapest = "—" if card.cheapest is None else f"{card.cheapest:,}"
            rows.append([card.slot, f"{card.candidates:,}", cheapest, card.item or "", neighbours])
        return rows if any(card.fixed for card in scene.cards) else [[*row[:3], row[4]] for row in rows]
    first = scene.cards[0]
    names = [*(column for column, _ in first.measures), *(cell.column for cell in first.traits)]
    rows = [["slot", "item", "price", *names, ""]]
    for card in scene.cards:
        price = "—" if card.price is None else f"{card.price:,}"
        cells = [*(number for _, number in card.measures), *(cell.value or "—" for cell in card.traits)]
        marks = [*(["fixed"] if card.fixed else []), *(f"✗ {words}" for words in card.wrong)]
        rows.append([card.slot, card.item or "—", price, *cells, ", ".join(marks)])
    return rows


def _edges(scene: Scene) -> list[list[str]]:
    """Return each edge with its synergy and the matching terms, with their match value if it is not 1."""
    rows, common = [["edge", "synergy", "matches"]], common_of(scene)
    for link in scene.links:
        ends = f"{_cut(scene.cards[link.one].slot, _CELL)} – {_cut(scene.cards[link.two].slot, _CELL)}"
        matches = [
            _cut(match.column, _CELL) + ("" if match.match == 1 else f" {amount(match.match)}")
            for match in link.matches
            if match.match
        ]
        rows.append([ends, share_words(link.synergy or Fraction(0), common), ", ".join(matches)])
    return rows


def _demand(demand: Demand) -> str:
    mark = {None: "·", True: "✓", False: "✗"}[demand.ok]
    words = demand_words(demand)
    return f"{mark} {demand.name}" + (f": {words}" if words else "")


def _table(rows: list[list[str]]) -> list[str]:
    """Align cells in columns, the last of which is never cut; columns of numbers are right-aligned."""
    last = len(rows[0]) - 1
    cut = [[_cut(cell, _CELL if i else _WIDE) for i, cell in enumerate(row[:-1])] + row[-1:] for row in rows]
    lines = []
    widths = [max(_columns(row[i]) for row in cut) for i in range(last + 1)]
    right = [_numbers([row[i] for row in cut[1:]]) for i in range(last + 1)]
    for row in cut:
        parts = []
        for cell, width, flush in zip(row, widths, right, strict=True):
            blanks = " " * (width - _columns(cell))
            parts.append(blanks + cell if flush else cell + blanks)
        lines.append("  ".join(parts))
    return lines


def _numbers(cells: list[str]) -> bool:
    return all(cell in ("", "—") or cell.replace(",", "").replace(".", "", 1).isdecimal() for cell in cells)


def _columns(text: str) -> int:
    """Number of terminal columns that a text occupies."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def _cut(text: str, most: int) -> str:
    if _columns(text) <= most:
        return text
    while _columns(text) >= most:
        text = text[:-1]
    return text + "…"
