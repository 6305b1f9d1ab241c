"""Piece lists as tables: names of columns (`id,top,right,bottom,left`), colons after the index, letters as colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matheur.problems.edge_matching.formats.letter_list import numbered
from matheur.problems.edge_matching.formats.text import Line

__all__ = ["Rows", "plain_rows"]

_SIDES = {
    "u": ("up", "top", "north", "u", "t", "n"),
    "r": ("right", "east", "r", "e"),
    "d": ("down", "bottom", "south", "d", "b", "s"),
    "l": ("left", "west", "l", "w"),
}
_SIDE_OF = {name: side for side, names in _SIDES.items() for name in names}
_COLON = re.compile(r"([0-9]{1,9})\s*:\s*(?=[-+0-9])")
_NUMBERS = re.compile(r"[-+0-9\s,;:]+")


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of a piece list without column names and colons.

    Attributes
    ----------
    lines
        All lines except the column names, including the size if there is one.
    names
        Line with the column names, if there is one.
    sides
        Order of the sides in the column names, as letters of `urdl`; empty without names.
    colons
        Whether the index of each piece was followed by a colon.
    frame
        Letter of the frame if colours are letters, empty if no letter can be the frame; None if colours are numbers.
    """

    lines: list[Line]
    names: Line | None = None
    sides: str = ""
    colons: bool = False
    frame: str | None = None


def plain_rows(lines: Sequence[Line], *, letters: bool = True) -> Rows:
    """The lines of a piece list and what the first lines specify; with `letters`, letters become numbers."""
    found = list(lines)
    frame = None
    for at in range(min(3, len(found))) if letters else ():  # after the size and the names
        if (rows := None if _sides(found[at].words) else numbered(found[at:])) is not None:
            found[at:], frame = rows
            break
    names, sides = None, ""
    for at, line in enumerate(found[:2]):  # the size may precede the names
        sides = _sides(line.words)
        if sides and len(found) > at + 1 and _NUMBERS.fullmatch(found[at + 1].text):
            names = found.pop(at)
            break
    first = 1 if found and _COLON.match(found[0].text) is None else 0
    body = found[first:]
    colons = bool(body) and all(_COLON.match(line.text) for line in body)
    if colons:
        found[first:] = [replace(line, text=_COLON.sub(r"\1 ", line.text, count=1)) for line in body]
    return Rows(found, names, sides if names is not None else "", colons, frame)


def _sides(words: Sequence[str]) -> str:
    """The order of the sides in column names, with or without an index column; empty if the words are anything else."""
    said = [word.strip("\"'").lower() for word in words]
    if len(said) == 5 and said[0] not in _SIDE_OF and not said[0].isdigit():
        said = said[1:]
    sides = "".join(_SIDE_OF.get(word, "") for word in said)
    return sides if len(said) == 4 and sorted(sides) == sorted("urdl") else ""
