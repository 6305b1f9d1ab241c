"""Pieces whose colours are letters of one case: `aabc`, `a a b c`, `AABC`, optionally after an index.

The viewer writes `a` for the frame, other programs `X`. The frame is the letter that divides the pieces into corners,
border and inner pieces.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from matheur.problems.edge_matching.formats.text import Line

__all__ = ["numbered"]

_PIECE = re.compile(r"(?:([0-9]{1,9})\s*:?[\s,;]+)?" + r"[\s,;]*".join(["([A-Za-z])"] * 4) + r"[\s,;]*")
_CORNERS = 4


def numbered(lines: Sequence[Line]) -> tuple[list[Line], str] | None:
    """The lines with numbers instead of letters, and the letter of the frame, empty if there is none.

    None if the lines have another form. The frame becomes 0. If it is `a`, then `b` becomes 1, otherwise `a`.
    """
    found = [_PIECE.fullmatch(line.text) for line in lines]
    pieces = ["".join(one.groups()[1:]) for one in found if one is not None]
    text = "".join(pieces)
    indexed = {one[1] is not None for one in found if one is not None}
    if not lines or len(pieces) < len(lines) or len(indexed) > 1 or not (text.islower() or text.isupper()):
        return None
    frames = [letter for letter in sorted(set(text)) if _is_frame(letter, pieces)]
    frame = frames[0] if frames else ""
    first = ord("a" if text.islower() else "A") - (frame.lower() != "a")  # the letter of the number 0, or before it
    rows = []
    for line, one, piece in zip(lines, found, pieces, strict=True):
        assert one is not None
        numbers = (0 if letter == frame else ord(letter) - first for letter in piece)
        rows.append(replace(line, text=" ".join([one[1] or "", *map(str, numbers)]).lstrip()))
    return rows, frame


def _is_frame(letter: str, pieces: Sequence[str]) -> bool:
    """Whether the numbers of corners and border pieces are those of a board with this number of pieces."""
    counts = [piece.count(letter) for piece in pieces]
    border = counts.count(1)
    half, odd = divmod(border + 2 * _CORNERS, 2)  # rows + columns
    rest = half * half - 4 * len(pieces)
    return counts.count(2) == _CORNERS and max(counts) == 2 and not odd and rest >= 0 and math.isqrt(rest) ** 2 == rest
