"""Cubes as lists of the pieces in each place (Singmaster's notation)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.rubik.cubies import CORNER_STICKERS, CORNERS, EDGE_STICKERS, EDGES
from matheur.problems.rubik.stickers import SOLVED

__all__ = ["by_pieces", "pieces_in"]

PLACES = "UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR".split()  # noqa: SIM905
"""Order of the places in Singmaster's notation (used by Reid's programs and others)."""

_STICKERS = {
    frozenset(name): stickers for name, stickers in zip(CORNERS + EDGES, CORNER_STICKERS + EDGE_STICKERS, strict=True)
}


def pieces_in(lines: Sequence[tuple[int, str]]) -> list[str] | None:
    """Names of the pieces in each place, such as `UF UR ...`; None if the words are not names of pieces.

    Raises
    ------
    InputError
        If the words are names of pieces but not twenty of them, since they could also be turns without blanks.
    """
    words = [word for _, text in lines for word in re.split(r"[\s,;]+", text) if word]
    if len(words) < 2 or not all(frozenset(word) in _STICKERS and len(set(word)) == len(word) for word in words):
        return None
    if [len(word) for word in words] != [len(place) for place in PLACES]:
        raise InputError(
            f"{shown(words[0])} may be a piece or turns. Maybe a blank between turns, or all 12 edges and 8 corners?"
        )
    return words


def by_pieces(words: Sequence[str], source: Source) -> str:
    """The facelets of a cube from its pieces, place by place; their order is recorded as an assumption."""
    stickers = list(SOLVED)
    for place, piece in zip(PLACES, words, strict=True):
        for face, colour in zip(place, piece, strict=True):
            stickers[next(i for i in _STICKERS[frozenset(place)] if SOLVED[i] == face)] = colour
    source.assume(f"pieces in the places {' '.join(PLACES[:5])} ... {PLACES[-1]}, one after the other")
    return "".join(stickers)
